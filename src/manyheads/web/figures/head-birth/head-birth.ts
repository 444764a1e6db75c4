// <head-birth sentence="a7kq3xwma7kq3x">: two heads of the small decoder come into being on the reader's own text, checkpoint by
// checkpoint; without the first of them, the second is blind. `step` is one of the stored training's, `off` names heads that are off.
// Then the reader trains one. No DOM while the module loads, as in head-map.ts.

import { download } from "../../doors/download.ts";
import { define, dressPage } from "../../doors/page-element.ts";
import { failedTo, READY, trainingScript } from "../../doors/page-models.ts";
import { SentenceFigure } from "../../doors/sentence-figure.ts";
import { readPart } from "../../doors/state.ts";
import { Fault } from "../../math/faults.ts";
import { maskOf } from "../../math/heads-off.ts";
import { decodeMap } from "../../math/wire.ts";
import CONFIG from "../../../shared/training.json";
import type { HeadMask } from "../../math/attention-map.ts";
import type { Expecting, InductionModel } from "../../models/induction.ts";
import type { Report, Training } from "../../models/training.ts";
import { announce } from "../../views/dom.ts";
import { wantsStillness } from "../../views/timeline.ts";
import { statusOf } from "./panel.ts";
import { HeadBirthView, type StoredTraining } from "./view.ts";

/** What is baked in: the map of the first checkpoint, and what is known of the training. */
interface Baked extends StoredTraining {
  map: unknown;
  guesses: (string | null)[];
}

const OFTEN = 50; // milliseconds between two pictures of a training
const SELDOM = 1000; // for readers who ask for less motion, and in a hidden tab

class HeadBirthElement extends SentenceFigure<HeadBirthView> {
  static observedAttributes = ["sentence", "step", "off"];
  protected parts = ["sentence", "off"];
  protected numbers = ["step"];
  protected computed = []; // the view asks
  #stored: InductionModel | null = null; // one of the stored training's
  #trained: { model: InductionModel; headMask: HeadMask } | null = null; // by the reader
  #worker: { number: number; training: Training | null } | null = null; // what learns

  protected task = this.makeTask<InductionModel & { broken?: boolean }>({
    job: {
      failure: "The text could not be read",
      compute: (models) => {
        const { sentence, at, live, off } = this.view!.state;
        this.#stored = models[at];
        const { model, headMask } = (live && this.#trained) || { model: models[at], headMask: null };
        const mask = maskOf(off, model.numLayers, model.numHeads);
        return model.attend(
          sentence,
          headMask && mask
            ? mask.map((row, layer) => row.map((on, head) => on && headMask[layer][head]))
            : (headMask ?? mask),
        );
      },
      show: (map: Expecting) => {
        const { view } = this;
        view!.dispatch({ type: "show", map });
        const { live, training } = view!.state;
        this.tell([live && training ? statusOf(training) : READY, ...(map.notes ?? [])].join(" "));
        announce(this, "attention", map);
      },
    },
  });

  /** The map that is shown, with the guesses. */
  get attention() {
    return this.view?.state.map ?? null;
  }

  /** How far the reader's own training has come: its step, and the losses of the last steps' sequences, in nats; null before one. */
  get training() {
    const { training } = this.view?.state ?? {};
    if (!training) return null;
    const { first = NaN, second = NaN } = training.points[training.points.length - 1] ?? {};
    return { step: training.step, loss: { first, second } };
  }

  protected override readPart(name: string, text: string | null) {
    return name === "off" ? readPart(name, text) : super.readPart(name, text);
  }

  override attributeChangedCallback(name: string) {
    if (name === "step") this.view?.goTo(Number(this.getAttribute(name)));
    else super.attributeChangedCallback(name);
  }

  /** Begins with an example: all heads are on. */
  begin(sentence: string) {
    this.view?.dispatch({ type: "begin", sentence });
  }

  /** Trains, up to a step if one is given; goes on where it was paused. */
  train(until?: number) {
    this.view?.dispatch({ type: "train", until });
  }

  pause() {
    this.view?.dispatch({ type: "pause" });
  }

  /** Begins anew, from the random numbers of a seed, and waits for `train()`. */
  reset(seed?: number) {
    this.view?.dispatch({ type: "reset", seed });
  }

  protected override get modelNames() {
    const { steps = [] } = this.view?.state ?? {};
    return steps.map((step, at) => (at === steps.length - 1 ? "induction" : `induction/step-${step}`));
  }

  protected draw(baked: Baked) {
    dressPage("head-map.css", "head-birth.css");
    this.view = new HeadBirthView(this, this.written, baked, {
      compute: () => this.task.run(),
      train: () => this.#train(),
      save: () => this.#save(),
    });
    this.view.dispatch({
      type: "show",
      map: { ...decodeMap(baked.map), guesses: baked.guesses, losses: new Float32Array() },
    });
    this.standBy(true);
  }

  protected override listen(leaves: AbortSignal) {
    super.listen(leaves);
    const seen = () => {
      this.#steer();
      if (!document.hidden) this.view?.dispatch({ type: "seen" });
    };
    document.addEventListener("visibilitychange", seen, { signal: leaves });
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    queueMicrotask(() => this.isConnected || this.#end()); // it may only be moved
  }

  #end() {
    if (this.view?.state.training?.runs) this.pause();
    this.#worker?.training?.close();
    this.#worker = null;
  }

  /** Starts what learns, if it's another training, and lets it run or rest as the state says. */
  async #train() {
    const { training } = this.view!.state;
    if (!training || !this.isConnected) return;
    const {
      number,
      seed,
      experiment: { config, change, onlyText },
    } = training;
    if (this.#worker?.number === number) return this.#steer();
    this.#worker?.training?.close();
    const worker: { number: number; training: Training | null } = { number, training: null };
    this.#worker = worker;
    this.#trained = null;
    try {
      if (onlyText && [...this.sentence].length < 2) throw new Fault("type a few characters first.");
      await this.ready;
      const script = await trainingScript();
      if (this.#worker !== worker) return;
      const recipe = { ...CONFIG, ...config };
      const told = (report: Report) => this.#hear(number, recipe, report);
      worker.training = new script.Training(
        recipe,
        seed,
        { ...change, ...(onlyText && { text: this.sentence }) },
        told,
        () => this.#fail(null),
      );
      this.#steer();
    } catch (error) {
      if (this.#worker === worker) this.#fail(error);
    }
  }

  /** Runs or rests, as the state says. In a hidden tab it goes on as fast as the browser lets it, and nothing else does. */
  #steer() {
    const { training } = this.view?.state ?? {};
    if (!training || !this.#worker?.training) return;
    if (training.runs) this.#worker.training.run(training.until, wantsStillness() || document.hidden ? SELDOM : OFTEN);
    else this.#worker.training.pause();
  }

  #hear(number: number, config: typeof CONFIG, { tensors, headMask, ...report }: Report) {
    const { view } = this;
    if (this.#worker?.number !== number || !view) return;
    const { seed, heads } = view.state.training!;
    const roles = {
      previous: heads.previous?.place ?? [0, 0],
      induction: heads.induction?.place ?? [config.layers - 1, 0],
    };
    const facts = {
      variant: `seed-${seed}-step-${report.step}`,
      config: { ...config, num_sequences: report.step * config.batch, steps: report.step },
      roles,
    };
    this.#trained = { model: this.#stored!.like(tensors, facts), headMask };
    view.dispatch({ type: "report", number, report, hidden: document.hidden });
    announce(this, "step", this.training);
  }

  #fail(error: unknown) {
    this.#end();
    this.tell(failedTo("The training stopped", error), () => this.train());
  }

  async #save() {
    const script = await trainingScript();
    if (!this.#trained) return;
    const { model } = this.#trained;
    download(new Blob([script.writeSafetensors(model.file)]), `${model.name.replace("/", "-")}.safetensors`);
  }
}

define("head-birth", HeadBirthElement);
