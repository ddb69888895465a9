// Is there a rate at which CAME as published takes the steps of corrected CAME?
"use strict";
(() => {
  // Of the records: steps of a run, the best rate of corrected CAME, and, on the tuning seed, rate and last loss of each.
  const RECORD = Live.records["match-the-rate"];
  const beta3 = 0.9999;
  const best = (tried) => tried.reduce((a, row) => (row[1] < a[1] ? row : a))[0];

  // The trainer's rate at step t (from 1) of a run, for a peak of 1: up over its first part, then down as a power.
  function planned(run, t) {
    const { steps, warm = 0.2, power = 0.5 } = run, first = Math.round(warm * steps);
    return (t >= first ? 1 : t / first) * (1 - (t - 1) / steps) ** power;
  }
  // The rate of a step of CAME as published on a matrix, in terms of corrected CAME; a vector has the planned one.
  const matrix = (rate, run, t) => (rate * planned(run, t)) / Math.sqrt(1 - beta3 ** t);
  const vector = (rate, run, t) => rate * planned(run, t);
  // Published over corrected: at the first step, at the last, and on vectors.
  function ratios(name, rate) {
    const { steps, corrected } = RECORD[name], r = rate / best(corrected);
    return { first: r / Math.sqrt(1 - beta3), last: r / Math.sqrt(1 - beta3 ** steps), vectors: r };
  }

  Live.figure("match-the-rate", { planned, matrix, vector, ratios }, (ui) => {
    const left = ui.panel({
      title: "The rate of each step", height: 300, x: { range: [1, 12000], log: true, ticks: [1, 10, 100, 1000, 10000], label: "step" },
      y: { range: [1e-7, 0.1], log: true, ticks: [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1], label: "learning rate", format: (v) => `10⁻${"⁰¹²³⁴⁵⁶⁷"[-Math.round(Math.log10(v))]}` },
    });
    left.legend([["corrected, best rate", "var(--c)"], ["published, matrices", "var(--b)"], ["published, vectors", "var(--b)", "3 4"]], [0.4, 0.74]);
    const right = ui.panel({
      title: "What was tried, a run each", height: 300,
      x: { range: [1e-4, 0.05], log: true, ticks: [1e-4, 1e-3, 0.01], label: "rate that is set", format: (v) => `${v}` },
      y: { range: [-0.05, 1.6], ticks: [0, 0.4, 0.8, 1.2, 1.6], label: "nats above corrected CAME's best" },
    });

    function draw() {
      const name = model.value(), run = RECORD[name], { steps, published, corrected } = run, rate = bar.value(), found = ratios(name, rate);
      const at = [...new Set(Array.from({ length: 120 }, (_, k) => Math.round(steps ** (k / 119))))];
      const least = Math.min(...corrected.map((row) => row[1]));
      left.clear();
      right.clear();
      left.line(at.map((t) => [t, vector(best(corrected), run, t)]), { stroke: "var(--c)", "stroke-width": 4 });
      left.line(at.map((t) => [t, matrix(rate, run, t)]), { stroke: "var(--b)" });
      left.line(at.map((t) => [t, vector(rate, run, t)]), { stroke: "var(--b)", "stroke-dasharray": "3 4" });
      for (const [tried, color] of [[corrected, "var(--c)"], [published, "var(--b)"]]) {
        const points = tried.map(([lr, loss]) => [lr, loss - least]);
        right.line(points, { stroke: color, class: "landmark" });
        points.forEach(([lr, loss]) => right.dot(lr, loss, { r: 4, fill: color, class: "landmark" }));
      }
      right.line([[rate, -0.05], [rate, 1.6]], { stroke: "var(--b)", "stroke-dasharray": "5 4" });
      const made = published.find(([lr]) => Math.abs(Math.log(lr / rate)) < 0.01);
      ui.verdict(`${name}, ${Live.number(steps, 4)} steps, published CAME at <b>${Live.number(rate)}</b>: over corrected CAME at ${best(corrected)}, the rate of matrices ` +
        `is <b>${Live.number(found.first)}</b> times at the first step and <b>${Live.number(found.last)}</b> times at the last; of vectors ` +
        `${Live.number(found.vectors)} times. ${made ? `This run ended at <b>${made[1]}</b> nats, the corrected one at ${least}.` : "No run was made at this rate."}`);
    }
    const model = ui.choice({ label: "model", value: "T5", options: Object.keys(RECORD).map((n) => [n, n]), change: () => draw() });
    const bar = ui.slider({
      label: "published CAME's rate", range: [0.000125, 0.016], log: true, steps: 14, value: 0.016, format: (v) => Live.number(v), change: () => draw(),
    });
    const show = (name, rate) => { model.set(name); bar.set(rate); };
    for (const [name, { published }] of Object.entries(RECORD)) ui.button(`${name}, ${best(published)}`, () => show(name, best(published)));
    ui.button("T5, 0.008", () => show("T5", 0.008));
    ui.still(() => show("T5", 0.001));
    ui.table(["model", "published", "last loss", "first step", "last step", "vectors"], Object.entries(RECORD).flatMap(([name, { published }]) =>
      published.map(([lr, loss]) => [name, `${lr}`, `${loss}`, ...Object.values(ratios(name, lr)).map((v) => Live.number(v))])));
    draw();
  });
})();
