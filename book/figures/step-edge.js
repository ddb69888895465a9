// How long may a step of gradient descent be?
"use strict";
(() => {
  // What one step does to the error along an eigenvector of the Hessian.
  const factor = (lr, lambda) => 1 - lr * lambda;

  // The errors before step 1, 2, ... and after the last, each a list with one entry for each eigenvalue.
  function path(lr, lambdas, start, steps) {
    const out = [start];
    for (let t = 0; t < steps; t++) out.push(out[t].map((e, j) => factor(lr, lambdas[j]) * e));
    return out;
  }

  // Steps until an error is a tenth of what it was; infinity where it does not shrink.
  const stepsToATenth = (lr, lambda) => {
    const size = Math.abs(factor(lr, lambda));
    return size >= 1 ? Infinity : size === 0 ? 1 : Math.log(10) / -Math.log(size);
  };

  // The rate with the smallest largest factor, 2 / (L + mu).
  const bestRate = (lambdas) => 2 / (Math.max(...lambdas) + Math.min(...lambdas));

  Live.figure("step-edge", { factor, path, stepsToATenth, bestRate }, (ui) => {
    const lambdas = [0.1, 1], L = 1, start = [-5, 1.2], steps = 40, most = 2.2, best = bestRate(lambdas);
    const colors = ["var(--a)", "var(--b)"], names = ["flat direction, λ = 0.1", "steep direction, λ = 1"];
    const left = ui.panel({
      title: "40 steps in a long valley", x: { range: [-6, 3] }, y: { range: [-3, 3.05] }, axes: false,
    });
    for (let c = 0.05; c < 12; c *= 2) {
      const ring = Array.from({ length: 97 }, (_, k) =>
        [Math.cos, Math.sin].map((turn, j) => Math.sqrt((2 * c) / lambdas[j]) * turn((k * Math.PI) / 48)));
      left.area(ring, { stroke: "var(--line)", "fill-opacity": 0.35 }, left.back);
    }
    const right = ui.panel({
      title: "One step multiplies the error by",
      x: { range: [0, most], ticks: [0, 0.5, 1, 1.5, 2], label: "learning rate η, in units of 1/L" },
      y: { range: [-1.4, 1.4], ticks: [-1, 0, 1], label: "factor 1 − ηλ" },
    });
    for (const edge of [-1, 1]) {
      right.area([[0, edge], [most, edge], [most, 1.4 * edge], [0, 1.4 * edge]], {}, right.back);
    }
    lambdas.forEach((lambda, j) =>
      right.line([0, most].map((lr) => [lr, factor(lr, lambda)]), { stroke: colors[j] }, right.back));
    right.line([[2, -1.4], [2, 1.4]], { stroke: "var(--c)", "stroke-dasharray": "5 4", class: "landmark" }, right.back);
    right.text(2.02, 1.14, "2/L", { class: "landmark" }, right.back);
    right.legend(names.map((name, j) => [name, colors[j]]), [0.02, 0.69]);

    function draw(lr) {
      left.clear();
      right.clear();
      const walk = path(lr, lambdas, start, steps);
      left.line(walk, { stroke: "var(--ink)", "stroke-width": 1.2 });
      for (const e of walk) left.dot(...e, { r: 2.6, fill: "var(--b)" });
      left.dot(0, 0, { r: 4, fill: "var(--c)" });
      left.dot(...start, { r: 4.5, fill: "var(--ink)" });
      right.line([[lr, -1.4], [lr, 1.4]], { stroke: "var(--ink)", "stroke-width": 1 });
      lambdas.forEach((lambda, j) => right.dot(lr, factor(lr, lambda), { r: 5.5, fill: colors[j] }));
      const [flat, steep] = lambdas.map((lambda) => factor(lr, lambda)), near = 1e-9;
      const slower = Math.max(...lambdas.map((lambda) => stepsToATenth(lr, lambda)));
      const tenth = `A tenth of the error is left after <b>${Live.number(slower, 3)} steps</b>.`;
      const lesson = lr < 1 - near ? `The path does not cross the valley, and the flat direction decides. ${tenth}`
        : lr < 1 + near ? `Along the steep direction the error is gone after one step, and the flat direction decides. ${tenth}`
        : lr < best + 0.01 ? `The path jumps across the valley and still shrinks; the flat direction decides. ${tenth}`
        : lr < 2 - near ? `Now the steep direction is the slower one. ${tenth}`
        : lr < 2 + near ? "At the edge the path jumps from side to side of the valley for ever."
        : `Beyond the edge each jump is <b>${Live.number(-steep, 3)} times</b> as long as the last; after 40 steps the ` +
          `error along the steep direction is ${Live.number(Math.abs(walk[steps][1] / start[1]), 2)} times what it was.`;
      ui.verdict(`At <b>η = ${Live.number(lr, 3)}/L</b> the factors are ${Live.number(flat, 3)} and ` +
        `${Live.number(Math.abs(steep) < near ? 0 : steep, 3)}. ${lesson}`);
    }

    const bar = ui.slider({
      label: "learning rate", range: [0.02, most], value: 0.5, steps: 109,
      format: (lr) => `${Live.number(lr, 3)}/L`, change: draw,
    });
    ui.button("η = 1/L", () => bar.set(1));
    ui.landmark("η = 2/(L + μ)", () => bar.set(best));
    ui.landmark("η = 2/L", () => bar.set(2));
    ui.landmark("η = 2.04/L", () => bar.set(2.04));
    ui.still(() => bar.set(1.9));
    ui.table(["η in 1/L", "factor, λ = 0.1", "factor, λ = 1", "steps to a tenth"],
      [0.1, 0.5, 1, 1.5, best, 1.9, 2, 2.04].map((lr) => [Live.number(lr, 3),
        ...lambdas.map((lambda) => Live.number(factor(lr, lambda), 3)),
        Live.number(Math.max(...lambdas.map((lambda) => stepsToATenth(lr, lambda))), 3)]));
    draw(bar.value());
  });
})();
