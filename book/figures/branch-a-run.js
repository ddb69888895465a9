// Go on from one place of a run with six batches: does its critical batch grow or fall as the loss falls?
"use strict";
(() => {
  const n = 1437, losses = [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16], batches = [2, 8, 32, 128, 512, n];
  // Recorded (book/runs/batch-branches): for each of the losses, steps until it has halved, medians of ten runs; the
  // critical batches of the ten runs, [least, median, greatest]; medians of what the noise foretells; and what that of
  // full-batch descent at a quarter of its best rate does.
  const { steps, measured, foretold, misled } = Live.records["branch-a-run"];

  // 1/b of the batch with replacement that has the same variance.
  const oneOver = (b) => (n - b) / (b * (n - 1));

  // Fewest steps and critical batch of the hyperbola: least squares in log S, over 1,600 critical batches.
  function fit(inverse, seen) {
    let found = null;
    for (let k = 0; k < 1600; k++) {
      const critical = 3000 ** (k / 1599);
      const gap = seen.map((s, j) => Math.log(s) - Math.log1p(critical * inverse[j]));
      const mean = gap.reduce((sum, v) => sum + v, 0) / gap.length;
      const error = gap.reduce((sum, v) => sum + (v - mean) ** 2, 0);
      if (!found || error < found.error) found = { fewest: Math.exp(mean), critical, error };
    }
    return [found.fewest, found.critical];
  }

  Live.figure("branch-a-run", { oneOver, fit }, (ui) => {
    const names = ["1", "1/2", "1/4", "1/8", "1/16"], fits = steps.map((seen) => fit(batches.map(oneOver), seen));
    const left = ui.panel({
      title: "Steps until the loss has halved",
      x: { range: [1.6, 1800], log: true, ticks: [2, 16, 128, 1024], label: "batch size b" },
      y: { range: [5, 5000], log: true, ticks: [10, 100, 1000], label: "steps" },
    });
    const right = ui.panel({
      title: "The critical batch of the stretch",
      x: { range: [1.3, 0.048], log: true, ticks: losses, format: (t) => names[losses.indexOf(t)], label: "loss at the branch" },
      y: {
        range: [1, 40000], log: true, ticks: [1, 10, 100, 1000, 10000], label: "digits",
        format: (t) => ({ 1000: "10³", 10000: "10⁴" })[t] ?? `${t}`,
      },
    });
    const line = (values) => values.map((v, k) => [losses[k], v]);
    right.line(line(foretold), { stroke: "var(--c)", class: "landmark" }, right.back);
    right.line(line(misled), { stroke: "var(--b)", "stroke-dasharray": "6 4", class: "landmark" }, right.back);
    right.legend([["measured by branching", "var(--a)"], ["foretold by the run's noise", "var(--c)"],
      ["by that of a slow run", "var(--b)", "6 4"]], [0.25, 0.76]);
    const curve = Array.from({ length: 97 }, (_, k) => 2 * (n / 2) ** (k / 96));
    const visited = new Set();

    function draw(value) {
      const k = Math.round(value), [fewest, critical] = fits[k];
      visited.add(k);
      left.clear();
      right.clear();
      left.line(curve.map((b) => [b, fewest * (1 + critical * oneOver(b))]), { stroke: "var(--a)" });
      batches.forEach((b, j) => left.dot(b, steps[k][j], { r: 5 }));
      left.dot(critical, 2 * fewest, { r: 6, fill: "none", stroke: "var(--ink)", "stroke-width": 2.5 });
      for (const j of visited) {
        const [least, median, greatest] = measured[j];
        right.line([[losses[j], least], [losses[j], greatest]], { stroke: "var(--a)", "stroke-width": j === k ? 3 : 1.5 });
        right.dot(losses[j], median, { r: j === k ? 6 : 4 });
      }
      ui.verdict(`From a loss of <b>${names[k]}</b> on, the full batch needs ${Live.number(steps[k][5])} steps to halve it, and ` +
        `batches of 2 need ${Live.number(steps[k][0])}. The critical batch is <b>${Live.number(measured[k][1])}</b> digits, from ` +
        `${Live.number(measured[k][0])} to ${Live.number(measured[k][2])} in ten runs; the noise foretold <b>${Live.number(foretold[k])}</b>.`);
    }

    const bar = ui.slider({
      label: "loss at the branch", range: [0, 4], value: 0, steps: 4, format: (k) => names[Math.round(k)], change: draw,
    });
    ui.table(["loss", "measured", "foretold", "by a slow run"], losses.map((_, k) =>
      [names[k], measured[k].map((v) => Live.number(v)).join(", "), Live.number(foretold[k]), Live.number(misled[k])]));
    ui.still(() => { for (const k of [1, 2, 4, 3]) bar.set(k); });
    draw(0);
  });
})();
