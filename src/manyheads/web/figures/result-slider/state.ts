// What a <result-slider> knows: results, and which step of them is chosen. No DOM.

/** What `slider` of the book's sliding.py bakes in: values are [step][seed]. */
export interface Results {
  name: string; // of what is slid through
  steps: string[];
  series: { name: string; values: number[][] }[];
  unit: string;
  digits: number;
  start: number;
}

export interface State {
  results: Results;
  at: number; // the place of the step
}

export type Action = { type: "go"; at: number } | { type: "take" | "lend"; parts: { at?: string } }; // by the step's name

export const start = (_: unknown, results: Results | null): State | null => results && { results, at: results.start };

export function reduce(state: State, action: Action): State {
  const at = action.type === "go" ? action.at : state.results.steps.indexOf(action.parts.at ?? "");
  return at < 0 ? state : { ...state, at };
}

export const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

export const written = (value: number, digits: number) => value.toFixed(digits).replace("-", "\u2212");

/** The mean of a series at the chosen step, as it's written. */
export function textOf({ results: { series, digits, unit }, at }: State, of: number) {
  return `${written(mean(series[of].values[at]), digits)}${unit && `\u00a0${unit}`}`;
}

/** Whether there's one value for each step, and nothing to take the mean of. */
export const isSingle = ({ series }: Results) =>
  series.every(({ values }) => values.every(({ length }) => length === 1));

export interface Axis {
  ticks: number[];
  decimals: number; // of the ticks
  unit: string;
  place(value: number): string; // from 0 to 1
}

/** The axis of all values, with 0 on it. */
export function axisOf({ series, unit }: Results): Axis {
  const all = series.flatMap(({ values }) => values.flat());
  const ticks = ticksOf(Math.min(0, ...all), Math.max(...all));
  const [first, last] = [ticks[0], ticks[ticks.length - 1]];
  const decimals = Math.max(...ticks.map((tick) => (String(tick).split(".")[1] ?? "").length));
  return { ticks, decimals, unit, place: (value) => ((value - first) / (last - first)).toFixed(4) };
}

const TICKS = 4; // of an axis, about

/** Round values on an axis that holds `least` and `most`, its ends among them. */
export function ticksOf(least: number, most: number) {
  const rough = (most - least || 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const [first, last] = [Math.floor(least / step), Math.ceil(most / step)];
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}
