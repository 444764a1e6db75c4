// The door of a figure to a kernel, through anywidget: traits are its view's state, and Python computes what it shows.

import { settle } from "./cell.ts";
import { KernelAnswers, NO_ANSWER } from "./kernel-answers.ts";
import type { KernelModel } from "./kernel-model.ts";
import { keepWhenSaved } from "./saved-notebook.ts";

interface Figure<View> {
  kind: string; // the element that shows the same on a page
  make: (state: any, change: (state: any, names?: string[]) => void, ask: () => void) => View;
  show: (view: View) => void;
  lend: (view: View, settings: Record<string, string>) => Record<string, any>; // gives the state after it
}

interface KernelView {
  update(state: any): void;
  setStatus(text: string): void;
  markOld(old: boolean): void; // what is shown doesn't answer to what was typed or chosen
}

/**
 * Opens the door to the figure in `root`. `traits` says which trait of `model` holds which part of the state; `make(state, change,
 * ask)` gives the view, which asks Python whether it has dealt with what it was sent; `show(view)` shows what Python computed, again
 * whenever one of the traits `computed` changed; `lend(view, settings)` lends it what a phrase of the text sets. The trait `_asks` names those that Python computes from, and `_status` is the view's
 * status, unless Python doesn't answer. A notebook that is saved keeps how it stands. Returns what closes the door.
 */
export function openDoor<View extends KernelView>(
  model: KernelModel,
  root: HTMLElement,
  traits: Record<string, string>,
  computed: string[],
  { kind, make, show, lend }: Figure<View>,
) {
  const state = () =>
    Object.fromEntries(
      Object.entries(traits)
        .map(([part, trait]) => [part, model.get(trait)])
        .filter(([, value]) => value !== undefined),
    ); // a kernel may know fewer
  const asks: string[] = model.get("_asks");
  let sending = false;
  const otherwise = (chosen: any) =>
    Object.keys(traits).filter((part) => part in chosen && !isEqual(chosen[part], model.get(traits[part])));
  const change = (chosen: any, names = otherwise(chosen)) => {
    sending = true; // each `set` announces a change while the next trait still has its old value
    for (const name of names) model.set(traits[name], chosen[name]);
    sending = false;
    if (names.some((name) => asks.includes(traits[name]))) answers.ask(true);
    else model.save_changes();
  };
  const showStatus = () => view.setStatus(answers.late ? NO_ANSWER : model.get("_status"));
  const answers = new KernelAnswers(model, () => {
    view.markOld(answers.old);
    showStatus();
  });
  const ask = () => answers.ask();
  const view = make(state(), change, ask);
  const paint = () => {
    show(view);
    showStatus();
  };
  const follow = () => sending || view.update(state());
  const listeners = [
    // an event each: marimo knows no lists of them
    ...computed.map((name) => on(name, paint)),
    ...Object.values(traits).map((name) => on(name, follow)),
    on("_status", showStatus),
  ];
  for (const listener of listeners) model.on(...listener);
  paint();
  if (asks.length) ask();
  const endings = [whenGone(model, ask), keepWhenSaved(model, root, () => model.get("_css")), () => answers.leave()];
  Object.assign(root, {
    id: model.get("id") ?? "",
    lend(settings: Record<string, string>) {
      change(lend(view, settings));
    },
  });
  root.dataset.kind = kind;
  endings.push(settle(root));
  return () => {
    for (const listener of listeners) model.off(...listener);
    for (const end of endings) end();
  };
}

/** Calls where JupyterLab says that a kernel ends or starts anew; returns what ends that. */
function whenGone({ widget_manager: manager }: KernelModel, call: () => void) {
  const changed = manager?.context?.sessionContext?.statusChanged;
  const listen = (_: unknown, status: string) => void (GONE.includes(status) && call());
  changed?.connect(listen);
  return () => void changed?.disconnect(listen);
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const GONE = ["restarting", "autorestarting", "terminating", "dead", "unknown"];

const on = (name: string, listener: () => void): [string, () => void] => [`change:${name}`, listener];
