// <slice-or-project>: one wide projection that is cut afterwards, as many narrow ones, and the bug that cuts the input first.

import { define, dressPage } from "../../doors/page-element.ts";
import { loadFormula, READY } from "../../doors/page-models.ts";
import { SentenceFigure } from "../../doors/sentence-figure.ts";
import type { Projections, ProjectionsState } from "../../math/projections.ts";
import { decodeMatrices, decodeTints } from "../../math/wire.ts";
import { announce } from "../../views/dom.ts";
import { SliceOrProjectView } from "./view.ts";

type ProjectionsModel = ((state: ProjectionsState) => Projections) & { broken?: boolean };

const PARTS = ["sentence", "word"]; // of the state, each an attribute

class SliceOrProjectElement extends SentenceFigure<SliceOrProjectView> {
  static observedAttributes = ["model", ...PARTS];
  protected parts = PARTS;
  protected computed = PARTS;
  protected numbers = ["word"];

  protected task = this.makeTask<ProjectionsModel>({
    load: (...loading) => loadFormula(({ projectionsOf }) => projectionsOf, ...loading),
    job: {
      failure: "The queries could not be computed",
      compute: ([projectionsOf]) => projectionsOf((this.view as SliceOrProjectView).state),
      show: (made: Projections) => {
        this.view?.show(made);
        this.tell(READY);
      },
    },
  });

  /** The numbers on the screen: `x`, `wide`, `narrow`, `sliced`. */
  get projections() {
    return this.view?.made ?? null;
  }

  protected draw(baked: any) {
    dressPage("head-map.css", "slice-or-project.css");
    this.view = new SliceOrProjectView(this, this.written, {
      change: () => this.task.run(),
      painted: (made) => announce(this, "projections", made),
    });
    if (baked) this.view.show(decodeProjections(baked));
    this.standBy(Boolean(baked));
  }
}

/** What `projections_element` wrote. */
function decodeProjections({ tints, ...matrices }: any): Projections {
  return { ...decodeMatrices(matrices), tints: decodeTints(tints) };
}

define("slice-or-project", SliceOrProjectElement);
