// What the bound on the last point says of a constant rate with a cooldown, at every step.
"use strict";
(() => {
  // 1 for the first part, then a straight line to zero over the last `share` of T steps: share 1 is linear decay.
  const rates = (share, T) => Array.from({ length: T }, (_, t) => Math.min(1, (T - t) / Math.max(1, share * T)));

  // The bound on f at the last of n points with these rates is D² / (2 lr) times the first number plus lr G² / 2 times
  // the second: 1 / S_1, and Q_1 / S_1 + sum over k < n of rate_k Q_k / (S_{k+1} S_k).
  function parts(eta) {
    let sum = 0, squares = 0, more = 0;
    for (let k = eta.length - 1; k >= 0; k--) {
      const after = sum;
      sum += eta[k];
      squares += eta[k] ** 2;
      if (after > 0) more += (eta[k] * squares) / (after * sum);
    }
    return [1 / sum, squares / sum + more];
  }
  // The best top rate in units of D / G, and the bound with it in units of D G.
  function best(eta) {
    const [start, noise] = parts(eta);
    return [Math.sqrt(start / noise), Math.sqrt(start * noise)];
  }
  // The bound at each point of a run whose top rate is the best for its end.
  function curve(eta) {
    const lr = best(eta)[0];
    return eta.map((_, t) => {
      const [start, noise] = parts(eta.slice(0, t + 1));
      return start / (2 * lr) + (lr * noise) / 2;
    });
  }

  Live.figure("bound-shape", { rates, parts, best, curve }, (ui) => {
    const T = 200, unit = Math.sqrt(T), shares = Array.from({ length: 41 }, (_, k) => k / 40);
    const ends = shares.map((share) => [share, unit * best(rates(share, T))[1]]);
    const left = ui.panel({
      title: "The bound along the run", x: { range: [0, T], ticks: [0, 50, 100, 150, 200], label: "step" },
      y: { range: [1, 8], ticks: [1, 2, 4, 6, 8], label: "bound, in units of DG/√T" },
    });
    const right = ui.panel({
      title: "The bound at the end", x: { range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], label: "share of the cooldown" },
      y: { range: [0.8, 2.8], ticks: [1, 1.5, 2, 2.5], label: "bound, in units of DG/√T" },
    });
    left.legend([["this cooldown", "var(--b)"], ["no cooldown", "var(--soft)"], ["linear decay", "var(--c)"]], [0.5, 0.02]);
    const points = (share) => curve(rates(share, T)).map((v, t) => [t + 1, unit * v]).slice(3);
    left.line(points(0), { stroke: "var(--soft)" }, left.back);
    left.line(points(1), { stroke: "var(--c)", class: "landmark" }, left.back);
    right.line(ends, { stroke: "var(--ink)", class: "landmark" }, right.back);

    function draw(share) {
      left.clear();
      right.clear();
      left.line(points(share), { stroke: "var(--b)" });
      const [lr, end] = best(rates(share, T));
      right.dot(share, unit * end, { r: 5, fill: "var(--b)" });
      ui.verdict(`A cooldown over the last <b>${Math.round(100 * share)} %</b>: best top rate <b>${(unit * lr).toFixed(2)}</b> ` +
        `D/(G√T), bound <b>${(unit * end).toFixed(2)}</b> DG/√T.`);
    }

    const bar = ui.slider({
      label: "share of the cooldown", range: [0, 1], steps: 40, value: 0, format: (v) => `${Math.round(100 * v)} %`, change: draw,
    });
    ui.table(["share", "best top rate, D/(G√T)", "bound, DG/√T"], [0, 0.1, 0.25, 0.5, 1].map((share) => {
      const [lr, end] = best(rates(share, T));
      return [`${100 * share} %`, (unit * lr).toFixed(2), (unit * end).toFixed(2)];
    }));
    ui.still(() => bar.set(0.25));
    draw(bar.value());
  });
})();
