// What a text calls a figure.

/** The notebook that something stands in, of several in JupyterLab; elsewhere the whole page. */
const bookOf = (node: Element): ParentNode => node.closest(".jp-Notebook") ?? document;

/** The element with an id in the same book. */
export const elementNamed = (id: string, from: Element) =>
  bookOf(from).querySelector<HTMLElement>(`[id=${JSON.stringify(id)}]`);

/** The figure that a text calls so: by its id, or the first of a kind, which may be one that Python computes. */
export function figureNamed(name: string, from: Element): HTMLElement | null {
  if (!/^[\w-]+$/.test(name)) return null;
  return elementNamed(name, from) ?? bookOf(from).querySelector<HTMLElement>(`${name}, [data-kind="${name}"]`);
}

/** Message in a notebook's document when another figure stands in it, which may be the one that a question or a shuffle speaks of. */
export const ARRIVED = "manyheads-arrived";
