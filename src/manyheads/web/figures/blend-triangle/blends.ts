// Blends of three words of two numbers each: points of the triangle between them.

export type Point = [across: number, up: number];

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
