// The door of a figure to a kernel, through anywidget: traits are its view's state, and Python computes what it shows.

/**
 * Opens the door. `traits` says which trait of `model` holds which part of the state; `make(state, change)` gives the
 * view; `show(view)` shows what Python computed, again whenever one of the traits `computed` changed. Returns what
 * closes the door.
 */
export function openDoor(model, traits, computed, { make, show }) {
  const state = () => Object.fromEntries(Object.entries(traits).map(([part, trait]) => [part, model.get(trait)]));
  let telling = false;
  const view = make(state(), (state, names) => {
    telling = true; // each `set` announces a change while the next trait still has its old value
    for (const name of names) model.set(traits[name], state[name]);
    telling = false;
    model.save_changes();
  });
  const changes = (names) => names.map((name) => `change:${name}`).join(" ");
  const listeners = [
    [changes(computed), () => show(view)],
    [changes(Object.values(traits)), () => telling || view.update(state())],
  ];
  for (const listener of listeners) model.on(...listener);
  show(view);
  return () => listeners.forEach((listener) => model.off(...listener));
}
