// Where the encoder's files lie, on the site and in the browser's store, for the page and for its worker.

export const MANIFEST = "encoder.json"; // which layers and heads there are and, for each file, its size and its hash
const CACHE = "manyheads-encoder";

/**
 * The browser's store for what was fetched. It may be missing (no https, a sandboxed frame), refuse (private windows) or be
 * full: it then knows nothing and keeps nothing.
 */
export class Store {
  /** @type {Promise<Cache | undefined>} */
  #cache = quietly(() => globalThis.caches?.open(CACHE));

  /** @param {URL} url */
  match(url) {
    return quietly(async () => (await this.#cache)?.match(url));
  }

  /**
   * @param {URL} url
   * @param {BodyInit} body
   */
  keep(url, body) {
    return quietly(async () => (await this.#cache)?.put(url, new Response(body)));
  }

  /** Forgets what lies below an address and is not wanted: an older build left it. */
  drop(/** @type {string} */ base, /** @type {Set<string>} */ wanted) {
    return quietly(async () => {
      const cache = await this.#cache;
      for (const { url } of (await cache?.keys()) ?? []) if (url.startsWith(base) && !wanted.has(url)) await cache?.delete(url);
    });
  }
}

/**
 * What `work` comes to; undefined where it fails.
 * @template Made
 * @param {() => Made | Promise<Made>} work
 * @returns {Promise<Made | undefined>}
 */
async function quietly(work) {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

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
