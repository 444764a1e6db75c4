// The door of a figure to a kernel, through anywidget: traits are its view's state, and Python computes what it shows.

import { standing } from "./saved-figure.ts";

/** What anywidget hands to `render`. */
export interface KernelModel {
  get(trait: string): any;
  set(trait: string, value: unknown): void;
  save_changes(): void;
  send(message: unknown): void;
  on(events: string, listener: (...told: any[]) => void): void;
  off(events: string, listener: (...told: any[]) => void): void;
  widget_manager?: { context?: NotebookContext }; // JupyterLab's has one
}

/** The notebook that a figure is in, as JupyterLab has it. */
export interface NotebookContext {
  saveState: { connect(listener: SaveListener): void; disconnect(listener: SaveListener): void };
  model: { getMetadata(name: string): any; setMetadata(name: string, value: unknown): void };
}

export type SaveListener = (context: unknown, state: string) => void;

interface Figure<View> {
  make: (state: any, change: (state: any, names: string[]) => void) => View;
  show: (view: View) => void;
}

/**
 * Opens the door to the figure in `root`. `traits` says which trait of `model` holds which part of the state; `make(state,
 * change)` gives the view; `show(view)` shows what Python computed, again whenever one of the traits `computed` changed; the
 * trait `_status` is the view's status. A notebook that is saved keeps how it stands. Returns what closes the door.
 */
export function openDoor<View extends { update(state: any): void, setStatus(text: string): void }>(
  model: KernelModel, root: HTMLElement, traits: Record<string, string>, computed: string[], { make, show }: Figure<View>,
) {
  const state = () => Object.fromEntries(Object.entries(traits)
    .map(([part, trait]) => [part, model.get(trait)]).filter(([, value]) => value !== undefined)); // a kernel may know fewer
  let sending = false;
  const view = make(state(), (chosen, names) => {
    sending = true; // each `set` announces a change while the next trait still has its old value
    for (const name of names) model.set(traits[name], chosen[name]);
    sending = false;
    model.save_changes();
  });
  const showStatus = () => view.setStatus(model.get("_status"));
  const paint = () => {
    show(view);
    showStatus();
  };
  const follow = () => sending || view.update(state());
  const listeners = [ // an event each: marimo knows no lists of them
    ...computed.map((name) => on(name, paint)),
    ...Object.values(traits).map((name) => on(name, follow)),
    on("_status", showStatus),
  ];
  for (const listener of listeners) model.on(...listener);
  paint();
  const forget = keepWhenSaved(model, root);
  return () => {
    for (const listener of listeners) model.off(...listener);
    forget();
  };
}

const on = (name: string, listener: () => void): [string, () => void] => [`change:${name}`, listener];

const PLACE = "manyheads"; // in the notebook's metadata and in the server's settings: {id: HTML}

/** Keeps a figure in the notebook that is saved, where the server takes it; returns what ends that. */
function keepWhenSaved(model: KernelModel, figure: HTMLElement) {
  const context = model.widget_manager?.context;
  const name = model.get("_kept_as");
  if (!name || !context?.saveState) return () => {};
  const keep = (_: unknown, state: string) => {
    if (state !== "started" || !figure.isConnected) return;
    const kept = context.model.getMetadata(PLACE) ?? {};
    context.model.setMetadata(PLACE, { ...kept, [name]: standing(figure, model.get("_css")) });
  };
  context.saveState.connect(keep);
  return () => void context.saveState.disconnect(keep);
}
