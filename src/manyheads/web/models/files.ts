// Files as bytes: fetched, unpacked, read. What goes wrong is a `Fault`.

import { Fault, longestWait, triesOf, WHY } from "../math/faults.ts";
import { hostOf } from "../math/host.ts";
import type { Rotary } from "../math/rotary.ts";
import { halfPrecision, type Safetensors } from "../math/wire.ts";

/** A file of a model, as its list says: its size as sent and as unpacked, and the hash of what is unpacked. */
export interface ModelFile {
  name: string;
  packed: number;
  bytes: number;
  sha256: string;
}

/** Of what a pretrained model is made. */
export interface PretrainedFacts {
  name: string;
  numLayers: number;
  numHeads: number;
  headNames: string[];
  maxTokens: number;
  width: number;
  mlpWidth: number;
  normEpsilon: number;
}

/** Of what a decoder is made. */
export interface DecoderFacts extends PretrainedFacts {
  numKvHeads: number;
  headDim: number;
  vocabularySize: number;
  rotaries: (Rotary | null)[]; // [layer], by what queries and keys turn; null where they don't
  norms: string; // as `usual` of shared/gguf.json has it
  activation: string;
  gated: boolean;
  scoreCap: number; // to which scores are bent; 0 where they aren't
  logitCap: number; // to which logits are
}

/** The list of a pretrained model's files says it. */
export type Listed = PretrainedFacts & { files: Record<string, ModelFile> };

/** Message of bytes while a model is loaded. */
export type Progress = (done: number, total: number) => void;

/** Whether the browser's own cache is passed by: it may hold what came damaged. */
let mistrusted = triesOf(import.meta.url) > 0;

/** A file that is not what it should be. */
export function damaged() {
  mistrusted = true;
  return new Fault(WHY.damaged);
}

/** All bytes of a file, or of a response. */
export const bytesOf = async (body: Blob | Response) => new Uint8Array(await body.arrayBuffer());

const SOON = 1000; // milliseconds
let speed = 0; // of the last download, in bytes a millisecond

/**
 * One file, as it was sent. A total of 0 is unknown. A download that stands still fails. One that should be here soon isn't counted
 * on its way: a browser then takes it in at half the cost, and outside of the page's memory.
 */
export async function download(
  url: URL,
  { onProgress = () => {}, ...options }: RequestInit & { onProgress?: Progress } = {},
): Promise<Blob> {
  const hosted = hostOf(url);
  if (hosted) return hosted.host.file(hosted.name);
  const controller = new AbortController();
  const start = performance.now();
  let soon = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (patience = longestWait()) => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(), patience);
  };
  wait();
  try {
    const response = await fetch(url, {
      ...(mistrusted && { cache: "reload" }),
      ...options,
      signal: controller.signal,
    });
    if (!response.ok || !response.body) throw new Fault(WHY.missing);
    const total = Number(response.headers.get("content-length"));
    const counter = counted((done) => {
      wait();
      onProgress(done, total);
    });
    soon = total > 0 && total / speed < SOON;
    if (soon) wait(5 * SOON);
    const file = await (soon ? response : new Response(response.body.pipeThrough(counter))).blob();
    onProgress(file.size, total);
    speed = file.size / (performance.now() - start);
    return file;
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (!soon) throw new Fault(WHY.absent);
    speed = 0; // so that it's counted, and may take as long as it needs
    return download(url, { onProgress, ...options });
  } finally {
    clearTimeout(timer);
  }
}

/** What `work` comes to; where that finds a file damaged, or of another build, once more, past the browser's cache. */
export async function onceMore<Made>(work: () => Promise<Made>) {
  try {
    return await work();
  } catch (error) {
    if ((error as Error).message !== WHY.damaged) throw error;
    return work();
  }
}

/** The contents of a file, unpacked, if they are what its list says of it. */
export async function checked(packed: Blob, listed: ModelFile | undefined) {
  const contents = await unpacked(packed);
  // Without https there is no crypto.subtle; gzip's own checksum and the length then have to do.
  const hash = globalThis.crypto.subtle && (await crypto.subtle.digest("SHA-256", contents));
  if (contents.length !== listed?.bytes || (hash && hex(hash) !== listed.sha256)) throw damaged();
  return contents;
}

const hex = (buffer: ArrayBuffer) =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** What was gzipped, unpacked; some hosts have done it on the way. */
async function unpacked(file: Blob) {
  const bytes = await bytesOf(file);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  if (!globalThis.DecompressionStream) throw new Fault(WHY.packed);
  return bytesOf(new Response(file.stream().pipeThrough(new DecompressionStream("gzip")))).catch(() => {
    throw damaged();
  });
}

/** What `read` makes of a file's bytes; a file of which it makes nothing is damaged. */
export function readAs<Made>(bytes: Uint8Array<ArrayBuffer>, read: (bytes: Uint8Array<ArrayBuffer>) => Made) {
  try {
    return read(bytes);
  } catch {
    throw damaged();
  }
}

/** What a file of JSON says. */
export const readJson = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));

/** A stream that lets bytes through and counts them. */
function counted(onBytes: (done: number) => void) {
  let done = 0;
  return new TransformStream({
    transform(chunk, stream) {
      onBytes((done += chunk.length));
      stream.enqueue(chunk);
    },
  });
}

const ARRAYS: Record<string, (bytes: ArrayBuffer) => Float32Array | Int8Array> = {
  F32: (bytes) => new Float32Array(bytes),
  F16: (bytes) => Float32Array.from(new Uint16Array(bytes), halfPrecision), // not every browser has a Float16Array
  I8: (bytes) => new Int8Array(bytes),
};

/** Reads a safetensors file. */
export function readSafetensors(bytes: Uint8Array): Safetensors {
  const start = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const { __metadata__: metadata = {}, ...entries } = readJson(bytes.subarray(8, start));
  const tensors: Record<string, any> = {};
  for (const [
    name,
    {
      dtype,
      shape,
      data_offsets: [from, to],
    },
  ] of Object.entries<any>(entries)) {
    if (!ARRAYS[dtype]) throw new Error(`tensor ${name} has type ${dtype}, which this page does not read.`);
    tensors[name] = { shape, values: ARRAYS[dtype](bytes.slice(start + from, start + to).buffer) };
  }
  return { tensors, metadata };
}
