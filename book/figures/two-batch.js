// The noise scale from two batch sizes: average first, or divide first?
"use strict";
(() => {
  // |mean of these samples|^2
  function length2(samples, rows) {
    let sum = 0;
    for (let j = 0; j < samples[0].length; j++) {
      let total = 0;
      for (let k = 0; k < rows.length; k++) total += samples[rows[k]][j];
      sum += Exact.square(total / rows.length);
    }
    return sum;
  }

  // Unbiased estimates of |G|^2 and tr(Sigma) from the squared lengths at two batch sizes s < b.
  const twoBatch = (small, big, s, b) => [(b * big - s * small) / (b - s), (small - big) / (1 / s - 1 / b)];

  // tr(Sigma) / |G|^2 of all samples.
  function noiseScale(samples) {
    const all = samples.map((_, k) => k);
    return samples.reduce((sum, g) => sum + g.reduce((s, v) => s + v * v, 0), 0) / samples.length / length2(samples, all) - 1;
  }

  // After K = 1, 2, ... pairs: [average first, divide first].
  function running(signals, noises) {
    let signal = 0, noise = 0, ratio = 0;
    return signals.map((one, k) => {
      signal += one;
      noise += noises[k];
      ratio += noises[k] / one;
      return [noise / signal, ratio / (k + 1)];
    });
  }

  // The value below which a share q of the sorted numbers lies, between neighbours in proportion (as np.quantile).
  function quantile(sorted, q) {
    const at = q * (sorted.length - 1), low = Math.floor(at), high = Math.min(low + 1, sorted.length - 1);
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
  }

  Live.figure("two-batch", { length2, twoBatch, noiseScale, running, quantile }, (ui) => {
    const shifts = [[5, 2], [-5, -2], [4, -4], [-4, 4], [1, 4], [-1, -4]];
    const samples = shifts.map(([u, v]) => [2 + u, 1 + v]), truth = noiseScale(samples);
    const runs = 150, most = 1024, s = 1, low = -15, high = 25, kept = new Map();

    function estimates(b) {
      if (!kept.has(b)) {
        const uniform = Live.uniforms(b), drawn = { [s]: new Uint8Array(s), [b]: new Uint8Array(b) };
        const rows = (size) => {
          for (let k = 0; k < size; k++) drawn[size][k] = Math.floor(6 * uniform());
          return drawn[size];
        };
        kept.set(b, Array.from({ length: runs }, () => {
          const pairs = Array.from({ length: most }, () => twoBatch(length2(samples, rows(s)), length2(samples, rows(b)), s, b));
          return running(pairs.map(([signal]) => signal), pairs.map(([, noise]) => noise));
        }));
      }
      return kept.get(b);
    }
    // [5 %, median, 95 %] over all runs after K pairs; rule 0: average first, 1: divide first
    const spread = (b, K, rule) => {
      const sorted = estimates(b).map((run) => run[K - 1][rule]).sort((u, v) => u - v);
      return [0.05, 0.5, 0.95].map((q) => quantile(sorted, q));
    };

    const names = ["average first", "divide first"], colors = ["var(--a)", "var(--b)"];
    const left = ui.panel({
      title: `${runs} runs, one estimate each`,
      x: { range: [0, 2], ticks: [0.5, 1.5], format: (t) => names[t === 1.5 ? 1 : 0], label: "" },
      y: { range: [low, high], ticks: [-10, 0, 10, 20], label: "estimated noise scale" },
    });
    const right = ui.panel({
      title: "The middle 90 % of the runs",
      x: { range: [0.8, 1.25 * most], log: true, ticks: [1, 8, 64, 512], label: "pairs of batches K" },
      y: { range: [low, high], ticks: [-10, 0, 10, 20], label: "estimated noise scale" },
    });
    for (const [panel, ends] of [[left, [0, 2]], [right, [0.8, 1.25 * most]]]) {
      panel.line(ends.map((end) => [end, truth]), { stroke: "var(--c)", "stroke-dasharray": "5 4", class: "landmark" }, panel.back);
    }
    right.text(1.2, truth + 1, `truth: ${truth.toFixed(1)}`, { class: "landmark" }, right.back);
    const bands = Live.el("g", { class: "landmark" }, right.back);
    let drawn = 0;

    function draw() {
      const K = Math.round(pairs.value()), b = Number(big.value());
      left.clear();
      right.clear();
      if (drawn !== b) {
        bands.replaceChildren();
        const counts = Array.from({ length: 11 }, (_, k) => Exact.power(2, k));
        for (const rule of [1, 0]) {
          const every = counts.map((count) => spread(b, count, rule));
          const edge = [...every.map((v, k) => [counts[k], v[0]]), ...every.map((v, k) => [counts[k], v[2]]).reverse()];
          right.area(edge, { fill: colors[rule], "fill-opacity": 0.25 }, bands);
        }
        drawn = b;
      }
      for (const rule of [0, 1]) {
        estimates(b).forEach((run, r) => {
          const place = Math.max(low, Math.min(high, run[K - 1][rule]));
          left.dot(rule + 0.15 + (0.7 * ((r * 61) % runs)) / runs, place, { fill: colors[rule], "fill-opacity": 0.6 });
        });
        const [from, middle, to] = spread(b, K, rule);
        right.line([[K, from], [K, to]], { stroke: colors[rule], "stroke-width": 4, "stroke-opacity": 0.8 });
        right.dot(K, middle, { r: 5, fill: colors[rule] });
      }
      const said = [0, 1].map((rule) => {
        const [from, , to] = spread(b, K, rule);
        return `<b>${Live.number(from)} to ${Live.number(to)}</b>`;
      });
      const lesson = K === 1 ? "With one pair there is nothing to average."
        : `The truth is ${truth.toFixed(1)}. A dot at an edge lies beyond it.`;
      ui.verdict(`After <b>K = ${Live.number(K, 4)}</b> ${K === 1 ? "pair" : "pairs"} nine runs of ten lie in ${said[0]} where they ` +
        `average first, and in ${said[1]} where they divide first. ${lesson}`);
    }

    const pairs = ui.slider({
      label: "pairs of batches K", range: [1, most], log: true, value: 1, steps: 20,
      format: (K) => Live.number(Math.round(K), 4), change: draw,
    });
    const big = ui.choice({
      label: "samples in the big batch", options: [3, 6, 12, 24].map((b) => [String(b), String(b)]), value: "3", change: draw,
    });
    ui.button("K = 1", () => pairs.set(1));
    ui.button("K = 32", () => pairs.set(32));
    ui.button("K = 1,024", () => pairs.set(1024));
    ui.table(["K", "average first, 5 % to 95 %", "divide first, 5 % to 95 %"], [1, 4, 16, 64, 256, 1024].map((K) =>
      [Live.number(K, 4), ...[0, 1].map((rule) => {
        const [from, , to] = spread(3, K, rule);
        return `${Live.number(from)} to ${Live.number(to)}`;
      })]));
    ui.still(() => pairs.set(128));
    draw();
    ui.plays();
  });
})();
