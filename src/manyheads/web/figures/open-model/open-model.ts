// <open-model for="map next-word">: a GGUF file of the reader's becomes the model of the figures that it names, by id or kind. The file is
// chosen, or dropped here or on one of them. No DOM while the module loads, as in head-map.ts.

import { define, dressPage, Figure } from "../../doors/page-element.ts";
import { openFile } from "../../doors/open-file.ts";
import { figureNamed } from "../../doors/named.ts";
import type { Tell } from "../../doors/task.ts";
import { turns } from "../../doors/turns.ts";
import { modelLabel } from "../../math/families.ts";
import type { DecoderModel, HeadModel } from "../../models/head-model.ts";
import { StatusLine } from "../../views/controls.ts";
import { h } from "../../views/dom.ts";

const SLOW = 2; // seconds a word: who types is no longer answered
const STAYS = "Nothing is uploaded: your browser reads the file, and forgets it with this page.";

/** A model that can be closed, to free its memory. */
type Opened = HeadModel & Partial<Pick<DecoderModel, "secondsPerWord">> & { close?(): void };

class OpenModelElement extends Figure {
  #file = h("input", { type: "file", onchange: () => this.#choose() }); // of any name: Ollama's have no ending
  #what = h("p", { class: "om-what", hidden: true });
  #bar = h("progress", { "aria-label": "How much of the file is read", hidden: true });
  #status = new StatusLine();
  #waits = h("input", { type: "checkbox", onchange: () => (turns().waitsForEnter = this.#waits.checked) });
  #offer = h("label", { class: "hm-field", hidden: true }, this.#waits, "Read when I press Enter");
  #cancels = new AbortController(); // what is being opened
  #model: Opened | null = null;
  #line = ""; // what it is
  #before: [figure: Element, models: (string | null)[]][] = []; // the figures' own

  /** Opens a file as the model of the figures; what can't be done is told, and rejected. */
  async open(file: File) {
    this.#cancels.abort();
    const cancels = (this.#cancels = new AbortController());
    const isLast = () => cancels === this.#cancels;
    try {
      const model = await openFile(file, {
        cancels,
        tell: (...told) => isLast() && this.#tell(...told),
        opened: (line) => this.#say(line),
        progress: (done, total) => Object.assign(this.#bar, { hidden: false, max: Math.max(total, 1), value: done }),
      });
      if (isLast()) this.#give(model);
    } finally {
      if (isLast()) this.#bar.hidden = true;
      if (isLast()) this.#say(this.#line);
    }
  }

  get #figures() {
    const names = (this.getAttribute("for") ?? "").split(/\s+/).filter(Boolean);
    return names.flatMap((name) => figureNamed(name, this) ?? []);
  }

  protected draw() {
    dressPage("head-map.css", "open-model.css");
    const choose = h("label", { class: "om-choose" }, this.getAttribute("label") ?? "Open a GGUF file", this.#file);
    this.replaceChildren(
      h(
        "p",
        { class: "om-zone" },
        choose,
        h("span", { class: "om-drop" }, "or drop it here."),
        h("span", { class: "om-stays" }, STAYS),
      ),
      this.#what,
      this.#bar,
      this.#status.node,
      this.#offer,
    );
  }

  protected override listen(leaves: AbortSignal) {
    const drag = (event: DragEvent) => this.#drag(event);
    for (const name of ["dragover", "dragleave", "drop"] as const) addEventListener(name, drag, { signal: leaves });
    addEventListener("attention", () => this.#offerEnter(), { signal: leaves });
  }

  #choose() {
    const [file] = this.#file.files ?? [];
    this.#file.value = ""; // the same may be chosen again
    if (file) this.open(file).catch(() => {}); // it was told
  }

  /** A file over the page: it can be dropped here and on the figures. Elsewhere it does nothing, where a browser would go to it. */
  #drag(event: DragEvent) {
    const { dataTransfer, target, type } = event;
    if (!dataTransfer?.types.includes("Files")) return;
    const isHere = [this, ...this.#figures].some((figure) => figure.contains(target as Node));
    if (isHere) dataTransfer.dropEffect = "copy";
    else if (!event.defaultPrevented) dataTransfer.dropEffect = "none"; // for no other one either
    event.preventDefault();
    this.classList.toggle("om-over", isHere && type === "dragover");
    const [file] = dataTransfer.files;
    if (isHere && type === "drop" && file) this.open(file).catch(() => {}); // it was told
  }

  #say(line: string) {
    this.#what.textContent = line;
    this.#what.hidden = !line;
  }

  /** Says how things stand; a model that is open can be closed, unless something else is to be done. */
  #tell: Tell = (text, act, name) => {
    if (act || !this.#model) this.#status.tell(text, act, name);
    else this.#status.tell(text, () => this.#close(), "Close it");
  };

  /** The figures take the model. */
  #give(model: Opened) {
    this.#model = model;
    this.#line = this.#what.textContent ?? "";
    turns().waitsForEnter = this.#waits.checked = false;
    this.#offer.hidden = true;
    const figures = this.#figures;
    if (!this.#before.length) this.#before = figures.map((each) => [each, OWN.map((name) => each.getAttribute(name))]);
    for (const figure of figures) setModels(figure, [model.name, null]);
    this.#tell(`${modelLabel(model.name)} reads here now.`);
  }

  /** The figures take back their own models. */
  #close() {
    for (const [figure, models] of this.#before.splice(0)) setModels(figure, models);
    this.#model?.close?.();
    this.#model = null;
    this.#offer.hidden = true;
    this.#say((this.#line = ""));
    this.#tell("Closed.");
  }

  /** Once a word was measured to take long, reading may wait for Enter. */
  #offerEnter() {
    if ((this.#model?.secondsPerWord ?? 0) > SLOW) this.#offer.hidden = false;
  }
}

const OWN = ["model", "models"];

function setModels(figure: Element, models: (string | null)[]) {
  OWN.forEach((name, at) => {
    const value = models[at];
    if (value === null) figure.removeAttribute(name);
    else figure.setAttribute(name, value);
  });
}

define("open-model", OpenModelElement);
