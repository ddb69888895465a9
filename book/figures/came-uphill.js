// The gradient is h once in k steps and -1 otherwise. When does CAME walk uphill?
"use strict";
(() => {
  const T = 10000, lr = 2e-4;

  // One period: the sums of the gradients and of the clipped updates, with v at its limit and d = 1.
  function period(h, k) {
    const v = (h * h + k - 1) / k, root = Math.sqrt(v);
    const clipped = (g) => g / root / Math.max(1, Math.abs(g) / root);
    return { gradients: h - (k - 1), updates: clipped(h) + (k - 1) * clipped(-1) };
  }
  const top = (k) => Math.sqrt((k - 1) * (k * k - k - 1));

  // CAME on [-1, 1] from 0, all entries of a matrix alike; d = Infinity takes the clip away.
  function walk(h, k, d, steps) {
    let x = 0, v = 0, m = 0, S = 0;
    const path = [];
    for (let t = 0; t < steps; t++) {
      const g = t % k === 0 ? h : -1;
      v = 0.999 * v + 0.001 * (g * g + 1e-30);
      let u = g / Math.sqrt(v);
      u /= Math.max(1, Math.abs(u) / d);
      m = 0.9 * m + (1 - 0.9) * u;
      S = 0.9999 * S + (1 - 0.9999) * ((u - m) ** 2 + 1e-16);
      x = Math.max(-1, Math.min(1, x - (lr * m) / Math.sqrt(S)));
      path.push(x);
    }
    return path;
  }

  Live.figure("came-uphill", { period, top, walk }, (ui) => {
    const ks = Array.from({ length: 10 }, (_, i) => i + 3);
    const left = ui.panel({
      title: "How rare, and how large",
      x: { range: [2.5, 12.5], ticks: [3, 6, 9, 12], label: "k: once in so many steps" },
      y: { range: [1, 60], log: true, ticks: [1, 3, 10, 30], label: "h: the rare gradient" },
    });
    left.area([...ks.map((k) => [k, k - 1]), ...[...ks].reverse().map((k) => [k, top(k)])],
      { fill: "var(--b)", "fill-opacity": 0.2, class: "landmark" }, left.back);
    left.text(7.5, 1.6, "shaded: updates up, gradients down", { "text-anchor": "middle", class: "landmark" }, left.back);
    const right = ui.panel({
      title: "Where the run goes",
      x: { range: [0, 1.02 * T], ticks: [0, 5000, 10000], label: "step" },
      y: { range: [-1.1, 1.1], ticks: [-1, 0, 1], label: "position" },
    });
    right.line([[0, 0], [T, 0]], { stroke: "var(--soft)", "stroke-dasharray": "3 4" }, right.back);

    let h = 30;
    function draw() {
      const k = Math.round(rare.value()), d = clip.value() === "1" ? 1 : Infinity;
      const sums = period(h, k), path = walk(h, k, d, T), end = path[T - 1], downhill = -Math.sign(sums.gradients);
      left.clear();
      right.clear();
      left.dot(k, h, { r: 6, fill: "var(--ink)" });
      right.line([[0, 0], ...path.map((x, t) => [t + 1, x]).filter((_, t) => t % 25 === 24)], { stroke: "var(--b)" });
      right.dot(T, end, { r: 5, fill: "var(--b)" });
      const level = Math.abs(sums.gradients) < 1e-9;
      const way = level ? "The mean loss is flat." : `Downhill is ${downhill < 0 ? "down to −1" : "up to 1"}.`;
      const went = Math.abs(end) < 0.02 ? "CAME has hardly moved" : level ? "CAME moves all the same"
        : Math.sign(end) === downhill ? "CAME goes downhill" : "<b>CAME goes uphill</b>";
      const sum = d === 1 ? `the updates that the clip leaves ${Live.number(sums.updates, 2)}` : "without the clip nothing is cut";
      ui.verdict(`h = ${Live.number(h, 3)} once in ${k} steps: the gradients of a period sum to ${Live.number(sums.gradients, 2)}, ${sum}. ` +
        `${way} After 10,000 steps it is at ${end.toFixed(2).replace("-", "−")}: ${went}.`);
    }

    const large = ui.slider({ label: "h, the rare gradient", range: [1.5, 48], log: true, value: 30, steps: 160, format: (v) => Live.number(v, 2), change: (v) => { h = Number(v.toPrecision(2)); draw(); } });
    const rare = ui.slider({ label: "k, once in so many steps", range: [3, 12], value: 5, steps: 9, format: (v) => `${Math.round(v)}`, change: draw });
    const clip = ui.choice({ label: "clip", options: [["1", "d = 1"], ["none", "none"]], value: "1", change: draw });
    for (const [size, k] of [[3, 5], [6, 5], [20, 5]]) {
      ui.button(`h = ${size}, k = ${k}`, () => { rare.set(k); large.set(size); h = size; draw(); });
    }
    ui.still(() => { large.set(6); h = 6; draw(); });
    ui.table(["k", "h from", "h to"], ks.map((k) => [`${k}`, `${k - 1}`, Live.number(top(k), 3)]));
    draw();
  });
})();
