// How a reader's file becomes a model of the page, and what its reader is told meanwhile.

import { Fault } from "../math/faults.ts";
import type { Opening } from "../models/head-model.ts";
import { failedTo, megabytes, modelsScript } from "./page-models.ts";
import type { Tell } from "./task.ts";

/**
 * A model of a file of the reader's, or of several that are one. `tell` says how far it has come, with a button that cancels it, and what could not be done, which is
 * rejected as well; `opened` gets a line that says what the file is.
 */
export async function openFile(
  given: File | File[],
  {
    tell,
    opened = () => {},
    progress = () => {},
    cancels = new AbortController(),
    beside = false,
  }: Partial<Omit<Opening, "signal">> & { tell: Tell; cancels?: AbortController },
) {
  const arrived = (done: number, total: number) => {
    tell(`Reading the file: ${megabytes(done)} of ${megabytes(total)} MB.`, () => cancels.abort(), "Cancel");
    progress(done, total);
  };
  const files = [given].flat();
  arrived(
    0,
    files.reduce((sum, { size }) => sum + size, 0),
  );
  try {
    const { openModel } = await modelsScript();
    return await openModel(files, { progress: arrived, opened, beside, signal: cancels.signal });
  } catch (error) {
    const reason = cancels.signal.aborted
      ? "Cancelled. What you see stays."
      : failedTo("The file could not be opened", error);
    tell(reason);
    throw new Fault(reason);
  }
}
