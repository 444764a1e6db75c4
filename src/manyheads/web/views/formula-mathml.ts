// The formulas as the notation page writes them, in MathML; `i` is the head's number.

/** A letter, or a name that is written upright. */
const mi = (/** @type {string} */ text) => (text.length > 1 ? `<mi mathvariant="normal">${text}</mi>` : `<mi>${text}</mi>`);

const op = (/** @type {string} */ text) => `<mo>${text}</mo>`;

/**
 * @param {string} body
 * @param {boolean} [block]
 */
export const math = (body, block = true) => `<math${block ? ' display="block"' : ""}><mrow>${body}</mrow></math>`;

export const mathOf = (/** @type {string} */ letter) => math(mi(letter), false);

/**
 * @param {string} base
 * @param {string | number} index
 */
export const sub = (base, index) => `<msub>${mi(base)}<mi>${index}</mi></msub>`;

/**
 * @param {string} base
 * @param {number} index
 * @param {string} power
 */
const both = (base, index, power) => `<msubsup>${mi(base)}<mi>${index}</mi><mi>${power}</mi></msubsup>`;

const masked = (/** @type {string} */ letter) => `<mover>${mi(letter)}${op("~")}</mover>`;

/** Of query q and one key. @param {string} base @param {string} key */
const indexed = (base, key) => `<msub>${base}<mrow><mi>q</mi><mi>${key}</mi></mrow></msub>`;

const power = (/** @type {string} */ key) => `<msup>${mi("e")}${indexed(masked("s"), key)}</msup>`;

const headOf = (/** @type {number} */ i) => `<msub><mtext>head</mtext><mi>${i}</mi></msub>`;

const root = `<msqrt>${sub("d", "k")}</msqrt>`;

/** @type {Record<string, (i: number) => string>} */
const SYMBOLS = {
  X: () => mi("X"),
  Wq: (i) => both("W", i, "Q"),
  Wk: (i) => both("W", i, "K"),
  Wv: (i) => both("W", i, "V"),
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
};

/**
 * The symbol of a matrix as the notation page writes it.
 * @param {string} name
 * @param {number} head
 */
export const symbol = (name, head) => math(SYMBOLS[name](head + 1), false);

/**
 * The head `i` of `heads`, with biases or without, scaled or not.
 * @typedef {{ i: number, heads: number, biased: boolean, scaled: boolean }} Written
 */

/** One equation, or several. @type {Record<string, (how: Written) => string | string[]>} */
const EQUATIONS = {
  X: () => mi("X") + op("=") + `<mrow>${op("(")}${sub("𝐱", "1")}${op(";")}${op("…")}${op(";")}${sub("𝐱", "n")}${op(")")}</mrow>`,
  projections: ({ i, biased }) => {
    const bias = (/** @type {string} */ letter) => (biased ? op("+") + both("𝐛", i, letter) : "");
    return ["Q", "K", "V"].map((letter) => sub(letter, i) + op("=") + mi("X") + both("W", i, letter) + bias(letter));
  },
  scores: ({ i, scaled }) => {
    const product = sub("Q", i) + `<msubsup>${mi("K")}<mi>${i}</mi><mi>T</mi></msubsup>`;
    return sub("S", i) + op("=") + (scaled ? `<mfrac><mrow>${product}</mrow>${root}</mfrac>` : product);
  },
  masked: () => {
    const cases = [[indexed(mi("s"), "k"), `<mtext>if&nbsp;</mtext>${mi("q")}<mtext>&nbsp;may look at&nbsp;</mtext>${mi("k")}`],
      [`${op("−")}<mn>∞</mn>`, "<mtext>else</mtext>"]];
    const rows = cases.map((row) => `<mtr>${row.map((cell) => `<mtd style="text-align: left">${cell}</mtd>`).join("")}</mtr>`);
    return indexed(masked("s"), "k") + op("=") + `<mrow><mo stretchy="true">{</mo><mtable>${rows.join("")}</mtable></mrow>`;
  },
  weights: ({ i }) => [sub("A", i) + op("=") + `<mi>softmax</mi><mo>(</mo>${SYMBOLS.masked(i)}<mo>)</mo>`,
    indexed(mi("a"), "k") + op("=") + `<mfrac>${power("k")}<mrow><munder>${op("∑")}<mi>j</mi></munder>${power("j")}</mrow></mfrac>`],
  context: ({ i }) => headOf(i) + op("=") + sub("A", i) + sub("V", i),
  concat: ({ heads }) => {
    const first = heads > 1 ? headOf(1) + op(",") + op("…") + op(",") : "";
    return mi("C") + op("=") + `<mi>Concat</mi><mo>(</mo>${first}${headOf(heads)}<mo>)</mo>`;
  },
  output: ({ i, biased }) => mi("Y") + op("=") + mi("C") + SYMBOLS.Wo(i) + (biased ? op("+") + `<msup>${mi("𝐛")}<mi>O</mi></msup>` : ""),
};

/**
 * The equations of a step as the notation page writes them.
 * @param {string} name
 * @param {{ head: number, heads: number, biased?: boolean, scaled?: boolean }} how
 */
export const equation = (name, { head, heads, biased = true, scaled = true }) =>
  [EQUATIONS[name]({ i: head + 1, heads, biased, scaled })].flat().map((written) => math(written)).join("");
