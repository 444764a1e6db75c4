// What a reader sets a map by: sentences to press, the sentence, a second one, and where there are several models, which of them.

import { keepsLines, modelLabel } from "../../math/families.ts";
import type { MapState } from "../../math/map-state.ts";
import { sentenceBox, setTyped } from "../../views/controls.ts";
import { h, setProps, setText, setValue, targetOf } from "../../views/dom.ts";
import { Player } from "../../views/player.ts";
import { wantsStillness } from "../../views/timeline.ts";
import { WordSuggestions } from "./suggestions.ts";
import { undo, type MapHost } from "./map-part.ts";
import type { State } from "./state.ts";

const REMARK = / \([^)]*\)$/; // at the end of a sentence to press: shown, and not typed
const PAUSE = 1400; // milliseconds for each model, when all are played

interface Options {
  types: boolean; // what the models read
  examples: string; // sentences to press, with "|" between them, each with a remark in parentheses or none
}

/** What a finger has pressed goes to the top where what comes of it would be below the window, as a box does that a finger enters. */
function standAbove(start: HTMLElement) {
  const { top, bottom } = start.parentElement!.querySelector(".hm-body")!.getBoundingClientRect();
  const isBelow = start.getBoundingClientRect().top < top && bottom > innerHeight;
  if (isBelow && matchMedia("(pointer: coarse)").matches)
    start.scrollIntoView({ block: "start", behavior: wantsStillness() ? "instant" : "smooth" });
}

export class Controls {
  readonly nodes: HTMLElement[];
  readonly sentence: HTMLTextAreaElement;
  readonly compareRow: HTMLElement;
  #compare: HTMLTextAreaElement;
  #suggestions: WordSuggestions;
  #model: HTMLInputElement;
  #modelName = h("span", { class: "hm-model-name" });

  /** `edge` is what stands beside the sentence. */
  constructor(host: MapHost, edge: HTMLElement | null, { types, examples }: Options) {
    const { models } = host.state;
    const choose = (parts: Partial<MapState>) => host.act({ type: "choose", parts });
    const step = (back: boolean) => undo(host, back);
    this.sentence = sentenceBox(
      "Sentence",
      "Type a sentence",
      (sentence) => choose({ sentence }),
      models.length > 0 && models.every(keepsLines),
      step,
    );
    this.#suggestions = new WordSuggestions(this.sentence);
    this.#compare = sentenceBox(
      "Compare with",
      "Type a second sentence",
      (compare) => choose({ compare }),
      false,
      step,
    );
    this.compareRow = h("div", { class: "hm-ask" }, this.#compare);
    this.#model = h("input", {
      type: "range",
      min: 0,
      max: Math.max(models.length - 1, 0),
      "aria-label": "Model",
      oninput: (event: Event) => choose({ model: Number((targetOf(event) as HTMLInputElement).value) }),
    });
    const sentences = examples
      .split("|")
      .map((text) => text.trim())
      .filter(Boolean);
    const start: HTMLElement = h(
      "div",
      { class: "hm-start", role: "group", "aria-label": "Sentences to try" },
      h("span", {}, "Type your own, or press:"),
      ...sentences.map((shown) => {
        const sentence = shown.replace(REMARK, "");
        const begin = () => {
          host.act({ type: "begin", sentence });
          standAbove(start);
        };
        return h("button", { type: "button", onclick: begin }, shown);
      }),
    );
    const beside = edge ? [edge] : [];
    this.nodes = [
      ...(sentences.length ? [start] : []),
      ...(types
        ? [h("div", { class: "hm-ask" }, this.sentence, this.#suggestions.node, ...beside), this.compareRow]
        : [h("div", { class: "hm-ask" }, ...beside)]),
      ...(models.length > 1 ? [this.#makeSlider(host)] : []),
    ];
  }

  /** The models as a slider, and as a film. */
  #makeSlider(host: MapHost) {
    const player = new Player(PAUSE, () => {
      const { models, chosen } = host.state;
      const model = (chosen.model + 1) % models.length;
      host.act({ type: "choose", parts: { model } });
      return model < models.length - 1;
    });
    return h(
      "div",
      { class: "hm-field hm-model" },
      h("label", {}, "Model ", this.#model, this.#modelName),
      player.node,
    );
  }

  draw({ chosen, models, beside, words }: State) {
    setTyped(this.sentence, chosen.sentence);
    setTyped(this.#compare, chosen.compare ?? "");
    setProps(this.compareRow, { hidden: chosen.compare === null || beside !== "" });
    this.#suggestions.words = words;
    setValue(this.#model, String(chosen.model));
    setText(this.#modelName, modelLabel(models[chosen.model] ?? ""));
  }
}
