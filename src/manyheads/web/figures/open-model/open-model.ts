// <open-model for="map next-word">: a GGUF file of the reader's, all parts of one, or a folder of Hugging Face's becomes the model of the
// figures that it names, by id or kind. It's chosen, or dropped here or on one of them. No DOM while the module loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { figureNamed } from "../../doors/named.ts";
import { openFile } from "../../doors/open-file.ts";
import { turns } from "../../doors/turns.ts";
import { StatusLine } from "../../views/controls.ts";
import { h, setText } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { reduce, start, type Action, type State } from "./state.ts";

const STAYS = "Nothing is uploaded: your browser reads the file, and forgets it with this page.";
const OWN = ["model", "models"];

function view(host: Host<State, Action>) {
  const { act, root } = host;
  const choose = ({ currentTarget }: Event) => {
    const input = currentTarget as HTMLInputElement;
    const chosen = [...(input.files ?? [])].filter(isAtTop);
    input.value = ""; // the same may be chosen again
    if (chosen.length || input === folder) openOne(host, chosen); // of an empty folder, that it lacks all
  };
  const file = h("input", { type: "file", multiple: true, onchange: choose }); // of any name: Ollama's have no ending
  const folder = h("input", { type: "file", webkitdirectory: true, onchange: choose });
  const what = h("p", { class: "om-what" });
  const bar = h("progress", { "aria-label": "How much of the file is read" });
  const status = new StatusLine();
  const wait = h("input", { type: "checkbox", onchange: () => act({ type: "wait", waits: wait.checked }) });
  const offer = h("label", { class: "hm-field" }, wait, "Read when I press Enter");
  const zone = h(
    "p",
    { class: "om-zone" },
    h("label", { class: "om-choose" }, root.getAttribute("label") ?? "Open a GGUF file", file),
    h("label", { class: "om-choose om-folder" }, "Open a folder", folder),
    h("span", { class: "om-drop" }, "or drop it here."),
    h("span", { class: "om-stays" }, STAYS),
  );

  function draw({ reading, model, line, ...state }: State) {
    setText(what, reading?.line || line);
    what.hidden = !what.textContent;
    bar.hidden = !reading;
    Object.assign(bar, { max: Math.max(reading?.total ?? 1, 1), value: reading?.done ?? 0 });
    if (reading) status.tell(reading.status, () => reading.cancels.abort(), "Cancel");
    else status.tell(state.status, model && (() => act({ type: "close" })), "Close it");
    offer.hidden = !state.slow;
    wait.checked = state.waits;
  }

  return { nodes: [zone, what, bar, status.node, offer], draw };
}

/** Opens a file, or several that are one, as the model of the figures; what can't be done is told, and rejected. */
async function open(host: Host<State, Action>, file: File | File[]) {
  host.state.reading?.cancels.abort();
  const cancels = new AbortController();
  const hear = (parts: object) => host.dispatch({ type: "hear", of: cancels, parts });
  host.dispatch({ type: "open", cancels });
  try {
    const model = await openFile(file, {
      cancels,
      tell: (status) => hear({ status }),
      opened: (line) => hear({ line }),
      progress: (done, total) => hear({ done, total }),
    });
    const own = figuresOf(host.root).map((figure) => [figure, OWN.map((name) => figure.getAttribute(name))]);
    host.act({ type: "give", of: cancels, model, own: own as State["own"] });
  } catch (error) {
    host.dispatch({ type: "fail", of: cancels });
    throw error;
  }
}

const openOne = (host: Host<State, Action>, files: File[]) => open(host, files).catch(() => {}); // it was told

/** Whether a file lies in a chosen folder itself; what lies deeper belongs to other models. */
const isAtTop = ({ webkitRelativePath = "" }: File) => webkitRelativePath.split("/").length <= 2;

/** The files that are dropped, or those that lie in a folder, which know their folder as chosen ones do. */
async function dropped({ items, files }: DataTransfer) {
  const entries = [...(items ?? [])].flatMap((item) => item.webkitGetAsEntry?.() ?? []); // later they're gone
  const folder = entries.find(({ isDirectory }) => isDirectory);
  if (!folder) return [...files];
  const found = await filesIn(folder as FileSystemDirectoryEntry);
  const pathOf = ({ name }: File) => ({ value: `${folder.name}/${name}` });
  return found.map((file) => Object.defineProperty(file, "webkitRelativePath", pathOf(file)));
}

async function filesIn(folder: FileSystemDirectoryEntry) {
  const reader = folder.createReader();
  const found: File[] = [];
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((...told) => reader.readEntries(...told)); // some at a time
    if (!entries.length) return found;
    const own = entries.filter(({ isFile }) => isFile) as FileSystemFileEntry[];
    found.push(...(await Promise.all(own.map((entry) => new Promise<File>((...told) => entry.file(...told))))));
  }
}

const figuresOf = (root: HTMLElement) =>
  (root.getAttribute("for") ?? "").split(/\s+/).flatMap((name) => figureNamed(name, root) ?? []);

/** The figures take a model that was opened, and their own again once it's closed. */
function changed({ root, state: { model, waits } }: Host<State, Action>, before: State) {
  if (waits !== before.waits) turns().waitsForEnter = waits;
  if (model === before.model) return;
  if (model) for (const figure of figuresOf(root)) setModels(figure, [model.name, null]);
  else for (const [figure, models] of before.own) setModels(figure, models);
  if (!model) before.model?.close?.();
}

function setModels(figure: Element, models: (string | null)[]) {
  for (const [at, value] of models.entries())
    if (value === null) figure.removeAttribute(OWN[at]);
    else figure.setAttribute(OWN[at], value);
}

/** A file over the page: it can be dropped here and on the figures. Elsewhere it does nothing, where a browser would go to it. */
function drag(host: Host<State, Action>, event: DragEvent) {
  const { dataTransfer, target, type } = event;
  if (!dataTransfer?.types.includes("Files")) return;
  const isHere = [host.root, ...figuresOf(host.root)].some((figure) => figure.contains(target as Node));
  if (isHere) dataTransfer.dropEffect = "copy";
  else if (!event.defaultPrevented) dataTransfer.dropEffect = "none"; // for no other one either
  event.preventDefault();
  host.root.classList.toggle("om-over", isHere && type === "dragover");
  if (isHere && type === "drop")
    dropped(dataTransfer).then(
      (files) => openOne(host, files),
      () => openOne(host, []),
    );
}

defineFigure<State, Action>("open-model", {
  start,
  reduce,
  view,
  changed,
  methods: { open },
  styles: ["open-model.css"],
  listen(host, leaves) {
    for (const name of ["dragover", "dragleave", "drop"] as const)
      addEventListener(name, (event) => drag(host, event), { signal: leaves });
    const measure = () => {
      const { model, slow } = host.state;
      if (model && !slow) host.dispatch({ type: "measure", seconds: model.secondsPerWord ?? 0 });
    };
    addEventListener("attention", measure, { signal: leaves });
  },
});
