// <head-birth sentence="a7kq3xwma7kq3x">: two heads of the small decoder come into being on the reader's own text, checkpoint by
// checkpoint; without the first of them, the second is blind. No DOM while the module loads, as in head-map.ts.

import { define, dressPage } from "../../doors/page-element.ts";
import { READY } from "../../doors/page-models.ts";
import { SentenceFigure } from "../../doors/sentence-figure.ts";
import { maskOf } from "../../doors/state.ts";
import { decodeMap } from "../../math/wire.ts";
import type { HeadModel } from "../../models/head-model.ts";
import type { Expecting } from "../../models/induction.ts";
import { announce } from "../../views/dom.ts";
import { HeadBirthView, type Training } from "./view.ts";

/** What is baked in: the map of the first checkpoint, and what is known of the training. */
interface Baked extends Training {
  map: unknown;
  guesses: (string | null)[];
}

class HeadBirthElement extends SentenceFigure<HeadBirthView, HeadModel> {
  static observedAttributes = ["sentence"];
  protected parts = ["sentence"];
  protected numbers = [];
  protected computed = []; // the view asks
  #heads: number[][] = []; // that can be turned off

  protected override task = {
    failure: "The text could not be read",
    compute: (models: HeadModel[]) => {
      const { sentence, at, off } = this.view!.state;
      const { numLayers, numHeads } = models[at];
      return models[at].attend(sentence, off ? maskOf(this.#heads, numLayers, numHeads) : null) as Expecting;
    },
    show: (map: Expecting) => {
      this.view!.dispatch({ type: "show", map });
      this.showStatus([READY, ...(map.notes ?? [])].join(" "));
      announce(this, "attention", map);
    },
  };

  /** The map that is shown, with the guesses. */
  get attention() {
    return this.view?.state.map ?? null;
  }

  /** Writes a text into the figure as its reader does by typing it. */
  type(sentence: string) {
    this.view?.update({ sentence });
  }

  protected override get modelNames() {
    const { steps = [] } = this.view?.state ?? {};
    return steps.map((step, at) => (at === steps.length - 1 ? "induction" : `induction/step-${step}`));
  }

  protected draw(baked: Baked) {
    dressPage("head-map.css", "head-birth.css");
    this.#heads = [baked.heads.previous];
    this.view = new HeadBirthView(this, this.written, baked, () => this.update());
    this.view.dispatch({ type: "show", map: { ...decodeMap(baked.map), guesses: baked.guesses, losses: new Float32Array() } });
    this.begin(true);
  }
}

define("head-birth", HeadBirthElement);
