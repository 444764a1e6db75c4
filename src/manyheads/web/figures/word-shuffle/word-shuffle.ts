// <word-shuffle for="ID">: asks whether attention notices when the words of the <head-map> with that id stand in another order,
// shuffles them, and says what this changes in each of the map's models. It stands above the map. No DOM while the module loads, as in head-map.ts.

import { defineFigure } from "../../doors/define-figure.ts";
import { attendAs } from "../../doors/leaning.ts";
import { mapById, mapReady, type LiveMap } from "../../doors/page-element.ts";
import { together } from "../../doors/task.ts";
import type { AttentionMap } from "../../math/attention-map.ts";
import { modelLabel } from "../../math/families.ts";
import type { HeadModel } from "../../models/head-model.ts";
import { h, setIdle } from "../../views/dom.ts";
import { guessView, isOpen } from "../../views/guess.ts";
import type { Host } from "../../views/host.ts";
import { places, reduce, reordered, start, type Action, type State } from "./state.ts";

const ASKED = {
  question: "Shuffle the words: does attention notice?",
  answers: ["no", "yes, some weights change", "yes, and a conclusion turns"],
  right: null,
  says: "",
};
const FAILURE = "The words could not be shuffled";

const mapOf = (root: HTMLElement) => mapById(root.getAttribute("for"), root);

function view(host: Host<State, Action>) {
  const { act, root } = host;
  const orders = () => reordered(host.state, mapOf(root)?.sentence ?? "");
  const shuffle = () => act({ type: "shuffle", orders: orders() });
  const play = (pressed: number | null) => act({ type: "guess", pressed, orders: orders() });
  const guess = guessView(ASKED, (pressed) => isOpen(host.state.guess) && play(pressed));
  const shuffles = h("button", { type: "button", onclick: shuffle }, "Shuffle the words");
  const back = h("button", { type: "button", onclick: () => act({ type: "undo" }) }, "Undo");
  const changes = h("ul", { class: "ws-changes", "aria-live": "polite" });

  function draw(state: State) {
    const { right } = state;
    guess.draw(state.guess, { right, says: right === 0 ? "The first model doesn’t know the order." : "" });
    setIdle(back, !state.shown);
    const lines = state.models.map((name, at) => [h("b", {}, modelLabel(name)), `: ${state.changes[at] ?? "–"}`]);
    const items = h("ul", {}, ...lines.map((line) => h("li", {}, ...line)));
    if (items.textContent !== changes.textContent) changes.replaceChildren(...items.children); // a line is heard as a whole
  }

  return { nodes: [guess.node, h("p", {}, shuffles, " ", back), changes], draw };
}

/** Puts the words of a map into an order. The one that asks goes on asking, wherever it is then. */
function write(map: LiveMap, text: string) {
  const [before, asks] = [map.attention?.queryTokens ?? [], map.query];
  const keepAsking = () => {
    const query = typeof asks === "number" ? places(before, map.attention?.queryTokens ?? [])?.[asks] : undefined;
    if (query !== undefined && query !== map.query) map.query = query;
  };
  map.addEventListener("attention", keepAsking, { once: true });
  map.sentence = text;
}

defineFigure<State, Action, HeadModel, AttentionMap[]>("word-shuffle", {
  start,
  reduce,
  view,
  properties: { ready: (_, { root }) => mapReady(mapOf(root)) },
  listen(host, leaves) {
    const map = mapOf(host.root);
    const follow = () => map && host.follow({ type: "follow", models: map.models, sentence: map.sentence });
    map?.addEventListener("attention", follow, { signal: leaves });
    void customElements.whenDefined("head-map").then(follow); // its script may come later
  },
  effect:
    (host) =>
    ({ type }, before) => {
      const { state, root } = host;
      const map = mapOf(root);
      if (map && type === "show") write(map, state.shown!.shuffled);
      if (map && type === "undo" && before.shown) write(map, before.shown.original);
    },
  args: ({ wanted }) => ({ wanted }),
  work: {
    leans: true,
    models: ({ state, root }) => (state.wanted && mapOf(root)?.models) || [],
    notLoaded: FAILURE,
    failure: FAILURE,
    compute(models, { state: { wanted }, root }) {
      const texts = [wanted!.original, wanted!.shuffled];
      return together(models.flatMap((model) => texts.map((text) => attendAs(mapOf(root)!, model, text))));
    },
    answer: (maps) => ({ type: "show", maps }),
    tells: () => "",
  },
});
