// The shapes of what the rooms hand to each other, for `npm run types`; nothing of it reaches a page.

/** Numbers row by row. */
interface Matrix {
  shape: number[]; // most often [rows, columns]
  values: Float32Array;
}

/** Name -> label -> probability. */
type Predictions = Record<string, Record<string, number>>;

/** Twin of `AttentionMap` in Python: which token looks at which, for every head of every layer. */
interface AttentionMap {
  queryTokens: string[];
  keyTokens: string[];
  shape: number[]; // [layers, heads, queries, keys]
  weights: Float32Array;
  headNames: string[];
  layerNames?: string[]; // where they are not counted from "layer 1"
  predictions: Predictions;
  states?: Matrix; // [layer + 1, word, width], the embeddings first, where they were requested
  notes?: string[];
  causal?: boolean; // no query may look at a later key
  mask?: ArrayLike<number>; // [query * key]: 0 where a query may not look
  valueNorms?: ArrayLike<number>; // [layer, head, key]: how long the vector is that a head writes from a token with all of its weight
  written?: string; // by a model that writes, such as a translation
  kind?: string; // one of the kinds of names.json; "shares" unless said
  present?: number[]; // the layers whose weights are there; all, unless a kernel has sent some only
  received?: ArrayLike<number>; // by each key, of all attention, where not all layers are there
  pictures?: Pictures; // of all heads, where not all layers are there
  picture?: PatchPicture; // what the model looked at in patches
  final?: boolean; // there is nobody to ask for other layers
  computed?: number; // how many-th map a kernel has sent
}

/** Twin of `Picture` in Python: its patches are the keys from `keyStart` on of the computed map, row after row. */
interface PatchPicture {
  src: string; // a data URL
  rows: number;
  columns: number;
  width: number; // in pixels
  height: number;
  keyStart: number;
  queryStart: number | null; // where patches ask as well; null where others do
}

/** The tints of all heads, -127 to 127: [layer, head, y, x]. */
interface Pictures {
  shape: number[];
  tints: Int8Array;
}

/** What is shown of a map: `queries` and `keys` are the places of its tokens; `mixed` says that its rows are no single head's. */
interface ShownMap extends AttentionMap {
  queries: number[];
  keys?: number[];
  mixed: boolean;
  weighed?: boolean; // it shows how much is written
  full?: number; // the weight that has the full colour
  top?: number; // so many weights of each row are there; what is 0 is left out
}

/** How a head is drawn: in which colour, whether it is off, whether special tokens are dimmed, by which scale weights are tinted. */
interface Look {
  colour: string;
  off: boolean;
  dim: boolean;
  scale: string;
}

/** [layer][head] -> whether it is on; null for all on. */
type HeadMask = boolean[][] | null;

interface MapState {
  sentence: string;
  compare: string | null;
  view: string;
  layer: number;
  head: number | null;
  query: number;
  headMask: HeadMask;
  model: number;
  weigh: string;
  special: string;
  heads: string;
  layers: string;
  pieces: string;
  sinks: string;
  scale: string;
  top: number | null;
  first: number;
  last: number | null;
  find: string;
}

/** What of the state says what is shown of a map. */
type ShownState = Pick<MapState, "view" | "layer" | "weigh" | "special" | "heads" | "layers" | "pieces" | "sinks" | "scale" | "top" | "first" | "last" | "headMask">;

/** What a HeadMapView shows, for its views and for what draws a picture of it. */
interface MapOnScreen {
  state: MapState;
  shown: { map: ShownMap; compared: ShownMap | null };
  query: number; // the place of the asking token among those shown
  dim: boolean;
  look(map: ShownMap, layer: number, head: number): Look;
}

/** What the views of a map ask of the figure they are in. */
interface MapHost extends MapOnScreen {
  behaviours: string[] | null; // what each head of each layer mostly does, by the names of names.json
  mostHeads: number; // of the models to choose from; 0 where there is one
  rest: number; // the place of the token that asks while nobody points at another
  pinned: boolean;
  point(place: number | null): void; // somebody points at a token
  pin(place: number | null): void; // it goes on asking
  askersOf(map: ShownMap): (number | null)[] | null;
  keyOf(map: ShownMap, query: number): number;
  set(state: Partial<MapState>): void; // the reader chose
  dress(node: HTMLElement, layer: number, head: number): void; // in a head's colour
  placeName(place: HTMLElement, head: number): void; // which is the head's switch where heads are shown one by one
}

/** One of the views. */
interface MapPart {
  placesToggles?: boolean; // it shows the heads' switches; else the bar does
  draw(map: ShownMap, compared: ShownMap | null): void;
  ask?(): void; // another token asks
  leave?(): void; // another view takes its place
}

/** Whatever makes a map in a page: twin of the head models in Python. */
interface HeadModel {
  name: string;
  numLayers: number;
  numHeads: number;
  headNames: string[];
  vocabulary?: string[]; // the only words it knows
  broken?: boolean; // nothing more can be computed; a new one has to be loaded
  attend(sentence: string, headMask?: HeadMask, options?: { signal?: AbortSignal, states?: boolean }): AttentionMap | Promise<AttentionMap>;
}

/** A file of a model, as its list says: its size as sent and as unpacked, and the hash of what is unpacked. */
interface ModelFile {
  name: string;
  packed: number;
  bytes: number;
  sha256: string;
}

/** What the list of a pretrained model's files says of what the model is made. */
interface PretrainedFacts {
  name: string;
  numLayers: number;
  numHeads: number;
  headNames: string[];
  maxTokens: number;
  width: number;
  mlpWidth: number;
  normEpsilon: number;
  files: Record<string, ModelFile>;
}

/** `decoder.json` also says where in its files the planes of the weights lie. */
interface DecoderFacts extends PretrainedFacts {
  numKvHeads: number;
  headDim: number;
  vocabularySize: number;
  rotaryBase: number;
  endTokens: number[];
  planes: Record<string, Record<string, [start: number, bytes: number]>>; // by kind of file, by name
}

/** A text as a language model reads it, and how well each token would come next. */
interface NextWord {
  ids: number[];
  logits: Float32Array; // [token]
  map: AttentionMap;
}

/** A text and tokens after it that are bytes of a character which isn't whole yet. */
interface Draft {
  text: string;
  tail: number[];
}

/** A language model that computes in the page. */
interface DecoderModel extends HeadModel {
  maxTokens: number;
  endTokens: number[]; // those that end a text
  /** The map of a text, and the scores of what comes next; a text that begins as the one before costs its new tokens only. */
  next(text: string | Draft, headMask?: HeadMask, options?: { signal?: AbortSignal }): Promise<NextWord>;
  wordOf(id: number): string; // the text of a token
}

/** A safetensors file. */
interface Safetensors {
  tensors: Record<string, Matrix>;
  metadata: Record<string, string>;
}

/** Told of bytes while a model is loaded. */
type Progress = (done: number, total: number) => void;

/** The tensors of one torch module by the names of its state_dict. */
type Layer = Record<string, Matrix>;

/** The matrices on the path through one head; `steps` of attention.ts makes them. */
interface HeadSteps {
  X: Matrix;
  Q: Matrix;
  K: Matrix;
  V: Matrix;
  scores: Matrix;
  masked: Matrix;
  weights: Matrix;
  context: Matrix;
  concat: Matrix;
  output: Matrix;
}

/** What <formula-steps> shows: the matrices, their words, and what is learnt, where that is known. */
interface Steps extends HeadSteps, Partial<Ledger> {
  tokens: string[];
  head: number;
  headNames: string[];
  notes?: string[];
  scaled: boolean;
  biased: boolean;
  parameters: Record<string, Matrix | null> | null;
}

/** What each head brings to the logit of each label, where a model draws conclusions from its output; see math/ledger.ts. */
interface Ledger {
  labels: string[][]; // [fact, label]
  reading: Matrix; // [h * d_v, label]
  parts: Matrix; // [label, h + 2]: a column a head, the biases, the logit
  answer: Matrix; // [label, 1]: probabilities
}

/** What <attention-flow> shows: the steps of one head, and what all heads look at. */
interface Flow extends Steps {
  maps: Matrix; // [h, q, k]
}

/** What <head-ledger> shows, for every label: see `head_ledger` in Python. */
interface HeadLedger {
  tokens: string[];
  headNames: string[];
  labels: string[][]; // [fact, label]
  answered: boolean; // else there is nothing that the model draws conclusions from
  notes?: string[];
  others: string[]; // the parts of the sum that are no heads
  parts: Matrix; // [label, part]: a column for each head and each of the others, then the logit
  without: Matrix; // [label, h]: the logit with a head off; NaN where it was not computed
  weights: Matrix; // [h, k]: what the token looks at that the answers are read from
  says: Matrix; // [h, k, label]: what a word would add with all of the weight
  extremes?: Record<number, string[][]>; // [h][k]: the token raised most and the one lowered most, of all that there are
}

interface LedgerState {
  sentence: string;
  answer: string; // "fact: label", a fact for its likeliest label, or nothing for the first
  head: number | null; // the one that adds most
}

/** What <slice-or-project> shows: the query of one word, made in three ways; see `projections` in Python. */
interface Projections {
  tokens: string[];
  headNames: string[];
  notes?: string[];
  word: number; // its place among the tokens
  x: Matrix; // [1, d]: the word's numbers
  tints: Pictures; // [d, h * d_k]: W^Q
  wide: Matrix; // [h, d_k]: by one matrix for all heads, and then cut
  narrow: Matrix; // [h, d_k]: by each head's own matrix
  sliced: Matrix; // [h, d_k]: by each head's own matrix, from a slice of the word's numbers
}

interface ProjectionsState {
  sentence: string;
  word: number;
  way: ProjectionWay;
}

type ProjectionWay = "wide" | "narrow" | "sliced";

interface FlowState {
  sentence: string;
  head: number;
  query: number;
  station: string;
}

interface StepsState {
  sentence: string;
  head: number;
  word: number;
  step: string;
  causal: boolean;
  padding: boolean;
  unscaled: boolean;
}

/** A row, a column or a cell of a matrix. */
interface Place {
  name: string;
  row?: number;
  column?: number;
  from?: number; // where the first term of a sum stands
}

interface Cell {
  name: string;
  row: number;
  column: number;
}

/** <head-map>, as other elements of a page see it. */
interface HeadMapElement extends HTMLElement {
  readonly ready: Promise<void>;
  readonly attention: AttentionMap | null;
  readonly computedBy: string; // a model's name
  readonly models: string[]; // their names
  model: string; // the name of the chosen one
  sentence: string;
  query: number;
  headMask: HeadMask;
  off: string; // the heads that are off: "0.3 5.11", layer.head
  type(sentence: string): void; // as its reader does
}

interface HTMLElementTagNameMap {
  "head-map": HeadMapElement;
}

/** What anywidget hands to `render`. */
interface KernelModel {
  get(trait: string): any;
  set(trait: string, value: unknown): void;
  save_changes(): void;
  on(events: string, listener: () => void): void;
  off(events: string, listener: () => void): void;
  widget_manager?: { context?: NotebookContext }; // JupyterLab's has one
}

/** The notebook that a figure is in, as JupyterLab has it. */
interface NotebookContext {
  saveState: { connect(listener: SaveListener): void; disconnect(listener: SaveListener): void };
  model: { getMetadata(name: string): any; setMetadata(name: string, value: unknown): void };
}
type SaveListener = (context: unknown, state: string) => void;

// What npm brings; the build puts it beside our scripts.
declare module "*/tokenizers.min.mjs" {
  export { Tokenizer } from "@huggingface/tokenizers";
}
declare module "*.wasm" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
