// Formulas, once the page is seen: MathJax is large, and typesets the whole page in one go, during which nothing else answers.
// Here it comes when all else is there, and typesets a few formulas at a time.

{
  const FEW = 6; // formulas at a time
  const { MathJax, document: page } = /** @type {any} */ (globalThis); // its options stand in the page
  const { src } = page.currentScript;
  const pause = () => new Promise((done) => setTimeout(done));

  MathJax.startup = {
    /** What MathJax calls when it has started; its `startup.promise` waits for it. */
    async pageReady() {
      const formulas = [...page.querySelectorAll(".math")];
      for (let at = 0; at < formulas.length; at += FEW) {
        await pause();
        await /** @type {any} */ (globalThis).MathJax.typesetPromise(formulas.slice(at, at + FEW));
      }
    },
  };

  const load = () => {
    const script = page.createElement("script");
    script.src = new URL("mathjax/tex-chtml.js", src).href;
    page.head.append(script);
  };
  addEventListener("load", () => requestAnimationFrame(() => setTimeout(load)));
}
