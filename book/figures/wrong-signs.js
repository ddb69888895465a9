// What does a wrong sign cost?
"use strict";
(() => {
  // The chances of k = 0, ..., b heads in b throws of a coin.
  function heads(b) {
    const logs = [-b * Math.LN2];
    for (let k = 1; k <= b; k++) logs.push(logs[k - 1] + Exact.log((b - k + 1) / k));
    return logs.map(Exact.exp);
  }

  // The sign of a batch of b is not that of the slope > 0. The noise of a sample is normal, or -1 and 1.
  function wrong(noise, slope, b) {
    if (noise === "normal") return Live.normalTail(slope * Math.sqrt(b));
    return heads(b).reduce((sum, p, k) => sum + (slope + (2 * k) / b - 1 <= 1e-12 ? p : 0), 0);
  }
  const cost = (noise, slope, b) => slope * wrong(noise, slope, b);

  // Half the mean of the batch's noise without its sign: Markov's bound on the cost. And sigma / (2 sqrt b).
  const markov = (noise, b) => (noise === "normal" ? Math.sqrt(1 / (2 * Math.PI * b))
    : heads(b).reduce((sum, p, k) => sum + p * Math.abs((2 * k) / b - 1), 0) / 2);
  const allowed = (b) => 1 / (2 * Math.sqrt(b));

  Live.figure("wrong-signs", { heads, wrong, cost, markov, allowed }, (ui) => {
    const most = 2, slopes = Array.from({ length: 401 }, (_, k) => (k * most) / 400);
    const sizes = [1, 2, 4, 8, 16, 32, 64, 128];
    const x = { range: [0, most], ticks: [0, 0.5, 1, 1.5, 2], label: "gradient / noise of one sample" };
    const left = ui.panel({
      title: "How often the sign is wrong", x,
      y: { range: [0, 0.6], ticks: [0, 0.25, 0.5], label: "probability" },
    });
    const right = ui.panel({
      title: "What that costs", x,
      y: { range: [0, 0.6], ticks: [0, 0.25, 0.5], label: "gradient · probability" },
    });
    const bounds = [["Markov's bound", "var(--c)", "5 4"], ["what the proof allows", "var(--b)"]];
    right.legend([["cost", "var(--a)"], ...bounds], [0.4, 0.3]);

    function draw() {
      const b = sizes[Math.round(batch.value())], noise = kind.value();
      const costs = slopes.map((s) => cost(noise, s, b)), top = Math.max(...costs);
      const at = slopes[costs.indexOf(top)], hint = { class: "landmark" };
      left.clear();
      right.clear();
      left.line(slopes.slice(1).map((s) => [s, wrong(noise, s, b)]), { stroke: "var(--a)", "stroke-width": 2.5 });
      right.area([[0, 0], ...slopes.map((s, k) => [s, costs[k]]), [most, 0]], hint);
      right.line(slopes.map((s, k) => [s, costs[k]]), { stroke: "var(--a)", "stroke-width": 2.5, ...hint });
      right.line([[0, allowed(b)], [most, allowed(b)]], { stroke: "var(--b)" });
      right.line([[0, markov(noise, b)], [most, markov(noise, b)]], { stroke: "var(--c)", "stroke-dasharray": "5 4" });
      right.dot(at, top, { r: 5, ...hint });
      const share = top / allowed(b);
      const lesson = share > 0.999 ? "That is all that the proof allows: the bound is reached."
        : `That is ${Live.number(100 * share)} % of what the proof allows.`;
      ui.verdict(`At batch <b>${b}</b> a wrong sign costs most where the gradient is <b>${Live.number(at)}</b> times a ` +
        `sample's noise. The cost there is ${Live.number(top)}. ${lesson} Smaller gradients have little to lose; ` +
        "larger ones seldom have the wrong sign.");
    }

    const batch = ui.slider({
      label: "batch size", range: [0, sizes.length - 1], steps: sizes.length - 1, value: 2,
      format: (k) => `${sizes[Math.round(k)]}`, change: draw,
    });
    const kind = ui.choice({
      label: "noise of a sample", value: "normal", change: draw,
      options: [["normal", "normal"], ["coin", "two values, −1 and 1"]],
    });
    ui.button("one sample, normal", () => { kind.set("normal"); batch.set(0); });
    ui.button("one sample, two values", () => { kind.set("coin"); batch.set(0); });
    ui.button("a batch of 128", () => batch.set(7));
    ui.table(["batch", "largest cost, normal", "two values", "allowed"], sizes.map((b) => [`${b}`,
      ...["normal", "coin"].map((noise) => Live.number(Math.max(...slopes.map((s) => cost(noise, s, b))))),
      Live.number(allowed(b))]));
    draw();
  });
})();
