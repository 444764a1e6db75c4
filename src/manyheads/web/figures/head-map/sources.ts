// How much of its attention the token that asks gives to each source of the text, and on request what each is for; one that is opened shows
// its words, and who looks there most.

import type { Mattered, Source } from "../../math/attention-map.ts";
import { headTitle, layerName, queryName, queryWeights } from "../../math/maps.ts";
import { placesOfRows } from "../../math/shown.ts";
import { lookedAt, mostAt, sourcesOf, tokensIn } from "../../math/sources.ts";
import { inQuotes, note, percent, readable } from "../../math/text.ts";
import { fill, h, setText, setProps, setStyle } from "../../views/dom.ts";
import type { MapHost } from "./map-part.ts";
import { isOn, queryOf, type State } from "./state.ts";

export function makeSources(host: MapHost) {
  const title = h("p");
  const columns = h(
    "p",
    { class: "hm-columns", "aria-hidden": "true" },
    h("span", {}, "looked at"),
    h("span", {}, "mattered"),
  );
  const list = h("ul");
  const press = () =>
    host.act({ type: "choose", parts: { mattered: host.state.chosen.mattered === "asked" ? "unasked" : "asked" } });
  const button = h("button", { type: "button", onclick: press }, "What if each weren’t there?");
  const progress = h("span", { "aria-live": "polite" });
  const foot = h("p", {}, button, " ", progress);
  const node = h(
    "div",
    { class: "hm-sources", role: "group", "aria-label": "Sources", hidden: true },
    title,
    columns,
    list,
    foot,
  );
  let sources: Source[] = [];

  function draw(state: State) {
    sources = state.map ? sourcesOf(state.map) : [];
    node.hidden = sources.length === 0;
    if (node.hidden) return list.replaceChildren();
    ask();
    tell(state);
  }

  /** What each source is for, as far as the model has told; nothing of a map that's no longer the one drawn here. */
  function tell({ map, chosen, without }: State) {
    if (!map || !sources.length || list.childElementCount !== sources.length) return;
    const isAsked = chosen.mattered === "asked" && without.map === map;
    const { found } = isAsked ? without : { found: [] };
    node.classList.toggle("hm-mattering", isAsked);
    foot.hidden = !(map.causal && map.withoutEach);
    button.ariaPressed = String(isAsked);
    [...list.children].forEach((item, at) => {
      const one = found[at];
      const change = one ? `${percent(one.probability)} → ${percent(one.without)}` : "…";
      setText(item.querySelector(".hm-mattered")!, isAsked ? change : "");
    });
    setText(progress, isAsked ? progressOf(found, sources) : "");
  }

  /** Another token asks. */
  function ask() {
    const { map, shown, chosen } = host.state;
    if (!map || !shown || node.hidden) return;
    const { layer } = chosen;
    const query = placesOfRows(shown.map, queryOf(host.state), map.queryTokens);
    const alone = chosen.heads === "average" ? null : chosen.head;
    const on = [...map.headNames.keys()].filter((head) => isOn(chosen, layer, head));
    const heads = alone === null ? on : [alone];
    const who = alone === null ? `the heads of ${layerName(map, layer)}, on average` : headTitle(map, layer, alone);
    setText(title, `When ${inQuotes(queryName(map, query))} asks, ${who} (looked at isn’t used):`);
    const items = fill(list, sources.length, makeItem);
    sources.forEach((source, at) => {
      const share = lookedAt(map, source, layer, heads, query);
      const [summary, words, most] = items[at].firstElementChild!.children;
      const [name, amount, , meter, each] = summary.children;
      setText(name, source.name);
      setText(amount, percent(share));
      setProps(meter as HTMLMeterElement, { value: share, ariaLabel: `${source.name}: ${percent(share)}` });
      setText(each, `${percent(share / tokensIn(source))} for each of its ${tokensIn(source)} tokens`);
      const weights = source.places.map(
        (place) =>
          heads.reduce((sum, head) => sum + queryWeights(map, layer, head, query)[place], 0) /
          Math.max(heads.length, 1),
      );
      const largest = Math.max(...weights);
      const spans = fill(words, source.places.length, () => h("span"));
      source.places.forEach((place, word) => {
        setText(spans[word], readable(map.keyTokens[place]));
        setStyle(spans[word], "--share", largest ? (weights[word] / largest).toFixed(2) : "0");
        setProps(spans[word] as HTMLElement, { title: percent(weights[word]) });
      });
      const best = mostAt(map, source, query);
      setText(most, `${percent(best.share)}: ${headTitle(map, best.layer, best.head)}`);
      (most as HTMLButtonElement).onclick = () =>
        host.act({ type: "choose", parts: { layer: best.layer, head: best.head, heads: "each", layers: "one" } });
    });
  }

  return { node, draw, ask, tell };
}

const makeItem = () =>
  h(
    "li",
    {},
    h(
      "details",
      {},
      h(
        "summary",
        {},
        h("b", { dir: "auto" }),
        h("span"),
        h("span", { class: "hm-mattered" }),
        h("meter", { max: 1 }),
        h("small"),
      ),
      h("p", { dir: "auto" }),
      h("button", { type: "button", title: "The head that looks there most" }),
    ),
  );

/** How far the asking is; at its end, what it was about. */
function progressOf(found: Mattered[], sources: Source[]) {
  if (found.length < sources.length) return `Asking the model without each: ${found.length} of ${sources.length}.`;
  const mattered = `Mattered: how likely ${inQuotes(found[0].answer)} is to come next, with all of them → without this one.`;
  const [first] = sources;
  return first.places.includes(0) ? `${mattered} ${note("begins", { name: inQuotes(first.name) })}` : mattered;
}
