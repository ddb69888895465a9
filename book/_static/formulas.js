// A formula inside a sentence cannot be broken. Where it is wider than its line (on a phone), it takes a line of
// its own and scrolls, instead of being cut off.
function fitFormulas() {
  for (const formula of document.querySelectorAll('article mjx-container:not([display="true"])')) {
    formula.classList.remove("too-wide");
    const line = formula.closest("p, li, dd, figcaption, caption, td, th, div");
    if (formula.getBoundingClientRect().width > line.clientWidth) formula.classList.add("too-wide");
  }
}

// A line may end between a formula and the comma or full stop that follows it; these two are kept together.
function keepPunctuation() {
  for (const formula of document.querySelectorAll('article mjx-container:not([display="true"])')) {
    const holder = formula.parentElement, next = holder.matches("span.math") ? holder.nextSibling : formula.nextSibling;
    const [sign] = (next?.nodeType === Node.TEXT_NODE && next.data.match(/^[.,;:?)\]]+/)) || [];
    if (!sign) continue;
    const pair = document.createElement("span"), first = holder.matches("span.math") ? holder : formula;
    pair.className = "with-formula";
    first.before(pair);
    next.deleteData(0, sign.length);
    pair.append(first, sign);
  }
}

window.addEventListener("load", () => {
  window.MathJax?.startup?.promise?.then(keepPunctuation).then(fitFormulas);
  window.addEventListener("resize", fitFormulas);
  // A folded solution has no width until it is opened.
  document.addEventListener("click", () => setTimeout(fitFormulas, 100));
});
