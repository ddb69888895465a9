// The page of verdicts: which lines are shown, by verdict, chapter and method. Without this script all are.
"use strict";
{
  const METHODS = ["SGD", "momentum", "Nesterov", "AdamW", "Adam", "LARS", "LAMB", "Adafactor", "CAME", "Lion", "Shampoo", "SOAP", "Muon", "GaLore"];
  const form = document.getElementById("verdict-filter");
  const start = form.closest("section");
  // The tables below the form, each with the headings and the lines of text above it.
  const after = (node) => form.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING;
  const chapters = [...document.querySelectorAll("article section")].filter((s) => after(s) && s.querySelector(":scope > h2"));
  const mentions = (words, method) => new RegExp(`(^|[^A-Za-z])${method}([^A-Za-z]|$)`, "i").test(words);
  const lines = chapters.flatMap((chapter) =>
    [...chapter.querySelectorAll("tbody tr")].map((row) => {
      const box = row.closest(".pst-scrollable-table-container") || row.closest("table");
      const about = box.previousElementSibling?.tagName === "P" ? box.previousElementSibling : null;
      const words = `${row.cells[0].textContent} ${about ? about.textContent.split(/\d+ paired|Intervals/)[0] : ""}`;
      return { row, box, about, chapter, words, verdict: row.cells[1].textContent.replace(/ alone|, only just/g, ""), near: row.cells[1].textContent.includes("only just") };
    }),
  );
  const select = (name, label, options) => {
    const field = document.createElement("label");
    const choice = document.createElement("select");
    choice.name = name;
    choice.append(...options.map(([value, words]) => new Option(words, value)));
    field.append(`${label} `, choice);
    form.append(field, " ");
    return choice;
  };
  const title = (chapter) => chapter.querySelector(":scope > h2").firstChild.textContent.trim();
  const verdict = select("verdict", "Verdict", [["", "all"], ["confirmed", "confirmed"], ["contradicted", "contradicted"], ["not resolved", "not resolved"], ["near", "only just so"]]);
  const chapter = select("chapter", "Chapter", [["", "all"], ...chapters.map((c, k) => [String(k), title(c)])]);
  const method = select("method", "Method", [["", "all"], ...METHODS.filter((m) => lines.some((l) => mentions(l.words, m))).map((m) => [m, m])]);
  const count = document.createElement("output");
  form.append(count);
  const show = () => {
    let shown = 0;
    const alive = new Set();
    for (const line of lines) {
      const kept =
        (!verdict.value || (verdict.value === "near" ? line.near : line.verdict === verdict.value)) &&
        (!chapter.value || chapters[Number(chapter.value)] === line.chapter) &&
        (!method.value || mentions(line.words, method.value));
      line.row.hidden = !kept;
      shown += kept;
      if (kept) for (let node = line.box; node && node !== start; node = node.parentElement) alive.add(node);
    }
    for (const { box, about, chapter: whole } of lines) {
      for (const node of [box, about]) if (node) node.hidden = !alive.has(box);
      for (let node = box.parentElement; node && node.contains(box) && whole.contains(node); node = node.parentElement) node.hidden = !alive.has(node);
    }
    count.value = `${shown} of ${lines.length} lines`;
  };
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  show();
}
