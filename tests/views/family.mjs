// The script of a family of models, which a test puts into its page.

const family = () => globalThis.families[new URL(import.meta.url).search.slice(1)];
export const load = (variant, loading) => family().load(variant, loading);
export const missingBytes = async () => family().missingBytes?.() ?? 0;
