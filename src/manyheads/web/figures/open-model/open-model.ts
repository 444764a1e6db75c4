// <open-model for="map next-word">: a GGUF file of the reader's, all parts of one, or a folder of Hugging Face's becomes the model of the
// figures that it names, by id or kind. It's chosen, or dropped here or on one of them. A second one may stand beside it: then the maps
// show how their heads differ. No DOM while the module loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { figureNamed } from "../../doors/named.ts";
import { openFile } from "../../doors/open-file.ts";
import type { LiveMap } from "../../doors/page-element.ts";
import { megabytes } from "../../doors/page-models.ts";
import { turns } from "../../doors/turns.ts";
import { Fault, reasonOf } from "../../math/faults.ts";
import { modelLabel } from "../../math/families.ts";
import type { Header } from "../../models/head-model.ts";
import { StatusLine } from "../../views/controls.ts";
import { fill, h, setText } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { makeBeside, TEXTS } from "./beside.ts";
import { reduce, start, type Action, type State } from "./state.ts";

const STAYS = "Nothing is uploaded: your browser reads the file, and forgets it with this page.";
const OWN = ["model", "models"];

function view(host: Host<State, Action>) {
  const { act, root } = host;
  /** A button for files, of any name, since Ollama's have no ending; or for a folder. */
  const chooser = (label: string, kind: string, { beside = false, webkitdirectory = false } = {}) => {
    const choose = () => {
      const chosen = [...(input.files ?? [])].filter(isAtTop);
      input.value = ""; // the same may be chosen again
      if (chosen.length || webkitdirectory) openOne(host, chosen, beside); // of an empty folder, that it lacks all
    };
    const input = h("input", { type: "file", multiple: !webkitdirectory, webkitdirectory, onchange: choose });
    return h("label", { class: `om-choose ${kind}` }, label, input);
  };
  const lines = h("div", { class: "om-lines" });
  const bar = h("progress", { "aria-label": "How much of the file is read" });
  const status = new StatusLine();
  const agrees = h(
    "button",
    { type: "button", class: "om-agree", onclick: () => host.state.reading?.agree?.() },
    "Load it",
  );
  const wait = h("input", { type: "checkbox", onchange: () => act({ type: "wait", waits: wait.checked }) });
  const offer = h("label", { class: "hm-field" }, wait, "Read when I press Enter");
  const second = chooser("Open a second file beside it", "om-second", { beside: true });
  const zone = h(
    "p",
    { class: "om-zone" },
    chooser(root.getAttribute("label") ?? "Open a GGUF file", ""),
    chooser("Open a folder", "om-folder", { webkitdirectory: true }),
    h("span", { class: "om-drop" }, "or drop it here."),
    h("span", { class: "om-stays" }, STAYS),
  );
  const beside = makeBeside({
    state: () => host.state,
    measure: () => void measure(host),
    stop: () => host.act({ type: "stop" }),
    show: ({ layer, head }) => {
      const map = mapOf(root);
      map?.setAttribute("layer", String(layer));
      map?.setAttribute("head", String(head));
    },
  });

  /** What the files are: of two, each with a button that closes it. */
  function drawLines({ reading, held }: State) {
    const stay = reading?.header && !reading.beside ? [] : held;
    const shown = [...stay.map(({ header }) => header.line), ...(reading?.header ? [reading.header.line] : [])];
    const rows = fill(lines, shown.length, () => h("p", { class: "om-what" }, h("span")));
    shown.forEach((line, at) => {
      const [text, button] = rows[at].children;
      setText(text, line);
      const model = stay.length > 1 ? stay[at]?.model : undefined;
      if (!model) return button?.remove();
      const closes = (button ?? rows[at].appendChild(h("button", { type: "button" }))) as HTMLButtonElement;
      setText(closes, `Close ${modelLabel(model.name)}`);
      closes.onclick = () => act({ type: "close", model });
    });
    lines.hidden = !shown.length;
  }

  function draw(state: State) {
    const { reading, held } = state;
    drawLines(state);
    bar.hidden = !reading || reading.agree !== null;
    Object.assign(bar, { max: Math.max(reading?.total ?? 1, 1), value: reading?.done ?? 0 });
    agrees.hidden = !reading?.agree;
    const [only] = held.length === 1 ? held : [];
    if (reading) status.tell(reading.status, () => reading.cancels.abort(), "Cancel");
    else status.tell(state.status, only ? () => act({ type: "close", model: only.model }) : null, "Close it");
    offer.hidden = !state.slow;
    wait.checked = state.waits;
    second.hidden = !only || reading !== null;
    beside.draw(state);
  }

  const asks = h("div", { class: "om-ask" }, status.node, agrees);
  return { nodes: [zone, lines, bar, asks, offer, second, beside.node], draw };
}

/** Opens a file, or several that are one, as the model of the figures, or as one beside that; what can't be done is told, and rejected. */
async function open(host: Host<State, Action>, file: File | File[], { beside = false } = {}) {
  host.state.reading?.cancels.abort();
  const cancels = new AbortController();
  const hear = (parts: object) => host.dispatch({ type: "hear", of: cancels, parts });
  host.dispatch({ type: "open", cancels, beside });
  try {
    const model = await openFile(file, {
      cancels,
      beside,
      tell: (status) => hear({ status }),
      async opened(header) {
        hear({ header });
        if (beside) await agreed(host, header, hear);
      },
      progress: (done, total) => hear({ done, total }),
    });
    const own = figuresOf(host.root).map((figure) => [figure, OWN.map((name) => figure.getAttribute(name))]);
    host.act({ type: "give", of: cancels, model, own: own as State["own"] });
  } catch (error) {
    host.dispatch({ type: "fail", of: cancels });
    throw error;
  }
}

/** Once the reader agrees to what two models take; there's nothing to agree to where their heads can't be compared. */
function agreed(
  { state: { held } }: Host<State, Action>,
  { numLayers, numHeads, bytes }: Header,
  hear: (parts: object) => void,
) {
  if (!held.length) return;
  const [{ model, header }] = held;
  if (numLayers !== model.numLayers || numHeads !== model.numHeads)
    throw new Fault(
      `it has ${numLayers} layers of ${numHeads} heads, and ${modelLabel(model.name)} ${model.numLayers} of ${model.numHeads}. Heads are compared one by one, so choose a file with as many.`,
    );
  const [both, own] = [bytes + header.bytes, bytes].map(megabytes);
  return new Promise<void>((agree) => {
    const goOn = () => (hear({ agree: null }), agree());
    hear({ status: `It takes ${own} MB of memory, both together ${both} MB.`, agree: goOn });
  });
}

const openOne = (host: Host<State, Action>, files: File[], beside = false) =>
  open(host, files, { beside }).catch(() => {}); // it was told

/** Reads our texts with both models, one after the other: what the reader types is answered in between. */
async function measure(host: Host<State, Action>) {
  const cancels = new AbortController();
  const [first, second] = host.state.held.map(({ model }) => model);
  host.act({ type: "begin", cancels, total: TEXTS.length });
  const { signal } = cancels;
  try {
    for (const text of TEXTS) {
      const maps = await Promise.all([first.attend(text, null, { signal }), second.attend(text, null, { signal })]);
      host.dispatch({ type: "found", of: cancels, maps });
    }
  } catch (error) {
    if (!signal.aborted) host.act({ type: "stop", why: `The texts could not be read: ${reasonOf(error)}` });
  }
}

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

/** The map among them. */
const mapOf = (root: HTMLElement) =>
  figuresOf(root).find((figure) => figure.matches("head-map")) as LiveMap | undefined;

/** The figures take a model that was opened, and their own again once it's closed; a map is compared with that of a second one. */
function changed({ root, state }: Host<State, Action>, before: State) {
  const { held, measuring, waits } = state;
  if (waits !== before.waits) turns().waitsForEnter = waits;
  if (measuring?.cancels !== before.measuring?.cancels) before.measuring?.cancels.abort();
  if (held === before.held) return;
  const [model, second] = held.map((each) => each.model);
  if (second) mapOf(root)?.setAttribute("beside", second.name);
  else mapOf(root)?.removeAttribute("beside");
  if (model && model !== before.held[0]?.model)
    for (const figure of figuresOf(root)) setModels(figure, [model.name, null]);
  if (!model) for (const [figure, models] of before.own) setModels(figure, models);
  for (const gone of before.held) if (!held.includes(gone)) gone.model.close?.();
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
  const beside = Boolean((target as Element).closest?.(".om-second"));
  if (isHere && type === "drop")
    dropped(dataTransfer).then(
      (files) => openOne(host, files, beside),
      () => openOne(host, [], beside),
    );
}

/** What a map told: how long a word takes, and of two models, both their maps. */
function hearMap(host: Host<State, Action>, { target }: Event) {
  const { held, slow } = host.state;
  if (held.length && !slow) host.dispatch({ type: "measure", seconds: held[0].model.secondsPerWord ?? 0 });
  const map = mapOf(host.root);
  if (target !== map || held.length < 2 || !map?.attention || !map.compared) return;
  host.dispatch({ type: "read", maps: [map.attention, map.compared] });
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
    addEventListener("attention", (event) => hearMap(host, event), { signal: leaves });
  },
});
