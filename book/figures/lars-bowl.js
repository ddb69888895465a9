// Three samples of four pull right a little, one pulls left a lot. Where does a method of fixed step length come to rest?
"use strict";
(() => {
  const x0 = 0.2137; // the start

  // The gradients are x - 1 (three samples) and x + 3 (one), so a batch of b with k of the fourth has x - 1 + 4 k / b.
  function binomial(b) {
    const chance = new Float64Array(b + 1);
    chance[0] = 0.75 ** b;
    for (let k = 0; k < b; k++) chance[k + 1] = (chance[k] * (b - k)) / (3 * (k + 1));
    return chance;
  }

  // The chances that the mean gradient of a batch of b is positive and negative at x.
  function signs(b, x, chance = binomial(b)) {
    const balance = (b * (1 - x)) / 4;
    let positive = 0, negative = 0;
    for (let k = 0; k <= b; k++) {
      if (k > balance) positive += chance[k];
      if (k < balance) negative += chance[k];
    }
    return [positive, negative];
  }

  // All runs of T steps of length x0 / sqrt(T): the places, the chance to end at each, and E |x| at every step.
  function walk(b, T) {
    const length = x0 / Math.sqrt(T), places = 2 * T + 1, chance = binomial(b);
    const at = Float64Array.from({ length: places }, (_, j) => x0 + length * (j - T));
    const move = Array.from(at, (x) => signs(b, x, chance));
    let now = new Float64Array(places), slopes = [];
    now[T] = 1;
    for (let t = 0; t < T; t++) {
      const next = new Float64Array(places);
      let slope = 0;
      for (let j = T - t; j <= T + t; j++) {
        slope += now[j] * Math.abs(at[j]);
        const [down, up] = move[j];
        next[j] += now[j] * (1 - down - up);
        next[j - 1] += now[j] * down;
        next[j + 1] += now[j] * up;
      }
      slopes.push(slope);
      now = next;
    }
    return { at, chance: now, slopes };
  }

  const ends = (b, T) => {
    const { at, chance } = walk(b, T);
    return { mean: chance.reduce((sum, p, j) => sum + p * at[j], 0), slope: chance.reduce((sum, p, j) => sum + p * Math.abs(at[j]), 0) };
  };

  // The median of the batch gradients is zero at 1 - 4 k / b, where k is the median number of the fourth sample.
  function rest(b) {
    const chance = binomial(b);
    let k = 0;
    for (let sum = chance[0]; sum < 0.5; sum += chance[k]) k += 1;
    return 1 - (4 * k) / b;
  }

  Live.figure("lars-bowl", { signs, slopes: (b, T) => walk(b, T).slopes, ends, rest }, (ui) => {
    const bin = 0.05, most = 48;
    const left = ui.panel({
      title: "Where the runs end",
      x: { range: [-1.5, 1.5], ticks: [-1, 0, 1], label: "x, the gradient of the bowl" },
      y: { range: [0, 1], ticks: [0, 0.5, 1], label: "share of the runs" },
    });
    left.line(Array.from({ length: 61 }, (_, k) => [-1.5 + k / 20, 0.08 + 0.35 * (-1.5 + k / 20) ** 2]), { stroke: "var(--line)" }, left.back);
    left.line([[x0, 0], [x0, 1]], { stroke: "var(--soft)", "stroke-dasharray": "3 4" }, left.back);
    left.text(x0 + 0.04, 0.93, "start", {}, left.back);
    const right = ui.panel({
      title: "The gradient that is left",
      x: { range: [1, most], log: true, ticks: [1, 2, 4, 8, 16, 32], label: "batch size b" },
      y: { range: [0, 1.05], ticks: [0, 0.5, 1], label: "average |x| at the end" },
    });
    right.line([[1, x0], [most, x0]], { stroke: "var(--soft)", "stroke-dasharray": "3 4" }, right.back);
    const rests = Array.from({ length: most }, (_, k) => [k + 1, Math.abs(rest(k + 1))]);
    right.line(rests, { stroke: "var(--c)", "stroke-width": 1.2, class: "landmark" }, right.back);
    right.text(2.6, 0.62, "|x| where the signs balance", { fill: "var(--c)", class: "landmark" }, right.back);

    function draw() {
      const b = Math.round(bar.value()), T = Number(steps.value()), { at, chance } = walk(b, T), end = ends(b, T);
      left.clear();
      right.clear();
      const shares = new Map();
      chance.forEach((p, j) => {
        const k = Math.round(at[j] / bin);
        shares.set(k, (shares.get(k) ?? 0) + p);
      });
      for (const [k, p] of shares) {
        const [u, v] = [(k - 0.42) * bin, (k + 0.42) * bin];
        if (p > 1e-4) left.area([[u, 0], [u, p], [v, p], [v, 0]], { fill: "var(--a)" });
      }
      right.dot(b, end.slope, { r: 6 });
      const uphill = end.slope > x0 ? "more than at the start: <b>they went uphill</b>" : "less than at the start, 0.21";
      ui.verdict(`Batch <b>${b}</b>, ${Live.number(T, 4)} steps: the runs end around x = ${Live.number(end.mean)}, with a gradient of ` +
        `${Live.number(end.slope)} on average, ${uphill}. The signs of the batches balance at x = ${Live.number(rest(b))}.`);
    }

    const bar = ui.slider({
      label: "batch size", range: [1, most], log: true, value: 24, steps: 94,
      format: (b) => `${Math.round(b)}`, change: draw,
    });
    const steps = ui.choice({
      label: "steps, each of length 0.21 / √T", options: [["30", "T = 30"], ["300", "T = 300"], ["1000", "T = 1,000"]],
      value: "300", change: draw,
    });
    for (const b of [1, 3, 5]) ui.button(`b = ${b}`, () => bar.set(b));
    ui.still(() => bar.set(1));
    ui.table(["b", "signs balance at x =", "average gradient after 300 steps"], [1, 2, 3, 4, 5, 8, 16, 32].map((b) =>
      [`${b}`, Live.number(rest(b)), Live.number(ends(b, 300).slope)]));
    draw();
    ui.plays();
  });
})();
