// What <word-points> shows: two sentences, a plane with their words and the landmarks as dots, the trails of the word that is followed,
// and its true nearest landmarks. A slider goes through the layers.

import { isAmong } from "../../math/heads-off.ts";
import { colourOf } from "../../math/maps.ts";
import { chooser, field, fillOptions, grow, sentenceBox, setTyped } from "../../views/controls.ts";
import { fill, h, s, setProps, setStyle, setText } from "../../views/dom.ts";
import { drawSwitch, headSwitch } from "../../views/head-switch.ts";
import type { Host } from "../../views/host.ts";
import { Player } from "../../views/player.ts";
import { dotAt, drawnAt, NOWHERE, roomFor, type Dot, type Room } from "./labels.ts";
import {
  followed,
  followedWord,
  isPending,
  lastLayer,
  layerName,
  lostText,
  nearText,
  nearTitle,
  wordsToFollow,
  wordsToMask,
  type Action,
  type Followed,
  type State,
} from "./state.ts";

const PAUSE = 900; // milliseconds from a layer to the next while it plays; the stylesheet glides as long
const FAR = 28; // pixels from a dot at which a press still is one of it
const SHORT = 3; // letters of words that seldom matter
const KINDS = ["wp-first", "wp-second", "wp-landmark"]; // the two sentences, and the words alone

/** A dot that is drawn. */
interface Drawn extends Dot {
  kind: string;
  isFollowed: boolean;
  isNear: boolean; // to a word that is followed
}

export function view(host: Host<State, Action>) {
  const { act, root, state: first } = host;
  const boxes = (["sentence", "other"] as const).map((part, at) =>
    sentenceBox(["Sentence", "Beside it"][at], "Type a sentence", (text) => act({ type: "type", part, text })),
  );
  boxes.forEach((box, at) => box.classList.add(KINDS[at]));
  const go = (layer: number) => act({ type: "layer", layer });
  const player = new Player(PAUSE, () => {
    go(host.state.layer < lastLayer(host.state) ? host.state.layer + 1 : 0);
    return host.state.layer < lastLayer(host.state);
  });
  const slider = h("input", {
    type: "range",
    min: 0,
    max: lastLayer(first),
    step: 1,
    "aria-label": "Layer",
    oninput: () => (player.stop(), go(Number(slider.value))),
  });
  const layer = h("b");
  const choice = chooser("Follow", (word) => act({ type: "word", word }));
  const trails = KINDS.slice(0, 2).map((kind) => s("g", { class: kind }));
  const lines = s("svg", { viewBox: "-1000 -1000 2000 2000", preserveAspectRatio: "none" }, ...trails);
  const dots = KINDS.map(() => h("div")).reverse(); // the sentences' lie on top
  const poles = h("p", { class: "wp-poles" }, ...first.poles.map((pole) => h("span", {}, pole)));
  const plane = h("div", { class: "wp-plane", "aria-hidden": "true", onclick: press }, poles, lines, ...dots);
  const heads = Array.from({ length: first.heads }, (_, head) => headSwitch(() => act({ type: "toggle", head })));
  const headsOf = h("span");
  const headRow = h("div", { class: "hm-heads", role: "group" }, headsOf, ...heads);
  const words = h("div");
  const wordRow = h(
    "div",
    { class: "hm-heads", role: "group", "aria-label": "Words that can be masked" },
    h("span", {}, "Words"),
    words,
  );
  const loss = h("p", { class: "wp-lost" });
  const switches = h("div", { class: "wp-switches" }, headRow, wordRow, loss);
  const title = h("p", {});
  const lists = h("ul", {});
  let drawn: Drawn[] = [];

  function press(event: MouseEvent) {
    const { left, top, width, height } = plane.getBoundingClientRect();
    const dot = dotAt(drawn, [event.clientX - left, event.clientY - top], [width, height], FAR);
    if (dot) act({ type: "word", word: dot.text });
  }

  function draw(state: State) {
    const now = followed(state);
    [state.sentence, state.other].forEach((text, at) => {
      setTyped(boxes[at], text);
      grow(boxes[at]);
    });
    slider.value = String(state.layer);
    slider.ariaValueText = layerName(state.layer);
    setText(layer, layerName(state.layer));
    const all = wordsToFollow(state);
    fillOptions(choice, all, all, followedWord(state));
    setProps(switches, { hidden: !state.switches });
    if (state.switches) drawSwitches(state);
    root.classList.toggle("wp-old", state.stale && isPending(state));
    trails.forEach((trail, of) => drawTrail(trail, now.find((each) => each.of === of) ?? null, state.layer));
    drawDots(state, now);
    setText(title, `${nearTitle(state)}:`);
    const items = fill(lists, now.length, () => h("li", {}, h("b"), h("span")));
    now.forEach((each, at) => {
      items[at].className = KINDS[each.of ?? 2];
      setText(
        items[at].firstElementChild!,
        now.length > 1 && each.of === null ? `${each.point.text} alone` : each.point.text,
      );
      setText(items[at].lastElementChild!, ` ${nearText(state, each)}`);
    });
  }

  function drawSwitches(state: State) {
    const { layer: shown, off, masked } = state;
    const name = `Heads of layer ${shown}`;
    setProps(headRow, { hidden: !shown, ariaLabel: name });
    setText(headsOf, name);
    heads.forEach((node, head) =>
      drawSwitch(node, String(head + 1), !isAmong(off, [shown - 1, head]), colourOf(), `head ${head + 1}`),
    );
    const texts = wordsToMask(state);
    const mask = ({ currentTarget }: Event) =>
      act({ type: "mask", word: wordsToMask(host.state)[[...words.children].indexOf(currentTarget as Element)] });
    const nodes = fill(words, texts.length, () => headSwitch(mask));
    texts.forEach((text, at) => drawSwitch(nodes[at] as HTMLElement, text, !masked.includes(text), "var(--hm-soft)"));
    setText(loss, lostText(state));
  }

  function drawDots(state: State, now: Followed[]) {
    const groups = dotsOf(state, now);
    drawn = groups.flat();
    const rooms = roomFor(drawn);
    let at = 0;
    groups.forEach((group, kind) => {
      const nodes = fill(dots[2 - kind], group.length, () => h("i", {}, h("b")));
      group.forEach((dot, place) => drawDot(nodes[place] as HTMLElement, dot, rooms[at++]));
    });
  }

  return {
    nodes: [
      ...boxes,
      h(
        "div",
        { class: "hm-tools" },
        h("label", { class: "hm-field" }, "Layer ", slider, layer),
        player.node,
        field(choice),
      ),
      plane,
      switches,
      h("div", { class: "wp-near" }, title, lists),
    ],
    draw,
  };
}

/** The dots of the first sentence, of the second, and of the landmarks. */
function dotsOf({ shown, landmarks, layer }: State, now: Followed[]): Drawn[][] {
  const near = new Set(now.flatMap(({ point }) => point.near[layer]));
  return [...shown, landmarks].map((points, kind) =>
    points.map((point, at) => {
      const [x, y] = drawnAt(point.places[layer]);
      const isFollowed = now.some((each) => each.point === point);
      const isNear = kind === 2 && near.has(at) && !isFollowed;
      const first = isFollowed ? 0 : isNear ? 1 : kind === 2 ? 3 : point.text.length > SHORT ? 2 : 4;
      return { text: point.text, x, y, first, kind: KINDS[kind], isFollowed, isNear };
    }),
  );
}

function drawDot(node: HTMLElement, dot: Drawn, { size, side }: Room) {
  const { text, x, y, kind, isFollowed, isNear } = dot;
  const marks = { "wp-followed": isFollowed, "wp-close": isNear };
  const names = (Object.keys(marks) as (keyof typeof marks)[]).filter((name) => marks[name]);
  setProps(node, {
    className: [kind, size === NOWHERE ? "wp-bare" : `wp-room${size}`, `wp-${side}`, ...names].join(" "),
  });
  setStyle(node, "--x", x.toFixed(3));
  setStyle(node, "--y", y.toFixed(3));
  setText(node.firstElementChild!, text);
}

/** The way of a word from layer to layer; of what lies ahead, a shadow. From where it would be with all that is taken away, a line. */
function drawTrail(trail: SVGElement, word: Followed | null, layer: number) {
  const drawn = (place: number[]) => drawnAt(place).map((value) => Math.round(1000 * value));
  const at = ([x, y]: number[]) => `${x},${-y}`;
  const places = word ? word.point.places.map(drawn) : [];
  const paths = places.flatMap((place, number) => {
    const ahead = number > layer ? "wp-ahead" : "";
    const way = { d: `M${at(places[number - 1] ?? place)}L${at(place)}`, kind: ahead };
    const stop = { d: `M${at(place)}h0`, kind: `wp-stop ${ahead}`.trimEnd() };
    return number ? [way, stop] : [stop];
  });
  const before = word && drawn(word.whole.places[layer]);
  if (before && at(before) !== at(places[layer]))
    paths.push(
      { d: `M${at(places[layer])}L${at(before)}`, kind: "wp-gone" },
      { d: `M${at(before)}h0`, kind: "wp-before" },
    );
  const nodes = fill(trail, paths.length, () => s("path"));
  paths.forEach(({ d, kind }, number) => {
    nodes[number].setAttribute("d", d);
    nodes[number].setAttribute("class", kind);
  });
}
