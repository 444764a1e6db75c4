// What changes its place travels there, and is never just somewhere else: where it was first is measured, then the change is made,
// then it is put back by the difference and let go (FLIP). Things have keys, since another node may stand for them afterwards.

import { wantsStillness } from "./timeline.ts";

const LASTS = 650; // milliseconds
const STRETCHES = 250; // of a box
const BENDS = 8; // of a way that isn't straight
const EASING = "cubic-bezier(.45, .05, .2, 1)";

/** What travels, each with the key that it keeps. */
export type Travellers = () => [key: string, node: HTMLElement][];

interface Options {
  carries?: ("backgroundColor" | "backgroundSize")[]; // what it brings along of its own style, until it arrives
  swings?: number; // pixels that it swings out on its way, to the right above and to the left below, so that two don't meet
  departs?: () => void; // something is about to fly
  arrives?: () => void; // all that flew is there
}

const flights = new WeakMap<HTMLElement, Animation>();

/** Whether anything may travel: not for readers who ask for less motion, not on paper, and not where nothing is drawn. */
const mayTravel = () => !wantsStillness() && !matchMedia("print").matches && "animate" in HTMLElement.prototype;

/** Makes a change, and lets what it moves travel from where it was. Resting or in flight, it starts from where it is seen. */
export function travel(
  travellers: Travellers,
  change: () => void,
  { carries = [], swings = 0, departs, arrives }: Options = {},
) {
  if (!mayTravel()) return change();
  const first = new Map(
    travellers().map(([key, node]) => [
      key,
      {
        box: node.getBoundingClientRect(),
        brings: Object.fromEntries(carries.map((name) => [name, node.style[name]])),
      },
    ]),
  );
  for (const [, node] of travellers()) flights.get(node)?.cancel();
  change();
  const last = travellers().map(([key, node]) => ({ node, from: first.get(key), box: node.getBoundingClientRect() })); // all, before any moves
  const ways = last.flatMap(({ node, from, box }) => {
    if (!from) return [];
    const [x, y] = [from.box.left - box.left, from.box.top - box.top];
    return Math.abs(x) < 1 && Math.abs(y) < 1 ? [] : { node, way: wayOf(x, y, x < 0 ? -swings : swings, from.brings) };
  });
  if (ways.length === 0) return;
  departs?.();
  const all = ways.map(({ node, way }) => {
    const flight = node.animate(way, { duration: LASTS, easing: EASING });
    flights.set(node, flight);
    return flight.finished.catch(() => {}); // it was called back
  });
  if (arrives) Promise.all(all).then(arrives);
}

/** A box that was so many pixels high gets gradually as high as it now is. */
export function stretch(box: HTMLElement, before: number) {
  const after = box.offsetHeight;
  if (!before || Math.abs(after - before) < 2 || !mayTravel()) return;
  const [from, to] = [before, after].map((height) => ({ height: `${height}px`, minHeight: "0", overflow: "clip" }));
  box.animate([from, to], { duration: STRETCHES, easing: EASING });
}

/** From so far away to where it belongs. */
function wayOf(x: number, y: number, swing: number, brings: Keyframe): Keyframe[] {
  const start = { ...brings, transform: `translate(${x}px, ${y}px)` };
  if (!swing) return [start, {}];
  return [
    start,
    ...Array.from({ length: BENDS - 1 }, (_, at) => {
      const along = (at + 1) / BENDS;
      return {
        offset: along,
        transform: `translate(${x * (1 - along)}px, ${y * (1 - along) + swing * Math.sin(Math.PI * along)}px)`,
      };
    }),
    {},
  ];
}
