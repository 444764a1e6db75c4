// Where the encoder's files lie, on the site and in the browser's store, for the page and for its worker.

export const MANIFEST = "encoder.json"; // which layers and heads there are and, for each file, its size and its hash
const CACHE = "manyheads-encoder";

/** The browser's store for what was fetched; undefined where it has none for us (no https, private windows). */
export const openCache = () => globalThis.caches?.open(CACHE).catch(() => undefined);

/**
 * Where a file of the manifest lies: under its content's hash, so that no cache can mistake an older one for it.
 * @param {EncoderFile} file
 * @param {URL | string} base
 */
export function fileUrl({ name, sha256 }, base) {
  const url = new URL(name, base);
  url.search = sha256.slice(0, 16);
  return url;
}
