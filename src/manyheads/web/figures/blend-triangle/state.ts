// What a <blend-triangle> knows: three words of two numbers each, and how much each of two heads takes of them. Blends are points of
// the triangle between the words. No DOM.

export type Point = [across: number, up: number];

export const STEP = 0.05; // an arrow key's
const STARTS = [
  [0, 0.5, 0.5],
  [1 / 3, 1 / 3, 1 / 3],
]; // of both heads, apart from each other

export interface State {
  words: string[];
  corners: Point[];
  both: boolean; // two heads
  heads: number[][]; // the weights of each
}

export type Action = { type: "choose"; both: boolean } | { type: "move"; head: number; to: Point };

export const start = (element: HTMLElement): State => ({
  words: (element.getAttribute("words") ?? "").split(" "),
  corners: (element.getAttribute("values") ?? "").split(",").map((pair) => pair.trim().split(" ").map(Number) as Point),
  both: false,
  heads: STARTS,
});

export function reduce(state: State, action: Action): State {
  if (action.type === "choose") return { ...state, both: action.both };
  const weights = weightsAt(state.corners, action.to);
  return { ...state, heads: state.heads.map((before, head) => (head === action.head ? weights : before)) };
}

/** What each head makes of the words. */
export const blendsOf = ({ corners, heads }: State) => heads.map((weights) => blendOf(corners, weights));

/** What is found: one head's blend, or a number of each of two. */
export function resultOf(state: State): Point {
  const [one, other] = blendsOf(state);
  return state.both ? [one[0], other[1]] : one;
}

/** The thing of the last word, the feeling of the middle one. */
export const wantedOf = ({ corners }: State): Point => [corners[2][0], corners[1][1]];

/** Whether what is wanted is found. */
export function isReached(state: State) {
  const [result, wanted] = [resultOf(state), wantedOf(state)];
  return Math.hypot(result[0] - wanted[0], result[1] - wanted[1]) < STEP;
}

/** The weights whose blend is nearest to a point: none below zero, 1 in total. */
export function weightsAt(corners: Point[], [across, up]: Point) {
  const [[ax, ay], [bx, by], [cx, cy]] = corners;
  const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  const second = ((across - ax) * (cy - ay) - (cx - ax) * (up - ay)) / area;
  const third = ((bx - ax) * (up - ay) - (across - ax) * (by - ay)) / area;
  const weights = [1 - second - third, second, third];
  if (Math.min(...weights) >= 0) return weights;
  const edges = [
    [0, 1],
    [1, 2],
    [2, 0],
  ].map(([from, to]) => onEdge(corners, from, to, [across, up]));
  return edges.reduce((best, edge) => (edge.away < best.away ? edge : best)).weights;
}

/** The nearest point of an edge, as weights, and how far away it is. */
function onEdge(corners: Point[], from: number, to: number, [across, up]: Point) {
  const [[ax, ay], [bx, by]] = [corners[from], corners[to]];
  const along = ((across - ax) * (bx - ax) + (up - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2);
  const share = Math.min(1, Math.max(0, along));
  const weights = [0, 0, 0];
  weights[from] = 1 - share;
  weights[to] = share;
  const [x, y] = blendOf(corners, weights);
  return { weights, away: Math.hypot(x - across, y - up) };
}

export const blendOf = (corners: Point[], weights: number[]): Point =>
  [0, 1].map((axis) => weights.reduce((sum, weight, word) => sum + weight * corners[word][axis], 0)) as Point;
