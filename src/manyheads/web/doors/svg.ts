// SVG as text. No DOM.

import { escaped, isolated } from "../math/text.ts";

/** How wide a text is, in the units of the picture. */
export type Measure = (text: string, size: number) => number;

type Attributes = Record<string, string | number | null | undefined>;

/** Text for XML, without what that cannot hold in any spelling: control characters, halves of characters. */
export const forXml = (text: string) => escaped(text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd"));

export const round = (number: number) => Number(number.toFixed(2));

export function tag(name: string, attributes: Attributes, ...inside: string[]) {
  const spelled = Object.entries(attributes).filter(([, value]) => value != null)
    .map(([key, value]) => ` ${key}="${forXml(String(typeof value === "number" ? round(value) : value))}"`);
  return `<${name}${spelled.join("")}${inside.length ? `>${inside.join("")}</${name}>` : "/>"}`;
}

export const words = (x: number, y: number, text: string, attributes: Attributes = {}) => tag("text", { x, y, ...attributes }, forXml(isolated(text)));

/** Moves what is inside a group. */
export const moveTo = (x: number, y: number) => `translate(${round(x)} ${round(y)})`;

/** A sentence in lines that are no wider than the picture. */
export function wrapped(text: string, room: number, width: Measure) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (width(longer, 10) > room && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
