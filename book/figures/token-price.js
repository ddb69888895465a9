// What is a token paid for: the blocks, the scores of attention, or the guess of the next word?
"use strict";
(() => {
  // Operations of a token, forward and backward, in a GPT-2 of L layers of width h, vocabulary V, rows of T tokens: six
  // for each weight of a matrix (12 h² a block, the table once, as output), and the products of attention.
  const price = (L, h, V, T) => [72 * L * h * h, 12 * L * h * T, 6 * h * V];
  const total = (...shape) => price(...shape).reduce((a, b) => a + b);
  // The rule of six: 6 N, with the table among the N weights, and without it.
  const six = (L, h, V) => [6 * (12 * L * h * h + V * h), 72 * L * h * h];

  Live.figure("token-price", { price, total, six }, (ui) => {
    const parts = ["blocks", "scores", "output"], colors = ["var(--a)", "var(--c)", "var(--b)"];
    const left = ui.panel({
      title: "Share of a token's operations", height: 230,
      x: { range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], format: (t) => `${100 * t} %`, label: "share" }, y: { range: [0, 3.2], ticks: [], label: "" },
    });
    const right = ui.panel({
      title: "The same at every width", height: 230,
      x: { range: [7, 14500], log: true, ticks: [8, 64, 512, 4096], label: "width" },
      y: { range: [-0.04, 1.04], ticks: [0, 0.25, 0.5, 0.75, 1], format: (t) => `${100 * t} %`, label: "share" },
    });
    const widths = Array.from({ length: 81 }, (_, i) => 8 * 1536 ** (i / 80));

    function draw() {
      const h = 8 * Math.round(width.value() / 8), L = Math.round(layers.value()), V = Number(words.value()), T = Math.round(length.value());
      const paid = price(L, h, V, T), all = total(L, h, V, T), [withTable, without] = six(L, h, V);
      left.clear();
      right.clear();
      parts.forEach((name, k) => {
        const y = 2.5 - k, share = paid[k] / all;
        left.area([[0, y - 0.35], [share, y - 0.35], [share, y + 0.15], [0, y + 0.15]], { fill: colors[k], "fill-opacity": 0.6 });
        left.text(0.01, y + 0.25, `${name}: ${Math.round(100 * share)} %`);
        right.line(widths.map((w) => [w, price(L, w, V, T)[k] / total(L, w, V, T)]), { stroke: colors[k], class: "landmark" });
        right.dot(h, share, { r: 5.5, fill: colors[k] });
      });
      const off = (rule) => `${Math.round(100 * Math.abs(rule / all - 1))} % too low`;
      ui.verdict(`${L} × ${h}: a token costs <b>${Live.number(all, 3)}</b> operations, of which ${Math.round((100 * paid[2]) / all)} % are for the output. ` +
        `Six for each weight is ${off(withTable)}; without the table's weights it is <b>${off(without)}</b>.`);
      ui.table(["part", "operations", "share"], parts.map((name, k) => [name, Live.number(paid[k], 3), `${((100 * paid[k]) / all).toFixed(1)} %`]));
    }
    const layers = ui.slider({ label: "layers", range: [1, 96], log: true, value: 1, steps: 60, format: (v) => `${Math.round(v)}`, change: () => draw() });
    const width = ui.slider({ label: "width", range: [8, 12288], log: true, value: 8, steps: 120, format: (v) => Live.number(8 * Math.round(v / 8), 5), change: () => draw() });
    const length = ui.slider({ label: "tokens in a row", range: [32, 8192], log: true, value: 32, steps: 64, format: (v) => Live.number(Math.round(v), 4), change: () => draw() });
    const words = ui.choice({ label: "vocabulary", options: [["2048", "2,048"], ["50257", "50,257"]], value: "2048", change: () => draw() });
    const set = (L, h, V, T) => { words.set(`${V}`); layers.set(L); length.set(T); width.set(h); };
    ui.button("2 × 64, ours", () => set(2, 64, 2048, 32));
    ui.button("12 × 768, GPT-2", () => set(12, 768, 50257, 1024));
    ui.button("96 × 12,288", () => set(96, 12288, 50257, 2048));
    ui.still(() => set(2, 64, 2048, 32));
    draw();
  });
})();
