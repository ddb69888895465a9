// Can a zero in the gradient send LAMB uphill?
"use strict";
(() => {
  const d = 16, start = 3, lr = 0.01, T = 20000, weak = -0.001; // the weak sample's slope, as a share of the loss's

  const softplus = (x) => Math.max(x, 0) + Exact.log1p(Exact.exp(-Math.abs(x)));
  const slope = (x) => 1 / (1 + Exact.exp(-x));

  // x_0 after each of the steps of LAMB without a memory, phi = 1, batch 1. A coin below p draws the strong sample, in
  // which all d entries are alive; the weak one has `alive` entries that are not zero, and points the other way.
  function walk(coins, p, alive) {
    const down = lr / Math.sqrt(d), up = lr / Math.sqrt(alive), path = [start];
    for (const coin of coins) path.push(path[path.length - 1] + (coin < p ? -down : up));
    return path;
  }

  // The mean of a step along x_0.
  const drift = (p, alive) => lr * ((1 - p) / Math.sqrt(alive) - p / Math.sqrt(d));

  // What the first theorem promises for the average of |grad f|_1: q = 1 as without zeros, or the price of zeros.
  function promise(p, q) {
    const strong = (1 - (1 - p) * weak) / p; // so that the mean slope is the loss's
    const sigma = Math.sqrt(p * Exact.square(strong - 1) + (1 - p) * Exact.square(weak - 1));
    return Math.sqrt(d) * (softplus(start) / (lr * T) + (lr * 0.25) / 2) + q * sigma;
  }
  const price = (alive) => (1 + Math.sqrt(d / alive)) / 2;
  const average = (path) => path.slice(0, -1).reduce((sum, x) => sum + slope(x), 0) / (path.length - 1);

  Live.figure("uphill", { softplus, slope, walk, drift, promise, price, average }, (ui) => {
    const uniform = Live.uniforms(1), coins = Array.from({ length: T }, uniform), every = 50;
    const left = ui.panel({
      title: "The weight that matters", height: 280,
      x: { range: [0, T], ticks: [0, 5000, 10000, 15000, 20000], label: "step" },
      y: { range: [-14, 60], ticks: [0, 20, 40, 60], label: "x₀" },
    });
    left.line([[0, start], [T, start]], { stroke: "var(--soft)", "stroke-dasharray": "2 4" }, left.back);
    left.legend([["all 16 entries alive, for comparison", "var(--c)"], ["this run", "var(--b)"]]);
    left.line(walk(coins, 0.6, d).filter((_, t) => t % every === 0).map((x, t) => [every * t, x]),
      { stroke: "var(--c)", "stroke-width": 1.4 }, left.back);
    const right = ui.panel({
      title: "Where it goes on the loss", height: 280,
      x: { range: [-14, 60], ticks: [0, 20, 40, 60], label: "x₀" },
      y: { range: [-4, 62], ticks: [0, 20, 40, 60], label: "loss f = log(1 + exp x₀)" },
    });
    const hill = Array.from({ length: 149 }, (_, k) => [-14 + k / 2, softplus(-14 + k / 2)]);
    right.line(hill, { stroke: "var(--soft)", "stroke-width": 1.5 }, right.back);
    right.dot(start, softplus(start), { r: 4, fill: "var(--ink)" }, right.back);
    right.text(start + 2, softplus(start) - 5, "start", {}, right.back);

    function draw() {
      const alive = Math.round(entries.value()), p = share.value(), path = walk(coins, p, alive);
      const end = path[T], mean = average(path), kept = mean <= promise(p, 1);
      left.clear();
      right.clear();
      left.line(path.filter((_, t) => t % every === 0).map((x, t) => [every * t, x]), { stroke: "var(--b)" });
      const shown = Math.max(-14, Math.min(60, end));
      const [low, high] = [Math.min(start, shown), Math.max(start, shown)];
      right.line(hill.filter(([x]) => x > low && x < high), { stroke: "var(--b)", "stroke-width": 3.5 });
      right.dot(shown, softplus(shown), { r: 6, fill: "var(--b)" });
      const moved = drift(p, alive);
      const size = Live.number(Math.abs(moved));
      const trend = Math.abs(moved) < 1e-12 ? "nowhere" : moved > 0 ? `uphill by ${size}` : `downhill by ${size}`;
      const way = end > start + 1 ? "The run walks uphill" : end < start - 1 ? "The run walks downhill"
        : "At the edge the run goes nowhere";
      const empty = promise(p, 1) > 1 ? " (every run does: no slope of this loss is above 1)" : "";
      const lesson = `${way}, and ${kept ? `keeps that promise${empty}` : "breaks that promise"}.`;
      const there = end.toFixed(1).replace("-", "−");
      ui.verdict(`The weak sample has <b>${alive} of 16</b> entries alive. An average step goes ${trend}, and ` +
        `after 20,000 steps x₀ is <b>${there}</b>. The average gradient is <b>${mean.toFixed(2)}</b>; ` +
        `the theorem without its factor q promises at most ${promise(p, 1).toFixed(2)}. ${lesson}`);
    }

    const entries = ui.slider({
      label: "entries alive in the weak sample", range: [1, d], steps: d - 1, value: d,
      format: (k) => `${Math.round(k)}`, change: draw,
    });
    const share = ui.slider({
      label: "share of strong samples", range: [0.5, 0.9], steps: 40, value: 0.6,
      format: (p) => `${Math.round(100 * p)} %`, change: draw,
    });
    for (const k of [1, 4, 12, d]) ui.button(`${k} of ${d}`, () => { share.set(0.6); entries.set(k); });
    ui.still(() => entries.set(1));
    ui.table(["entries alive", "average step", "theorem with its price q"], [1, 2, 4, 7, 8, 12, 16].map((k) =>
      [`${k}`, Live.number(drift(0.6, k), 2), Live.number(promise(0.6, price(k)), 3)]));
    draw();
  });
})();
