// What goes on by itself goes on while somebody sees it: in a hidden tab, a film and what writes itself wait.

/** Calls after so many milliseconds, or as soon as the page is seen again after that; gives what calls it off. */
export function inSight(milliseconds: number, call: () => void) {
  const off = new AbortController();
  const go = () => {
    if (document.hidden) document.addEventListener("visibilitychange", go, { once: true, signal: off.signal });
    else call();
  };
  const timer = setTimeout(go, milliseconds);
  return () => {
    clearTimeout(timer);
    off.abort();
  };
}
