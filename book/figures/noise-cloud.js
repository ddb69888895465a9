// When is a batch big enough that its gradient points downhill?
"use strict";
(() => {
  const dot = (a, b) => a.reduce((sum, v, j) => sum + v * b[j], 0);

  // Batch gradients G + sigma z / sqrt(b), one for each row of z.
  const batchGradients = (G, sigma, b, z) => z.map((row) => G.map((g, j) => g + (sigma[j] * row[j]) / Math.sqrt(b)));

  // B = tr(Sigma) / |G|^2: at this batch the noise is as long as the gradient.
  const noiseScale = (G, sigma) => dot(sigma, sigma) / dot(G, G);

  // The noise of a batch, root mean square, beside the length of the gradient.
  const noiseToGradient = (G, sigma, b) => Math.sqrt(noiseScale(G, sigma) / b);

  // P(<g, G> < 0): <g, G> is normal with mean |G|^2 and variance sum_j G_j^2 sigma_j^2 / b.
  function uphill(G, sigma, b) {
    const spread = Math.sqrt(G.reduce((sum, g, j) => sum + Exact.square(g * sigma[j]), 0) / b);
    return Live.normalTail(dot(G, G) / spread);
  }

  Live.figure("noise-cloud", { batchGradients, noiseScale, noiseToGradient, uphill }, (ui) => {
    const h = [1, 4], x = [-2.4, 0.75], sigma = [9, 12], reach = 0.32; // f = (x² + 4 y²) / 2; a step is 0.32 g
    const G = x.map((v, j) => h[j] * v), B = noiseScale(G, sigma), most = 4096;
    const flat = Live.normals(440, 7), z = Array.from({ length: 220 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);

    const left = ui.panel({
      title: "220 batches, each with its step",
      x: { range: [-5.2, 2.2] }, y: { range: [-2.5, 2.7] }, axes: false,
    });
    for (let c = 0.15; c < 30; c *= 1.75) {
      const ring = Array.from({ length: 97 }, (_, k) => {
        const angle = (k * Math.PI) / 48;
        return [Math.sqrt((2 * c) / h[0]) * Exact.cos(angle), Math.sqrt((2 * c) / h[1]) * Exact.sin(angle)];
      });
      left.area(ring, { stroke: "var(--line)", "fill-opacity": 0.35 }, left.back);
    }
    const ratio = (b) => noiseToGradient(G, sigma, b);
    const right = ui.panel({
      title: "Noise beside the gradient",
      x: { range: [1, most], log: true, ticks: [1, 8, 64, 512, 4096], label: "batch size b" },
      y: { range: [0.05, 10], log: true, ticks: [0.1, 1, 10], label: "noise / gradient" },
    });
    right.line([[1, ratio(1)], [most, ratio(most)]], { stroke: "var(--soft)", "stroke-width": 1.5, class: "landmark" }, right.back);
    right.line([[B, 0.05], [B, 10]], { stroke: "var(--c)", "stroke-dasharray": "5 4", class: "landmark" }, right.back);
    right.text(B * 1.15, 7, `b = B = ${B.toFixed(0)}`, { class: "landmark" }, right.back);

    function draw(size) {
      const b = Math.round(size), wrong = uphill(G, sigma, b);
      left.clear();
      right.clear();
      for (const g of batchGradients(G, sigma, b, z)) {
        const color = dot(g, G) < 0 ? "var(--b)" : "var(--a)";
        left.dot(x[0] - reach * g[0], x[1] - reach * g[1], { fill: color, "fill-opacity": 0.6 });
      }
      left.arrow(x, x.map((v, j) => v - reach * G[j]), { "stroke-width": 2.6 });
      left.dot(x[0], x[1], { r: 4.5, fill: "var(--ink)" });
      right.dot(b, ratio(b), { r: 6 });
      const often = wrong > 0.005 ? `${Math.round(100 * wrong)} of 100 such steps (orange) point uphill`
        : "fewer than 1 such step in 200 points uphill";
      const lesson = b < B / 2 ? "Most of such a step is noise, and a larger batch visibly helps."
        : b < 6 * B ? "From here on a larger batch helps less and less."
        : "The gradient is nearly exact. Twice the batch is twice the work and changes almost nothing.";
      const times = Live.number(ratio(b)), long = times === "1" ? "<b>about as long</b>" : `<b>${times} times</b> as long`;
      ui.verdict(`At <b>b = ${Live.number(b, 4)}</b> the noise is ${long} as the gradient; ${often}. ${lesson}`);
    }

    const bar = ui.slider({
      label: "batch size", range: [1, most], log: true, value: 4, steps: 96,
      format: (b) => Live.number(Math.round(b), 4), change: draw,
    });
    ui.button("b = 1", () => bar.set(1));
    ui.landmark("b = B", () => bar.set(B));
    ui.landmark("b = 10 B", () => bar.set(10 * B));
    ui.table(["b", "noise / gradient", "uphill"], [1, 4, 16, 64, 256, 1024, 4096].map((b) =>
      [Live.number(b, 4), ratio(b).toFixed(2), `${(100 * uphill(G, sigma, b)).toFixed(1)} %`]));
    draw(bar.value());
  });
})();
