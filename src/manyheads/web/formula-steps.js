// <formula-steps>: every matrix of multi-head attention for the reader's sentence, every cell open to its arithmetic.
// One renderer with two doors, as head-map.js: the default export is for kernels (Python computes), the custom element
// for pages (models.js and formula-model.js compute). No imports; nothing touches the DOM while the module loads.

// ------------------------------------------------------------------------------------------------ pure part

/** Equal to `HEAD_COLOURS` in maps.py. */
export const HEAD_COLOURS = [
  "#8DB600", "#FF8C00", "#8D4E85", "#007FFF", "#D7263D", "#009688",
  "#B8860B", "#5B5BD6", "#8B5A2B", "#E0529C", "#4F7C8A", "#6B8E23",
];
export const NEGATIVE = "#2979D9";
export const POSITIVE = "#D9482B";

/** The path through the formula; `W` among the sources is the matrix that made the open cell's matrix. */
export const STEPS = [
  { name: "X", label: "Words", title: "Write every word as numbers", sources: [], results: ["X"],
    says: "One row per word. What a word means and where it stands, as the model has learnt to write it." },
  { name: "projections", label: "Q, K, V", title: "Look at every word in three ways", sources: ["X", "W"], results: ["Q", "K", "V"],
    says: "A query says what a word looks for, a key what it offers, a value what it brings. All of X goes in." },
  { name: "scores", label: "Scores", title: "Compare every query with every key", sources: ["Q", "K"], results: ["scores"],
    says: "A large dot product: this key answers this query well. Dividing keeps wide heads from shouting." },
  { name: "masked", label: "Mask", title: "Hide what may not be seen", sources: ["scores"], results: ["masked"],
    says: "A hidden pair gets the score −∞. Switch on the causal mask or padding above to hide some." },
  { name: "weights", label: "Softmax", title: "Turn every row of scores into shares", sources: ["masked"], results: ["weights"],
    says: "No share is negative and each row sums to 1: this is the map of what each word looks at." },
  { name: "context", label: "Mix", title: "Mix the values by their shares", sources: ["weights", "V"], results: ["context"],
    says: "Each word's new row is an average of all value rows, weighted by what the word looks at." },
  { name: "concat", label: "Concat", title: "Put the heads side by side", sources: ["context"], results: ["concat"],
    says: "Every head has done the same with its own matrices. Nothing is added up: the columns stand in a row." },
  { name: "output", label: "Output", title: "Let the last matrix mix the heads", sources: ["concat", "Wo"], results: ["output"],
    says: "Here the heads meet: each output number draws on all columns of all heads." },
];

/** What each matrix is called, what a row and a column of it stand for, and how it is coloured. */
export const MATRICES = {
  X: { words: "words", rows: "words" },
  Wq: { words: "learnt, makes queries" }, Wk: { words: "learnt, makes keys" }, Wv: { words: "learnt, makes values" },
  Q: { words: "queries", rows: "words" }, K: { words: "keys", rows: "words" }, V: { words: "values", rows: "words" },
  scores: { words: "scores", rows: "words", columns: "words" },
  masked: { words: "masked scores", rows: "words", columns: "words" },
  weights: { words: "weights", rows: "words", columns: "words", shares: true },
  context: { words: "this head’s output", rows: "words" },
  concat: { words: "all heads side by side", rows: "words" },
  Wo: { words: "learnt, mixes the heads" },
  output: { words: "output", rows: "words" },
};
const MADE_BY = { Q: ["Wq", "bq"], K: ["Wk", "bk"], V: ["Wv", "bv"] };

/** The matrices of `steps` by name, the learnt ones too, where they are known. */
export const matrix = (steps, name) => steps[name] ?? steps.parameters?.[name] ?? null;
const rowOf = ({ shape, values }, row) => values.subarray(row * shape[1], (row + 1) * shape[1]);
const columnOf = ({ shape, values }, column) => Float32Array.from({ length: shape[0] }, (_, row) => values[row * shape[1] + column]);
const multiply = (a, b) => Array.from(a, (value, index) => value * b[index]);
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Reads what Python wrote: each matrix as {shape, values}, values as numbers or as bytes of float32. */
export function decodeSteps(written) {
  const decode = (value) => {
    if (!value?.shape) return value;
    let { shape, values } = value;
    if (typeof values === "string") values = Uint8Array.from(atob(values), (char) => char.charCodeAt(0));
    if (ArrayBuffer.isView(values))
      values = new Float32Array(values.buffer.slice(values.byteOffset, values.byteOffset + values.byteLength));
    return { shape, values: Float32Array.from(values) };
  };
  const all = (object) => Object.fromEntries(Object.entries(object).map(([name, value]) => [name, decode(value)]));
  return { ...all(written), parameters: written.parameters ? all(written.parameters) : null };
}

/** A number as its cell shows it, and as the arithmetic writes it. */
export function shown(value) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const size = Math.abs(value);
  return written(value, size < 99.995 ? 2 : size < 999.95 ? 1 : 0);
}
export function written(value, digits = 4) {
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** How strongly a cell is tinted, −1 to 1: shares of 1 as they are, others by the largest number of their matrix. */
export function tint(value, largest) {
  if (!Number.isFinite(value) || largest === 0) return 0;
  return Math.max(-1, Math.min(1, value / largest));
}
const largestOf = (values) => values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);

/** A piece of a word without its marks. */
export const plain = (token) => (token.startsWith("##") && token.length > 2 ? token.slice(2) : token);

/** What one row or column of a matrix stands for. */
export function axisName(steps, name, axis, index) {
  if (MATRICES[name][axis] === "words") return plain(steps.tokens[index]);
  if (name === "concat" && axis === "columns") {
    const width = steps.context.shape[1];
    return `head ${Math.floor(index / width) + 1}, ${(index % width) + 1}`;
  }
  return String(index + 1);
}

/**
 * How a cell came about: `rows` of numbers over `columns`, then `results`, pairs of words and number, the last of
 * them the cell's value; `lit` names the rows, columns and cells it was made of.
 */
export function arithmetic(steps, name, row, column) {
  const value = matrix(steps, name).values[row * matrix(steps, name).shape[1] + column];
  const word = (index) => `“${plain(steps.tokens[index])}”`;
  const numbers = (count) => Array.from({ length: count }, (_, index) => String(index + 1));
  const dot = (a, b, columns, then = []) => {
    const products = multiply(a.values, b.values);
    const rows = [a, b, { label: "product", values: products }];
    return { rows, columns, results: [["sum of the products", sum(products)], ...then] };
  };
  const project = (source, parameters, titles) => {
    const [W, b] = parameters.map((parameter) => matrix(steps, parameter));
    const lit = [{ name: source, row }, { name: parameters[0], column }];
    if (!W) return { results: [["the learnt matrix arrives with the model", value]], lit };
    const then = b ? [[`plus the bias ${written(b.values[column])}`, value]] : [];
    const [a, w] = [rowOf(matrix(steps, source), row), columnOf(W, column)];
    return { ...dot({ label: titles[0], values: a }, { label: titles[1], values: w }, numbers(a.length), then), lit };
  };
  const explain = {
    X: () => ({ title: `${word(row)}, feature ${column + 1}`, results: [["the path begins here", value]] }),
    scores: () => {
      const [, width] = steps.Q.shape;
      const then = steps.scaled === false ? [] : [[`divided by √${width}`, value]];
      return {
        title: `how well the key of ${word(column)} answers the query of ${word(row)}`,
        ...dot({ label: `query of ${word(row)}`, values: rowOf(steps.Q, row) },
          { label: `key of ${word(column)}`, values: rowOf(steps.K, column) }, numbers(width), then),
        lit: [{ name: "Q", row }, { name: "K", row: column }],
      };
    },
    masked: () => ({
      title: `may ${word(row)} look at ${word(column)}?`,
      results: [[Number.isFinite(value) ? "yes; its score"
        : `no, that ${steps.tokens[column] === "[PAD]" ? "is padding" : "comes later"}; its score`, value]],
      lit: [{ name: "scores", row, column }],
    }),
    weights: () => {
      const scores = rowOf(steps.masked, row);
      const most = Math.max(...scores);
      const less = Array.from(scores, (score) => score - most);
      const exponentials = less.map(Math.exp);
      const total = sum(exponentials);
      return {
        title: `the share of its attention that ${word(row)} gives to ${word(column)}`,
        columns: steps.tokens.map(plain),
        rows: [{ label: "score s", values: scores }, { label: "s less the largest", values: less },
          { label: "e to that power", values: exponentials }],
        results: [["sum of the exponentials", total],
          [`${written(exponentials[column])} divided by the sum`, value]],
        lit: [{ name: "masked", row }],
      };
    },
    context: () => ({
      title: `${word(row)} after looking, feature ${column + 1}`,
      ...dot({ label: "weight", values: rowOf(steps.weights, row) },
        { label: `value, feature ${column + 1}`, values: columnOf(steps.V, column) }, steps.tokens.map(plain)),
      lit: [{ name: "weights", row }, { name: "V", column }],
    }),
    concat: () => {
      const width = steps.context.shape[1];
      const [head, feature] = [Math.floor(column / width), column % width];
      return {
        title: `${word(row)}, column ${column + 1} of ${steps.concat.shape[1]}`,
        results: [[`copied from head ${head + 1}, feature ${feature + 1}`, value]],
        lit: head === steps.head ? [{ name: "context", row, column: feature }] : [],
      };
    },
    output: () => ({
      title: `${word(row)} after all heads, feature ${column + 1}`,
      ...project("concat", ["Wo", "bo"], [`${word(row)}, all heads`, `column ${column + 1}`]),
    }),
  };
  for (const [made, parameters] of Object.entries(MADE_BY))
    explain[made] = () => ({
      title: `${{ Q: "query", K: "key", V: "value" }[made]} of ${word(row)}, feature ${column + 1}`,
      ...project("X", parameters, [word(row), `column ${column + 1}`]),
    });
  const learnt = () => ({ title: `row ${row + 1}, column ${column + 1}`, results: [["learnt, the same for every sentence", value]] });
  return { name, row, column, value, rows: [], columns: [], lit: [], ...(explain[name] ?? learnt)() };
}

// --- The formulas, as MathML; `i` is the head's number

const mi = (text) => (text.length > 1 ? `<mi mathvariant="normal">${text}</mi>` : `<mi>${text}</mi>`);
const sub = (base, index) => `<msub>${mi(base)}<mi>${index}</mi></msub>`;
const both = (base, index, power) => `<msubsup>${mi(base)}<mi>${index}</mi><mi>${power}</mi></msubsup>`;
const op = (text) => `<mo>${text}</mo>`;
const mathOf = (letter) => math(mi(letter), false);
const root = `<msqrt>${sub("d", "k")}</msqrt>`;
const headOf = (i) => `<msub><mtext>head</mtext><mi>${i}</mi></msub>`;
const math = (body, block = true) => `<math${block ? ' display="block"' : ""}><mrow>${body}</mrow></math>`;
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

// ------------------------------------------------------------------------------------------- building blocks

function h(tag, props, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {}))
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value != null) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Gives `parent` exactly `count` children: reuses those it has, makes the missing ones. Returns them. */
function fill(parent, count, make) {
  while (parent.childElementCount > count) parent.lastElementChild.remove();
  while (parent.childElementCount < count) parent.append(make(parent.childElementCount));
  return parent.children;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

const whenIdle = (todo) => (globalThis.requestIdleCallback ?? setTimeout)(todo);
const cancelIdle = (handle) => (globalThis.cancelIdleCallback ?? clearTimeout)(handle);
const alpha = (share) => Math.round(255 * share).toString(16).padStart(2, "0");

/** How the numbers of one matrix are coloured: a share of `depth` in one of two colours, for each number. */
function palette(steps, name) {
  const { values } = matrix(steps, name);
  if (!MATRICES[name].shares) return { colours: [POSITIVE, NEGATIVE], largest: largestOf(values), depth: 0.5 };
  return { colours: Array(2).fill(HEAD_COLOURS[steps.head % HEAD_COLOURS.length]), largest: 1, depth: 0.62 };
}

/**
 * One matrix as a real table. A repaint touches only what changed, and first what is in view; `flush` paints the rest.
 * Numbers that arrive while somebody types thus cost what can be seen of them.
 */
class MatrixTable {
  constructor(name) {
    this.name = name;
    this.caption = h("figcaption");
    this.head = h("tr", {}, h("th"));
    this.body = h("tbody");
    this.table = h("table", {}, h("thead", {}, this.head), this.body);
    this.scroll = h("div", { class: "hm-scroll", onscroll: () => this.flush() }, this.table);
    this.figure = h("figure", { class: "fs-matrix", "data-matrix": name }, this.caption, this.scroll);
    this.cells = [];
    this.view = null;
    this.steps = null;
    this.late = false;
    this.lit = { nodes: [], what: null };
  }

  /** Notes which rows and columns are in view; to be called before anything is written, since it asks for the layout. */
  measure() {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.scroll;
    const first = this.cells[0]?.[0]?.node;
    if (!clientWidth || !first?.offsetWidth) return (this.view = null);
    const [wide, high] = [first.offsetWidth, first.offsetHeight];
    const count = (from, size, unit) => [Math.floor(from / unit), Math.ceil((from + size) / unit)];
    this.view = { rows: count(scrollTop, clientHeight, high), columns: count(scrollLeft, clientWidth, wide) };
  }

  paint(steps) {
    const before = this.steps;
    this.steps = steps;
    this.#captions();
    const same = before && matrix(before, this.name).values === matrix(steps, this.name).values && before.head === steps.head;
    if (same) return;
    const { shape: [rows, columns] } = matrix(steps, this.name);
    const grown = this.#resize(rows, columns);
    this.late = Boolean(this.view) && !grown;
    this.#write(this.late ? this.view : { rows: [0, rows], columns: [0, columns] });
  }

  /** Paints what was not in view. */
  flush() {
    if (!this.late) return;
    this.late = false;
    const { shape: [rows, columns] } = matrix(this.steps, this.name);
    this.#write({ rows: [0, rows], columns: [0, columns] });
  }

  #write({ rows: [fromRow, toRow], columns: [fromColumn, toColumn] }) {
    const { shape: [rows, columns], values } = matrix(this.steps, this.name);
    const { colours, largest, depth } = palette(this.steps, this.name);
    for (let row = fromRow; row < Math.min(toRow, rows); row++)
      for (let column = fromColumn; column < Math.min(toColumn, columns); column++) {
        const cell = this.cells[row][column];
        const value = values[row * columns + column];
        const text = shown(value);
        if (cell.text !== text) {
          cell.node.firstChild.data = cell.text = text;
          cell.node.classList.toggle("fs-hidden", text === "−∞");
        }
        const share = tint(value, largest);
        const ground = colours[share < 0 ? 1 : 0] + alpha(Math.abs(share) * depth);
        if (cell.ground !== ground) cell.node.style.backgroundColor = cell.ground = ground;
      }
  }

  #captions() {
    const { steps, name } = this;
    const { shape } = matrix(steps, name);
    const { words, rows, columns } = MATRICES[name];
    const key = `${steps.head} ${shape}`;
    if (this.captioned !== key) {
      this.captioned = key;
      this.caption.innerHTML = `${symbol(name, steps.head)} <span>${words}</span> <small>${shape.join(" × ")}</small>`;
      this.table.ariaLabel = `${words}, ${shape[0]} rows, ${shape[1]} columns`;
      const heads = fill(this.head, shape[1] + 1, () => h("th", { scope: "col" }, h("span")));
      fill(this.body, shape[0], () => h("tr", {}, h("th", { scope: "row" })));
      for (let column = 0; column < shape[1] && name === "concat"; column++)
        heads[column + 1].style.borderTopColor = HEAD_COLOURS[Math.floor(column / steps.context.shape[1]) % HEAD_COLOURS.length];
      this.named = null;
    }
    const named = (rows ?? columns) ? steps.tokens.join(" ") : "";
    if (this.named === named) return;
    this.named = named;
    [...this.body.children].forEach((line, row) => setText(line.firstChild, axisName(steps, name, "rows", row)));
    [...this.head.children].slice(1).forEach((head, column) =>
      setText(head.firstChild, columns ? axisName(steps, name, "columns", column) : String(column + 1)));
  }

  /** Makes room for the numbers; tells whether there are new cells. */
  #resize(rows, columns) {
    let grown = false;
    this.cells.length = Math.min(this.cells.length, rows);
    for (let row = 0; row < rows; row++) {
      const cells = (this.cells[row] ??= []);
      while (cells.length > columns) cells.pop().node.remove();
      while (cells.length < columns) {
        const node = h("td", { tabindex: -1 }, "");
        node.at = { name: this.name, row, column: cells.length };
        this.body.children[row].append(node);
        cells.push({ node, text: "", ground: "" });
        grown = true;
      }
    }
    return grown;
  }

  /** Lights a row, a column or a cell; nothing without `what`. */
  light(what) {
    const { row, column } = what ?? {};
    const key = what && `${row} ${column} ${matrix(this.steps, this.name).shape}`;
    if (this.lit.key === key) return;
    for (const node of this.lit.nodes) node.classList.remove("fs-lit", "fs-row", "fs-column");
    const nodes = [];
    if (what) {
      const rows = row === undefined ? this.cells : [this.cells[row]];
      for (const cells of rows) for (const { node } of column === undefined ? cells : [cells[column]]) nodes.push(node);
      if (row !== undefined) nodes.push(this.body.children[row].firstChild);
      if (column !== undefined) nodes.push(this.head.children[column + 1]);
      const run = row === undefined ? "fs-column" : column === undefined ? "fs-row" : "fs-lit";
      for (const node of nodes) node.classList.add("fs-lit", run);
    }
    this.lit = { nodes, key };
  }

  /** Scrolls inside its own frame, never the page, until the cell can be seen. */
  reveal(row, column) {
    const { scroll } = this;
    const { node } = this.cells[row ?? 0][column ?? 0];
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = node;
    const left = offsetLeft - node.parentNode.firstChild.offsetWidth;
    const top = offsetTop - this.head.offsetHeight;
    if (column !== undefined && (left < scroll.scrollLeft || offsetLeft + offsetWidth > scroll.scrollLeft + scroll.clientWidth))
      scroll.scrollLeft = left - 2 * offsetWidth;
    if (row !== undefined && (top < scroll.scrollTop || offsetTop + offsetHeight > scroll.scrollTop + scroll.clientHeight))
      scroll.scrollTop = top - 2 * offsetHeight;
  }
}

/** One matrix as a small picture in the path: a pixel per number, what is lit framed. */
class Thumbnail {
  constructor(name) {
    this.name = name;
    this.canvas = h("canvas", { class: "fs-thumb", "data-thumb": name, width: 128, height: 80, "aria-hidden": "true" });
    this.pixels = h("canvas");
  }

  paint(steps) {
    const { shape: [rows, columns], values } = matrix(steps, this.name);
    const { colours, largest } = palette(steps, this.name);
    const [positive, negative] = colours.map((colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)));
    Object.assign(this.pixels, { width: columns, height: rows });
    const image = new ImageData(columns, rows);
    for (let index = 0, at = 0; index < values.length; index++) {
      const share = tint(values[index], largest);
      const [red, green, blue] = share < 0 ? negative : positive;
      image.data[at++] = red;
      image.data[at++] = green;
      image.data[at++] = blue;
      image.data[at++] = 255 * Math.abs(share);
    }
    this.pixels.getContext("2d").putImageData(image, 0, 0);
  }

  /** The picture, and a frame around the row, column or cell `what`. */
  light(what) {
    const { width, height } = this.canvas;
    const { width: columns, height: rows } = this.pixels;
    const picture = this.canvas.getContext("2d");
    picture.clearRect(0, 0, width, height);
    picture.imageSmoothingEnabled = false;
    picture.drawImage(this.pixels, 0, 0, width, height);
    if (!what) return;
    const { row = 0, column = 0 } = what;
    const [tall, wide] = [what.row === undefined ? rows : 1, what.column === undefined ? columns : 1];
    for (const [strokeStyle, lineWidth] of [["#fff", 7], ["#000", 3]]) { // seen on light and on dark
      Object.assign(picture, { strokeStyle, lineWidth });
      picture.strokeRect(column / columns * width, row / rows * height, Math.max(wide / columns * width, 3), Math.max(tall / rows * height, 3));
    }
  }
}

// -------------------------------------------------------------------------------------------------- the view

const TOGGLES = { causal: "Causal mask", padding: "Padding", unscaled: "No scaling" };
const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
let instances = 0;

/**
 * The controls, the path and the matrices of one step inside `root`. `change(state, names)` is called when the reader
 * changed the named parts of the state; `painted(steps)` after every repaint. `types` says whether the sentence can be
 * another one, `computes` whether the head and the formula can.
 */
export class FormulaStepsView {
  constructor(root, state, { change, painted = () => {}, types = true, computes = true }) {
    this.state = { sentence: "", head: 0, word: 0, step: "X", causal: false, padding: false, unscaled: false };
    Object.assign(this, { change, painted, types, computes, steps: null, opened: null, pinned: null });
    this.id = `formula-steps-${++instances}`;
    this.tables = new Map();
    this.thumbnails = new Map();
    root.replaceChildren(...this.#controls(), this.#path(), this.#panel(), this.#footer());
    this.update(state);
  }

  /** Takes over parts of the state that changed elsewhere, and repaints what it has. */
  update(state) {
    const moved = ["step", "word", "head"].some((part) => part in state && state[part] !== this.state[part]);
    Object.assign(this.state, state);
    if (!STEPS.some(({ name }) => name === this.state.step)) this.state.step = "X";
    if (this.sentence.value !== this.state.sentence) this.sentence.value = this.state.sentence;
    for (const [name, box] of Object.entries(this.toggles)) box.checked = this.state[name];
    if (moved) this.pinned = null;
    if (this.steps) this.#draw();
  }

  show(steps) {
    this.steps = steps;
    this.#draw();
  }

  /** Tells the reader how things stand; `retry`, if given, is what the "Try again" button does. */
  say(text, retry) {
    const told = [text, ...(this.steps?.notes ?? [])].join(" ");
    if (this.status.firstChild?.textContent !== told || retry)
      this.status.replaceChildren(told, ...(retry ? [" ", h("button", { type: "button", onclick: retry }, "Try again")] : []));
  }

  #set(state) {
    this.update(state);
    this.change(this.state, Object.keys(state));
  }

  #go(by) {
    const next = STEPS[STEPS.findIndex(({ name }) => name === this.state.step) + by];
    if (next) this.#set({ step: next.name });
  }

  #controls() {
    this.sentence = h("input", { type: "text", class: "hm-sentence", "aria-label": "Sentence", placeholder: "Type a sentence",
      autocomplete: "off", autocapitalize: "off", spellcheck: "false",
      oninput: (event) => this.#set({ sentence: event.target.value }) });
    const chooser = (key, label) =>
      h("select", { "aria-label": label, onchange: (event) => this.#set({ [key]: Number(event.target.value) }) });
    this.head = chooser("head", "Head");
    this.word = chooser("word", "Word");
    this.toggles = Object.fromEntries(Object.keys(TOGGLES).map((name) =>
      [name, h("input", { type: "checkbox", onchange: (event) => this.#set({ [name]: event.target.checked }) })]));
    const field = (label, box) => h("label", { class: "hm-field" }, `${label} `, box);
    const toggles = Object.entries(this.toggles).map(([name, box]) => h("label", { class: "hm-field" }, box, TOGGLES[name]));
    const tools = h("div", { class: "hm-tools" }, field("Word", this.word));
    if (this.computes) {
      tools.prepend(field("Head", this.head));
      tools.append(h("fieldset", { class: "fs-toggles", "aria-label": "Change the formula" }, ...toggles));
    }
    return this.types ? [h("div", {}, this.sentence), tools] : [tools];
  }

  #path() {
    this.tabs = STEPS.map((step, index) => {
      const pictures = step.results.map((name) => {
        this.thumbnails.set(name, new Thumbnail(name));
        return this.thumbnails.get(name).canvas;
      });
      return h("button", { type: "button", role: "tab", id: `${this.id}-${step.name}`, "aria-controls": `${this.id}-step`,
        onclick: () => this.#set({ step: step.name }) },
        h("span", { class: "fs-thumbs" }, ...pictures), h("span", {}, `${index + 1} ${step.label}`));
    });
    return h("div", { class: "fs-path", role: "tablist", "aria-label": "Steps", onkeydown: (event) => this.#moveStep(event) }, ...this.tabs);
  }

  #panel() {
    this.back = h("button", { type: "button", class: "fs-go", onclick: () => this.#go(-1) }, "← Back");
    this.next = h("button", { type: "button", class: "fs-go", onclick: () => this.#go(1) }, "Next →");
    this.title = h("p", { class: "fs-title" });
    this.equation = h("div", { class: "fs-equation", tabindex: 0, role: "group", "aria-label": "Equation" });
    this.says = h("p", { class: "fs-says" });
    this.shapes = h("p", { class: "fs-shapes" });
    this.sources = h("div", { class: "fs-sources" });
    this.results = h("div", { class: "fs-results" });
    const nearest = (event) => event.target.closest?.("td")?.at;
    this.stage = h("div", { class: "fs-stage",
      onkeydown: (event) => this.#moveCell(event),
      onfocusin: (event) => nearest(event) && this.#pin(event.target),
      onfocusout: (event) => event.target.removeAttribute("aria-label"),
      onpointerover: (event) => event.pointerType === "mouse" && nearest(event) && this.#open(nearest(event)),
      onpointerleave: () => this.pinned && this.#open(this.pinned),
    }, this.sources, this.results);
    this.asks = h("p", { class: "fs-asks", id: `${this.id}-asks`, "aria-live": "polite" });
    this.terms = h("table", { class: "fs-terms" }, h("thead", {}, h("tr", {}, h("th"))), h("tbody"));
    this.sums = h("p", { class: "fs-sums", id: `${this.id}-sums`, "aria-live": "polite" });
    this.sheet = h("div", { class: "fs-arithmetic", role: "region", "aria-label": "Arithmetic", tabindex: -1,
      onkeydown: (event) => event.key === "Escape" && this.#cell(this.opened)?.focus({ preventScroll: true }) },
    this.asks, h("div", { class: "hm-scroll", tabindex: 0, role: "group", "aria-label": "Terms" }, this.terms), this.sums);
    return this.panel = h("div", { class: "fs-step", role: "tabpanel", id: `${this.id}-step`,
      onkeydown: (event) => event.target.classList.contains("fs-go") && this.#moveStep(event, false) },
    h("div", { class: "fs-bar" }, this.title, h("span", {}, this.back, " ", this.next)),
    this.equation, this.says, this.shapes, this.stage, this.sheet);
  }

  #footer() {
    this.status = h("p", { role: "status", class: "hm-status" });
    return h("div", {},
      h("p", { class: "fs-legend" }, h("span", { class: "fs-scale", "aria-hidden": "true" }),
        "Blue is negative, red positive, blank zero; strongest at the matrix’s largest number. ",
        h("span", { class: "fs-scale fs-shares", "aria-hidden": "true" }), "Weights: blank 0, full 1. Tables round to two digits, the arithmetic to four."),
      this.status);
  }

  // --- painting

  #draw() {
    const { steps, state } = this;
    state.head = Math.min(state.head, steps.headNames.length - 1);
    state.word = Math.min(state.word, steps.tokens.length - 1);
    this.#options(this.head, steps.headNames, state.head);
    this.#options(this.word, steps.tokens.map(plain), state.word);
    this.panel.style.setProperty("--head", HEAD_COLOURS[steps.head % HEAD_COLOURS.length]);
    for (const thumbnail of this.thumbnails.values()) thumbnail.paint(steps);
    this.#drawStep();
    this.pinned = this.#valid(this.pinned) ?? this.#first();
    this.#open(this.#valid(this.pinned), this.drawn !== state.step || this.drawnWord !== state.word);
    [this.drawn, this.drawnWord] = [state.step, state.word];
    this.painted(steps);
    cancelIdle(this.idle);
    this.idle = whenIdle(() => this.flush());
  }

  /** Paints what is out of view, at once; else it waits until the browser has nothing better to do. */
  flush() {
    for (const table of this.tables.values()) table.flush();
  }

  #options(select, names, chosen) {
    const options = fill(select, names.length, (index) => h("option", { value: index }));
    names.forEach((name, index) => setText(options[index], name));
    select.value = chosen;
  }

  /** The cell that is open before the reader opens one: of the chosen word, the one with the largest number. */
  #first() {
    const [name] = this.#step.results;
    const [rows, columns] = matrix(this.steps, name).shape;
    const row = Math.min(this.state.word, rows - 1);
    const values = rowOf(matrix(this.steps, MATRICES[name].columns === "words" ? "weights" : name), row);
    return { name, row, column: Math.min(values.indexOf(Math.max(...values)), columns - 1) };
  }

  #valid(cell) {
    const shape = cell && matrix(this.steps, cell.name)?.shape;
    return shape && cell.row < shape[0] && cell.column < shape[1] && this.#names().includes(cell.name) ? cell : null;
  }

  get #step() {
    return STEPS.find(({ name }) => name === this.state.step);
  }

  /** The matrices on display; the learnt one of the projections is that of the open cell. */
  #names() {
    const { sources, results } = this.#step;
    const made = MADE_BY[this.opened?.name]?.[0] ?? this.opened?.name;
    const learnt = ["Wk", "Wv"].includes(made) ? made : "Wq";
    return [...sources.map((name) => (name === "W" ? learnt : name)), ...results].filter((name) => matrix(this.steps, name));
  }

  #table(name) {
    if (!this.tables.has(name)) this.tables.set(name, new MatrixTable(name));
    return this.tables.get(name);
  }

  #drawStep() {
    const { steps, state } = this;
    const step = this.#step;
    const index = STEPS.indexOf(step);
    this.tabs.forEach((tab, place) => {
      tab.ariaSelected = String(place === index);
      tab.tabIndex = place === index ? 0 : -1;
    });
    this.panel.setAttribute("aria-labelledby", this.tabs[index].id);
    this.back.disabled = index === 0;
    this.next.disabled = index === STEPS.length - 1;
    setText(this.title, step.title);
    setText(this.says, step.says);
    const { biased } = steps;
    const key = `${step.name} ${steps.head} ${biased} ${steps.scaled}`;
    if (this.written !== key) {
      this.written = key;
      this.equation.innerHTML = equation(step.name, { head: steps.head, heads: steps.headNames.length, biased, scaled: steps.scaled });
    }
    this.stage.dataset.step = state.step;
    this.#arrange();
  }

  /** Puts the step's tables into the stage, painted, and their shapes into words. */
  #arrange() {
    const names = this.#names();
    const { results } = this.#step;
    for (const name of names) this.#table(name).measure();
    for (const [box, wanted] of [[this.sources, names.filter((name) => !results.includes(name))], [this.results, results]]) {
      const figures = wanted.map((name) => this.#table(name).figure);
      if (figures.length !== box.childElementCount || figures.some((figure, place) => box.children[place] !== figure))
        box.replaceChildren(...figures);
      for (const name of wanted) this.#table(name).paint(this.steps);
    }
    const size = (name) => `${symbol(name, this.steps.head)} ${matrix(this.steps, name).shape.join(" × ")}`;
    const { tokens, headNames, X, Q } = this.steps;
    const words = `${mathOf("n")} = ${tokens.length} words and marks, ${mathOf("d")} = ${X.shape[1]}, ${mathOf("h")} = ${headNames.length}, `
      + `${math(sub("d", "k"), false)} = ${Q.shape[1]}`;
    const text = `${names.filter((name) => !results.includes(name)).map(size).join(", ")}${names.length > results.length ? " → " : ""}`
      + `${results.map(size).join(", ")}; ${words}`;
    if (this.shaped !== text) this.shapes.innerHTML = this.shaped = text;
  }

  // --- the open cell

  #cell(at) {
    return at && this.tables.get(at.name)?.cells[at.row]?.[at.column]?.node;
  }

  #pin(node) {
    this.pinned = { ...node.at };
    this.#open(this.pinned, true);
    const { name, row, column } = node.at;
    const [from, to] = [axisName(this.steps, name, "rows", row), axisName(this.steps, name, "columns", column)];
    node.ariaLabel = `${MATRICES[name].words}, ${from}, ${to}: ${node.textContent}`;
    node.setAttribute("aria-describedby", `${this.id}-asks ${this.id}-sums`);
    const table = this.#table(name);
    table.table.querySelector('td[tabindex="0"]')?.setAttribute("tabindex", -1);
    node.setAttribute("tabindex", 0);
  }

  /** Writes out the cell's arithmetic and lights what it was made of. */
  #open(at, reveal = false) {
    this.#cell(this.opened)?.classList.remove("fs-open");
    this.opened = at;
    if (this.#step.sources.includes("W")) this.#arrange();
    const { rows, columns, title, results, lit } = arithmetic(this.steps, at.name, at.row, at.column);
    this.asks.innerHTML = symbol(at.name, this.steps.head);
    this.asks.append(` ${title[0].toUpperCase()}${title.slice(1)}`);
    this.#write(rows, columns, MATRICES[at.name].shares ? at.column : -1);
    this.sums.replaceChildren(...results.map(([words, value]) => h("span", {}, `${words} = `, h("b", {}, written(value)))));
    const sources = new Map(lit.map((what) => [what.name, what]));
    for (const name of this.#names()) {
      const what = sources.get(name) ?? (name === at.name ? { row: at.row, column: at.column } : null);
      this.#table(name).light(what);
      const table = this.#table(name).table;
      if (!table.querySelector('td[tabindex="0"]')) table.querySelector("td")?.setAttribute("tabindex", 0);
      if (reveal && what) this.#table(name).reveal(what.row, what.column);
    }
    this.#cell(at)?.classList.add("fs-open");
    for (const [name, thumbnail] of this.thumbnails)
      thumbnail.light(sources.get(name) ?? (name === at.name ? at : null));
  }

  #write(rows, columns, marked) {
    this.terms.parentNode.hidden = rows.length === 0;
    const heads = fill(this.terms.tHead.rows[0], columns.length + 1, () => h("th", { scope: "col" }));
    columns.forEach((column, index) => setText(heads[index + 1], column));
    const lines = fill(this.terms.tBodies[0], rows.length, () => h("tr", {}, h("th", { scope: "row" })));
    rows.forEach(({ label, values }, line) => {
      setText(lines[line].firstChild, label);
      const cells = fill(lines[line], columns.length + 1, () => h("td"));
      for (let index = 0; index < columns.length; index++) {
        setText(cells[index + 1], written(values[index]));
        cells[index + 1].classList.toggle("fs-lit", index === marked);
      }
    });
  }

  // --- the keyboard

  #moveStep(event, follow = true) {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -STEPS.length, End: STEPS.length }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = STEPS.indexOf(this.#step);
    this.#set({ step: STEPS[Math.min(Math.max(at + by, 0), STEPS.length - 1)].name });
    if (follow) this.tabs[STEPS.indexOf(this.#step)].focus();
  }

  #moveCell(event) {
    const at = event.target.at;
    if (!at) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.sheet.focus({ preventScroll: true });
    }
    const by = ARROWS[event.key];
    const next = by && this.#cell({ name: at.name, row: at.row + by[0], column: at.column + by[1] });
    if (by) event.preventDefault();
    if (next) next.focus();
  }
}

// -------------------------------------------------------------------------------- the first door: kernels

const TRAITS = { sentence: "sentence", head: "head", word: "word", step: "step", causal: "causal", padding: "padding", unscaled: "unscaled" };

/** anywidget's door: traits are the state, Python computes `_steps`; what is learnt comes in `_parameters`. */
function render({ model, el }) {
  const root = el.appendChild(h("div", { class: "head-map formula-steps" }));
  const traits = () => Object.fromEntries(Object.entries(TRAITS).map(([key, trait]) => [key, model.get(trait)]));
  const view = new FormulaStepsView(root, traits(), {
    types: model.get("_types"),
    change(state, names) {
      for (const name of names) model.set(TRAITS[name], state[name]);
      model.save_changes();
    },
    painted: (steps) => el.dispatchEvent(new CustomEvent("steps", { bubbles: true, composed: true, detail: steps })),
  });
  const show = () => {
    view.show(decodeSteps({ ...model.get("_steps"), parameters: model.get("_parameters") }));
    view.say(model.get("_status"));
  };
  const update = () => view.update(traits());
  const events = Object.values(TRAITS).map((trait) => `change:${trait}`).join(" ");
  model.on("change:_steps", show);
  model.on(events, update);
  show();
  return () => {
    model.off("change:_steps", show);
    model.off(events, update);
  };
}

export default { render };

// ----------------------------------------------------------------------------------- the second door: pages

const FLAGS = ["causal", "padding", "unscaled"];
const ATTRIBUTES = ["model", "sentence", "head", "word", "step", ...FLAGS];

function defineElement() {
  /** Adds the stylesheets beside this module to a page that does not have them. */
  function dressPage() {
    for (const name of ["head-map.css", "formula-steps.css"]) {
      const href = new URL(`./${name}`, import.meta.url).href;
      if (![...document.styleSheets].some((sheet) => sheet.href?.split("?")[0] === href))
        document.head.append(h("link", { rel: "stylesheet", href }));
    }
  }

  class FormulaStepsElement extends HTMLElement {
    static observedAttributes = ATTRIBUTES;
    #view;
    #engine = null;
    #loading = null;
    #ready = withResolvers();

    /** Fulfilled once the element computes for itself; asking for it starts the loading. */
    get ready() {
      this.#start();
      return this.#ready.promise;
    }

    /** All matrices on the path: {tokens, head, X, Q, K, V, scores, masked, weights, context, concat, output, ...}. */
    get steps() {
      return this.#view?.steps ?? null;
    }

    /** Paints the cells out of view now; they follow by themselves as soon as the browser is idle. */
    flush() {
      this.#view?.flush();
    }

    get sentence() {
      return this.#view?.state.sentence ?? this.getAttribute("sentence") ?? "";
    }

    set sentence(text) {
      this.setAttribute("sentence", text);
    }

    connectedCallback() {
      if (this.#view) return;
      dressPage();
      const baked = this.querySelector('script[type="application/json"]');
      this.classList.add("head-map", "formula-steps");
      const status = this.querySelector(".hm-status")?.textContent ?? "";
      const live = this.hasAttribute("model");
      this.#view = new FormulaStepsView(this, this.#attributes(), {
        types: live,
        computes: live,
        change: (_, names) => names.some((name) => ["sentence", "head", ...FLAGS].includes(name)) && this.#compute(),
        painted: (steps) => this.dispatchEvent(new CustomEvent("steps", { bubbles: true, composed: true, detail: steps })),
      });
      if (baked) this.#view.show(decodeSteps(JSON.parse(baked.textContent)));
      if (!live) {
        this.#view.say(status);
        return this.#ready.resolve();
      }
      this.#view.say("This is a computed example. The model loads when you touch a control.");
      this.addEventListener("pointerdown", () => this.#start(), { once: true });
      this.addEventListener("focusin", () => this.#start(), { once: true });
      const seen = new IntersectionObserver((entries) => {
        if (entries.some((entry) => entry.isIntersecting)) {
          seen.disconnect();
          this.#start();
        }
      });
      seen.observe(this);
    }

    attributeChangedCallback(name) {
      if (!this.#view) return;
      if (name === "model") this.#engine = this.#loading = null;
      this.#view.update(this.#attributes());
      this.#compute();
    }

    #attributes() {
      const state = {};
      for (const name of ["sentence", "step"]) if (this.hasAttribute(name)) state[name] = this.getAttribute(name);
      for (const name of ["head", "word"]) if (this.hasAttribute(name)) state[name] = Number(this.getAttribute(name)) || 0;
      for (const name of FLAGS) state[name] = this.hasAttribute(name);
      return state;
    }

    #start() {
      if (this.hasAttribute("model") && !this.#loading) this.#compute();
    }

    /** What turns a state into steps; progress goes to the status line. */
    async #load(name) {
      const beside = (module) => import(new URL(`./${module}`, import.meta.url));
      const [{ loadModel }, { stepsOf }] = await Promise.all([beside("models.js"), beside("formula-model.js")]);
      return stepsOf(await loadModel(name, (done, total) =>
        this.#view.say(`Loading the model: ${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB.`)));
    }

    /** Computes and shows the steps of the present state; the last keystroke wins. */
    async #compute() {
      if (!this.#engine) {
        if (this.#loading) return; // whoever waits for it computes what is wanted then
        this.#view.say("Loading the model.");
        const loading = (this.#loading = this.#load(this.getAttribute("model")));
        try {
          const engine = await loading;
          if (loading !== this.#loading) return;
          this.#engine = engine;
        } catch (error) {
          if (loading !== this.#loading) return;
          this.#loading = null;
          this.#view.say(`The model could not be loaded: ${error.message} What you see stays.`, () => this.#compute());
          return;
        }
      }
      // No await on this path: with the model loaded, all is repainted before the keystroke's event returns.
      this.#view.show(this.#engine(this.#view.state));
      this.#view.say("Ready: computed in this page as you type.");
      this.#ready.resolve();
    }
  }

  customElements.define("formula-steps", FormulaStepsElement);
}

function withResolvers() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

if (globalThis.customElements && !customElements.get("formula-steps")) defineElement();
