// Where does SGD come to rest, and what happens near the edge?
"use strict";
(() => {
  // One run on f = lambda x² / 2: the gradient of a batch is lambda x + sigma z / sqrt(b), one z for each step.
  function run(lr, b, lambda, sigma, start, z) {
    const out = [start];
    z.forEach((noise, t) => out.push(out[t] - lr * (lambda * out[t] + (sigma * noise) / Math.sqrt(b))));
    return out;
  }

  // E f before step 1, 2, ... and after the last: the recursion of the mean square, times lambda / 2.
  function expectedLoss(lr, b, lambda, sigma, start, steps) {
    const out = [Exact.square(start)];
    for (let t = 0; t < steps; t++) out.push(Exact.square(1 - lr * lambda) * out[t] + Exact.square(lr * sigma) / b);
    return out.map((square) => (lambda / 2) * square);
  }

  // The floor of E f; infinity from 2 / lambda on.
  const floor = (lr, b, lambda, sigma) =>
    lr * lambda < 2 ? (lr * Exact.square(sigma)) / (2 * b * (2 - lr * lambda)) : Infinity;

  const thumb = (lr, b, sigma) => (lr * Exact.square(sigma)) / (4 * b);

  Live.figure("noisy-bowl", { run, expectedLoss, floor, thumb }, (ui) => {
    const lambda = 1, sigma = 2, start = -8, steps = 200, tail = 60, most = 2.1, low = 1e-4, high = 1e3;
    let seed = 5;
    const f = (x) => (lambda / 2) * x * x;
    const left = ui.panel({
      title: "The last 60 positions of the ball",
      x: { range: [-9, 9], ticks: [-8, -4, 0, 4, 8], label: "x" },
      y: { range: [-1.5, 40], ticks: [0, 10, 20, 30, 40], label: "loss f(x)" },
    });
    const curve = Array.from({ length: 121 }, (_, k) => -9 + 0.15 * k);
    left.line(curve.map((x) => [x, f(x)]), { stroke: "var(--soft)" }, left.back);
    const right = ui.panel({
      title: "The loss at each step",
      x: { range: [0, steps], ticks: [0, 50, 100, 150, 200], label: "step" },
      y: { range: [low, high], log: true, ticks: [1e-4, 1e-2, 1, 100], label: "loss above the minimum" },
    });
    right.legend([["expected", "var(--ink)"], ["floor", "var(--c)", "5 4"]], [0.62, 0.02]);

    function draw() {
      const lr = rate.value(), b = Math.round(batch.value());
      left.clear();
      right.clear();
      const walk = run(lr, b, lambda, sigma, start, Live.normals(steps, seed));
      const mean = expectedLoss(lr, b, lambda, sigma, start, steps), rest = floor(lr, b, lambda, sigma);
      for (const x of walk.slice(-tail)) left.dot(x, f(x), { r: 3.2, "fill-opacity": 0.5 });
      left.dot(start, f(start), { r: 5, fill: "var(--ink)" });
      walk.forEach((x, t) => right.dot(t, Math.max(f(x), low / 10), { r: 1.9, "fill-opacity": 0.7 }));
      right.line(mean.map((loss, t) => [t, loss]), { stroke: "var(--ink)", class: "landmark" });
      if (rest < Infinity) {
        const dashes = { stroke: "var(--c)", "stroke-dasharray": "5 4", class: "landmark" };
        left.line([[-9, rest], [9, rest]], dashes);
        right.line([[0, rest], [steps, rest]], dashes);
      }
      const shrink = Exact.square(1 - lr * lambda), near = 1e-9;
      const lesson = lr > 2 + near ? `beyond 2/L each step multiplies the mean square by ${Live.number(shrink, 3)}: there is ` +
          "no floor, and no batch size helps."
        : lr > 2 - near ? "at 2/L the old error does not shrink and every step adds noise: there is no floor."
        : `the floor is <b>${Live.number(rest)}</b>; the rule of thumb ησ²/4b says ${Live.number(thumb(lr, b, sigma))}. ` +
          (lr > 1.5 ? "This close to the edge the rule is far too low, and the ball jumps from side to side."
            : lr < 0.1 ? "A low floor, but the ball takes long to arrive."
            : "The ball arrives soon and then jumps about for ever.");
      ui.verdict(`At <b>η = ${Live.number(lr, 3)}/L</b> and <b>b = ${b}</b>: ${lesson}`);
    }

    const rate = ui.slider({
      label: "learning rate", range: [0.02, most], value: 0.5, steps: 208,
      format: (lr) => `${Live.number(lr, 3)}/L`, change: () => draw(),
    });
    const batch = ui.slider({
      label: "batch size", range: [1, 256], log: true, value: 1, steps: 8,
      format: (b) => `${Math.round(b)}`, change: () => draw(),
    });
    ui.button("halve the rate", () => rate.set(Math.max(0.02, rate.value() / 2)));
    ui.button("double the batch", () => batch.set(Math.min(256, 2 * batch.value())));
    ui.landmark("η = 2/L", () => rate.set(2));
    ui.button("other noise", () => { seed += 1; draw(); });
    ui.table(["η in 1/L", "floor, b = 1", "floor, b = 16", "rule of thumb, b = 1"], [0.02, 0.1, 0.5, 1, 1.5, 1.9, 1.98].map((lr) =>
      [Live.number(lr, 3), Live.number(floor(lr, 1, lambda, sigma)), Live.number(floor(lr, 16, lambda, sigma)),
        Live.number(thumb(lr, 1, sigma))]));
    draw();
  });
})();
