// What a reader can change about the training, predict, and see. What is said afterwards was measured; tests measure it again:
// tests/fast/web/test_training.py, and tests/nightly/web/test_training.py those that take long. No DOM.

import type { Change, Config } from "../../models/learner.ts";

export interface Experiment {
  name: string; // as on its button
  question: string;
  answers: string[];
  says: string; // once it's over: what it shows, and what it doesn't
  config: Partial<Config>;
  change: Omit<Change, "text">;
  onlyText?: boolean; // learns from the reader's text alone
  until: number; // the step at which it's told
  turns: boolean; // whether both heads have come by then
}

/** The training without an experiment. */
export const PLAIN: Experiment = {
  name: "",
  question: "",
  answers: [],
  says: "",
  config: {},
  change: {},
  until: 240,
  turns: true,
};

const SIMILAR = { config: {}, change: {}, until: 200, turns: true };

export const EXPERIMENTS: Experiment[] = [
  {
    ...SIMILAR,
    name: "Another seed",
    question: "Training begins with other random numbers. Which heads will come?",
    answers: ["The same, in the same places", "The same, perhaps elsewhere", "Others"],
    says: "Both heads came again, close together. Which head of a layer takes which part is chance. It’s one more example, and no proof that every training goes this way.",
  },
  {
    ...SIMILAR,
    name: "One layer",
    config: { layers: 1 },
    until: 300,
    turns: false,
    question: "There is no layer 2. How will it guess where the text repeats?",
    answers: ["Right", "A little better than by chance", "By chance"],
    says: "A little better than by chance: it guesses among the characters that were there. Nothing has written down what came before each of them, so no head can look for it. That only says that this trick takes two layers.",
  },
  {
    ...SIMILAR,
    name: "One head a layer",
    config: { heads: 1 },
    question: "Each layer has a single head. Will that do?",
    answers: ["Yes", "No"],
    says: "It does: one head for each part. That’s what the trick needs at least. The second heads of the other trainings aren’t idle for all that; some do the same work once more.",
  },
  {
    ...SIMILAR,
    name: "Layer 1 off until step 200",
    change: { offUntil: 200 },
    until: 300,
    question: "The heads of layer 1 do nothing until step 200. What does layer 2 do until then?",
    answers: ["It grows its head alone", "It waits", "It finds another way"],
    says: "It waited. Once layer 1 was on, both came within about fifty steps. So layer 2 can’t begin alone. That doesn’t say which comes first where both may learn.",
  },
  {
    ...SIMILAR,
    name: "One period",
    config: { shortest: 8, longest: 8 },
    turns: false,
    question: "All sequences repeat after eight. Will it look for what came before?",
    answers: ["Yes, with the same two heads", "No, it will find something easier"],
    says: "It cheats. From everywhere it looks seven back, whatever is there. Now type six letters twice: all wrong. So a right guess doesn’t say how it was found.",
  },
  {
    ...SIMILAR,
    name: "Only my text",
    onlyText: true,
    turns: false,
    question: "It reads your text and nothing else. What will it have in the end?",
    answers: ["Right guesses and the two heads", "Right guesses alone", "Neither"],
    says: "Its loss is next to nothing, and there are no such heads: it knows by heart what follows what. Now type thirteen different letters, twice: after the eighth it’s lost. A low loss doesn’t say that anything general was learned.",
  },
  {
    ...SIMILAR,
    name: "No positions",
    change: { withoutPositions: true },
    until: 300,
    turns: false,
    question: "No symbol says where it stands. Can a head find the one just before?",
    answers: ["As well as before", "Somehow, but badly", "No, nothing is learned"],
    says: "Somehow, but badly: the loss falls slowly, and no head looks just before. It isn’t quite blind to order, because the mask lets a late symbol see more than an early one. So this doesn’t say that positions are indispensable.",
  },
  {
    ...SIMILAR,
    name: "A tenth of the rate",
    config: { learning_rate: 0.0005 },
    until: 300,
    turns: false,
    question: "Each step is a tenth as long. When will the heads come?",
    answers: ["At the same step", "Later", "Never"],
    says: "Not yet. In our training, the loss fell after some 650 steps. So a loss that hardly moves can mean that nothing will be learned, or that it takes longer, and it looks the same. Press Go on and see.",
  },
  {
    ...SIMILAR,
    name: "Ten times the rate",
    config: { learning_rate: 0.05 },
    turns: false,
    question: "Each step is ten times as long. When will the heads come?",
    answers: ["Sooner", "At the same step", "Never"],
    says: "Not in 200 steps: each step overshoots, and the loss stays where guessing blindly would leave it. From where on a rate is too large, this doesn’t say.",
  },
];
