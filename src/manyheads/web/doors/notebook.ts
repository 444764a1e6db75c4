// The door of a page's figure to a notebook: its own custom element, for which Python brings what a page would fetch. The widget sends
// the element as a page has it, and answers each file that is asked for by its name; a document asks once for each.

import { Fault, reasonOf, WHY, within } from "../math/faults.ts";
import { hostHere, scriptAddress, setHost, workerHost, type Host } from "../math/host.ts";
import { h } from "../views/dom.ts";
import { settle } from "./cell.ts";
import type { KernelModel } from "./kernel-model.ts";
import { ANSWERS } from "./phrases.ts";
import { KEPT_AS, readProgress, recallAnswers } from "./progress.ts";
import { keepWhenSaved } from "./saved-notebook.ts";

const PATIENCE = 1500; // milliseconds until a reader reads that Python is busy
const BUSY = "Waiting for Python: it is busy, or gone. If nothing comes, run the cell again.";
const TOLD = [...ANSWERS, "answer"]; // events of figures that change their value
/** Properties of figures that are part of their value, if they have them; a map's are `MAP`. */
const VALUES = ["sentence", "text", "strokes", "answer", "attention", "off", "next", "training"];
const MAP = ["queryTokens", "keyTokens", "headNames", "shape", "weights", "predictions"];
const IMPORTED = /(?<=\b(?:from|import))"\.\/([\w-]+\.js)"/g; // what a script imports from beside it

/** What serves this document: the same for all figures in it, whichever kernel they come from. */
class KernelHost implements Host {
  base: string;
  sheets = ""; // the stylesheets that came, for figures that are kept
  #files = new Map<string, Promise<Blob>>();
  #waiting = new Map<string, (file: Blob) => void>(); // for those that were asked for
  #scripts = new Map<string, Promise<string>>();
  #styles = new Map<string, Promise<void>>();
  #models = new Set<KernelModel>(); // whoever of them answers
  #channel = `manyheads-${Math.random()}`;

  constructor(version: string) {
    this.base = `https://manyheads.invalid/${version}/`;
    if (globalThis.BroadcastChannel)
      new BroadcastChannel(this.#channel).onmessage = ({ data, currentTarget }) =>
        void this.#answer(data, currentTarget as BroadcastChannel);
  }

  /** Gives a worker a file that it asks for. */
  async #answer({ ask, name }: { ask?: number; name: string }, channel: BroadcastChannel) {
    if (!ask) return; // an answer
    const found = await this.file(name).then(
      (file) => ({ file }),
      ({ message: reason }: Error) => ({ reason }),
    );
    channel.postMessage({ answer: ask, ...found });
  }

  /** Takes a figure's kernel for one that answers; returns what ends that. */
  join(model: KernelModel) {
    this.#models.add(model);
    return () => void this.#models.delete(model);
  }

  /** Takes files that a figure brought along, {name: text}. */
  take(brought: Record<string, string>) {
    for (const [name, text] of Object.entries(brought)) {
      const file = new Blob([text]);
      this.#waiting.get(name)?.(file);
      if (!this.#files.has(name)) this.#files.set(name, Promise.resolve(file));
    }
  }

  /** A file of the site by its name, or a fault; one that comes too late is here for the next who asks. */
  file(name: string): Promise<Blob> {
    return within(this.#file(name));
  }

  #file(name: string) {
    return kept(this.#files, name, () => this.#ask(name));
  }

  #ask(name: string) {
    const model = [...this.#models].at(-1);
    return new Promise<Blob>((done, failed) => {
      if (!model) return failed(new Fault(WHY.absent));
      this.#waiting.set(name, done);
      const take = ({ file, missing }: { file: string; missing?: string }, buffers: ArrayBuffer[] = []) => {
        if (file !== name) return;
        model.off("msg:custom", take);
        if (missing) failed(new Fault(WHY.missing));
        else done(new Blob([buffers[0]]));
      };
      model.on("msg:custom", take);
      model.send({ file: name });
    });
  }

  script(name: string): Promise<string> {
    return kept(this.#scripts, name, async () => {
      let text = await (await this.#file(name)).text();
      for (const [imported, beside] of text.matchAll(IMPORTED))
        text = text.replace(imported, JSON.stringify(await this.script(beside)));
      return scriptAddress(this.base + name, text);
    });
  }

  /** Dresses the document. */
  style(name: string) {
    return kept(this.#styles, name, async () => {
      const sheet = await (await this.#file(name)).text();
      this.sheets += sheet;
      document.head.append(h("style", { class: "manyheads" }, sheet));
    });
  }

  /** A worker, at once: what is sent to it before its script is there waits. */
  worker(name: string) {
    const start = `${workerHost(this.base, this.#channel)}
      const early = [];
      onmessage = (event) => early.push(event);
      script(${JSON.stringify(name)}).then((address) => import(address)).then(() => early.forEach((event) => onmessage(event)));`;
    return new Worker(URL.createObjectURL(new Blob([start], { type: "text/javascript" })), { type: "module" });
  }
}

/** What was promised under a name, or is now; a failure is forgotten. */
function kept<Made>(known: Map<string, Promise<Made>>, name: string, make: () => Promise<Made>) {
  const made = known.get(name) ?? make();
  known.set(name, made);
  made.catch(() => known.delete(name));
  return made;
}

function hostOf(version: string) {
  const known = hostHere() as KernelHost | null;
  if (known) return known;
  const host = new KernelHost(version);
  setHost(host);
  return host;
}

function render({ model, el }: { model: KernelModel; el: HTMLElement }) {
  const host = hostOf(model.get("_version"));
  const root = el.appendChild(h("div"));
  host.take(model.get("_brought"));
  const says = (text: string) => root.replaceChildren(h("p", { role: "status" }, text));
  const late = setTimeout(says, PATIENCE, BUSY);
  const endings = [host.join(model), () => clearTimeout(late)];
  let left = false;
  const show = async () => {
    const names: string[] = model.get("_elements");
    await Promise.all(["head-map", ...names].map((name) => host.style(`${name}.css`).catch(() => {}))); // some have none
    const scripts = await Promise.all(names.map((name) => host.script(`${name}.js`)));
    for (const script of scripts) await import(script); // an element around others looks for them as it wakes
    clearTimeout(late);
    if (left) return;
    endings.push(keepProgress(model, root));
    root.innerHTML = model.get("html"); // scripts of data run nothing
    endings.push(
      settle(root),
      tellValue(model, root),
      keepWhenSaved(model, root, () => host.sheets),
    );
  };
  show().catch((error) => {
    clearTimeout(late);
    says(`The figure can’t be shown: ${reasonOf(error)}`);
  });
  return () => {
    left = true;
    for (const end of endings) end();
  };
}

/** Keeps in the notebook what is answered in it, and takes over what was; returns what ends that. */
function keepProgress({ widget_manager: manager }: KernelModel, root: HTMLElement) {
  const notebook = manager?.context?.model;
  const leaves = new AbortController();
  const before = (): Parameters<typeof recallAnswers>[0] => notebook?.getMetadata(KEPT_AS) ?? {};
  const keep = ({ detail: { exercise } }: CustomEvent) =>
    notebook?.setMetadata(KEPT_AS, { ...before(), [exercise]: readProgress()[exercise] ?? null });
  recallAnswers(before());
  root.addEventListener("answer", keep as EventListener, { signal: leaves.signal });
  return () => leaves.abort();
}

/** Tells Python what the reader has made of the figure, whenever that changes; returns what ends that. */
function tellValue(model: KernelModel, root: HTMLElement) {
  const figure = root.firstElementChild as HTMLElement & Record<string, unknown>;
  const said: Record<string, unknown> = {};
  const leaves = new AbortController();
  const tell = ({ type, detail }: CustomEventInit & Event) => {
    if (detail !== undefined) said[type] = detail;
    const own = Object.fromEntries(VALUES.filter((name) => name in figure).map((name) => [name, figure[name]]));
    model.set("_value", forPython({ ...said, ...own }));
    model.save_changes();
  };
  for (const name of TOLD) root.addEventListener(name, tell, { signal: leaves.signal });
  return () => leaves.abort();
}

/** A value as Python takes it: arrays as their bytes with what they are, of a map what a page may ask of it. */
export function forPython(value: any): unknown {
  if (ArrayBuffer.isView(value)) return arrayForPython(value as Float32Array);
  if (Array.isArray(value)) return value.map(forPython);
  if (typeof value !== "object" || value === null) return typeof value === "function" ? null : (value ?? null);
  const names = "queryTokens" in value ? MAP : Object.keys(value);
  const parts = Object.fromEntries(names.filter((name) => name in value).map((name) => [name, forPython(value[name])]));
  for (const name of ["weights", "values"])
    // of that shape
    if (value.shape && parts[name]) Object.assign(parts[name] as object, { shape: value.shape });
  return parts;
}

function arrayForPython(array: Float32Array) {
  const dtype = array.constructor.name.replace("Array", "").toLowerCase(); // Float32Array: NumPy calls it float32
  const bytes = array.buffer.slice(array.byteOffset, array.byteOffset + array.byteLength);
  return { shape: [array.length], dtype, bytes: new DataView(bytes) };
}

export default { render };
