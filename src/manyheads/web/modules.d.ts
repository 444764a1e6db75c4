// What npm brings; the build puts it beside our scripts.

declare module "*/tokenizers.min.mjs" {
  export { Tokenizer } from "@huggingface/tokenizers";
}
declare module "*.wasm" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
