// How a word's numbers become its query, key or value: they stand beside a learned matrix, a number beside each row, and each column makes
// the number below it.

import { findMatrix, formatNumber, matrix, rowOf } from "../../math/steps.ts";
import { answerAt, answerInRow, LETTER, shorten, type Frame } from "./frame.ts";
import { quoted } from "./stations.ts";

export function drawProjections(frame: Frame) {
  const { strips, done } = frame;
  if (done("numbersStand") === 0 || done("madeGoes") === 1) return;
  strips.projections.forEach((_, place) => drawProjection(frame, place));
}

function drawProjection({ ink, layout, wide, flow, strips, done }: Frame, place: number) {
  const { what, token, learned: name, made, numbers, picture, result } = strips.projections[place];
  const { word, numbers: standing, learned, made: row } = layout.project(place);
  const gone = 1 - done("madeGoes");
  const [stood, appeared, widened] = [done("numbersStand"), done("learnedAppears"), done("madeWidens")];
  const key = (part: string) => `project-${what}-${part}`;
  const title = { kind: "af-title", opacity: appeared * gone };
  const [rows, columns] = [flow.X.shape[1], matrix(flow, made).shape[1]];

  const asks = wide ? `: ${rows} numbers` : "";
  ink.text(key("word"), ...word, shorten(flow.tokens[token], layout.letters) + asks, {
    kind: place ? "" : "af-asks",
    opacity: stood * gone,
  });
  ink.strip(key("numbers"), standing, numbers, {
    opacity: stood * gone,
    ...answerAt(
      (_, down) => ({ name: "X", row: token, column: Math.floor(down * rows) }),
      ({ column }) =>
        `${quoted(flow, token)}, number ${column + 1} of ${rows}: ${formatNumber(rowOf(flow.X, token)[column])}`,
    ),
  });

  const middle = learned.x + learned.width / 2;
  ink.text(key("shape"), middle, learned.y - 10, `${rows} × ${columns}`, { ...title, kind: "af-title af-centre" });
  ink.rect(key("frame"), learned, { opacity: appeared * gone, kind: "af-bar" });
  const [letter, upper] = [...name];
  const matrixName = `W, which makes ${what === "query" ? "queries" : `${what}s`}`;
  if (picture)
    ink.strip(key("picture"), learned, picture, {
      opacity: 0.85 * appeared * gone,
      ...answerAt(
        (across, down) => ({ name, row: Math.floor(down * rows), column: Math.floor(across * columns) }),
        (cell) => {
          const value = findMatrix(flow, name)!.values[cell.row * columns + cell.column];
          return `${matrixName}, row ${cell.row + 1}, column ${cell.column + 1}, learned: ${formatNumber(value)}`;
        },
      ),
    });
  const centre = learned.y + learned.height / 2;
  ink.text(key("letter"), middle + 4, centre, letter, { ...title, kind: "af-mixer af-end" });
  ink.text(key("power"), middle + 4, centre - LETTER, upper.toUpperCase(), { ...title, kind: "af-mixer af-power" });

  ink.path(key("stream"), `M${learned.x} ${learned.y + learned.height}h${learned.width}V${row.y}h${-learned.width}Z`, {
    opacity: 0.5 * widened * gone,
    kind: "af-stream",
  });
  const first = { name: made, row: token, column: 0 };
  ink.strip(key("made"), { ...row, width: row.width * widened }, result, {
    opacity: widened * gone,
    ...answerInRow(`${what} of ${quoted(flow, token)}`, rowOf(matrix(flow, made), token), first),
  });
  const below = row.y + row.height + 14;
  ink.text(key("what"), middle, below, wide ? `${what}: ${columns} numbers` : what, {
    ...title,
    opacity: widened * gone,
    kind: "af-centre",
  });
  if (!wide) return;
  const between = (standing.x + standing.width + learned.x) / 2;
  ink.text(key("times"), between, centre, "×", { ...title, kind: "af-title af-centre" });
  ink.text(key("equals"), between, row.y + row.height / 2, "=", { ...title, kind: "af-title af-centre" });
}
