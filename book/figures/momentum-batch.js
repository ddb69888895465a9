// Steps to a target on the noisy quadratic: at which batch does momentum's best rate pass SGD's edge?
"use strict";
(() => {
  // Expected loss after each step, up to the factor 1/2: sum_j lam_j E[x_j²] = calm[t] + noisy[t] / b, from x_j = 1 at
  // rest, with gradient noise of variance lam_j / b. `rate` is the effective rate, lr / (1 − beta). The recursion runs
  // over V_t = E[x_t²] and C_t = E[x_t x_{t−1}].
  function expected(rate, beta, lam, steps) {
    const lr = (1 - beta) * rate, calm = new Array(steps + 1).fill(0), noisy = new Array(steps + 1).fill(0);
    for (const h of lam) {
      const c = 1 + beta - lr * h;
      let [V, C, before] = [1, 1, 1], [W, D, past] = [0, 0, 0]; // the start, without noise; the noise of batch 1
      for (let t = 0; t <= steps; t++) {
        calm[t] += h * V;
        noisy[t] += h * W;
        [V, C, before] = [c * c * V - 2 * c * beta * C + beta * beta * before, c * V - beta * C, V];
        [W, D, past] = [c * c * W - 2 * c * beta * D + beta * beta * past + lr * lr * h, c * W - beta * D, W];
      }
    }
    return [calm, noisy];
  }

  // The first step at which the expected loss is at most `share` of the first; Infinity when it never is.
  function arrival([calm, noisy], b, share) {
    const t = calm.findIndex((v, k) => v + noisy[k] / b <= share * calm[0]);
    return t < 0 ? Infinity : t;
  }

  Live.figure("momentum-batch", { expected, arrival }, (ui) => {
    const lam = Array.from({ length: 100 }, (_, j) => 1 / (j + 1)), limit = 1500, share = 0.02, edge = 2;
    const spaced = (low, high, n) => Array.from({ length: n }, (_, k) => low * (high / low) ** (k / (n - 1)));
    const methods = [
      { name: "SGD", method: "SGD", beta: 0, rates: spaced(0.03, 1.97, 30) },
      { name: "momentum 0.9", method: "Momentum", beta: 0.9, rates: spaced(0.03, 30, 30) },
    ];
    for (const m of methods) m.color = `var(--${m.method})`;
    for (const m of methods) m.runs = m.rates.map((rate) => expected(rate, m.beta, lam, limit));
    const steps = (m, b) => m.runs.map((run) => arrival(run, b, share));
    const best = (m, b) => {
      const all = steps(m, b), n = Math.min(...all);
      return { n, rate: m.rates[all.indexOf(n)] };
    };
    const batches = spaced(4, 4096, 41);
    for (const m of methods) m.line = batches.map((b) => [b, best(m, b).n]);

    const bowl = ui.panel({
      title: "Steps to 2 % of the loss, at this batch",
      x: { range: [0.03, 40], log: true, ticks: [0.1, 1, 10], label: "effective learning rate" },
      y: { range: [20, limit], log: true, ticks: [30, 100, 300, 1000], label: "steps" },
    });
    bowl.line([[edge, 20], [edge, limit]], { stroke: "var(--soft)", "stroke-dasharray": "5 4" }, bowl.back);
    bowl.text(edge * 1.1, 24, "SGD's edge", { class: "tick" }, bowl.back);
    const all = ui.panel({
      title: "Steps at the best rate, at every batch",
      x: { range: [4, 4096], log: true, ticks: [4, 32, 256, 2048], label: "batch size b" },
      y: { range: [20, limit], log: true, ticks: [30, 100, 300, 1000], label: "steps" },
    });
    for (const m of methods) all.line(m.line, { stroke: m.color, class: "landmark" }, all.back);
    all.legend(methods.map((m) => [m.name, m.color]), [0.5, 0.02]);

    function draw(size) {
      const b = Math.round(size);
      bowl.clear();
      all.clear();
      const found = methods.map((m) => {
        const { n, rate } = best(m, b);
        bowl.line(steps(m, b).map((k, i) => [m.rates[i], k]).filter(([, k]) => k < Infinity), { stroke: m.color });
        bowl.dot(rate, n, { r: 6, fill: m.color, stroke: "var(--paper)", "stroke-width": 1.5 });
        all.dot(b, n, { r: 6, fill: m.color, stroke: "var(--paper)", "stroke-width": 1.5 });
        return { n, rate };
      });
      const [sgd, ball] = found, ratio = sgd.n / ball.n;
      const lesson = ball.rate > edge
        ? "Momentum's best rate is beyond SGD's edge: curvature stops SGD, and momentum can go on."
        : ratio < 1.08 ? "Noise sets both rates, far below the edge: momentum is only another way to write SGD here."
        : "Momentum's best rate comes near SGD's edge, and momentum begins to gain.";
      ui.verdict(`At <b>b = ${Live.number(b, 4)}</b> SGD needs <b>${sgd.n} steps</b> at its best rate, ` +
        `${Live.number(sgd.rate)}. Momentum needs <b>${ball.n}</b>, at ${Live.number(ball.rate)}: SGD needs ` +
        `${Live.number(ratio, 3)} times as many. ${lesson}`);
    }

    const bar = ui.slider({
      label: "batch size", range: [4, 4096], log: true, value: 4, steps: 40,
      format: (b) => Live.number(Math.round(b), 4), change: draw,
    });
    for (const b of [4, 256, 4096]) ui.button(`b = ${Live.number(b, 4)}`, () => bar.set(b));
    ui.still(() => bar.set(256));
    ui.table(["b", "SGD, steps", "SGD, rate", "momentum, steps", "momentum, rate"],
      [4, 16, 64, 256, 1024, 4096].map((b) => [Live.number(b, 4),
        ...methods.flatMap((m) => [`${best(m, b).n}`, Live.number(best(m, b).rate)])]));
    draw(bar.value());
    ui.plays();
  });
})();
