// What is left of Adam's step when the gradient is noisy, and when the second moment forgets?
"use strict";
(() => {
  // Gradients with mean 1 and deviation r: 1 + r z.
  const gradients = (r, z) => z.map((v) => 1 + r * v);

  // Adam's direction m̂ / √v̂ after each gradient of one coordinate; ε = 0, and 0/0 counts as 0.
  function directions(g, beta1, beta2) {
    let m = 0, v = 0;
    return g.map((now, k) => {
      m = beta1 * m + (1 - beta1) * now;
      v = beta2 * v + (1 - beta2) * now * now;
      const mHat = m / (1 - Exact.power(beta1, k + 1)), vHat = v / (1 - Exact.power(beta2, k + 1));
      return vHat > 0 ? mHat / Math.sqrt(vHat) : 0;
    });
  }

  // E g / √(E g²) for mean 1 and deviation r.
  const formula = (r) => 1 / Math.sqrt(1 + r * r);

  const mean = (a) => a.reduce((sum, v) => sum + v, 0) / a.length;
  const deviation = (a) => {
    const middle = mean(a);
    return Math.sqrt(mean(a.map((v) => Exact.square(v - middle))));
  };

  // E sign(g) for gradients 1 + r z, from the sample z: the share of steps forward less the share back.
  const votes = (r, z) => mean(gradients(r, z).map(Math.sign));

  Live.figure("signal-noise", { gradients, directions, formula, mean, deviation, votes }, (ui) => {
    const raw = Live.normals(3999, 4), middle = mean(raw), spread = deviation(raw);
    const shuffled = raw.map((v, k) => [v, k]).sort((a, b) => a[0] - b[0]).map(([, k]) => k);
    const noises = { // mean 0 and variance 1, both
      even: raw.map((v) => (v - middle) / spread),
      skew: shuffled.map((k) => (k % 3 === 0 ? Math.SQRT2 : -Math.SQRT1_2)),
    };
    const shown = 200, low = 0.1, high = 30;

    const left = ui.panel({
      title: "200 steps of Adam",
      x: { range: [0, shown], ticks: [0, 50, 100, 150, 200], label: "step t" },
      y: { range: [-1.6, 2.1], ticks: [-1, 0, 1, 2], label: "step / learning rate" },
    });
    const right = ui.panel({
      title: "The mean step",
      x: { range: [low, high], log: true, ticks: [0.1, 1, 10], label: "noise / signal" },
      y: { range: [-0.5, 1.15], ticks: [-0.5, 0, 0.5, 1], label: "step / learning rate" },
    });
    const ratios = Array.from({ length: 61 }, (_, k) => low * Exact.power(high / low, k / 60));
    right.line(ratios.map((r) => [r, formula(r)]), { stroke: "var(--a)" }, right.back);
    right.line([[low, 0], [high, 0]], { stroke: "var(--soft)", "stroke-width": 1 }, right.back);
    right.legend([["formula", "var(--a)"], ["votes of signs", "var(--b)", "6 4"]], [0.58, 0.06]);

    const beta = (memory) => 1 - 1 / memory;
    function draw() {
      const z = noises[shape.value()], r = noise.value(), beta1 = beta(first.value()), beta2 = beta(second.value());
      const steps = directions(gradients(r, z), beta1, beta2), taken = mean(steps), scatter = deviation(steps);
      left.clear();
      right.clear();
      left.line([[0, 0], [shown, 0]], { stroke: "var(--soft)", "stroke-width": 1 });
      left.line(steps.slice(0, shown).map((d, k) => [k + 1, d]), { stroke: "var(--a)", "stroke-width": 1.3 });
      left.line([[0, taken], [shown, taken]], { stroke: "var(--ink)", "stroke-dasharray": "6 4" });
      right.line(ratios.map((q) => [q, votes(q, z)]), { stroke: "var(--b)", "stroke-dasharray": "6 4", class: "landmark" });
      right.dot(r, taken, { r: 6, fill: "var(--ink)" });
      const lesson = beta1 * beta1 > beta2 && first.value() > 1.01
        ? "The memory of m is so much longer than that of v that no bound on a step holds."
        : taken < -0.02 ? "Most gradients point back, and each has one vote: Adam walks <b>backwards</b>."
        : second.value() < 1.5 ? "Each gradient is divided by about its own size: Adam counts signs."
        : second.value() < 20 ? "The memory of v is short, so the mean step need not follow the formula."
        : r < 0.5 ? "The signal wins: a full step, whatever the size of the gradient."
        : r < 6 ? "The noise shortens the step, as the formula says."
        : "The noise wins: Adam hardly moves on average, and its single steps cancel.";
      ui.verdict(`The noise is <b>${Live.number(r)} times</b> the signal. The mean step is <b>${taken.toFixed(2).replace("-", "−")}</b> ` +
        `learning rates (formula: ${formula(r).toFixed(2)}), and single steps scatter by ${scatter.toFixed(2)}. ${lesson}`);
    }
    const memory = (n) => `${Live.number(n)} step${n < 1.05 ? "" : "s"} (β = ${beta(n).toPrecision(3)})`;
    const shape = ui.choice({
      label: "noise", options: [["even", "even, like a bell"], ["skew", "one large, two small"]], value: "even",
      change: draw,
    });
    const noise = ui.slider({ label: "noise / signal", range: [low, high], log: true, value: 5.6, change: draw });
    const first = ui.slider({
      label: "memory of m", range: [1, 1000], log: true, value: 10, steps: 60, format: memory, change: draw,
    });
    const second = ui.slider({
      label: "memory of v", range: [1, 1000], log: true, value: 1000, steps: 60, format: memory, change: draw,
    });
    ui.button("memories of 10 and 1,000 steps", () => { first.set(10); second.set(1000); });
    ui.button("memories of one step", () => { first.set(1); second.set(1); });
    ui.still(() => shape.set("skew"));
    ui.table(["noise / signal", "formula", "votes, even", "votes, one large"], [0.1, 0.3, 1, 3, 10, 30].map((r) =>
      [Live.number(r), ...[formula(r), votes(r, noises.even), votes(r, noises.skew)].map((v) => v.toFixed(3).replace("-", "−"))]));
    draw();
  });
})();
