// Rotary positions: features i and i + d/2 are an arrow in the plane, which turns with the position. Twin of `rotate` in attention.py.

/** By which arrows turn: the base of their speeds, or these themselves, in radians from one position to the next. */
export type Rotary = number | ArrayLike<number>;

/** How far each arrow of `width` features turns from one position to the next, in radians, the fastest first. */
export const speedsOf = (width: number, rotary: Rotary = 10_000) =>
  typeof rotary === "number"
    ? Float64Array.from({ length: width / 2 }, (_, pair) => rotary ** ((-2 * pair) / width))
    : Float64Array.from(rotary);

/** A query or key at a position. */
export function rotated(features: ArrayLike<number>, position: number, rotary?: Rotary) {
  const half = features.length / 2;
  const turned = new Float64Array(features.length);
  speedsOf(features.length, rotary).forEach((speed, pair) => {
    const [cos, sin] = [Math.cos(position * speed), Math.sin(position * speed)];
    const [first, second] = [features[pair], features[pair + half]];
    turned[pair] = first * cos - second * sin;
    turned[pair + half] = second * cos + first * sin;
  });
  return turned;
}

/** The score of a query at one position and a key at another. */
export function scoreAt(query: ArrayLike<number>, from: number, key: ArrayLike<number>, to: number) {
  const [turnedQuery, turnedKey] = [rotated(query, from), rotated(key, to)];
  return turnedQuery.reduce((sum, value, at) => sum + value * turnedKey[at], 0);
}
