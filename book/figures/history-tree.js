// Every run of SGD that can happen: how unlike are they, and what does their mean do?
"use strict";
(() => {
  // The regression of the chapter: eight samples, loss r² / (1 + r²) with r = <a, x> - c.
  const A = [
    [0.345584192064786, 0.8216181435011584], [0.33043707618338714, -1.303157231604361],
    [0.9053558666731177, 0.4463745723640113], [-0.5369532353602852, 0.5811181041963531],
    [0.36457239618607573, 0.294132496655526], [0.02842224131579679, 0.5467129866124469],
    [-0.7364540870016669, -0.16290994799305278], [-0.48211931267997826, 0.5988462126346276],
  ];
  const c = [-2, 2.5, 0.6770866889386127, -1.4637056294224422, 0.25516875177909065, -0.5867604962285629,
    -0.5535520381899854, -1.0200078870628566];
  const L = 0.9219491831550984, start = [-1, 1];

  function loss(x, y) {
    let sum = 0;
    for (let i = 0; i < A.length; i++) {
      const r = A[i][0] * x + A[i][1] * y - c[i];
      sum += (r * r) / (1 + r * r);
    }
    return sum / A.length;
  }

  // The levels of the tree: level t is [x, y, x, y, ...] of all 8^t runs after t steps.
  function tree(lr, steps) {
    const levels = [Float64Array.from(start)];
    for (let t = 0; t < steps; t++) {
      const from = levels[t], to = new Float64Array(8 * from.length);
      for (let k = 0, at = 0; k < from.length; k += 2) {
        for (let i = 0; i < 8; i++) {
          const u = A[i][0], v = A[i][1], r = u * from[k] + v * from[k + 1] - c[i], slope = (2 * r) / (1 + r * r) ** 2;
          to[at++] = from[k] - lr * slope * u;
          to[at++] = from[k + 1] - lr * slope * v;
        }
      }
      levels.push(to);
    }
    return levels;
  }

  // The loss of all runs of a level.
  function losses(level) {
    const out = new Float64Array(level.length / 2);
    for (let k = 0; k < out.length; k++) out[k] = loss(level[2 * k], level[2 * k + 1]);
    return out;
  }

  // [runs, mean loss, share of the runs above the start, lowest, highest] of the losses of a level.
  function told(all) {
    const first = loss(...start);
    return [all.length, all.reduce((sum, v) => sum + v, 0) / all.length,
      all.reduce((sum, v) => sum + (v > first), 0) / all.length,
      all.reduce((a, v) => Math.min(a, v)), all.reduce((a, v) => Math.max(a, v))];
  }
  const summary = (lr, steps) => tree(lr, steps).map((level) => told(losses(level)));

  // Where the loss has a level: in each cell of a grid, the pieces of straight line between its edges.
  function contour(level, [x0, x1], [y0, y1], step) {
    const out = [];
    for (let x = x0; x < x1; x += step) {
      for (let y = y0; y < y1; y += step) {
        const corners = [[x, y], [x + step, y], [x + step, y + step], [x, y + step]];
        const high = corners.map((p) => loss(...p) - level), cuts = [];
        corners.forEach((p, k) => {
          const m = (k + 1) % 4, q = corners[m];
          if (high[k] < 0 === high[m] < 0) return;
          const share = high[k] / (high[k] - high[m]);
          cuts.push(p.map((v, j) => v + share * (q[j] - v)));
        });
        for (let k = 0; k + 1 < cuts.length; k += 2) out.push([cuts[k], cuts[k + 1]]);
      }
    }
    return out;
  }

  Live.figure("history-tree", { loss, summary }, (ui) => {
    const WIDE = 4096, deep = 6, across = [-3.4, 2.6], up = [-1.75, 2.3], cell = 0.06, bar = 0.01, first = loss(...start);
    const left = ui.panel({ title: "Where the runs are", x: { range: across }, y: { range: up }, axes: false });
    for (let level = 0.15; level < 0.9; level += 0.05) {
      const segments = contour(level, across, up, 0.15);
      const width = Math.abs(level - first) < 0.025 ? 1.6 : 0.9;
      for (const ends of segments) left.line(ends, { stroke: "var(--soft)", "stroke-width": width, opacity: 0.55 }, left.back);
    }
    const right = ui.panel({
      title: "The loss of all runs",
      x: { range: [0.1, 0.85], ticks: [0.2, 0.4, 0.6, 0.8], label: "loss" },
      y: { range: [0, 1.08], ticks: [0, 0.5, 1], label: "runs (the tallest bar is 1)" },
    });
    right.line([[first, 0], [first, 1.08]], { stroke: "var(--ink)", "stroke-dasharray": "5 4" }, right.back);
    right.legend([["at the start", "var(--ink)", "5 4"], ["mean of all runs", "var(--b)"]], [0.02, 0.02]);

    let levels, ends, summed; // each level: its places, their losses, what is told of them
    function grow(times) {
      levels = tree(times / L, deep);
      ends = levels.map(losses);
      summed = ends.map(told);
      ui.table(["step", "runs", "mean loss", "lowest", "highest", "above the start"], summed.map(([n, mean, above, low, high], t) =>
        [`${t}`, Live.number(n, 6), Live.number(mean, 3), Live.number(low, 3), Live.number(high, 3),
          `${(100 * above).toFixed(1)} %`]));
    }
    const count = (keys) => {
      const found = new Map();
      for (const key of keys) found.set(key, (found.get(key) ?? 0) + 1);
      return found;
    };
    function draw(t) {
      left.clear();
      right.clear();
      const level = levels[t], all = ends[t], [n, mean, above, low, high] = summed[t];
      const places = count(all.map((_, k) => // one number for both: a key that is quickly compared
        WIDE * Math.round(level[2 * k] / cell) + Math.round(level[2 * k + 1] / cell)));
      const crowd = Math.log(1 + Math.max(...places.values()));
      for (const [key, runs] of places) {
        const i = Math.round(key / WIDE), j = key - WIDE * i, dark = (0.2 + (0.8 * Math.log(1 + runs)) / crowd).toFixed(2);
        left.dot(i * cell, j * cell, { r: t < 3 ? 2.6 : 1.9, "fill-opacity": dark });
      }
      left.dot(...start, { r: 4, fill: "var(--ink)" });
      const bars = count(all.map((v) => Math.floor(v / bar))), tallest = Math.max(...bars.values());
      for (const [k, runs] of bars) {
        const [x0, x1, h] = [k * bar, (k + 1) * bar, runs / tallest];
        right.area([[x0, 0], [x1, 0], [x1, h], [x0, h]], { fill: "var(--a)", "fill-opacity": 0.65 });
      }
      right.line([[mean, 0], [mean, 1.08]], { stroke: "var(--b)" });
      ui.verdict(t === 0 ? `Before the first step there is only the start, at a loss of ${Live.number(first, 3)}.`
        : `After step ${t} there are <b>8<sup>${t}</sup> = ${Live.number(n, 6)}</b> equally likely runs. Their mean loss is ` +
          `<b>${Live.number(mean, 3)}</b> (start: ${Live.number(first, 3)}); single runs lie between ${Live.number(low, 3)} and ` +
          `${Live.number(high, 3)}, and ${Live.number(100 * above, 2)} % of them above the start.`);
    }
    grow(0.5);
    const time = ui.player({ label: "steps", steps: deep, delay: 900, change: draw });
    ui.choice({
      label: "learning rate", value: "0.5", change: (times) => { grow(Number(times)); draw(time.value()); },
      options: [["0.5", "0.5/L, as in the text"], ["1", "1/L"], ["2", "2/L"], ["3", "3/L, beyond the theorem"]],
    });
    draw(0);
    ui.still(() => time.set(deep));
    ui.plays();
  });
})();
