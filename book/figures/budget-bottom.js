// A budget of operations: which size of a model ends lowest?
"use strict";
(() => {
  // Recorded GPT-2s: [layers × width, operations a token], and the median loss in nats at each budget (in 1e11
  // operations). The first three are book/runs/model-size, three seeds; the last is book/runs/gpt2-compressed, five.
  const { sizes: SIZES, losses: LOSSES } = Live.records["budget-bottom"];

  // C = c D: what a budget buys at so many operations a token.
  const tokens = (budget, operations) => budget / operations;

  // The size with the lowest loss at a budget; those that were not run there are null.
  const bottom = (budget) => LOSSES[budget].reduce((low, loss, k, all) => (loss !== null && (all[low] === null || loss < all[low]) ? k : low), 0);

  // Where the parabola through three points (ln c, loss) has its lowest point, as c.
  function vertex(three) {
    const [[u, a], [v, b], [w, c]] = three.map(([size, loss]) => [Math.log(size), loss]);
    const rise = (b - a) / (v - u), bend = ((c - b) / (w - v) - rise) / (w - u);
    return Math.exp((u + v - rise / bend) / 2);
  }

  Live.figure("budget-bottom", { tokens, bottom, vertex }, (ui) => {
    const budgets = [1, 4, 16, 80], names = { 1: "10¹¹", 4: "4 · 10¹¹", 16: "1.6 · 10¹²", 80: "8 · 10¹²" };
    const colors = { 1: "var(--b)", 4: "var(--c)", 16: "var(--a)", 80: "var(--ink)" };
    const x = { range: [7e4, 1e7], log: true, ticks: [1e5, 1e6, 1e7], format: (t) => ({ 1e5: "10⁵", 1e6: "10⁶", 1e7: "10⁷" })[t], label: "operations a token" };
    const left = ui.panel({ title: "Where the run ends", x, y: { range: [3.6, 6.7], ticks: [4, 4.5, 5, 5.5, 6, 6.5], label: "validation loss, nats" } });
    const right = ui.panel({
      title: "The text that the budget buys", x,
      y: { range: [1e4, 1e8], log: true, ticks: [1e4, 1e5, 1e6, 1e7, 1e8], format: (t) => `10${"⁴⁵⁶⁷⁸"[Math.log10(t) - 4]}`, label: "tokens" },
    });
    const seen = new Map(); // what a reader has tried, as "budget size"

    function draw() {
      const b = budgets[Math.round(budget.value())], k = Math.round(size.value()), [name, c] = SIZES[k], loss = LOSSES[b][k];
      left.clear();
      right.clear();
      const run = (at) => SIZES.flatMap(([, ops], j) => (LOSSES[at][j] === null ? [] : [[ops, LOSSES[at][j]]]));
      if (loss !== null) seen.set(`${b} ${k}`, [c, loss, colors[b]]);
      for (const [u, v, color] of seen.values()) left.dot(u, v, { r: 4, fill: color, "fill-opacity": 0.55 });
      left.line(run(b), { stroke: colors[b], class: "landmark" });
      const low = bottom(b);
      left.dot(SIZES[low][1], LOSSES[b][low], { r: 10, fill: "none", stroke: colors[b], "stroke-width": 2, class: "landmark" });
      right.line([[7e4, tokens(1e11 * b, 7e4)], [1e7, tokens(1e11 * b, 1e7)]], { stroke: colors[b] });
      right.dot(c, tokens(1e11 * b, c), { r: 6, fill: colors[b] });
      if (loss === null) {
        ui.verdict(`At ${names[b]} operations ${name} was not run: it would see ${Live.number(tokens(1e11 * b, c))} tokens.`);
      } else {
        left.dot(c, loss, { r: 6.5, fill: colors[b] });
        const above = loss - LOSSES[b][low], rest = k === low ? "<b>the lowest of the sizes tried</b>" : `<b>${above.toFixed(2)}</b> above ${SIZES[low][0]}`;
        ui.verdict(`With <b>${names[b]}</b> operations ${name} (layers × width) sees ${Live.number(tokens(1e11 * b, c))} tokens and ends at ${loss.toFixed(2)} nats, ${rest}.`);
      }
      ui.table(["size", "operations a token", ...budgets.map((at) => names[at])], SIZES.map(([who, ops], j) =>
        [who, Live.number(ops, 3), ...budgets.map((at) => (LOSSES[at][j] === null ? "–" : LOSSES[at][j].toFixed(2)))]));
    }
    const size = ui.slider({ label: "layers × width", range: [0, 4], steps: 4, value: 4, format: (k) => SIZES[Math.round(k)][0], change: () => draw() });
    const budget = ui.slider({ label: "operations", range: [0, 3], steps: 3, value: 0, format: (k) => names[budgets[Math.round(k)]], change: () => draw() });
    ui.button("10¹¹", () => budget.set(0));
    ui.button("1.6 · 10¹²", () => budget.set(2));
    ui.button("8 · 10¹²", () => budget.set(3));
    ui.still(() => {
      budgets.forEach((_, i) => [0, 1, 2, 3, 4].forEach((k) => { budget.set(i); size.set(k); }));
      size.set(3);
    });
    draw();
  });
})();
