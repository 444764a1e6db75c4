// <slice-or-project>: one wide projection that is cut afterwards, as many narrow ones, and the bug that cuts the input first.

import { LiveFigure } from "../doors/live-figure.ts";
import { define, dressPage, takeEarly, whenTouched } from "../doors/page-element.ts";
import { EXAMPLE_SHOWN, formulaScript, loadWithProgress, READY } from "../doors/page-models.ts";
import { decodeMatrices, decodePictures } from "../math/wire.ts";
import type { FocusModel } from "../models/focus.ts";
import { announce } from "../views/dom.ts";
import { SliceOrProjectView } from "./slice-or-project-view.ts";

type ProjectionsModel = ((state: ProjectionsState) => Projections) & { broken?: boolean };

class SliceOrProjectElement extends LiveFigure<ProjectionsModel> {
  static observedAttributes = ["model", "sentence", "word"];
  #view: SliceOrProjectView | null = null;

  protected override task = {
    failure: "The queries could not be computed",
    compute: ([projectionsOf]: ProjectionsModel[]) => projectionsOf((this.#view as SliceOrProjectView).state),
    show: (made: Projections) => {
      this.#view?.show(made);
      this.showStatus(READY);
    },
  };

  /** The numbers on the screen: `x`, `wide`, `narrow`, `sliced`. */
  get projections() {
    return this.#view?.made ?? null;
  }

  get sentence() {
    return this.#view?.state.sentence ?? this.getAttribute("sentence") ?? "";
  }

  set sentence(text: string) {
    this.setAttribute("sentence", text);
  }

  protected get modelNames() {
    return [this.getAttribute("model") ?? ""].filter(Boolean);
  }

  protected override async load(name: string, show: (text: string) => void): Promise<ProjectionsModel> {
    const [{ projectionsOf }, model] = await Promise.all([formulaScript(), loadWithProgress(name, show)]);
    return projectionsOf(model as FocusModel);
  }

  protected draw(baked: any) {
    dressPage("head-map.css", "slice-or-project.css");
    this.#view = new SliceOrProjectView(this, this.#state, {
      change: () => this.update(),
      painted: (made) => announce(this, "projections", made),
    });
    if (baked) this.#view.show(decodeProjections(baked));
    this.showStatus(EXAMPLE_SHOWN);
    whenTouched(this, () => this.wake());
    this.wakesWhenSeen = !baked;
    takeEarly<SliceOrProjectElement>(this, "sentence");
  }

  attributeChangedCallback() {
    if (!this.#view) return;
    this.#view.update(this.#state);
    this.update();
  }

  /** What the attributes say. */
  get #state() {
    return { sentence: this.getAttribute("sentence") ?? "", word: Number(this.getAttribute("word")) || 0 };
  }

  protected showStatus(text: string, act: (() => void) | null = null, name?: string) {
    this.#view?.setStatus(text, act, name);
  }
}

/** What `projections_element` wrote. */
function decodeProjections({ tints, ...matrices }: any): Projections {
  return { ...decodeMatrices(matrices), tints: decodePictures(tints) };
}

define("slice-or-project", SliceOrProjectElement);
