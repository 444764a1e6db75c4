// Where the encoder's files lie, on the site and in the browser's store, for the page and for its worker.

export const MANIFEST = "encoder.json"; // which layers and heads there are and, for each file, its size and its hash
const CACHE = "manyheads-encoder";

/**
 * The browser's store for what was fetched. It may be missing (no https, a sandboxed frame), refuse (private windows) or be
 * full: it then knows nothing and keeps nothing.
 */
export class Store {
  #cache: Promise<Cache | undefined> = quietly(() => globalThis.caches?.open(CACHE));

  match(url: URL) {
    return quietly(async () => (await this.#cache)?.match(url));
  }

  keep(url: URL, body: BodyInit) {
    return quietly(async () => (await this.#cache)?.put(url, new Response(body)));
  }

  /** Forgets what lies below an address and is not wanted: an older build left it. */
  drop(base: string, wanted: Set<string>) {
    return quietly(async () => {
      const cache = await this.#cache;
      for (const { url } of (await cache?.keys()) ?? []) if (url.startsWith(base) && !wanted.has(url)) await cache?.delete(url);
    });
  }
}

/** What `work` comes to; undefined where it fails. */
async function quietly<Made>(work: () => Made | Promise<Made>): Promise<Made | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

/** Where a file of the manifest lies: under its content's hash, so that no cache can mistake an older one for it. */
export function fileUrl({ name, sha256 }: EncoderFile, base: URL | string) {
  const url = new URL(name, base);
  url.search = sha256.slice(0, 16);
  return url;
}
