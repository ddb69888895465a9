// One top rate, four schedules and an average: when may the run end?
"use strict";
(() => {
  // A noisy bowl: curvatures, start, variance of the gradient's noise along each direction; planned steps, top rate.
  const bowl = { h: [1, 0.3, 0.05], start: 4, noise: 1, steps: 400, lr: 0.2 };
  const setting = () => bowl;
  const schedules = {
    constant: () => 1,
    cosine: (t, T) => (1 + Exact.cos((Math.PI * t) / T)) / 2,
    linear: (t, T) => 1 - t / T,
    wsd: (t, T) => 1 - Math.sqrt(Math.max(0, t - 0.75 * T) / (0.25 * T)),
  };
  const rate = (kind, t, T) => (t < T ? bowl.lr * schedules[kind](t, T) : 0);
  const loss = (square) => square.reduce((sum, e, j) => sum + (bowl.h[j] * e) / 2, 0);

  // E f after 0, 1, ..., `steps` steps of a run that is planned for T: E e² <- (1 - lr h)² E e² + lr² noise.
  function losses(kind, T, steps) {
    let square = bowl.h.map(() => bowl.start ** 2);
    const out = [loss(square)];
    for (let t = 0; t < steps; t++) {
      const lr = rate(kind, t, T);
      square = square.map((e, j) => (1 - lr * bowl.h[j]) ** 2 * e + lr ** 2 * bowl.noise);
      out.push(loss(square));
    }
    return out;
  }

  // E f of the mean of the points after `from` + 1, ..., `steps` steps at the constant rate. With s the sum of the
  // points so far: E s² grows by 2 E s e + E e², and E s e is multiplied by 1 - lr h before E e² is added.
  function averaged(from, steps) {
    const square = bowl.h.map((h) => {
      const a = 1 - bowl.lr * h;
      let ee = bowl.start ** 2, se = 0, ss = 0;
      for (let t = 1; t <= steps; t++) {
        ee = a ** 2 * ee + bowl.lr ** 2 * bowl.noise;
        if (t <= from) continue;
        ss += 2 * a * se + ee;
        se = a * se + ee;
      }
      return ss / (steps - from) ** 2;
    });
    return loss(square);
  }
  const half = (steps) => averaged(Math.floor(steps / 2), steps);

  Live.figure("stop-the-run", { setting, losses, averaged }, (ui) => {
    const T = bowl.steps, low = 0.03, top = 12, kinds = Object.keys(schedules);
    const colors = { constant: "var(--soft)", cosine: "var(--a)", linear: "var(--c)", wsd: "var(--b)", average: "var(--ink)" };
    const names = { constant: "constant", cosine: "cosine", linear: "linear", wsd: "WSD", average: "average of constant" };
    const ticks = [0, 100, 200, 300, 400];
    const left = ui.panel({
      title: "The rate", x: { range: [0, T], ticks, label: "step" },
      y: { range: [0, 0.22], ticks: [0, 0.1, 0.2], label: "learning rate" },
    });
    const right = ui.panel({
      title: "The loss if you stop here", x: { range: [0, T], ticks, label: "step" },
      y: { range: [low, top], log: true, ticks: [0.03, 0.1, 0.3, 1, 3, 10], label: "expected loss" },
    });
    right.legend(Object.keys(names).map((kind) => [names[kind], colors[kind], kind === "average" ? "5 4" : undefined]), [0.46, 0.02]);
    for (const kind of kinds) {
      const points = Array.from({ length: T + 1 }, (_, t) => [t, rate(kind, t, T)]);
      left.line(points, { stroke: colors[kind] }, left.back);
    }
    const curves = Object.fromEntries(kinds.map((kind) => [kind, losses(kind, T, T)]));
    curves.average = [curves.constant[0], ...Array.from({ length: T }, (_, t) => half(t + 1))];

    function draw(at) {
      const stop = Math.round(at);
      left.clear();
      right.clear();
      left.line([[stop, 0], [stop, 0.22]], { stroke: "var(--ink)", "stroke-dasharray": "3 4" });
      for (const kind of Object.keys(names)) {
        const dash = kind === "average" ? { "stroke-dasharray": "5 4" } : {};
        right.line(curves[kind].slice(0, stop + 1).map((v, t) => [t, v]), { stroke: colors[kind], ...dash });
        right.dot(stop, curves[kind][stop], { r: 4, fill: colors[kind] });
      }
      const order = Object.keys(names).sort((p, q) => curves[p][stop] - curves[q][stop]);
      ui.verdict(`Stopped after <b>${stop}</b> steps of ${T}: ` +
        order.map((kind) => `${names[kind]} <b>${curves[kind][stop].toPrecision(2)}</b>`).join(", ") + ".");
    }

    const bar = ui.slider({
      label: "stop after", range: [4, T], steps: T - 4, value: 40, format: (v) => `${Math.round(v)} steps`, change: draw,
    });
    ui.table(["stopped after", ...Object.values(names)], [100, 200, 300, 350, 400].map((stop) =>
      [String(stop), ...Object.keys(names).map((kind) => curves[kind][stop].toPrecision(2))]));
    ui.still(() => bar.set(T));
    draw(bar.value());
  });
})();
