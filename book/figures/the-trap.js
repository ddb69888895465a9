// How long a memory does Adam need to leave the worst point?
"use strict";
(() => {
  // Slopes C, -1, -1, C, -1, -1, ...
  const slopes = (C, T) => Array.from({ length: T }, (_, k) => (k % 3 === 0 ? C : -1));

  // Adam with β₁ = 0 and no correction, rate η/√t, projected onto [-1, 1], from x = 1: positions x_1 ... x_T, and v.
  function play(g, lr, beta2) {
    let x = 1, v = 0;
    const xs = [], vs = [];
    g.forEach((now, k) => {
      v = beta2 * v + (1 - beta2) * now * now;
      xs.push(x);
      vs.push(v);
      if (v > 0) x -= (lr / Math.sqrt(k + 1)) * (now / Math.sqrt(v));
      x = Math.min(1, Math.max(-1, x));
    });
    return [xs, vs];
  }

  const rate = (beta2) => 0.9 * Math.sqrt(1 - beta2);
  // The mean position in rounds 2,001 to 3,000.
  function late(C, beta2) {
    const [xs] = play(slopes(C, 3000), rate(beta2), beta2), tail = xs.slice(2000);
    return tail.reduce((sum, x) => sum + x, 0) / tail.length;
  }
  // The theorem's range: β₂ up to 1 / (1 + C²).
  const proved = (C) => 1 / (1 + C * C);

  Live.figure("the-trap", { slopes, play, rate, late, proved }, (ui) => {
    const rounds = 24, grid = Array.from({ length: 100 }, (_, k) => 0.01 * k), cache = {};
    const left = ui.panel({
      title: "The first rounds",
      x: { range: [1, rounds + 1], ticks: [1, 7, 13, 19, 25], label: "round t" },
      y: { range: [-1.1, 1.1], ticks: [-1, 0, 1], label: "position x" },
    });
    left.text(1.4, -0.94, "best point", {}, left.back);
    const right = ui.panel({
      title: "Where it ends",
      x: { range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], label: "β₂" },
      y: { range: [-1.1, 1.1], ticks: [-1, 0, 1], label: "mean position, late" },
    });
    const curve = (C) => (cache[C] ??= grid.map((b) => [b, late(C, b)]));

    function draw() {
      const C = size.value(), beta2 = memory.value(), lr = rate(beta2), t = time.value();
      const g = slopes(C, rounds), [xs, vs] = play([...g, 0], lr, beta2), end = late(C, beta2);
      left.clear();
      right.clear();
      for (let k = 0; k < t; k++) {
        const color = g[k] > 0 ? "var(--b)" : "var(--a)";
        left.arrow([k + 1, xs[k]], [k + 2, xs[k + 1]], { stroke: color }, left.front, 6);
      }
      left.dot(t + 1, xs[t], { r: 5, fill: "var(--ink)" });
      right.line([[0, 0], [1, 0]], { stroke: "var(--soft)", "stroke-width": 1 });
      right.line([[0, 1.04], [proved(C), 1.04]], { stroke: "var(--c)", "stroke-width": 5, class: "landmark" });
      right.line(curve(C), { stroke: "var(--a)", class: "landmark" });
      right.dot(beta2, end, { r: 6, fill: "var(--ink)", ...(t === 0 && { class: "landmark" }) });
      const step = (k) => (lr / Math.sqrt(k + 1)) * Math.abs(g[k]) / Math.sqrt(vs[k]);
      const k = 3 * Math.max(0, Math.ceil(t / 3) - 1), up = step(k + 1) + step(k + 2);
      const lesson = end > 0.5 ? "Adam stays at the <b>worst point</b>."
        : end > -0.5 ? "This is the edge: the steps nearly cancel." : "The memory is long enough: Adam goes to the <b>best point</b>.";
      ui.verdict(`Rounds ${k + 1} to ${k + 3}: one step down of <b>${step(k).toFixed(3)}</b>, two steps up of together ` +
        `<b>${up.toFixed(3)}</b>. With β₂ = ${beta2.toFixed(2)} the mean position in rounds 2,001 to 3,000 is ${Live.number(end)}. ${lesson}`);
      ui.table(["round", "gradient", "√v", "position"], Array.from({ length: 6 }, (_, j) =>
        [`${j + 1}`, Live.number(g[j]), Math.sqrt(vs[j]).toFixed(3), Live.number(xs[j], 3)]));
    }
    const time = ui.player({ label: "rounds", steps: rounds, delay: 350, change: () => draw() });
    const memory = ui.slider({
      label: "β₂", range: [0, 0.99], value: 0.1, steps: 99, format: (b) => b.toFixed(2), change: () => draw(),
    });
    const size = ui.slider({
      label: "large slope C", range: [2.5, 10], value: 3, steps: 15, format: (C) => C.toFixed(1), change: () => draw(),
    });
    ui.landmark("β₂ = 1/(1 + C²)", () => memory.set(proved(size.value())));
    ui.button("β₂ = 0.1", () => memory.set(0.1));
    ui.button("β₂ = 0.95", () => memory.set(0.95));
    ui.still(() => time.set(rounds));
    draw();
    ui.plays();
  });
})();
