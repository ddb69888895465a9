// Which tokens of a row are hidden: a coin for each, or exactly K? How many are there, and how much room do they need?
"use strict";
(() => {
  // The chance that a coin with probability p, tossed for each of T tokens, hides k of them.
  function chance(T, p, k) {
    let log = k * Exact.log(p) + (T - k) * Exact.log(1 - p);
    for (let i = 0; i < k; i++) log += Exact.log((T - i) / (k - i));
    return Exact.exp(log);
  }
  const count = (T, p) => Math.round(p * T); // K
  const spread = (kind, T, p) => (kind === "coin" ? Math.sqrt(T * p * (1 - p)) : 0);
  // So many places hold what is hidden in 999 rows of 1,000.
  function room(kind, T, p) {
    if (kind !== "coin") return count(T, p);
    let k = 0;
    for (let sum = chance(T, p, 0); sum < 0.999; sum += chance(T, p, k)) k += 1;
    return k;
  }
  // Which tokens of each row are hidden. Every token has a number; a coin hides those below p, else the K smallest are.
  function hidden(kind, rows, T, p, seed) {
    const uniform = Live.uniforms(seed), draw = () => Array.from({ length: T }, uniform);
    return Array.from({ length: rows }, draw).map((u) => {
      if (kind === "coin") return u.map((x) => x < p);
      const bar = [...u].sort((a, b) => a - b)[count(T, p) - 1];
      return u.map((x) => x <= bar);
    });
  }

  Live.figure("mask-row", { chance, count, spread, room, hidden }, (ui) => {
    const T = 64, rows = 16, kinds = { coin: "a coin for each token", exact: "exactly K of them" };
    let kind = "coin";
    const left = ui.panel({
      title: "16 rows of 64 tokens", x: { range: [0, 72], ticks: [0, 16, 32, 48, 64], label: "place in the row" },
      y: { range: [rows, 0], ticks: [], label: "row" }, height: 300,
    });
    const right = ui.panel({
      title: "Hidden tokens in a row", x: { range: [0, 42], ticks: [0, 10, 20, 30, 40], label: "number of hidden tokens" },
      y: { range: [0, 0.5], ticks: [0, 0.1, 0.2, 0.3, 0.4], label: "share of rows" }, height: 300,
    });

    function draw() {
      const p = bar.value(), K = count(T, p), marks = hidden(kind, rows, T, p, 5), need = room(kind, T, p);
      left.clear();
      right.clear();
      const totals = marks.map((row) => row.filter(Boolean).length);
      marks.forEach((row, k) => {
        left.area([[0, k + 0.15], [T, k + 0.15], [T, k + 0.85], [0, k + 0.85]]);
        row.forEach((is, i) => is && left.area([[i, k + 0.1], [i + 1, k + 0.1], [i + 1, k + 0.9], [i, k + 0.9]], { fill: "var(--b)" }));
        left.text(65, k + 0.85, `${totals[k]}`, { "font-size": 11.5 });
      });
      for (let k = 0; k <= 42; k++) {
        const share = kind === "coin" ? chance(T, p, k) : +(k === K), seen = totals.filter((n) => n === k).length / rows;
        const top = Math.min(seen, 0.5); // a bar of all rows runs out of the panel
        right.area([[k - 0.35, 0], [k - 0.35, top], [k + 0.35, top], [k + 0.35, 0]], { fill: "var(--b)", "fill-opacity": 0.55 });
        if (seen > top) right.text(k + 0.8, 0.46, `up to ${seen}`);
        if (share > 1e-4 && share < 0.5) right.dot(k, share, { r: 3, fill: "var(--ink)" });
      }
      right.line([[need, 0], [need, 0.36]], { stroke: "var(--c)", "stroke-dasharray": "5 4", class: "landmark" });
      right.text(need, 0.39, `room for ${need}`, { "text-anchor": need > 30 ? "end" : "middle", class: "landmark" });
      const few = Math.min(...totals), many = Math.max(...totals), mean = T * p;
      ui.verdict(kind === "coin"
        ? `A coin with ${Math.round(100 * p)} %: <b>${few} to ${many}</b> hidden tokens in these rows, ${mean.toFixed(1)} ± ${spread("coin", T, p).toFixed(1)} in general. ` +
          `The head has a new shape almost every time, or needs room for <b>${need}</b>: ${(need / mean).toFixed(1)} times the mean.`
        : `Exactly ${K} in every row, at ${Math.round(100 * p)} %: one shape, and room for <b>${K}</b> is room enough. Which ones is as random as before.`);
      ui.table(["", "mean", "standard deviation", "room for 999 of 1,000 rows"], Object.keys(kinds).map((k) => [kinds[k],
        (k === "coin" ? mean : K).toFixed(1), spread(k, T, p).toFixed(1), `${room(k, T, p)}`]));
    }

    const bar = ui.slider({ label: "share that is hidden", range: [0.05, 0.5], value: 0.08, steps: 45, format: (p) => `${Math.round(100 * p)} %`, change: draw });
    for (const k of Object.keys(kinds)) ui.button(kinds[k], () => { kind = k; draw(); });
    ui.button("15 %", () => bar.set(0.15));
    ui.button("30 %", () => bar.set(0.3));
    ui.still(() => bar.set(0.15));
    draw();
  });
})();
