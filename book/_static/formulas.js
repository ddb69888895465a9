// What is wider than its place, on a phone above all. A formula is set smaller, down to LEAST of its size. Where that is
// not enough it scrolls on a line of its own; whatever scrolls sideways fades out where more is to come. A table of
// sentences would have columns of two words: each of its rows becomes a block, with a line for each column (custom.css).
const LEAST = 0.72;
const PHONE = matchMedia("screen and (max-width: 600px)");
const TALL = 190; // px, about eight lines

function fitFormulas() {
  const formulas = [...document.querySelectorAll("article mjx-container")].filter((f) => f.offsetParent);
  for (const formula of formulas) {
    formula.dataset.size ??= formula.style.fontSize || "100%";
    formula.style.fontSize = formula.dataset.size;
    formula.classList.remove("too-wide");
  }
  const shares = formulas.map((formula) => {
    const line = formula.hasAttribute("display") ? formula : formula.closest("p, li, dd, figcaption, caption, td, th, div");
    return Math.floor(999 * line.clientWidth / formula.firstElementChild.getBoundingClientRect().width) / 1000;
  });
  formulas.forEach((formula, k) => {
    if (shares[k] >= 0.999) return;
    formula.style.fontSize = `calc(${formula.dataset.size} * ${Math.max(LEAST, shares[k])})`;
    formula.classList.toggle("too-wide", shares[k] < LEAST);
  });
  document.querySelectorAll("article .cell_output img").forEach(keepSize);
  document.querySelectorAll("article .pst-scrollable-table-container > table").forEach(stack);
  document.querySelectorAll("article :is(mjx-container, pre, p, .pst-scrollable-table-container, .wide)").forEach(fade);
}

// A picture keeps the width on a phone at which its words can be read (tools/pages/readable_pictures.py): where that is more
// than the page has, it scrolls, without its caption (custom.css).
function keepSize(picture) {
  const [, needs] = picture.className.match(/\bneeds-(\d+)/) ?? [];
  if (!needs) return;
  if (!picture.parentElement.matches(".wide")) {
    const wide = document.createElement("div");
    wide.className = "wide";
    wide.style.setProperty("--needs", `${needs}px`);
    picture.before(wide);
    wide.append(picture);
  }
  fade(picture.parentElement);
}

function stack(table) {
  const names = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
  table.classList.remove("stacked");
  const rows = [...table.querySelectorAll("tbody tr")];
  if (names.length < 3 || !PHONE.matches || rows.every((row) => row.offsetHeight < TALL)) return;
  for (const row of rows) [...row.cells].forEach((cell, k) => names[k] && (cell.dataset.column = names[k]));
  table.classList.add("stacked");
}

function fade(box) {
  const inside = box.matches("mjx-container") ? box.firstElementChild.getBoundingClientRect().width : box.scrollWidth;
  box.classList.toggle("more", box.clientWidth > 0 && inside - box.clientWidth - box.scrollLeft > 3);
  if (box.clientWidth > 0 && inside - box.clientWidth > 3) box.tabIndex = 0; // so that keys can scroll it
}

// A line may end between a formula and the comma or full stop that follows it; these two are kept together.
function keepPunctuation() {
  for (const formula of document.querySelectorAll(':is(article, .slides) mjx-container:not([display="true"])')) {
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
  const typeset = window.MathJax?.startup?.promise ?? Promise.resolve(); // a page without formulas has no MathJax
  typeset.then(keepPunctuation).then(fitFormulas);
  window.addEventListener("resize", fitFormulas);
  matchMedia("print").addEventListener("change", fitFormulas); // paper has another width
  document.addEventListener("scroll", (event) => event.target.matches?.("article *") && fade(event.target), true);
  const isPicture = (event) => event.target.matches?.("article .cell_output img");
  document.addEventListener("load", (event) => isPicture(event) && keepSize(event.target), true); // those that come late
  // What is folded has no width until it is opened.
  document.addEventListener("click", () => setTimeout(fitFormulas, 100));
});
