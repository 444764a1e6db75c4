// Links that open a figure with a state: behind the "#", which no browser sends to a server.

/** The address of a page with the state of its first figure of a kind. */
export function figureLink(address: string, figure: string, parts: Record<string, string | number>) {
  const url = new URL(address);
  url.hash = String(new URLSearchParams([["figure", figure], ...Object.entries(parts).map(([name, value]) => [name, String(value)])]));
  return url.href;
}

/** The state that a page's "#..." gives to its first figure of a kind; null where it gives none. */
export function linkedParts(hash: string, figure: string): Record<string, string> | null {
  const { figure: named, ...parts } = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
  return named === figure ? parts : null;
}
