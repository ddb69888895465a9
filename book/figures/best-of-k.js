// What does a budget of k trials buy?
"use strict";
(() => {
  // Validation losses of all trials of one search, sorted (book/runs/reality-check). 99: diverged.
  const { methods, trials } = Live.records["best-of-k"], names = Object.keys(trials);

  // The probability that the best of k of N trials has rank 1, ..., N: C(N - i, k - 1) / C(N, k), by its ratios.
  function weights(N, k) {
    const found = [k / N];
    for (let i = 1; i < N; i++) found.push((found[i - 1] * Math.max(0, N - i - k + 1)) / (N - i));
    return found;
  }

  // The expected best of k trials; the scores are sorted.
  const bestOf = (scores, k) => weights(scores.length, k).reduce((sum, w, i) => sum + w * scores[i], 0);

  // The probability that the best of k trials of x is below the best of k of y.
  function chance(x, y, k) {
    const u = weights(x.length, k), v = weights(y.length, k);
    return u.reduce((sum, p, i) => sum + p * v.reduce((inner, q, j) => inner + (x[i] < y[j] ? q : 0), 0), 0);
  }

  Live.figure("best-of-k", { weights, bestOf, chance }, (ui) => {
    const axis = { range: [1, 32], log: true, ticks: [1, 2, 4, 8, 16, 32], label: "trials k" };
    const duels = [["LAMB", "AdamW", "var(--LAMB)"], ["LARS", "Nesterov", "var(--LARS)"]];
    const cut = (values) => values.map((v) => Math.min(v, 5));
    const left = ui.panel({
      title: "Expected best validation loss", x: axis, height: 300,
      y: { range: [0.05, 5], log: true, ticks: [0.1, 0.3, 1, 3], label: "loss (nats)" },
    });
    const right = ui.panel({
      title: "Who is ahead?", x: axis, height: 300,
      y: { range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], label: "probability" },
    });
    left.legend(methods.map((m) => [m, `var(--${m})`]), [0.62, 0.02]);
    right.legend([["LAMB below AdamW", "var(--LAMB)"], ["LARS below Nesterov", "var(--LARS)"]], [0.03, 0.02]);
    right.line([[1, 0.5], [32, 0.5]], { stroke: "var(--soft)", "stroke-dasharray": "2 4" }, right.back);

    function draw() {
      const scores = trials[choice.value()], N = scores.LAMB.length, k = Math.min(N, Math.round(bar.value()));
      const budgets = Array.from({ length: N }, (_, j) => j + 1), share = (p) => `${Math.round(100 * p)} %`;
      left.clear();
      right.clear();
      for (const m of methods) {
        left.line(budgets.map((j) => [j, bestOf(cut(scores[m]), j)]), { ...Live.optimizer(m), class: "landmark" });
        left.dot(k, bestOf(cut(scores[m]), k), { r: 5, fill: `var(--${m})`, class: "landmark" });
      }
      const odds = duels.map(([a, b, color]) => {
        const line = budgets.map((j) => [j, chance(scores[a], scores[b], j)]);
        right.line(line, { stroke: color, class: "landmark" });
        right.dot(k, line[k - 1][1], { r: 5, fill: color, class: "landmark" });
        return line[k - 1][1];
      });
      const order = methods.map((m) => [m, bestOf(cut(scores[m]), k)]).sort((u, v) => u[1] - v[1]);
      const words = `With <b>${k}</b> of ${N} trials the expected best losses are ` +
        order.map(([m, v]) => `${Live.number(v)} for ${m}`).join(", ");
      ui.verdict(`${words}. LAMB's best is below AdamW's with probability <b>${share(odds[0])}</b>, LARS's below ` +
        `Nesterov's with ${share(odds[1])}.`);
    }

    const bar = ui.slider({
      label: "trials k", range: [1, 32], log: true, steps: 40, value: 32, format: (k) => `${Math.round(k)}`, change: draw,
    });
    const choice = ui.choice({ label: "case", value: names[0], change: draw, options: names.map((name) => [name, name]) });
    ui.button("digits, big: 2 trials", () => { choice.set("digits, big"); bar.set(2); });
    ui.button("digits, big: 32 trials", () => { choice.set("digits, big"); bar.set(32); });
    ui.button("words, small: 4 trials", () => { choice.set("words, small"); bar.set(4); });
    ui.table(["case", "trials", ...methods], names.flatMap((name) => [1, 4, 16].map((k) => [name, `${k}`,
      ...methods.map((m) => Live.number(bestOf(cut(trials[name][m]), k)))])));
    draw();
    ui.plays();
  });
})();
