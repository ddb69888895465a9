// A formula inside a sentence cannot be broken. Where it is wider than its line (on a phone), it takes a line of
// its own and scrolls, instead of being cut off.
function fitFormulas() {
  for (const formula of document.querySelectorAll('article mjx-container:not([display="true"])')) {
    formula.classList.remove("too-wide");
    const line = formula.closest("p, li, dd, figcaption, caption, td, th, div");
    if (formula.getBoundingClientRect().width > line.clientWidth) formula.classList.add("too-wide");
  }
}

window.addEventListener("load", () => {
  window.MathJax?.startup?.promise?.then(fitFormulas);
  window.addEventListener("resize", fitFormulas);
  // A folded solution has no width until it is opened.
  document.addEventListener("click", () => setTimeout(fitFormulas, 100));
});
