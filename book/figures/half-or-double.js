// From some moment on: divide the rate, or multiply the batch?
"use strict";
(() => {
  // A bowl with two directions: curvatures, start (squared), variance of one sample's gradient; batch and steps of one run.
  const bowl = { h: [1, 0.1], start: [9, 9], noise: [40, 4], b: 8, steps: 480 };
  const setting = () => bowl;

  // E e² after one step of SGD, in each direction: (1 - lr h)² E e² + lr² noise / b.
  const step = (square, lr, b) => square.map((e, j) => (1 - lr * bowl.h[j]) ** 2 * e + (lr ** 2 * bowl.noise[j]) / b);
  const loss = (square) => square.reduce((sum, e, j) => sum + (bowl.h[j] * e) / 2, 0);
  // One row a step: [examples / b, expected loss]. Up to the switch, after `before` steps, both runs are the same; then
  // the rate is divided by m ("half") or the batch multiplied by m ("double").
  function run(kind, lr, m, before) {
    const rows = [[0, loss(bowl.start)]];
    let square = bowl.start, seen = 0;
    while (seen < bowl.steps) {
      const late = seen >= before, grown = late && kind === "double";
      square = step(square, late && kind === "half" ? lr / m : lr, grown ? m * bowl.b : bowl.b);
      seen += grown ? m : 1;
      rows.push([seen, loss(square)]);
    }
    return rows;
  }
  // What the theorem allows: 1 / (1 - lr L), for lr L < 1.
  const allowed = (lr) => (lr * bowl.h[0] < 1 ? 1 / (1 - lr * bowl.h[0]) : Infinity);

  Live.figure("half-or-double", { setting, run, allowed }, (ui) => {
    const low = 0.02, top = 12, end = bowl.steps, names = { half: "rate divided", double: "batch multiplied" };
    const colors = { half: "var(--b)", double: "var(--a)" };
    const axis = { range: [low, top], log: true, ticks: [0.03, 0.1, 0.3, 1, 3, 10], label: "expected loss" };
    const left = ui.panel({
      title: "Over examples", height: 290, y: axis,
      x: { range: [0, end], ticks: [0, 120, 240, 360, 480], label: "examples (in small batches)" },
    });
    const right = ui.panel({
      title: "Over steps", height: 290, y: axis, x: { range: [0, end], ticks: [0, 120, 240, 360, 480], label: "steps" },
    });
    left.legend(Object.keys(names).map((kind) => [names[kind], colors[kind]]), [0.45, 0.02]);
    let m = 4, lr = 0.2;

    function draw(at) {
      const before = end - Math.floor((end * (1 - at)) / m) * m; // so that what is left is a number of large batches
      left.clear();
      right.clear();
      for (const panel of [left, right]) panel.line([[before, low], [before, top]], { stroke: "var(--soft)", "stroke-dasharray": "3 4" });
      const runs = Object.fromEntries(Object.keys(names).map((kind) => [kind, run(kind, lr, m, before)]));
      for (const kind of ["half", "double"]) {
        left.line(runs[kind], { stroke: colors[kind], "stroke-width": kind === "half" ? 3.5 : 1.8 });
        right.line(runs[kind].map(([, v], k) => [k, v]), { stroke: colors[kind] });
        right.dot(runs[kind].length - 1, runs[kind][runs[kind].length - 1][1], { r: 5, fill: colors[kind] });
      }
      const last = Object.fromEntries(Object.keys(names).map((kind) => [kind, runs[kind][runs[kind].length - 1][1]]));
      const took = runs.double.length - 1, ratio = last.double / last.half, most = allowed(lr);
      const bound = Number.isFinite(most) ? `the theorem allows ${most.toFixed(2)}` : "the theorem says nothing at this rate";
      ui.verdict(`With the batch multiplied by <b>${m}</b> after ${Math.round((100 * before) / end)} % of the examples: ` +
        `<b>${took}</b> steps instead of ${end}, <b>${Math.round(100 * (1 - took / end))} %</b> saved. The loss ends ` +
        `<b>${ratio.toFixed(2)}</b> times as high as with the rate divided by ${m}; ${bound}.`);
      ui.table(["examples", "rate divided", "batch multiplied"], [0, 120, 240, 360, 480].map((seen) => [Live.number(seen, 3),
        ...["half", "double"].map((kind) => (runs[kind].find(([x]) => x >= seen) ?? [0, NaN])[1].toPrecision(3))]));
    }

    const bar = ui.slider({
      label: "switch after", range: [0, 1], steps: 48, value: 1, format: (v) => `${Math.round(100 * v)} %`, change: draw,
    });
    ui.slider({
      label: "learning rate times L", range: [0.05, 1.8], steps: 35, value: lr, format: (v) => v.toFixed(2),
      change: (v) => { lr = v / bowl.h[0]; draw(bar.value()); },
    });
    for (const k of [2, 4, 16]) ui.button(`times ${k}`, () => { m = k; draw(bar.value()); });
    ui.still(() => bar.set(0.4));
    draw(bar.value());
  });
})();
