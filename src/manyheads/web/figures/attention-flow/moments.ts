// The order of the film: when each thing begins to happen and when it is done, in stations counted from 0. Where several do the same
// one after the other, four numbers say it: two for the first, and two for one that would follow the last.

export const MOMENTS = {
  // from the words to the keys
  belowGoes: [0.05, 0.35], // what the layer below let the asking word take in, or the arcs to what it looks at
  wordsShrink: [0.1, 0.7], // the asking word's vector with them, which is then its query
  queryAppears: [0.3, 0.5],
  wordsDim: [0.4, 1],
  keysWiden: [0.4, 0.9],
  keysAppear: [0.45, 0.95],
  queryRises: [0.45, 0.95], // from its word to above the keys
  queryTitleAppears: [0.8, 1],

  // from the keys to the scores
  keysShrink: [1, 1.1],
  axisAppears: [1.05, 1.15], // of the scores, with their title
  queryTitleHides: [1.08, 1.14],
  queryLeaves: [1.1, 1.1656],
  queryWalks: [1.1, 1.92], // past each key
  keysMeet: [1.11, 1.15, 1.91, 1.95], // the query, and get their scores
  queryReturns: [1.92, 2],
  queryTitleReturns: [1.95, 2],

  // from the scores to the softmax
  maskHides: [2, 2.1],
  scoresMove: [2, 2.2], // and make room; on a phone they go
  keysDim: [2, 2.5],
  weightTitleAppears: [2.1, 2.3],
  weightsGrow: [2.1, 2.4],
  queryTitleGoes: [2.1, 2.4],
  queryGoes: [2.1, 2.6],
  scoresDim: [2.1, 2.6],
  barAppears: [2.2, 2.5],
  barTitleAppears: [2.3, 2.6],
  weightsFly: [2.5, 2.75, 2.7, 2.95], // into the bar
  barNamesAppear: [2.8, 2.95],

  // from the softmax to the values
  weightTitleGoes: [3, 3.2],
  wordsBrighten: [3, 3.2], // values are made of them once more
  keysGo: [3, 3.25],
  scoresGo: [3, 3.25],
  weightsMove: [3, 3.5], // their numbers, to beside the values
  barNamesGo: [3.05, 3.3],
  barFalls: [3.05, 3.4],
  valuesAppear: [3.1, 3.4],
  valuesWiden: [3.1, 3.5],
  wordsDimAgain: [3.4, 3.9],
  outputAppears: [3.45, 3.6],
  valuesFlow: [3.45, 3.75, 3.6, 3.9], // into the bar
  barFlows: [3.7, 3.95], // into the output

  // from the values to the heads
  headsTakeOver: [3.99, 4], // what the film has drawn of one of them
  outputTitleGoes: [4, 4.1],
  weightsGo: [4, 4.25],
  valuesGo: [4, 4.3],
  wordsGo: [4, 4.4],
  barLiesDown: [4.05, 4.6],
  outputMoves: [4.1, 4.6], // beside its bar
  headNamesAppear: [4.3, 4.7],
  otherHeadsAppear: [4.4, 4.8, 4.5, 4.95],
  wordsInBarsAppear: [4.6, 4.8],
  headTitlesAppear: [4.6, 4.9],

  // from the heads to the mix
  headsGo: [5, 5.3], // but for their outputs
  outputsJoin: [5.05, 5.5],
  joinedNamesAppear: [5.3, 5.6],
  mixerAppears: [5.4, 5.65],
  mixedAppears: [5.65, 5.95],

  // from the mix to the answer
  mixerGoes: [6, 6.3], // with what is joined
  mixedMoves: [6.05, 6.4], // to where it's read
  mixedGoes: [6.1, 6.4], // where another output is read
  readAppears: [6.2, 6.6], // that other one
  readTitleAppears: [6.3, 6.6],
  factsAppear: [6.35, 6.6, 6.45, 6.7],
  lookAppears: [6.35, 6.6], // where the head of the layer above looks, from which the answer comes
  readTakesOver: [6.4, 6.49], // from what is mixed, where that is read
  partsTitleAppears: [6.6, 6.8],
  partsGrow: [6.62, 6.78, 6.82, 6.98], // here the last is the logit, their sum
  sumLineAppears: [6.85, 7],
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
