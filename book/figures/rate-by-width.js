// Does the best rate move when the network gets wider?
"use strict";
(() => {
  // Training loss on digits, median of five seeds (book/runs/norm-widths): for each arm and width the rates, as powers
  // of the root of 2, and the losses; and the best rate of each width, as a power of 2, mean over the seeds.
  const { widths, arms, powers, losses, best } = Live.records["rate-by-width"];
  const at = (name, width) => best[name][widths.indexOf(width)];

  // By which power of the width the best rate moves: the slope of a straight line through the four logarithms.
  function slope(name) {
    const x = widths.map((n) => Math.log2(n)), y = best[name];
    const [mx, my] = [x, y].map((v) => v.reduce((a, b) => a + b) / v.length);
    return x.reduce((sum, v, i) => sum + (v - mx) * (y[i] - my), 0) / x.reduce((sum, v) => sum + (v - mx) ** 2, 0);
  }
  const moved = (name) => 2 ** (at(name, widths.at(-1)) - at(name, widths[0]));

  Live.figure("rate-by-width", { slope, moved }, (ui) => {
    const shades = ["var(--a)", "var(--c)", "var(--b)", "var(--ink)"];
    const left = ui.panel({
      title: "Loss over the rate", height: 300,
      x: { range: [1 / 2048, 16], log: true, ticks: [0.001, 0.01, 0.1, 1, 10], label: "rate η of the arm" },
      y: { range: [4e-4, 3], log: true, ticks: [0.001, 0.01, 0.1, 1], label: "loss (nats)" },
    });
    left.legend(widths.map((n, k) => [`width ${n}`, shades[k]]), [0.04, 0.02]);
    const right = ui.panel({
      title: "Best rate over the width", height: 300,
      x: { range: [26, 315], log: true, ticks: widths, label: "width" },
      y: { range: [1 / 16, 8], log: true, ticks: [0.125, 0.25, 0.5, 1, 2, 4], label: "best rate / that of width 32" },
    });
    const drawn = new Set();

    function draw() {
      const name = arm.value(), last = Math.round(upto.value());
      left.clear();
      right.clear();
      drawn.add(name);
      widths.slice(0, last + 1).forEach((n, k) => {
        const rates = powers[name][k].map((p) => 2 ** (p / 2));
        left.line(rates.map((r, i) => [r, losses[name][k][i]]), { stroke: shades[k] });
        const low = losses[name][k].indexOf(Math.min(...losses[name][k]));
        left.dot(rates[low], losses[name][k][low], { r: 7, fill: "none", stroke: shades[k], "stroke-width": 2 });
      });
      const path = widths.slice(0, last + 1).map((n, k) => [n, 2 ** (best[name][k] - best[name][0])]);
      right.line([[26, 1], [315, 1]], { stroke: "var(--soft)", "stroke-dasharray": "5 4" });
      right.line(path, { stroke: "var(--ink)" });
      path.forEach(([n, v]) => right.dot(n, v, { r: 5, fill: "var(--ink)" }));
      const factor = path.at(-1)[1];
      ui.verdict(last === 0 ? `<b>${name}</b> at width 32. Widen the network.`
        : `<b>${name}</b>: from width 32 to ${widths[last]} the best rate is multiplied by <b>${Live.number(factor)}</b>.` +
          (last === widths.length - 1 ? ` Over all four widths it moves as the width to the power ${Live.number(slope(name))}.` : ""));
      ui.table(["arm", "slope", "256 / 32"], arms.map((a) => [a, Live.number(slope(a)), Live.number(moved(a))]));
    }
    const arm = ui.choice({ label: "arm", options: arms.map((a) => [a, a]), value: arms[0], change: draw });
    const upto = ui.slider({
      label: "width", range: [0, widths.length - 1], steps: widths.length - 1, value: 0,
      format: (k) => `${widths[Math.round(k)]}`, change: draw,
    });
    ui.still(() => upto.set(widths.length - 1));
    draw();
  });
})();
