// Files as bytes: collected, unpacked, read.

/** All bytes of a stream. */
export const collect = async (/** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ stream) =>
  new Uint8Array(await new Response(stream).arrayBuffer());

/** What was gzipped, unpacked; some hosts have done it on the way. */
export async function unpacked(/** @type {Uint8Array<ArrayBuffer>} */ bytes) {
  const gzipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return gzipped ? collect(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))) : bytes;
}

/**
 * A stream that lets bytes through, and tells of how many there have been.
 * @param {(done: number) => void} tell
 */
export function counted(tell) {
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
