// How long may the steps of gradient descent be?
"use strict";
(() => {
  const loss = (x, h) => x.reduce((sum, v, j) => sum + (h[j] * v * v) / 2, 0);

  // The points x_0, x_1, ... of gradient descent on f = sum_j h_j x_j^2 / 2.
  function path(x, h, lr, steps) {
    const points = [x];
    for (let t = 0; t < steps; t++) points.push(points[t].map((v, j) => v - lr * h[j] * v));
    return points;
  }

  Live.figure("descent-bowl", { loss, path }, (ui) => {
    const h = [1, 8], start = [2, 1], steps = 30, edge = 2 / h[1], turn = 1 / h[1], longest = 0.3;
    const left = ui.panel({
      title: "The path on the bowl",
      x: { range: [-2.4, 2.4], ticks: [-2, -1, 0, 1, 2], label: "x₁" },
      y: { range: [-1.6, 1.6], ticks: [-1, 0, 1], label: "x₂" },
    });
    for (let c = 16; c > 0.01; c /= 1.8) {
      const ring = Array.from({ length: 97 }, (_, k) => {
        const angle = (k * Math.PI) / 48;
        return [Math.sqrt((2 * c) / h[0]) * Math.cos(angle), Math.sqrt((2 * c) / h[1]) * Math.sin(angle)];
      });
      left.area(ring, { stroke: "var(--line)", "fill-opacity": 0.5 }, left.back);
    }
    const right = ui.panel({
      title: "The loss",
      x: { range: [0, steps], ticks: [0, 10, 20, 30], label: "step t" },
      y: { range: [1e-5, 1e4], log: true, ticks: [1e-4, 1e-2, 1, 100, 10000], label: "f",
        format: (v) => Live.number(v, 1) },
    });
    right.line([[0, loss(start, h)], [steps, loss(start, h)]], { stroke: "var(--soft)", "stroke-dasharray": "5 4" },
      right.back);

    function draw(lr) {
      const points = path(start, h, lr, steps), last = loss(points[steps], h);
      left.clear();
      right.clear();
      left.line(points, { stroke: "var(--b)" });
      points.forEach(([u, v]) => left.dot(u, v, { fill: "var(--b)", r: 2.6 }));
      left.dot(start[0], start[1], { fill: "var(--ink)", r: 4.5 });
      right.line(points.map((x, t) => [t, Math.max(1e-9, loss(x, h))]), { stroke: "var(--b)" });
      const near = Math.abs(lr - edge) < 0.0007;
      const lesson = lr === 0 ? "A step of length 0 leads nowhere."
        : near ? "This is the edge, 2/8: x₂ jumps from 1 to −1 and back, and the jumps never shrink."
        : lr > edge ? "Too long: x₂ changes its sign in every step and grows. The loss grows without bound."
        : lr > turn + 0.0007 ? "In every step x₂ jumps to the other side of the valley, a little lower each time."
        : lr > turn - 0.0007 ? "At 1/8 one step takes x₂ to the bottom of the valley; x₁ still has a long way to go."
        : "The path slides down without a jump, and slowly along the flat direction.";
      ui.verdict(`<b>η = ${lr.toFixed(3)}</b>: each step multiplies x₁ by ${(1 - lr * h[0]).toFixed(3)} and x₂ by ` +
        `${(1 - lr * h[1]).toFixed(2).replace("-", "−")}. After ${steps} steps the loss is ${Live.number(last)}; it was ` +
        `${loss(start, h)}. ${lesson}`);
    }

    const bar = ui.slider({
      label: "learning rate η", range: [0, longest], value: 0.1, steps: 300, format: (v) => v.toFixed(3), change: draw,
    });
    ui.button("η = 0.02", () => bar.set(0.02));
    ui.landmark("η = 1/8", () => bar.set(turn));
    ui.landmark("η = 0.24", () => bar.set(0.24));
    ui.landmark("η = 2/8", () => bar.set(edge));
    ui.landmark("η = 0.26", () => bar.set(0.26));
    ui.table(["η", "factor of x₁", "factor of x₂", `loss after ${steps} steps`],
      [0.02, 0.1, 0.125, 0.22, 0.24, 0.25, 0.26].map((lr) => [`${lr}`, (1 - lr).toFixed(3),
        (1 - 8 * lr).toFixed(2).replace("-", "−"), Live.number(loss(path(start, h, lr, steps)[steps], h))]));
    draw(bar.value());
  });
})();
