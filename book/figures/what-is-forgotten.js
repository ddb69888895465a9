// A moving average whose factor is 1 - t^-tau: which gradients does it still know?
"use strict";
(() => {
  // The weights of the gradients 1, ..., T in the average of step T, for the factors beta_1, ..., beta_T.
  function unroll(beta, T) {
    const w = new Array(T);
    let left = 1; // the product of the factors after i
    for (let i = T; i >= 1; i--) {
      w[i - 1] = (1 - beta(i)) * left;
      left *= beta(i);
    }
    return w;
  }
  const weights = (tau, T) => unroll((t) => 1 - t ** -tau, T);
  const adam = (beta, T) => unroll((t) => (beta * (1 - beta ** (t - 1))) / (1 - beta ** t), T);

  // What the first `count` gradients weigh in the average of step T.
  const first = (tau, T, count) => weights(tau, T).slice(0, count).reduce((sum, w) => sum + w, 0);

  // The newest gradients that make up half of the average.
  function half(tau, T) {
    const w = weights(tau, T);
    let sum = 0, i = T;
    while (sum < 0.5) sum += w[--i];
    return T - i;
  }

  Live.figure("what-is-forgotten", { weights, adam, first, half }, (ui) => {
    const most = 10000, least = 1e-8, shares = [1e-8, 1e-6, 1e-4, 1e-2, 1];
    const power = (v) => ({ 1e-8: "10⁻⁸", 1e-6: "10⁻⁶", 1e-4: "10⁻⁴", 1e-2: "0.01", 1: "1" })[v], ages = ["start", "middle", "now"];
    const percent = (v) => `${Live.number(100 * v)} %`;
    const left = ui.panel({
      title: "What the average is made of",
      x: { range: [0, 1], ticks: [0, 0.5, 1], format: (v) => ages[2 * v], label: "when the gradient came" },
      y: { range: [least, 1], log: true, ticks: shares, format: power, label: "weight" },
    });
    left.legend([["Adafactor", "var(--a)"], ["Adam, 0.999", "var(--soft)", "5 4"]], [0.03, 0.72]);
    const right = ui.panel({
      title: "Weight of the first 10 gradients",
      x: { range: [10, most], log: true, ticks: [10, 100, 1000, 10000], label: "step T" },
      y: { range: [1e-8, 1.5], log: true, ticks: shares, format: power, label: "share of the average" },
    });
    const steps = Array.from({ length: 31 }, (_, k) => Math.round(10 ** (1 + k / 10)));

    // At most 200 points of a curve that may have 10,000.
    const thin = (w) => Array.from({ length: 200 }, (_, k) => {
      const i = Math.round((k * (w.length - 1)) / 199);
      return [(i + 1) / w.length, Math.max(w[i], 1e-12)];
    });

    function draw() {
      const tau = exponent.value(), T = Math.round(step.value()), share = first(tau, T, 10), back = half(tau, T);
      left.clear();
      right.clear();
      left.line(thin(adam(0.999, T)), { stroke: "var(--soft)", "stroke-dasharray": "5 4" });
      left.line(thin(weights(tau, T)), { stroke: "var(--a)", "stroke-width": 2.5 });
      right.line(steps.map((t) => [t, Math.max(first(tau, t, 10), 1e-12)]), { stroke: "var(--a)", class: "landmark" });
      right.dot(T, Math.max(share, least), { r: 6 });
      const fate = tau < 1.001 ? "Any one gradient fades in the end."
        : "The start of the run <b>never fades</b>, however long you wait.";
      ui.verdict(`τ = <b>${Live.number(tau)}</b>, step ${Live.number(T, 5)}: the first ten gradients hold ` +
        `<b>${percent(share)}</b> of the average, and the newest ${Live.number(back, 5)} hold half of it. ${fate}`);
      const header = ["τ", "first 10 at step 100", "at step 10,000", "half of it: newest, at step 10,000"];
      ui.table(header, [0.5, 0.8, 1, 1.2, 1.5, 2].map((v) =>
        [`${v}`, percent(first(v, 100, 10)), percent(first(v, most, 10)), Live.number(half(v, most), 4)]));
    }

    const exponent = ui.slider({ label: "exponent τ", range: [0.3, 2], value: 1.1, steps: 170, change: draw });
    const step = ui.slider({
      label: "step T", range: [10, most], log: true, value: 10, steps: 90,
      format: (t) => Live.number(Math.round(t), 5), change: draw,
    });
    ui.button("τ = 0.8", () => exponent.set(0.8));
    ui.button("τ = 1", () => exponent.set(1));
    ui.button("τ = 1.5", () => exponent.set(1.5));
    ui.still(() => { exponent.set(0.8); step.set(2000); });
    draw();
    ui.plays();
  });
})();
