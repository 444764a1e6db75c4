// The messages for where something that a page needs does not come, and how long it is waited for. No engine's words reach a reader.

import { hostHere, hostOf } from "./host.ts";

/** Milliseconds for which a file or a script may stand still. Python, which sends each as a whole, may be busy meanwhile. */
export const longestWait = () => (hostHere() ? 60_000 : 30_000);

/** Why a thing is not there, and what its reader can do. */
export const WHY = {
  get absent() {
    return hostHere()
      ? "Python hasn’t sent a part of it: it is busy, or gone. Try again; if nothing comes, run the cell again."
      : "a part of it did not arrive. Check the network, then try again or reload the page.";
  },
  get missing() {
    return hostHere()
      ? "Python has no such part of it. Restart it and run the cell again; the package may have changed meanwhile."
      : "a part of it is missing on this site. Reload the page, since the book may be newer; if that does not help, try again later.";
  },
  damaged: "a part of it arrived damaged. Try again; if that does not help, reload the page.",
  packed: "this browser is too old to unpack it. Use a newer one.",
  engine: "this browser lacks WebAssembly, which it needs, or does not allow it. Use another one.",
  worker: "this browser does not let the page work in the background. Use another one, or open this page by itself.",
  memory: "this device has too little memory for it, or this browser is too old. Use another one.",
  stopped: "the model stopped, perhaps for want of memory. Try again, with a shorter text or in another browser.",
  closed: "the model was closed.",
  paused: "Paused. What has arrived whole is kept.",
  unknown: "something went wrong. Reload the page; if that does not help, use another browser.",
};

/** What went wrong, as a message for the reader. */
export class Fault extends Error {
  override name = "Fault";
}

/** A text that a model cannot read; it is not for a word. */
export class Unreadable extends Fault {
  word = null;
  near: string[] = [];
}

export const isPaused = (error: unknown) =>
  error instanceof Object && "message" in error && error.message === WHY.paused;

/** What a reader reads of an error: a fault's own message, and of any other that it happened. */
export const reasonOf = (error: unknown) => {
  const { name, message } = new Object(error) as Error; // the scripts of models have a class `Fault` of their own
  return name === "Fault" ? message : WHY.unknown;
};

/** What `work` promises, or a fault where that takes longer than `limit` milliseconds. */
export async function within<Made>(work: Promise<Made>, limit = longestWait()): Promise<Made> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, fail) => (timer = setTimeout(() => fail(new Fault(WHY.absent)), limit)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How often each script did not come. */
const failures = new Map<string, number>();

/**
 * Imports a script that lies beside the one at `base`. Browsers keep one that failed, so the next try has another address;
 * so does what it imports in its turn.
 */
export async function importScript(name: string, base: string): Promise<any> {
  const url = new URL(name, base);
  const { href } = url;
  const failed = failures.get(href) ?? 0;
  url.search = again(failed + triesOf(base));
  try {
    return await within(importFrom(url));
  } catch {
    if ((failures.get(href) ?? 0) === failed) failures.set(href, failed + 1);
    throw new Fault(WHY.absent);
  }
}

const importFrom = async (url: URL) => {
  const hosted = hostOf(url);
  return import(hosted ? await hosted.host.script(hosted.name) : url.href);
};

/** The end of the address of a script that was requested before, and how often an address says that it was. */
export const again = (tries: number) => (tries ? `?again=${tries}` : "");
export const triesOf = (address: string) => Number(new URL(address).searchParams.get("again"));
