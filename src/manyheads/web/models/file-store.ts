// A model's files: where they lie on the site and in the browser's store, for the page and for its worker.

import { bytesOf, checked, download, onceMore, readAs, readJson } from "./files.ts";
import type { ModelFile, Progress } from "./files.ts";

/** What every list of a model's files has: each by its part, with its size and its hash. */
interface Manifest {
  files: Record<string, ModelFile>;
}

/**
 * The browser's store for what was fetched. It may be missing (no https, a sandboxed frame), refuse (private windows) or be
 * full: it then knows nothing and keeps nothing.
 */
export class Store {
  #cache: Promise<Cache | undefined>;

  constructor(model: string) {
    this.#cache = quietly(() => globalThis.caches?.open(`manyheads-${model}`));
  }

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
      for (const { url } of (await cache?.keys()) ?? [])
        if (url.startsWith(base) && !wanted.has(url)) await cache?.delete(url);
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

/** The address of a file of the manifest: with its content's hash, so that no cache can mistake an older one for it. */
export function fileUrl({ name, sha256 }: ModelFile, base: URL | string) {
  const url = new URL(name, base);
  url.search = sha256.slice(0, 16);
  return url;
}

/** The folder around all versions of a site's scripts and models, whose `models/` lie below `base`. */
const aroundVersions = (base: URL | string) => new URL("../../", base);

/** What the store calls a file: the same in every build that has it, so that no newer book fetches 98 MB again. */
const placeOf = (file: ModelFile, base: URL | string) => fileUrl(file, new URL("models/", aroundVersions(base)));

/** How the list of a model's files is called. */
export const listOf = (model: string) => `${model}.json`;

/** How many bytes a model would have to fetch: 0 where an earlier visit kept all files. */
export async function missingBytesOf(model: string, base = new URL("./models/", import.meta.url)) {
  const store = new Store(model);
  const { files } = await fetchManifest(new URL(listOf(model), base), store);
  const missing = await Promise.all(
    Object.values(files).map(async (file) => ((await store.match(placeOf(file, base))) ? 0 : file.packed)),
  );
  return missing.reduce((a, b) => a + b);
}

/**
 * Obtains files that a manifest lists, from the store or from the site, and drops those that an older build left. `take` gets each
 * as it comes, unpacked and checked; `progress(done, total)` counts bytes as they are sent. So many are on their way at once, once a header is taken in.
 */
export async function obtainAll(
  manifest: Manifest,
  list: string,
  {
    base,
    store,
    progress,
    take,
    atOnce = Infinity,
  }: {
    base: string;
    store: Store;
    progress: Progress;
    take: (part: string, contents: Uint8Array<ArrayBuffer>) => void | Promise<void>;
    atOnce?: number;
  },
) {
  const waiting = Object.entries(manifest.files).map(([part, file]) => ({
    part,
    ...file,
    url: fileUrl(file, base),
    place: placeOf(file, base),
    done: 0,
  }));
  const files = [...waiting];
  const sum = (key: "done" | "packed") => files.reduce((total, file) => total + file[key], 0);
  const bring = async (file: (typeof files)[0]) => {
    const contents = await obtain(file, store, (done) => {
      file.done = Math.min(done, file.packed);
      progress(sum("done"), sum("packed"));
    });
    return take(file.part, contents);
  };
  const work = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) await bring(file);
  };
  if (waiting[0].part === "header") await bring(waiting.shift()!);
  await Promise.all(Array.from({ length: Math.min(atOnce, files.length) }, work));
  await store.drop(
    aroundVersions(base).href,
    new Set([new URL(list, base), ...files.map(({ place }) => place)].map(String)),
  );
  progress(sum("done"), sum("packed")); // what follows has as long as a file
}

/** Asked for at each visit; without a network the kept one serves. */
export async function fetchManifest<Listed extends Manifest>(url: URL, store: Store): Promise<Listed> {
  try {
    const list = await download(url, { cache: "no-cache" });
    const read = readAs(await bytesOf(list), readJson);
    await store.keep(url, list);
    return read;
  } catch (error) {
    const kept = await store.match(url);
    if (kept) return kept.json();
    throw error;
  }
}

/** The contents of one file, from the store or from the site, unpacked and checked. */
async function obtain(file: ModelFile & { url: URL; place: URL }, store: Store, onProgress: (done: number) => void) {
  const fromStore = async () => {
    const kept = await store.match(file.place);
    const contents = kept && (await checked(await kept.blob(), file).catch(() => null));
    if (contents) onProgress(file.packed);
    return contents;
  };
  const fetched = () =>
    onceMore(async () => {
      const packed = await download(file.url, { onProgress });
      const contents = await checked(packed, file);
      await store.keep(file.place, packed);
      return contents;
    });
  return inOneTab(file.place, async () => (await fromStore()) ?? fetched());
}

/** Does a work in one tab after the other: what the first has kept, the next need not fetch. At once, where a browser has no locks. */
async function inOneTab<Made>(place: URL, work: () => Promise<Made>): Promise<Made> {
  let made: Promise<Made> | undefined;
  await quietly(() => navigator.locks.request(`manyheads ${place}`, () => (made = work())));
  return made ?? work();
}
