// A notebook that JupyterLab saves keeps its figures as they stood: as HTML that needs neither script nor kernel, in the place where
// widgets are kept (the notebook's metadata), and as the widget of ipywidgets that shows HTML. With it are kept the boxes that it is in.

import type { KernelModel, NotebookCell, WidgetManager, WidgetStates } from "./kernel-model.ts";
import { standing } from "./saved-figure.ts";

const VIEW = "application/vnd.jupyter.widget-view+json";
const STATE = "application/vnd.jupyter.widget-state+json";
const VERSION = { version_major: 2, version_minor: 0 }; // of the format
const HTML = { model_module: "@jupyter-widgets/controls", model_module_version: "2.0.0", model_name: "HTMLModel" };

/** Keeps a figure in the notebook that is saved, where that can be; returns what ends that. Each figure does so by itself: it has a copy of this script. */
export function keepWhenSaved(model: KernelModel, figure: HTMLElement, style: () => string) {
  const { widget_manager: manager } = model;
  const { context } = manager ?? {};
  const saves = context?.saveState;
  if (!manager || !context || !saves) return () => {};
  const keep = (_: unknown, saving: string) => {
    if (saving !== "started") return;
    const [name, before]: [string, WidgetStates] = [
      model.get("_kept_as"),
      context.model.getMetadata("widgets")?.[STATE]?.state ?? {},
    ];
    if (before[name] && before[name].model_module !== HTML.model_module) return; // JupyterLab is set to keep all that widgets know
    const own = { [name]: { ...HTML, state: { value: standing(figure, style()) } } };
    const boxes = figure.parentElement?.parentElement?.closest(".jupyter-widgets") ? boxesOf(manager) : {};
    const state = keptOf(viewsOf(context.model.cells), { ...before, ...own }, boxes);
    context.model.setMetadata("widgets", { [STATE]: { state, ...VERSION } });
  };
  saves.connect(keep);
  return () => void saves.disconnect(keep);
}

/** All widgets that a notebook has but our figures, which keep themselves. */
function boxesOf(manager: WidgetManager) {
  const { state = {} } = manager.get_state_sync?.({ drop_defaults: true }) ?? {};
  return Object.fromEntries(
    Object.entries(state).filter(([, each]) => !String(each.state._anywidget_id).startsWith("manyheads.")),
  );
}

/** Of the widgets that cells show: those that are kept, and the boxes that one of these is in, with all that is in them. */
export function keptOf(shown: string[], kept: WidgetStates, boxes: WidgetStates): WidgetStates {
  const all = { ...boxes, ...kept };
  const names = shown
    .map((name) => partsOf(name, all))
    .filter((parts) => parts.some((part) => kept[part]))
    .flat();
  return Object.fromEntries(names.filter((name) => all[name]).map((name) => [name, all[name]]));
}

/** A widget's name, with those of its parts, and theirs. */
function partsOf(name: string, all: WidgetStates) {
  const names = new Set([name]);
  for (const each of names)
    for (const [, part] of JSON.stringify(all[each]?.state ?? {}).matchAll(/"IPY_MODEL_(\w+)"/g)) names.add(part);
  return [...names];
}

/** The names of the widgets that cells show. */
function viewsOf(cells: Iterable<NotebookCell>) {
  const all = [...cells].flatMap((cell) =>
    Array.from({ length: cell.outputs?.length ?? 0 }, (_, place) => cell.outputs!.get(place)),
  );
  return all.map(({ data }) => data[VIEW]?.model_id).filter(Boolean) as string[];
}
