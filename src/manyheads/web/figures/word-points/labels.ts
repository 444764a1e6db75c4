// Where words stand on the plane, and which of them have room for a label. No DOM.

const REACH = [0.4, 0.5]; // of the plane, across and upwards, from its middle
const EDGE = 0.97; // what lies beyond stands here

/** Planes as they're drawn, in pixels, the narrowest first: at most so wide or high is what has to do without a label that the next has. */
const SIZES = [
  [300, 330],
  [440, 330],
  [620, 400],
];
export const NOWHERE = SIZES.length; // too crowded even in the largest
const [LETTER, LINE, BESIDE] = [6.8, 15, 7]; // pixels: a letter is so wide, a line so high, and a label begins so far from its dot
const LARGE = 1.4; // times as large are those that are followed

export interface Dot {
  text: string;
  x: number; // from -1 to 1
  y: number;
  first: number; // those with a lower number get their label first; 0 has a larger one
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** A place of the plane as it's drawn: across and upwards from -1 to 1. */
export const drawnAt = (place: number[]) =>
  place.map((value, axis) => Math.min(Math.max(value / REACH[axis], -EDGE), EDGE)) as [number, number];

/** Where a label has room: in the narrowest of the sizes, by number, and in all that are wider; and on which side of its dot. */
export interface Room {
  size: number;
  side: Side;
}

type Side = (typeof SIDES)[number];
const SIDES = ["right", "left", "over", "under"] as const;

export function roomFor(dots: Dot[]): Room[] {
  const order = [...dots.keys()].sort((one, other) => dots[one].first - dots[other].first || one - other);
  const rooms = dots.map((): Room => ({ size: NOWHERE, side: SIDES[0] }));
  SIZES.forEach((size, number) => {
    const taken = order.filter((at) => rooms[at].size < number).map((at) => boxOf(dots[at], rooms[at].side, size));
    for (const at of order) {
      if (rooms[at].size < number) continue;
      for (const side of SIDES) {
        const box = boxOf(dots[at], side, size);
        if (box.left < 0 || box.right > size[0] || taken.some((other) => overlap(box, other))) continue;
        rooms[at] = { size: number, side };
        taken.push(box);
        break;
      }
    }
  });
  return rooms;
}

/** The room that a dot takes with its label. */
export function boxOf({ text, x, y, first }: Dot, side: Side, [width, height]: number[]): Box {
  const [across, down] = [((x + 1) / 2) * width, ((1 - y) / 2) * height];
  const scale = first ? 1 : LARGE;
  const [long, half, dot] = [scale * LETTER * text.length, (scale * LINE) / 2, (scale * LINE) / 3];
  const [left, right] =
    side === "right" ? [dot, BESIDE + long] : side === "left" ? [BESIDE + long, dot] : [long / 2, long / 2];
  const [over, under] =
    side === "over" ? [dot + 2 * half, dot] : side === "under" ? [dot, dot + 2 * half] : [half, half];
  return { left: across - left, right: across + right, top: down - over, bottom: down + under };
}

const overlap = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** The dot that is nearest to a press, none beyond `far` pixels; x and y are pixels of the plane from its left and top. */
export function dotAt(dots: Dot[], [x, y]: number[], [width, height]: number[], far: number) {
  const away = dots.map((dot) => Math.hypot(((dot.x + 1) / 2) * width - x, ((1 - dot.y) / 2) * height - y));
  const least = Math.min(...away);
  return least <= far ? dots[away.indexOf(least)] : null;
}
