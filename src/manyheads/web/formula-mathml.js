// The formulas as the notation page writes them, in MathML; `i` is the head's number.

const mi = (text) => (text.length > 1 ? `<mi mathvariant="normal">${text}</mi>` : `<mi>${text}</mi>`);
export const sub = (base, index) => `<msub>${mi(base)}<mi>${index}</mi></msub>`;
const both = (base, index, power) => `<msubsup>${mi(base)}<mi>${index}</mi><mi>${power}</mi></msubsup>`;
const op = (text) => `<mo>${text}</mo>`;
export const mathOf = (letter) => math(mi(letter), false);
const root = `<msqrt>${sub("d", "k")}</msqrt>`;
const headOf = (i) => `<msub><mtext>head</mtext><mi>${i}</mi></msub>`;
export const math = (body, block = true) => `<math${block ? ' display="block"' : ""}><mrow>${body}</mrow></math>`;
const indexed = (base, key) => `<msub>${base}<mrow><mi>q</mi><mi>${key}</mi></mrow></msub>`;
const power = (key) => `<msup>${mi("e")}${indexed(`<mover>${mi("s")}${op("~")}</mover>`, key)}</msup>`;
const turned = (i) => `<msubsup>${mi("K")}<mi>${i}</mi><mi>T</mi></msubsup>`;

const SYMBOLS = {
  X: () => mi("X"), Q: (i) => sub("Q", i), K: (i) => sub("K", i), V: (i) => sub("V", i),
  Wq: (i) => both("W", i, "Q"), Wk: (i) => both("W", i, "K"), Wv: (i) => both("W", i, "V"),
  scores: (i) => sub("S", i), masked: (i) => `<msub><mover>${mi("S")}${op("~")}</mover><mi>${i}</mi></msub>`,
  weights: (i) => sub("A", i), context: headOf, concat: () => mi("C"),
  Wo: () => `<msup>${mi("W")}<mi>O</mi></msup>`, output: () => mi("Y"),
};
/** The symbol of a matrix as the notation page writes it. */
export const symbol = (name, head) => math(SYMBOLS[name](head + 1), false);

/** The equation of a step as the notation page writes it. */
export function equation(name, { head, heads, biased = true, scaled = true }) {
  const i = head + 1;
  const bias = (power) => (biased ? op("+") + both("b", i, power) : "");
  const projected = (letter) => sub(letter, i) + op("=") + mi("X") + both("W", i, letter) + bias(letter);
  const qk = sub("Q", i) + turned(i);
  const gap = '<mspace width="1.2em"/>';
  return math({
    X: mi("X") + op("=") + `<mrow>${op("(")}${sub("x", "1")}${op(";")}${op("…")}${op(";")}${sub("x", "n")}${op(")")}</mrow>`,
    projections: ["Q", "K", "V"].map(projected).join(gap),
    scores: sub("S", i) + op("=") + (scaled ? `<mfrac><mrow>${qk}</mrow>${root}</mfrac>` : qk),
    masked: indexed(`<mover>${mi("s")}${op("~")}</mover>`, "k") + op("=") + indexed(mi("s"), "k")
      + `<mtext>&nbsp;where&nbsp;</mtext>${mi("q")}<mtext>&nbsp;may look at&nbsp;</mtext>${mi("k")}<mtext>,&nbsp;</mtext>`
      + `${op("−")}<mn>∞</mn><mtext>&nbsp;elsewhere</mtext>`,
    weights: sub("A", i) + op("=") + `<mi>softmax</mi><mo>(</mo>${SYMBOLS.masked(i)}<mo>)</mo>` + gap
      + indexed(mi("a"), "k") + op("=") + `<mfrac>${power("k")}<mrow><munder>${op("∑")}<mi>j</mi></munder>${power("j")}</mrow></mfrac>`,
    context: headOf(i) + op("=") + sub("A", i) + sub("V", i),
    concat: mi("C") + op("=") + `<mi>Concat</mi><mo>(</mo>` + (heads > 1 ? headOf(1) + op(",") + op("…") + op(",") : "") + headOf(heads) + `<mo>)</mo>`,
    output: mi("Y") + op("=") + mi("C") + SYMBOLS.Wo() + (biased ? op("+") + `<msup>${mi("b")}<mi>O</mi></msup>` : ""),
  }[name]);
}
