// The order of the film: when each thing begins to happen and when it is done, in stations counted from 0. Where several do the same
// one after the other, four numbers say it: two for the first, and two for one that would follow the last.

export const MOMENTS = {
  // from the words to what is made of them
  belowGoes: [0.05, 0.35], // what the layer below let the asking word take in, or the arcs to what it looks at
  wordsShrink: [0.1, 0.7],
  wordsDim: [0.4, 1],
  numbersStand: [0.45, 0.7], // of a word, beside the matrix that they are multiplied with
  learnedAppears: [0.55, 0.8],
  madeWidens: [0.75, 1],

  // from what is made to the keys
  madeGoes: [1, 1.4],
  queryAppears: [1.05, 1.3],
  keysWiden: [1.4, 1.9],
  keysAppear: [1.45, 1.95],
  queryRises: [1.45, 1.95], // from below its matrix to above the keys
  queryTitleAppears: [1.8, 2],

  // from the keys to the scores
  keysShrink: [2, 2.1],
  axisAppears: [2.05, 2.15], // of the scores, with their title
  queryTitleHides: [2.08, 2.14],
  queryLeaves: [2.1, 2.1656],
  queryWalks: [2.1, 2.92], // past each key
  keysMeet: [2.11, 2.15, 2.91, 2.95], // the query, and get their scores
  queryReturns: [2.92, 3],
  queryTitleReturns: [2.95, 3],

  // from the scores to the softmax
  maskHides: [3, 3.1],
  scoresMove: [3, 3.2], // and make room; on a phone they go
  keysDim: [3, 3.5],
  weightTitleAppears: [3.1, 3.3],
  weightsGrow: [3.1, 3.4],
  queryTitleGoes: [3.1, 3.4],
  queryGoes: [3.1, 3.6],
  scoresDim: [3.1, 3.6],
  barAppears: [3.2, 3.5],
  barTitleAppears: [3.3, 3.6],
  weightsFly: [3.5, 3.75, 3.7, 3.95], // into the bar
  barNamesAppear: [3.8, 3.95],

  // from the softmax to the values
  weightTitleGoes: [4, 4.2],
  wordsBrighten: [4, 4.2], // values are made of them once more
  keysGo: [4, 4.25],
  scoresGo: [4, 4.25],
  weightsMove: [4, 4.5], // their numbers, to beside the values
  barNamesGo: [4.05, 4.3],
  barFalls: [4.05, 4.4],
  valuesAppear: [4.1, 4.4],
  valuesWiden: [4.1, 4.5],
  wordsDimAgain: [4.4, 4.9],
  outputAppears: [4.45, 4.6],
  valuesFlow: [4.45, 4.75, 4.6, 4.9], // into the bar
  barFlows: [4.7, 4.95], // into the output

  // from the values to the heads
  headsTakeOver: [4.99, 5], // what the film has drawn of one of them
  outputTitleGoes: [5, 5.1],
  weightsGo: [5, 5.25],
  valuesGo: [5, 5.3],
  wordsGo: [5, 5.4],
  barLiesDown: [5.05, 5.6],
  outputMoves: [5.1, 5.6], // beside its bar
  headNamesAppear: [5.3, 5.7],
  otherHeadsAppear: [5.4, 5.8, 5.5, 5.95],
  wordsInBarsAppear: [5.6, 5.8],
  headTitlesAppear: [5.6, 5.9],

  // from the heads to the mix
  headsGo: [6, 6.3], // but for their outputs
  outputsJoin: [6.05, 6.5],
  joinedNamesAppear: [6.3, 6.6],
  mixerAppears: [6.4, 6.65],
  mixedAppears: [6.65, 6.95],

  // from the mix to the answer
  mixerGoes: [7, 7.3], // with what is joined
  mixedMoves: [7.05, 7.4], // to where it's read
  mixedGoes: [7.1, 7.4], // where another output is read
  readAppears: [7.2, 7.6], // that other one
  readTitleAppears: [7.3, 7.6],
  factsAppear: [7.35, 7.6, 7.45, 7.7],
  lookAppears: [7.35, 7.6], // where the head of the layer above looks, from which the answer comes
  readTakesOver: [7.4, 7.49], // from what is mixed, where that is read
  partsTitleAppears: [7.6, 7.8],
  partsGrow: [7.62, 7.78, 7.82, 7.98], // here the last is the logit, their sum
  sumLineAppears: [7.85, 8],
} satisfies Record<string, [number, number] | [number, number, number, number]>;

export type Moment = keyof typeof MOMENTS;

/** How far a moment has come, from 0 to 1; of several, that of the one whose share of the way begins and ends there. */
export type Done = (moment: Moment, begins?: number, ends?: number) => number;

/** How far each moment has come when the film is `at` a place; each starts and stops softly. */
export function doneAt(at: number): Done {
  return (moment, begins = 0, ends = begins) => {
    const [from, to, lastFrom = from, lastTo = to]: number[] = MOMENTS[moment];
    const share = shareOf(at, between(from, lastFrom, begins), between(to, lastTo, ends));
    return share * share * (3 - 2 * share);
  };
}

/** How much of the way from one place to another is behind, at an even pace. */
export const shareOf = (at: number, from: number, to: number) => Math.min(Math.max((at - from) / (to - from), 0), 1);

export const between = (from: number, to: number, share: number) => from + (to - from) * share;
