// The formulas as the notation page writes them, in MathML; `i` is the head's number.

/** A letter, or a name that is written upright. */
const mi = (text: string) => (text.length > 1 ? `<mi mathvariant="normal">${text}</mi>` : `<mi>${text}</mi>`);

const op = (text: string) => `<mo>${text}</mo>`;

const math = (body: string, block = true) => `<math${block ? ' display="block"' : ""}><mrow>${body}</mrow></math>`;

const sub = (base: string, index: string | number) => `<msub>${mi(base)}<mi>${index}</mi></msub>`;

const both = (base: string, index: number, power: string) =>
  `<msubsup>${mi(base)}<mi>${index}</mi><mi>${power}</mi></msubsup>`;

const masked = (letter: string) => `<mover>${mi(letter)}${op("~")}</mover>`;

/** Of query q and one key. */
const indexed = (base: string, key: string) => `<msub>${base}<mrow><mi>q</mi><mi>${key}</mi></mrow></msub>`;

const power = (key: string) => `<msup>${mi("e")}${indexed(masked("s"), key)}</msup>`;

const headOf = (i: number) => `<msub><mtext>head</mtext><mi>${i}</mi></msub>`;

const root = `<msqrt>${sub("d", "k")}</msqrt>`;

const SYMBOLS: Record<string, (i: number) => string> = {
  X: () => mi("X"),
  Wq: (i) => both("W", i, "Q"),
  Wk: (i) => both("W", i, "K"),
  Wv: (i) => both("W", i, "V"),
  XWq: (i) => mi("X") + both("W", i, "Q"),
  XWk: (i) => mi("X") + both("W", i, "K"),
  Q: (i) => sub("Q", i),
  K: (i) => sub("K", i),
  V: (i) => sub("V", i),
  scores: (i) => sub("S", i),
  masked: (i) => `<msub>${masked("S")}<mi>${i}</mi></msub>`,
  weights: (i) => sub("A", i),
  context: headOf,
  concat: () => mi("C"),
  Wo: () => `<msup>${mi("W")}<mi>O</mi></msup>`,
  output: () => mi("Y"),
  reading: () => mi("R"),
  parts: () => mi("Z"),
  answer: () => mi("P"),
};

/** The symbol of a matrix as the notation page writes it. */
export const symbol = (name: string, head: number) => math(SYMBOLS[name](head + 1), false);

/** How a step is written; `i` is the head's number, from 1. */
interface Writing {
  i: number;
  heads: number;
  biased: boolean;
  scaled: boolean;
  turned: boolean;
}

const projection = (letter: string, i: number, biased: boolean) =>
  sub(letter, i) + op("=") + mi("X") + both("W", i, letter) + (biased ? op("+") + both("𝐛", i, letter) : "");

/** Words times a matrix, before positions turn the rows. */
const rowByRow = (letter: string, i: number) => {
  const [first, last] = ["1", "n"].map((place) => sub("𝐱", place) + both("W", i, letter));
  return (
    mi("X") +
    both("W", i, letter) +
    op("=") +
    `<mrow>${op("(")}${first}${op(";")}${op("…")}${op(";")}${last}${op(")")}</mrow>`
  );
};

/** The row at position p, turned as far as its position says. */
const turn = (letter: "Q" | "K", i: number) =>
  sub({ Q: "𝐪", K: "𝐤" }[letter], "p") +
  op("=") +
  sub("R", "p") +
  op("(") +
  sub("𝐱", "p") +
  both("W", i, letter) +
  op(")");

/** One equation, or several, by the matrix that is made. */
const EQUATIONS: Record<string, (how: Writing) => string | string[]> = {
  X: () =>
    mi("X") +
    op("=") +
    `<mrow>${op("(")}${sub("𝐱", "1")}${op(";")}${op("…")}${op(";")}${sub("𝐱", "n")}${op(")")}</mrow>`,
  Q: ({ i, biased, turned }) => (turned ? turn("Q", i) : projection("Q", i, biased)),
  K: ({ i, biased, turned }) => (turned ? turn("K", i) : projection("K", i, biased)),
  XWq: ({ i }) => rowByRow("Q", i),
  XWk: ({ i }) => rowByRow("K", i),
  V: ({ i, biased }) => projection("V", i, biased),
  scores: ({ i, scaled }) => {
    const product = sub("Q", i) + `<msubsup>${mi("K")}<mi>${i}</mi><mi>T</mi></msubsup>`;
    return sub("S", i) + op("=") + (scaled ? `<mfrac><mrow>${product}</mrow>${root}</mfrac>` : product);
  },
  masked: () => {
    const cases = [
      [indexed(mi("s"), "k"), `<mtext>if&nbsp;</mtext>${mi("q")}<mtext>&nbsp;may look at&nbsp;</mtext>${mi("k")}`],
      [`${op("−")}<mn>∞</mn>`, "<mtext>else</mtext>"],
    ];
    const rows = cases.map(
      (row) => `<mtr>${row.map((cell) => `<mtd style="text-align: left">${cell}</mtd>`).join("")}</mtr>`,
    );
    return (
      indexed(masked("s"), "k") + op("=") + `<mrow><mo stretchy="true">{</mo><mtable>${rows.join("")}</mtable></mrow>`
    );
  },
  weights: ({ i }) => [
    sub("A", i) + op("=") + `<mi>softmax</mi><mo>(</mo>${SYMBOLS.masked(i)}<mo>)</mo>`,
    indexed(mi("a"), "k") +
      op("=") +
      `<mfrac>${power("k")}<mrow><munder>${op("∑")}<mi>j</mi></munder>${power("j")}</mrow></mfrac>`,
  ],
  context: ({ i }) => headOf(i) + op("=") + sub("A", i) + sub("V", i),
  concat: ({ heads }) => {
    const first = heads > 1 ? headOf(1) + op(",") + op("…") + op(",") : "";
    return mi("C") + op("=") + `<mi>Concat</mi><mo>(</mo>${first}${headOf(heads)}<mo>)</mo>`;
  },
  output: ({ i, biased }) =>
    mi("Y") + op("=") + mi("C") + SYMBOLS.Wo(i) + (biased ? op("+") + `<msup>${mi("𝐛")}<mi>O</mi></msup>` : ""),
  parts: () =>
    `${mi("𝐳")}${op("=")}<munder>${op("∑")}<mi>i</mi></munder><msub><mtext>head</mtext><mi>i</mi></msub><msub>${mi("R")}<mi>i</mi></msub>${op("+")}${mi("𝐛")}`,
  answer: () => `${mi("𝐩")}${op("=")}<mi>softmax</mi><mo>(</mo>${mi("𝐳")}<mo>)</mo>`,
};

/** The equation that makes a matrix, as the notation page writes it; "" for what is learned. */
export function equationOf(
  name: string,
  {
    head,
    heads,
    biased = true,
    scaled = true,
    turned = false,
  }: { head: number; heads: number; biased?: boolean; scaled?: boolean; turned?: boolean },
) {
  const made = EQUATIONS[name]?.({ i: head + 1, heads, biased, scaled, turned });
  return made
    ? [made]
        .flat()
        .map((formula) => math(formula))
        .join("")
    : "";
}
