// A figure of a page by what it is: what it knows at first, what is made of that by a change, how it's drawn, what it computes. The
// element around it is the same for all.

import { isFile, isOnRequest, madeWith } from "../math/families.ts";
import type { HeadModel } from "../models/head-model.ts";
import { offerBelowSentence } from "../views/controls.ts";
import { Host, type Parts } from "../views/host.ts";
import { followLinks, linkedParts } from "./figure-link.ts";
import { ARRIVED } from "./named.ts";
import { dressPage, takeEarly, whenSeen, whenTouched } from "./page-element.ts";
import { EXAMPLE_SHOWN, OFFERED, READY } from "./page-models.ts";
import { answerPhrases } from "./phrases.ts";
import { partsOf, readPlain } from "./state.ts";
import { Task, type Refusal, type TaskOptions, type Tell } from "./task.ts";
import { ABOUT_TO_COME } from "./turns.ts";

/** HTMLElement, where there is a DOM: in Node the pure parts of a figure's module load without one. */
const PageElement: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

export interface FigureParts<State, Action, Model extends { broken?: boolean } = HeadModel, Result = any> extends Parts<
  State,
  Action
> {
  /** What it knows at first, from what is baked into it and from the parts that its attributes write; null where that's nothing to draw. */
  start(element: HTMLElement, baked: any, written: any): State | null;
  /** The attributes that write parts of the state. */
  attributes?: string[];
  /** The part that a text of one stands for; without this, the text itself. */
  read?(name: string, text: string | null, element: HTMLElement): Record<string, any>;
  /** What a page can read of it. What an attribute writes can be set as well. */
  properties?: Record<string, (state: State, host: Host<State, Action>) => unknown>;
  /** What else of that can be set. */
  sets?: Record<string, (host: Host<State, Action>, value: any) => void>;
  /** What of that is known while it stands as the build drew it, beside what attributes write. */
  asBuilt?: Record<string, (element: HTMLElement) => unknown>;
  /** What a page can have it do. */
  methods?: Record<string, (host: Host<State, Action>, ...args: any[]) => unknown>;
  /** Its stylesheets, beside that of all figures. */
  styles?: string[];
  /** Whether it may stand as the build drew it until it's about to come into view. */
  late?: boolean;
  /** The selector of those of its kind whose first opens where a link leads. */
  linked?: string;
  /** What is done once it's drawn first. */
  drawn?(host: Host<State, Action>, baked: any): void;
  /** Listens to what is outside of it, until it leaves the page. */
  listen?(host: Host<State, Action>, leaves: AbortSignal): void;
  /** The reader changed something. */
  changed?(host: Host<State, Action>, before: State): void;
  work?: Work<State, Action, Model, Result>;
}

/** What a figure computes: whenever its `args` change. */
export interface Work<State, Action, Model extends { broken?: boolean } = HeadModel, Result = any> extends Pick<
  TaskOptions<Model>,
  "load" | "notLoaded" | "progress"
> {
  /** The names of its models; by itself that of its attribute, or without one this. */
  models?(host: Host<State, Action>): string[];
  model?: string;
  /** The attributes that another answer is needed for, also where they change while it stands as the build drew it. */
  asks?: string[];
  /** Whether it begins only after a figure that it leans on. */
  leans?: boolean;
  failure: string | ((state: State) => string); // what could not be done
  compute(models: Model[], host: Host<State, Action>, signal: AbortSignal): Result | Promise<Result>;
  answer(result: Result, host: Host<State, Action>): Action;
  /** What is said of an answer. */
  tells?(host: Host<State, Action>, result: Result): string;
  /** What else is done once it's shown. */
  shown?(host: Host<State, Action>): void;
  /** What is said while something that its reader chose waits for a model; null where nothing does. */
  waits?(state: State, model: string): string | null;
  /** Says that a model can't read what its reader typed. */
  refuse?(host: Host<State, Action>, refusal: Refusal): void;
  /** What is done where a reader's file takes the place of its model, or goes. */
  loses?: Action;
}

/**
 * Makes a figure an element of this page: not in a notebook, where anywidget loads it and Python computes. It draws itself once, from
 * the JSON that it holds alone, so that it can also be drawn where nobody sees it; the JSON stays in it. What it listens to outside of
 * itself, it listens to while it is in the page.
 */
export function defineFigure<State, Action, Model extends { broken?: boolean } = HeadModel, Result = any>(
  name: string,
  parts: FigureParts<State, Action, Model, Result>,
) {
  if (!globalThis.customElements || customElements.get(name) || /^(blob|data):/.test(import.meta.url)) return;
  const {
    attributes = [],
    properties = {},
    sets = {},
    methods = {},
    asBuilt = {},
    styles,
    late = false,
    linked,
    work,
  } = parts;
  const read = parts.read ?? ((attribute: string, text: string | null) => readPlain(attribute, text, []));

  class FigureElement extends PageElement {
    static observedAttributes = [...(work && !work.models ? ["model"] : []), ...attributes];
    #drawn = false;
    #leaves = new AbortController();
    #host: Host<State, Action> | null = null;
    #waits: AbortController | null = null; // while it stands as the build drew it
    #madeWith = ""; // the file, not open, that the link was made with which led here
    #tell: Tell = (text, ...act) =>
      this.#view?.setStatus([text, ...(this.#madeWith ? [madeWith(this.#madeWith)] : [])].join(" "), ...act);
    task = work ? this.#makeTask(work) : null;
    #wakesWhenSeen = false; // to offer a model, or to show what is not shown yet

    #makeTask({
      load,
      notLoaded,
      progress,
      failure,
      compute,
      answer,
      tells,
      shown,
      waits,
      refuse,
    }: Work<State, Action, Model>) {
      const failureNow = () => (typeof failure === "string" ? failure : failure(this.#view!.state));
      return new Task<Model>(this, {
        models: () => this.#models,
        tell: this.#tell,
        ...(load && { load }),
        ...(notLoaded && { notLoaded }),
        ...(progress && { progress }),
        ...(waits && {
          waits: (model) => this.#view && waits(this.#view.state, model),
          offered: (old: boolean) => this.#view?.markOld(old),
        }),
        ...(refuse && { refuse: (refusal) => refuse(this.#view!, refusal) }),
        job: {
          get failure() {
            return failureNow();
          },
          compute: (loaded, signal) => compute(loaded, this.#view!, signal),
          show: (result: Result) => {
            const host = this.#view!;
            host.dispatch(answer(result, host));
            this.#tell(tells ? tells(host, result) : READY);
            shown?.(host);
          },
        },
      });
    }

    /** What draws it; null before it's in a page. */
    get #view() {
      this.#drawNow();
      return this.#host;
    }

    connectedCallback() {
      this.#leaves = new AbortController();
      const { signal } = this.#leaves;
      if (this.#drawn) this.#listen(signal);
      else if (late && this.#isDrawnByBuild && !location.hash) this.#drawLate(signal);
      else this.#draw();
      answerPhrases(this, signal);
      if (this.hasAttribute("for")) document.addEventListener(ARRIVED, () => this.#lookAgain(), { signal });
      this.task?.enter();
    }

    /** In a notebook, the figure that this one speaks of may come later, or anew. */
    #lookAgain() {
      this.#leaves.abort();
      this.connectedCallback();
    }

    disconnectedCallback() {
      this.#leaves.abort();
      this.task?.leave();
    }

    /** Whether it stands as the build drew it, until it's about to come into view, or somebody asks for what it knows. */
    get #isAsBuilt() {
      return this.#waits !== null && !this.#waits.signal.aborted;
    }

    /** Draws it, where that waits. */
    #drawNow() {
      if (this.#isAsBuilt) this.#draw();
    }

    #drawLate(leaves: AbortSignal) {
      this.#waits = new AbortController();
      const { signal } = this.#waits;
      leaves.addEventListener("abort", () => this.#waits?.abort(), { signal });
      whenSeen(this, signal, () => this.#drawNow(), ABOUT_TO_COME);
      addEventListener("hashchange", () => this.#drawNow(), { signal }); // a link may name it
      matchMedia("print").addEventListener("change", () => this.#drawNow(), { signal }); // paper is narrower than the build's drawing
      this.addEventListener(
        "focusin",
        ({ target }) => {
          const { localName } = target as Element;
          const label = nameOf(target as Element);
          const preventScroll = !(target as Element).matches(":focus-visible"); // what was pressed is in view
          this.#drawNow();
          if (label)
            [...this.querySelectorAll<HTMLElement>(localName)]
              .find((each) => nameOf(each) === label)
              ?.focus({ preventScroll });
        },
        { signal },
      );
    }

    #draw() {
      this.#drawn = true;
      this.#waits?.abort();
      this.classList.add("head-map", name); // the styles of all figures, and its own
      const data = this.#data;
      this.#begin(data ? JSON.parse(data.textContent ?? "") : null);
      if (data && data.parentNode !== this) this.append(data);
      this.#listen(this.#leaves.signal);
    }

    /** Whether the build has drawn it, with the very view that draws it live. */
    get #isDrawnByBuild() {
      return this.classList.contains("head-map") && this.#data !== undefined && this.childElementCount > 1;
    }

    get #data() {
      return [...this.children].find((child) => child.matches('script[type="application/json"]'));
    }

    get #models() {
      return work!.models?.(this.#view!) ?? [this.getAttribute("model") ?? work!.model ?? ""].filter(Boolean);
    }

    /** Fulfilled once the figure computes for itself; asking for it starts the loading. */
    get ready() {
      this.#drawNow();
      return this.task?.ready;
    }

    /** Fulfilled once its last answer is here; rejected where it doesn't come. */
    get settled() {
      return this.task?.settled;
    }

    #begin(baked: any) {
      if (styles) dressPage("head-map.css", ...styles);
      const written = Object.assign({}, ...attributes.map((each) => this.#written(each)));
      const state = parts.start(this, baked, written);
      if (!state) return;
      const host: Host<State, Action> = new Host(this, state, parts, {
        ask: (follows) => {
          if (work?.leans) this.#tell(""); // of what it follows by now
          this.task?.run(undefined, { follows });
        },
        changed: (before) => parts.changed?.(host, before),
      });
      this.#host = host;
      if (work && !work.leans && this.#models.length) this.#standBy(Boolean(baked));
      parts.drawn?.(host, baked);
      const settable = [...attributes, ...Object.keys(sets)];
      takeEarly<any>(this, ...Object.keys(properties).filter((each) => settable.includes(each)));
    }

    /** Says what is drawn, an example or nothing yet, and waits for a reader to need the model. */
    #standBy(isBaked: boolean) {
      const onRequest = this.#models.some(isOnRequest);
      if (onRequest) offerBelowSentence(this);
      this.#tell(onRequest ? OFFERED : EXAMPLE_SHOWN);
      whenTouched(this, () => this.task!.wake());
      this.#wakesWhenSeen = onRequest || !isBaked;
    }

    #listen(leaves: AbortSignal) {
      const host = this.#view;
      if (!host) return;
      if (this.#wakesWhenSeen) whenSeen(this, leaves, () => this.task!.wake());
      if (linked) this.#followLinks(linked, leaves);
      parts.listen?.(host, leaves);
    }

    #followLinks(selector: string, leaves: AbortSignal) {
      followLinks(this, selector, attributes, leaves);
      const { model = "" } = linkedParts(location.hash, name) ?? {};
      if (isFile(model) && this.getAttribute("model") !== model) this.#madeWith = model;
    }

    /** The part of the state that an attribute writes as it is. */
    #written(attribute: string) {
      return read(attribute, this.getAttribute(attribute), this);
    }

    attributeChangedCallback(attribute: string, before: string | null, text: string | null) {
      const isAsBuilt = this.#isAsBuilt;
      const host = this.#view;
      if (!host) return;
      if (isAsBuilt && work?.asks?.includes(attribute)) return this.task?.run(); // it's drawn with the attribute as it is now
      if (attribute !== "model" || work?.models) return host.update(read(attribute, text, this));
      this.#madeWith = "";
      if (work?.loses && [before, text].some((model) => isFile(model ?? ""))) host.dispatch(work.loses);
      this.task?.run();
    }

    /** Lends it values of its attributes, until its reader begins something new. Where nothing new can begin, they stay. */
    lend(settings: Record<string, string>) {
      this.#view?.lend(partsOf(settings, (attribute, text) => read(attribute, text, this)));
    }

    /** What of it a page reads: that which an attribute wrote is known before it's drawn. */
    #look(property: string) {
      const isWritten = attributes.includes(property) && !sets[property];
      const written = asBuilt[property]?.(this) ?? (isWritten ? this.#written(property)[property] : undefined);
      if (this.#isAsBuilt && written !== undefined) return written;
      return this.#view ? properties[property](this.#view.state, this.#view) : (written ?? null);
    }

    #change(property: string, value: any) {
      if (!sets[property]) this.setAttribute(property, String(value));
      else if (this.#view) sets[property](this.#view, value);
      else Object.defineProperty(this, property, { value, configurable: true, writable: true }); // until it's drawn
    }

    static {
      for (const property of Object.keys(properties))
        Object.defineProperty(this.prototype, property, {
          get(this: FigureElement) {
            return this.#look(property);
          },
          ...((attributes.includes(property) || sets[property]) && {
            set(this: FigureElement, value: unknown) {
              this.#change(property, value);
            },
          }),
        });
      for (const [method, does] of Object.entries(methods))
        Object.defineProperty(this.prototype, method, {
          value(this: FigureElement, ...args: unknown[]) {
            return this.#view && does(this.#view, ...args);
          },
        });
    }
  }

  customElements.define(name, FigureElement);
}

/** What a control is called by who hears it. */
const nameOf = (control: Element) => control.getAttribute("aria-label") ?? control.textContent;
