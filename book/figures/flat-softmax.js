// First weights of size sigma in a network of width w: how flat is the softmax that they make, and where does a loss begin?
"use strict";
(() => {
  const PLACES = { head: 4096, attention: 64 }; // of which the softmax chooses one
  // The variance of a score. Head: a vector of w coordinates of size 1 times a row of the token table. Attention: the
  // product of two such images, over the root of their length.
  const variance = (kind, w, sigma) => (kind === "head" ? w * sigma * sigma : Exact.square(w * sigma * sigma));
  // The logarithm of the sum of exp(score), where all scores are the same normal numbers z, stretched to variance s.
  function logSum(z, s) {
    const x = z.map((v) => Math.sqrt(s) * v), top = Math.max(...x);
    return top + Exact.log(x.reduce((sum, v) => sum + Exact.exp(v - top), 0));
  }
  const probabilities = (z, s) => { const all = logSum(z, s); return z.map((v) => Exact.exp(Math.sqrt(s) * v - all)); };
  // Among how many equally likely ones the softmax chooses: e to its entropy.
  const effective = (z, s) => Exact.exp(-probabilities(z, s).reduce((sum, p) => sum + (p > 0 ? p * Exact.log(p) : 0), 0));
  const formula = (n, s) => Exact.log(n) + s / 2;

  Live.figure("flat-softmax", { variance, logSum, effective, formula, end: (n) => 2 * Exact.log(n) }, (ui) => {
    const z = { head: Live.normals(PLACES.head, 3), attention: Live.normals(PLACES.attention, 4) };
    const sorted = Object.fromEntries(Object.entries(z).map(([k, v]) => [k, [...v].sort((a, b) => b - a)]));
    const names = { head: "output layer, 4,096 tokens", attention: "attention, 64 places" }, grid = Array.from({ length: 81 }, (_, k) => k / 2);
    const curves = Object.fromEntries(Object.keys(z).map((k) => [k, grid.map((s) => [s, logSum(z[k], s)])]));
    let kind = "head";
    const left = ui.panel({
      title: "The largest of its probabilities, in order", x: { range: [1, 64], ticks: [1, 16, 32, 48, 64], label: "rank" },
      y: { range: [0.3, 4200], log: true, ticks: [1, 10, 100, 1000], label: "times an equal share" },
    });
    const right = ui.panel({
      title: "Where the loss begins", x: { range: [0, 40], ticks: [0, 10, 20, 30, 40], label: "variance s of the scores" },
      y: { range: [3, 31], ticks: [5, 10, 15, 20, 25, 30], label: "nats" },
    });
    right.legend([["the sum", "var(--a)"], ["log n + s/2", "var(--soft)", "6 4"]], [0.03, 0.02]);

    function draw() {
      const w = Math.round(width.value()), sigma = size.value(), s = variance(kind, w, sigma), n = PLACES[kind];
      left.clear();
      right.clear();
      const shown = Math.min(s, 200), p = probabilities(sorted[kind], shown), lost = logSum(z[kind], shown);
      left.line([[1, 1], [64, 1]], { stroke: "var(--soft)", "stroke-dasharray": "3 4" });
      left.line(p.slice(0, 64).map((v, k) => [k + 1, Math.max(1e-3, v * n)]), { stroke: "var(--b)", "stroke-width": 2.6 });
      right.line(grid.map((v) => [v, formula(n, v)]), { stroke: "var(--soft)", "stroke-dasharray": "6 4", class: "landmark" });
      right.line(curves[kind], { stroke: "var(--a)", class: "landmark" });
      right.line([[2 * Exact.log(n), 3], [2 * Exact.log(n), 20]], { stroke: "var(--c)", "stroke-dasharray": "5 4", class: "landmark" });
      right.text(2 * Exact.log(n), 21, "s = 2 log n", { "text-anchor": "middle", class: "landmark" });
      right.dot(Math.min(40, shown), lost, { r: 6 });
      const chooses = effective(z[kind], shown), off = formula(n, s) - lost;
      const share = chooses / n, so = share > 0.9 ? "all but flat" : share > 0.3 ? "uneven" : share > 0.02 ? "steep" : "a choice of few";
      ui.verdict(`<b>${names[kind]}</b>, w = ${Live.number(w, 3)}, σ = ${Live.number(sigma, 2)}: scores have variance ${Live.number(s, 2)}. The softmax is ` +
        `<b>${so}</b>: it chooses among ${Live.number(chooses, 3)} of ${Live.number(n, 4)}. The sum gives ${lost.toFixed(2)} nats, log n + s/2 gives ` +
        `${s < 200 ? formula(n, s).toFixed(2) : "far more"}${s < 200 && Math.abs(off) >= 0.1 ? `, off by ${off.toFixed(2).replace("-", "−")}` : ""}.`);
    }

    const width = ui.slider({ label: "width w", range: [32, 4096], log: true, value: 32, steps: 371, format: (v) => Live.number(Math.round(v), 4), change: draw });
    const size = ui.slider({ label: "deviation σ", range: [0.005, 0.64], log: true, value: 0.005, steps: 168, format: (v) => Live.number(v, 2), change: draw });
    for (const k of Object.keys(names)) ui.button(names[k], () => { kind = k; draw(); });
    const set = (w, sigma) => () => { width.set(w); size.set(sigma); };
    ui.button("w = 768, σ = 0.02", set(768, 0.02));
    ui.button("w = 128, σ = 0.02", set(128, 0.02));
    ui.button("w = 128, σ = 0.049", set(128, 0.049));
    ui.button("w = 128, σ = 0.32", set(128, 0.32));
    ui.still(set(128, 0.32));
    ui.table(["", "s", "chooses among", "the sum", "log n + s/2"], [[768, 0.02], [128, 0.02], [128, 0.049], [128, 0.32], [768, 0.32]].flatMap(([w, sigma]) =>
      Object.keys(names).map((k) => { const s = variance(k, w, sigma); return [`${names[k]}, w = ${w}, σ = ${sigma}`, Live.number(s, 2),
        Live.number(effective(z[k], s), 3), logSum(z[k], s).toFixed(2), formula(PLACES[k], s).toFixed(2)]; })));
    draw();
  });
})();
