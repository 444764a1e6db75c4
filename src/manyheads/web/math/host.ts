// Who brings the files of the site where there is no site: in a notebook, Python does (doors/notebook.ts). Pages and workers ask here.

const HOST = Symbol.for("manyheads.host"); // all scripts of a document share it

export interface Host {
  base: string; // where the scripts believe that they lie
  file(name: string): Promise<Blob>;
  script(name: string): Promise<string>; // its address
  style?(name: string): Promise<void>; // dresses the document
  worker?(name: string): Worker; // of a page; a worker starts none
}

/** The one of this document or worker; null on a site. */
export const hostHere = (): Host | null => (globalThis as any)[HOST] ?? null;

export const setHost = (host: Host | null) => void ((globalThis as any)[HOST] = host);

/** The host that brings what lies at an address, and what it calls that; null where the site itself does. */
export function hostOf(url: URL): { host: Host; name: string } | null {
  const host = hostHere();
  if (!host || !url.href.startsWith(host.base)) return null;
  return { host, name: url.href.slice(host.base.length).split("?")[0] };
}

/** The lines with which a worker begins whose page has a host: it asks its page for files, over a channel. */
export const workerHost = (base: string, channel: string) => `
  const channel = new BroadcastChannel(${JSON.stringify(channel)});
  const waiting = new Map();
  channel.onmessage = ({ data: { answer, file, reason } }) => {
    waiting.get(answer)?.(file ?? Promise.reject(Object.assign(new Error(reason), { name: "Fault" })));
    waiting.delete(answer);
  };
  const file = (name) => new Promise((done) => {
    const ask = Math.random();
    waiting.set(ask, done);
    channel.postMessage({ ask, name });
  });
  const script = async (name) => (${scriptAddress})(${JSON.stringify(base)} + name, await (await file(name)).text());
  globalThis[Symbol.for("manyheads.host")] = { base: ${JSON.stringify(base)}, file, script };`;

/** An address from which a script can be imported that believes that it lies somewhere else. */
export function scriptAddress(place: string, text: string) {
  const script = text.replaceAll("import.meta.url", JSON.stringify(place));
  return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
}
