// What <attention-flow> and a notebook's AttentionFlow show: one asking word's journey, with Play and named stations; and, where its
// reader presses a number, the arithmetic that made it.

import { colourOf } from "../../math/maps.ts";
import { DEPTH, FLAGS, OFF_COLOUR } from "../../math/names.ts";
import { cellAt, cellText, isOff } from "../../math/steps.ts";
import type { Changes, Flow, FlowState } from "../../math/steps.ts";
import { capital, readable } from "../../math/text.ts";
import { changesOf } from "../../views/announcer.ts";
import { chooser, closeOnEscape, field, fillOptions, sentenceBox, setTyped } from "../../views/controls.ts";
import { focusedIn, h, setProps, setText, targetOf, whenOther } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { playLabel } from "../../views/player.ts";
import { headingOf, moveFilm, readingTime, wantsStillness } from "../../views/timeline.ts";
import { makeSheet } from "./arithmetic-sheet.ts";
import { captionOf, pictureOf } from "./captions.ts";
import { narrow, wide } from "./layouts.ts";
import { flowScene } from "./scene.ts";
import {
  cellOf,
  chosenOf,
  factOf,
  fittedTo,
  openCell,
  placeOf,
  stationOf,
  stepsOf,
  type Action,
  type Chosen,
  type State,
} from "./state.ts";
import { answersOf, endingOf, mainCell, STATIONS } from "./stations.ts";
import { makeTrack, WALKS } from "./track.ts";

const HINT = "Point at anything to see what it is. Press it, and its arithmetic opens.";
const CHANGES: Record<keyof Changes, string> = { causal: "Causal mask", padding: "Padding", unscaled: "No scaling" };

/** What only a page has. */
interface PageParts {
  menu?: HTMLElement; // beside the controls
  turn?: (layer: number, head: number) => void; // the reader turns a head off, or on again
}

export function view(host: Host<State, Action>, { menu, turn }: PageParts = {}) {
  const { act, root } = host;
  const choose = (parts: Partial<FlowState>) => act({ type: "choose", parts });
  const sentence = sentenceBox("Sentence", "Type a sentence", (text) => choose({ sentence: text }));
  const controls = makeControls(choose, turn);
  const scenes = [wide, narrow].map(flowScene);
  const sheet = makeSheet(host, open);
  const track = makeTrack(host, go);
  const title = h("b");
  const caption = h("span");
  const pointed = h("p", { class: "af-pointed" }, HINT);
  const play = h("button", { type: "button", class: "hm-play af-play", onclick: turnFilm });
  const numbers = h("button", { type: "button", class: "af-numbers", onclick: openMain }, "Numbers");
  const stage = h(
    "div",
    { class: "af-stage", onpointermove: point, onpointerleave: () => setText(pointed, HINT), onclick: press },
    ...scenes.map(({ node }) => node),
    sheet.node,
  );
  const followFilm = moveFilm(
    () => host.state,
    (at) => host.dispatch({ type: "seek", at }),
    () => readingTime(caption.textContent),
  );
  root.addEventListener("keydown", walk);

  // --- what the reader does

  function go(to: number) {
    host.dispatch(wantsStillness() ? { type: "jump", at: to } : { type: "go", to });
  }

  function turnFilm() {
    host.dispatch({ type: host.state.plays ? "pause" : "play" });
  }

  function walk(event: KeyboardEvent) {
    const target = targetOf(event);
    if (!(event.key in WALKS) || target.matches("textarea, select, input, summary") || sheet.node.contains(target))
      return;
    event.preventDefault();
    go(headingOf(host.state) + WALKS[event.key]);
  }

  const sceneOf = (event: Event) => scenes.find(({ node }) => node.contains(event.target as Node));

  function point(event: PointerEvent) {
    setText(pointed, sceneOf(event)?.ink.aboutAt(event) ?? HINT);
  }

  function press(event: PointerEvent) {
    const scene = sceneOf(event);
    if (!scene) return;
    point(event);
    const [what, ...rest] = (targetOf(event).dataset?.press ?? "").split(" ");
    if (what === "query") return choose({ query: Number(rest[0]) });
    if (what === "head") return choose({ head: Number(rest[0]) });
    if (what === "fact") return host.dispatch({ type: "fact", fact: rest.join(" ") });
    const cell = scene.ink.cellAt(event);
    if (!cell) return;
    const { left, top, width, height } = scene.node.getBoundingClientRect();
    const [across, down] = [(event.clientX - left) / width, (event.clientY - top) / height];
    open([cell], `${Math.round(100 * across)}% ${Math.round(100 * down)}%`);
  }

  // --- the second depth

  function openMain() {
    const { state } = host;
    const steps = stepsOf(state);
    if (!steps) return;
    const asks = { head: steps.head, query: steps === state.flow ? chosenOf(state).query : 0 };
    open([cellText(mainCell(steps, asks, stationOf(state), factOf(state)))], "50% 50%");
  }

  /** Opens a number, which grows `from` where it was pressed. What had the focus may go with the number that was open. */
  function open(trail: string[], from?: string) {
    if (from) sheet.node.style.transformOrigin = from;
    act({ type: "open", trail }, true);
    if (!trail.length) numbers.focus({ preventScroll: true });
    else if (from || !focusedIn(sheet.node)) sheet.node.focus({ preventScroll: true });
  }

  // --- drawing

  const drawTitle = whenOther((place: number) => setText(title, `${place + 1} ${STATIONS[place].label}`));
  const drawColours = whenOther((flow: Flow) => {
    for (const { node } of scenes) {
      colourHeads(node, "head", flow);
      colourHeads(node, "answer", endingOf(flow));
    }
  });
  const drawWords = whenOther((flow: Flow, query: number, station: string, fact: string, cell: string) => {
    const asks = { head: flow.head, query };
    setText(caption, captionOf(flow, asks, station, fact, cellAt(flow, cell)));
    for (const { node } of scenes) setProps(node, { ariaLabel: pictureOf(flow, asks, station, fact) });
  });
  const drawSheet = whenOther(sheet.draw);

  /** Each frame of the film is a state of its own: what doesn't move is left as it's drawn. */
  function draw(state: State) {
    const { flow, chosen, trail, at } = state;
    setTyped(sentence, chosen.sentence);
    stage.classList.toggle("hm-stale", state.stale);
    setText(play, playLabel(state.plays));
    drawTitle(placeOf(state));
    track.draw(state);
    if (flow) {
      const { query } = fittedTo(flow, chosen);
      const fact = factOf(state);
      controls.draw(flow, chosen);
      drawColours(flow);
      for (const scene of scenes) scene.draw(flow, query, fact, at);
      drawWords(flow, query, stationOf(state), fact, cellOf(state));
      drawSheet(stepsOf(state)!, trail);
    }
    followFilm();
  }

  const { tools, whatIf, turning } = controls;
  const parts = [play, track.node, pointed, turning, numbers, whatIf, ...(menu ? [menu] : [])];
  return {
    nodes: [
      h("div", { class: "af-sentence" }, sentence),
      h("p", { class: "af-caption" }, title, " ", caption),
      stage,
      h("div", { class: "af-transport" }, ...parts),
      tools,
    ],
    draw,
  };
}

/** What is chosen: a layer and a head, the word that asks, changes of the formula, and whether the head is on. */
function makeControls(choose: (parts: Partial<FlowState>) => void, turn: PageParts["turn"]) {
  const layer = chooser("Layer", (place) => choose({ layer: Number(place) }));
  const head = chooser("Head", (place) => choose({ head: Number(place) }));
  const query = chooser("Asked by", (place) => choose({ query: Number(place) }));
  const layers = field(layer);
  const boxes = FLAGS.map((name) =>
    h("input", {
      type: "checkbox",
      name,
      onchange: ({ target }: Event) => choose({ [name]: (target as HTMLInputElement).checked }),
    }),
  );
  const labels = boxes.map((box) => h("label", {}, box, ` ${CHANGES[box.name as keyof Changes]}`));
  const whatIf = h(
    "details",
    { class: "af-menu af-changes", onkeydown: closeOnEscape },
    h("summary", {}, "What if"),
    h("div", { class: "af-panel" }, ...labels),
  );
  const turning = h("button", { type: "button", class: "af-switch", hidden: true }, "");

  const draw = whenOther((flow: Flow, chosen: Chosen) => {
    const { headNames, tokens, layers: count = 0 } = flow;
    const places = fittedTo(flow, chosen);
    const numbers = [...Array(count).keys()];
    layers.hidden = !count;
    fillOptions(
      layer,
      numbers.map((each) => String(each + 1)),
      numbers,
      places.layer,
    );
    fillOptions(head, headNames, [...headNames.keys()], places.head);
    fillOptions(query, tokens.map(readable), [...tokens.keys()], places.query);
    boxes.forEach((box, place) => {
      box.checked = chosen[box.name as keyof Changes];
      labels[place].hidden = box.name === "causal" && Boolean(flow.decodes); // it never looks ahead
    });
    whatIf.hidden = Boolean(flow.above);
    turning.hidden = !flow.above || !turn;
    turning.onclick = () => turn?.(flow.layer ?? 0, flow.head);
    setText(turning, `Turn ${headNames[flow.head]} ${isOff(flow, flow.head) ? "on" : "off"}`);
  });

  return { tools: h("div", { class: "hm-tools" }, layers, field(head), field(query)), whatIf, turning, draw };
}

/** What a change came to: answers that came out otherwise, then what the station says. */
export function summary(state: State, before: State = state) {
  const { flow } = state;
  if (!flow) return "";
  const answersIn = (one: Flow | null) => (one ? answersOf(one) : {});
  const changes = changesOf(answersIn(before.flow), answersOf(flow)).map(({ text }) => `${capital(text)}.`);
  const asks = { head: flow.head, query: chosenOf(state).query };
  const caption = captionOf(flow, asks, stationOf(state), factOf(state), openCell(state));
  return [...changes, `${STATIONS[placeOf(state)].label}.`, caption].join(" ");
}

/** Gives a node the colours of a flow's heads, as deep as letters can be read on; of one that is off, the colour of what is off. */
function colourHeads(node: HTMLElement, kind: "head" | "answer", flow: Flow) {
  const deep = (colour: string) => `color-mix(in srgb, ${colour} ${100 * DEPTH}%, var(--hm-paper))`;
  const colour = (head: number) => (isOff(flow, head) ? OFF_COLOUR : colourOf(flow.headNames[head]));
  flow.headNames.forEach((_, head) => node.style.setProperty(`--${kind}-${head}`, deep(colour(head))));
  if (kind === "head") node.style.setProperty("--head", colour(flow.head));
}
