// What does CAME's missing correction multiply the learning rate by, and for how long?
"use strict";
(() => {
  const longest = 100000;

  // 1 / √(1 − β₃ᵗ): the rate of step t over the rate that was set. `rest` is 1 − β₃; for a rest of 1e-5 the plain power is exact enough.
  const multiplier = (rest, t) => 1 / Math.sqrt(-Math.expm1(t * Math.log1p(-rest)));
  // Its mean over the first T steps.
  function mean(rest, T) {
    let sum = 0;
    for (let t = 1; t <= T; t++) sum += multiplier(rest, t);
    return sum / T;
  }
  // The first step whose rate is within a share of the one that was set: β₃ᵗ ≤ 1 − 1/(1 + share)².
  const within = (rest, share) => Math.ceil(Math.log(1 - 1 / (1 + share) ** 2) / Math.log1p(-rest));

  Live.figure("hidden-rate", { multiplier, mean, within }, (ui) => {
    const ticks = [1, 10, 100, 1000, 10000, 100000], format = (t) => (t < 1000 ? `${t}` : `${t / 1000}k`);
    const lengths = [10, 20, 50, 100, 200, 400, 977, 2000, 3906, 8000, 20000, 50000, longest];
    const y = (label) => ({ range: [0.8, 400], log: true, ticks: [1, 3, 10, 30, 100, 300], label });
    const left = ui.panel({
      title: "One run, step by step", y: y("rate / rate that was set"),
      x: { range: [1, longest], log: true, ticks, label: "step", format },
    });
    const right = ui.panel({
      title: "Runs of every length", y: y("rate / rate that was set"),
      x: { range: [1, longest], log: true, ticks, label: "steps of the run", format },
    });
    right.legend([["mean of the run", "var(--a)"], ["last step", "var(--b)"]], [0.5, 0.02]);
    for (const panel of [left, right]) panel.line([[1, 1], [longest, 1]], { stroke: "var(--ink)", "stroke-width": 1 }, panel.back);
    const along = (T) => [...new Set(Array.from({ length: 80 }, (_, k) => Math.round(T ** (k / 79))))];

    function draw() {
      const T = lengths[Math.round(length.value())], rest = memory.value(), end = multiplier(rest, T), m = mean(rest, T), near = within(rest, 0.1);
      left.clear();
      right.clear();
      left.area([...along(T).map((t) => [t, multiplier(rest, t)]), [T, 1], [1, 1]], { fill: "var(--shade)" });
      left.line(along(T).map((t) => [t, multiplier(rest, t)]), { stroke: "var(--b)" });
      left.dot(T, end, { r: 5, fill: "var(--b)" });
      left.line([[near, 0.8], [near, 400]], { stroke: "var(--ink)", "stroke-dasharray": "5 4", class: "landmark" });
      const means = [];
      for (let t = 1, sum = 0, want = along(longest); t <= longest; t++) {
        sum += multiplier(rest, t);
        if (t === want[means.length]) means.push([t, sum / t]);
      }
      right.line(means, { stroke: "var(--a)", class: "landmark" });
      right.line(along(longest).map((t) => [t, multiplier(rest, t)]), { stroke: "var(--b)", class: "landmark" });
      right.dot(T, m, { r: 5, fill: "var(--a)" });
      right.dot(T, end, { r: 5, fill: "var(--b)" });
      ui.verdict(`β₃ = <b>${Live.number(1 - rest, 6)}</b>, ${Live.number(T, 6)} steps: the first step has <b>${Live.number(multiplier(rest, 1))}</b> times the rate ` +
        `that was set, the last <b>${Live.number(end, 3)}</b> times, the mean is <b>${Live.number(m, 3)}</b> times. ` +
        `Within a tenth of the rate from step ${Live.number(near, 6)} on.`);
    }
    const length = ui.slider({
      label: "steps of the run", range: [0, lengths.length - 1], steps: lengths.length - 1, value: 3,
      format: (k) => Live.number(lengths[Math.round(k)], 6), change: () => draw(),
    });
    const memory = ui.slider({
      label: "1 − β₃", range: [1e-5, 0.1], log: true, steps: 32, value: 0.1, format: (v) => Live.number(v, 2), change: () => draw(),
    });
    ui.button("β₃ = 0.9999", () => memory.set(1e-4));
    for (const T of [977, 3906, 20000]) ui.button(`${Live.number(T, 6)} steps`, () => length.set(lengths.indexOf(T)));
    ui.still(() => { memory.set(1e-4); length.set(lengths.indexOf(977)); });
    ui.table(["β₃", "steps", "first step", "mean", "last step"], [0.9, 0.99, 0.999, 0.9999].flatMap((b) => [100, 977, 3906, 20000].map((T) =>
      [`${b}`, Live.number(T, 6), ...[multiplier(1 - b, 1), mean(1 - b, T), multiplier(1 - b, T)].map((v) => Live.number(v, 3))])));
    draw();
  });
})();
