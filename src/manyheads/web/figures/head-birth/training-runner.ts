// What learns, beside a <head-birth>: a worker that runs or rests as the state says, and whose reports are actions.

import { download } from "../../doors/download.ts";
import { failedTo, modelsScript, trainingScript } from "../../doors/page-models.ts";
import { Fault } from "../../math/faults.ts";
import type { InductionModel } from "../../models/induction.ts";
import type { Report, Training as Worker } from "../../models/training.ts";
import { announce } from "../../views/dom.ts";
import type { Host } from "../../views/host.ts";
import { wantsStillness } from "../../views/timeline.ts";
import CONFIG from "../../../shared/training.json";
import type { Action, State, Training } from "./state.ts";

const OFTEN = 50; // milliseconds between two pictures of a training
const SELDOM = 1000; // for readers who ask for less motion, and in a hidden tab

/** How far the reader's own training has come: its step, and the losses of the last steps' sequences, in nats; null before one. */
export function progressOf({ training }: State) {
  if (!training) return null;
  const { first = NaN, second = NaN } = training.points[training.points.length - 1] ?? {};
  return { step: training.step, loss: { first, second } };
}

/** The worker of a training, by its number, and what it was last told to do. */
interface Learning {
  number: number;
  worker: Worker | null;
  order: [until: number, every: number];
}

/** Has a worker learn what the state says; called after each action. */
export function runTraining(host: Host<State, Action>) {
  const root = host.root as HTMLElement & { ready: Promise<void> };
  let learning: Learning | null = null;

  function end() {
    learning?.worker?.close();
    learning = null;
  }

  function fail(error: unknown) {
    host.dispatch({ type: "end" });
    host.setStatus(failedTo("The training stopped", error), () => host.dispatch({ type: "train" }));
  }

  /** Runs or rests. In a hidden tab it goes on as fast as the browser lets it, and nothing else does. */
  function steer({ runs, until }: Training) {
    if (!learning?.worker) return;
    const order: Learning["order"] = runs ? [until, wantsStillness() || host.state.hidden ? SELDOM : OFTEN] : [0, 0];
    if (String(order) !== String(learning.order)) learning.worker.run(...order);
    learning.order = order;
  }

  async function start({ number, seed, experiment: { config, change, onlyText } }: Training) {
    end();
    const own: Learning = { number, worker: null, order: [0, 0] };
    learning = own;
    try {
      if (onlyText && [...host.state.sentence].length < 2) throw new Fault("type a few characters first.");
      await root.ready;
      const script = await trainingScript();
      const stored = (await (await modelsScript()).loadModel("induction")) as unknown as InductionModel;
      if (learning !== own) return;
      const recipe = { ...CONFIG, ...config };
      const hear = ({ tensors, headMask, ...report }: Report) => {
        if (learning !== own) return;
        const model = stored.like(tensors, factsOf(host.state.training!, recipe, report.step));
        host.dispatch({ type: "report", number, report, trained: { model, headMask } });
        announce(root, "step", progressOf(host.state));
      };
      const text = onlyText && { text: host.state.sentence };
      own.worker = new script.Training(recipe, seed, { ...change, ...text }, hear, () => fail(null));
      steer(host.state.training!);
    } catch (error) {
      if (learning === own) fail(error);
    }
  }

  return () => {
    const { training } = host.state;
    if (!training || training.ended) end();
    else if (!root.isConnected) return;
    else if (learning?.number !== training.number) void start(training);
    else steer(training);
  };
}

/** What the file of a trained model says of it. */
const factsOf = ({ seed, heads }: Training, config: typeof CONFIG, step: number) => ({
  variant: `seed-${seed}-step-${step}`,
  config: { ...config, num_sequences: step * config.batch, steps: step },
  roles: { previous: heads.previous?.place ?? [0, 0], induction: heads.induction?.place ?? [config.layers - 1, 0] },
});

/** Hands the reader the trained model as a file. */
export async function save({ training }: State) {
  const script = await trainingScript();
  if (!training?.trained) return;
  const { model } = training.trained;
  download(new Blob([script.writeSafetensors(model.file)]), `${model.name.replace("/", "-")}.safetensors`);
}
