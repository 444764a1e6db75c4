// Files as bytes: fetched, unpacked, read. What goes wrong is told as a `Fault`.

import { Fault, LONGEST_WAIT, triesOf, WHY } from "../math/faults.ts";

/** Whether the browser's own cache is passed by: it may hold what came damaged. */
let mistrusted = triesOf(import.meta.url) > 0;

/** A file that is not what it should be. */
export function damaged() {
  mistrusted = true;
  return new Fault(WHY.damaged);
}

/** All bytes of a stream. */
const collect = async (/** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ stream) =>
  new Uint8Array(await new Response(stream).arrayBuffer());

/**
 * The bytes of one file, as they were sent; `told(done, total)` hears of them, with 0 for an unknown total. One that stands still is given up.
 * @param {URL} url
 * @param {RequestInit & { told?: Progress }} [options]
 */
export async function download(url, { told = () => {}, ...options } = {}) {
  const controller = new AbortController();
  let timer = setTimeout(() => controller.abort(), LONGEST_WAIT);
  try {
    const response = await fetch(url, { ...(mistrusted && { cache: "reload" }), ...options, signal: controller.signal });
    if (!response.ok || !response.body) throw new Fault(WHY.missing);
    const total = Number(response.headers.get("content-length"));
    const tell = counted((done) => {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(), LONGEST_WAIT);
      told(done, total);
    });
    return await collect(response.body.pipeThrough(tell));
  } catch (error) {
    throw error instanceof Fault ? error : new Fault(WHY.absent);
  } finally {
    clearTimeout(timer);
  }
}

/** What was gzipped, unpacked; some hosts have done it on the way. */
export async function unpacked(/** @type {Uint8Array<ArrayBuffer>} */ bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  if (!globalThis.DecompressionStream) throw new Fault(WHY.packed);
  return collect(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).catch(() => {
    throw damaged();
  });
}

/**
 * What `read` makes of a file's bytes; a file of which it makes nothing is damaged.
 * @template Made
 * @param {Uint8Array} bytes
 * @param {(bytes: Uint8Array) => Made} read
 */
export function readAs(bytes, read) {
  try {
    return read(bytes);
  } catch {
    throw damaged();
  }
}

/** What a file of JSON says. */
export const readJson = (/** @type {Uint8Array} */ bytes) => JSON.parse(new TextDecoder().decode(bytes));

/**
 * A stream that lets bytes through, and tells of how many there have been.
 * @param {(done: number) => void} tell
 */
function counted(tell) {
  let done = 0;
  return new TransformStream({
    transform(chunk, stream) {
      tell((done += chunk.length));
      stream.enqueue(chunk);
    },
  });
}

/** @type {Record<string, Float32ArrayConstructor | Int8ArrayConstructor>} */
const ARRAYS = { F32: Float32Array, I8: Int8Array };

/**
 * Reads a safetensors file.
 * @param {Uint8Array} bytes
 * @returns {Safetensors}
 */
export function readSafetensors(bytes) {
  const start = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const { __metadata__: metadata = {}, ...entries } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  /** @type {Record<string, any>} */
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets: [from, to] }] of Object.entries(entries)) {
    if (!ARRAYS[dtype]) throw new Error(`tensor ${name} has type ${dtype}, which this page does not read.`);
    tensors[name] = { shape, values: new ARRAYS[dtype](bytes.slice(start + from, start + to).buffer) };
  }
  return { tensors, metadata };
}
