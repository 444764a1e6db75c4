// The door of a figure to a kernel, through anywidget: traits are its view's state, and Python computes what it shows.

/**
 * Opens the door. `traits` says which trait of `model` holds which part of the state; `make(state, change)` gives the
 * view; `show(view)` shows what Python computed, again whenever one of the traits `computed` changed; the trait `_status`
 * is what the view says. Returns what closes the door.
 */
export function openDoor<View extends { update(state: any): void, say(text: string): void }>(model: KernelModel, traits: Record<string, string>, computed: string[], { make, show }: { make: (state: any, change: (state: any, names: string[]) => void) => View, show: (view: View) => void }) {
  const state = () => Object.fromEntries(Object.entries(traits)
    .map(([part, trait]) => [part, model.get(trait)]).filter(([, value]) => value !== undefined)); // a kernel may know fewer
  let telling = false;
  const view = make(state(), (chosen, names) => {
    telling = true; // each `set` announces a change while the next trait still has its old value
    for (const name of names) model.set(traits[name], chosen[name]);
    telling = false;
    model.save_changes();
  });
  const say = () => view.say(model.get("_status"));
  const paint = () => {
    show(view);
    say();
  };
  const follow = () => telling || view.update(state());
  /** One event each: marimo knows no lists of them. */
  const listeners: [string, () => void][] = [
    ...computed.map((name) => on(name, paint)),
    ...Object.values(traits).map((name) => on(name, follow)),
    on("_status", say),
  ];
  for (const listener of listeners) model.on(...listener);
  paint();
  return () => listeners.forEach((listener) => model.off(...listener));
}

const on = (name: string, listener: () => void): [string, () => void] => [`change:${name}`, listener];
