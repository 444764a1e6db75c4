// What a reader's browser keeps of how figures are used: never what was typed, and nothing where it may not.

/** Whether something was kept. */
export function isKept(name: string) {
  try {
    return localStorage.getItem(name) === "1";
  } catch {
    return false;
  }
}

/** Keeps something, or forgets it. */
export function keep(name: string, kept: boolean) {
  try {
    if (kept) localStorage.setItem(name, "1");
    else localStorage.removeItem(name);
  } catch {
    // a browser that keeps nothing
  }
}
