// What changes its place travels there, and is never just somewhere else: where it was first is measured, then the change is made,
// then it is put back by the difference and let go (FLIP). Things have keys, since another node may stand for them afterwards.

import { wantsStillness } from "./timeline.ts";

const LASTS = 650; // milliseconds
const EASING = "cubic-bezier(.45, .05, .2, 1)";

/** What travels, each with the key that it keeps. */
export type Travellers = () => [key: string, node: HTMLElement][];

interface Options {
  carries?: ("backgroundColor" | "backgroundSize")[]; // what it brings along of its own style, until it arrives
  departs?: () => void; // something is about to fly
  arrives?: () => void; // all that flew is there
}

const flights = new WeakMap<HTMLElement, Animation>();

/** Whether anything may travel: not for readers who ask for less motion, not on paper, and not where nothing is drawn. */
const mayTravel = () => !wantsStillness() && !matchMedia("print").matches && "animate" in HTMLElement.prototype;

/** Makes a change, and lets what it moves travel from where it was. Resting or in flight, it starts from where it is seen. */
export function travel(travellers: Travellers, change: () => void, { carries = [], departs, arrives }: Options = {}) {
  if (!mayTravel()) return change();
  const first = new Map(travellers().map(([key, node]) =>
    [key, { box: node.getBoundingClientRect(), brings: Object.fromEntries(carries.map((name) => [name, node.style[name]])) }]));
  for (const [, node] of travellers()) flights.get(node)?.cancel();
  change();
  const last = travellers().map(([key, node]) => ({ node, from: first.get(key), box: node.getBoundingClientRect() })); // all, before any moves
  const ways = last.flatMap(({ node, from, box }) => {
    if (!from) return [];
    const [x, y] = [from.box.left - box.left, from.box.top - box.top];
    return Math.abs(x) < 1 && Math.abs(y) < 1 ? [] : { node, start: { ...from.brings, transform: `translate(${x}px, ${y}px)` } };
  });
  if (ways.length === 0) return;
  departs?.();
  const all = ways.map(({ node, start }) => {
    const flight = node.animate([start, {}], { duration: LASTS, easing: EASING });
    flights.set(node, flight);
    return flight.finished.catch(() => {}); // it was called back
  });
  if (arrives) Promise.all(all).then(arrives);
}
