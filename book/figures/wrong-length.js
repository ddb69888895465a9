// A schedule that was planned for another length than the run gets.
"use strict";
(() => {
  // A noisy bowl: curvatures, start, variance of the gradient's noise along each direction; steps that the run gets.
  const bowl = { h: [1, 0.3, 0.05], start: 4, noise: 1, steps: 400, lr: 0.2 };
  const setting = () => bowl;
  const schedules = {
    cosine: (t, T) => (1 + Exact.cos((Math.PI * t) / T)) / 2,
    linear: (t, T) => 1 - t / T,
    wsd: (t, T) => 1 - Math.sqrt(Math.max(0, t - 0.75 * T) / (0.25 * T)),
  };
  // E f after `steps` steps of a schedule that was planned for T steps, and is zero after them.
  function loss(kind, T, steps) {
    let square = bowl.h.map(() => bowl.start ** 2);
    for (let t = 0; t < Math.min(T, steps); t++) {
      const lr = bowl.lr * schedules[kind](t, T);
      square = square.map((e, j) => (1 - lr * bowl.h[j]) ** 2 * e + lr ** 2 * bowl.noise);
    }
    return square.reduce((sum, e, j) => sum + (bowl.h[j] * e) / 2, 0);
  }

  Live.figure("wrong-length", { setting, loss }, (ui) => {
    const got = bowl.steps, plans = Array.from({ length: 49 }, (_, k) => Math.round(100 * 16 ** (k / 48)));
    const colors = { cosine: "var(--a)", linear: "var(--c)", wsd: "var(--b)" };
    const names = { cosine: "cosine", linear: "linear", wsd: "WSD" }, kinds = Object.keys(names);
    const left = ui.panel({
      title: "The rate that was planned", x: { range: [0, got], ticks: [0, 100, 200, 300, 400], label: "step" },
      y: { range: [0, 0.22], ticks: [0, 0.1, 0.2], label: "learning rate" },
    });
    const right = ui.panel({
      title: "The loss after 400 steps",
      x: { range: [100, 1600], log: true, ticks: [100, 200, 400, 800, 1600], label: "steps that were planned" },
      y: { range: [0.03, 1], log: true, ticks: [0.03, 0.1, 0.3, 1], label: "expected loss" },
    });
    right.legend(kinds.map((kind) => [names[kind], colors[kind]]), [0.68, 0.02]);
    for (const kind of kinds) {
      right.line(plans.map((T) => [T, loss(kind, T, got)]), { stroke: colors[kind], class: "landmark" }, right.back);
    }

    function draw(plan) {
      const T = Math.round(plan);
      left.clear();
      right.clear();
      for (const kind of kinds) {
        const rates = Array.from({ length: got + 1 }, (_, t) => [t, t < T ? bowl.lr * schedules[kind](t, T) : 0]);
        left.line(rates, { stroke: colors[kind] });
        right.dot(T, loss(kind, T, got), { r: 5, fill: colors[kind] });
      }
      right.line([[got, 0.03], [got, 1]], { stroke: "var(--soft)", "stroke-dasharray": "3 4" });
      const price = kinds.map((kind) => `${names[kind]} <b>${(loss(kind, T, got) / loss(kind, got, got)).toFixed(1)}</b>`);
      ui.verdict(`Planned for <b>${T}</b> steps, got ${got}: the loss is, in units of the right plan's, ${price.join(", ")}.`);
    }

    const bar = ui.slider({
      label: "planned for", range: [100, 1600], log: true, steps: 48, value: 400, format: (v) => `${Math.round(v)} steps`, change: draw,
    });
    for (const [words, T] of [["half", 200], ["right", 400], ["double", 800]]) ui.button(`planned ${words}`, () => bar.set(T));
    ui.table(["planned for", ...kinds.map((kind) => names[kind])], [100, 200, 400, 800, 1600].map((T) =>
      [String(T), ...kinds.map((kind) => loss(kind, T, got).toPrecision(2))]));
    ui.still(() => bar.set(800));
    draw(bar.value());
    ui.plays();
  });
})();
