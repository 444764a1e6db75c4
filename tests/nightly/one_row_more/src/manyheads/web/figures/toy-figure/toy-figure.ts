import { define, Figure } from "../../doors/page-element.ts";
import { h } from "../../views/dom.ts";

class ToyFigure extends Figure {
  protected draw() {
    this.replaceChildren(h("p", {}, `Drawn: ${this.getAttribute("label")}`));
  }
}

define("toy-figure", ToyFigure);
