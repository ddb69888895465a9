// Gradient descent, heavy ball and Nesterov in one valley: who is nearest to the minimum, and when?
"use strict";
(() => {
  // Learning rate and momentum of each method, the best constants for curvatures from 1/kappa to 1.
  function settings(method, kappa) {
    const k = Math.sqrt(kappa);
    if (method === "gradient descent") return [2 / (1 + 1 / kappa), 0];
    if (method === "heavy ball") return [(2 / (1 + 1 / k)) ** 2, ((k - 1) / (k + 1)) ** 2];
    return [1, (k - 1) / (k + 1)]; // Nesterov with a learning rate of 1 / L
  }

  // The points 0 ... steps on f = (x² / kappa + y²) / 2, with the buffer as in torch.
  function path(method, kappa, start, steps) {
    const [lr, beta] = settings(method, kappa), h = [1 / kappa, 1];
    let x = start, m = [0, 0];
    const points = [x];
    for (let t = 0; t < steps; t++) {
      const g = x.map((v, j) => h[j] * v);
      m = m.map((v, j) => beta * v + g[j]);
      const step = method === "Nesterov" ? g.map((v, j) => v + beta * m[j]) : m;
      x = x.map((v, j) => v - lr * step[j]);
      points.push(x);
    }
    return points;
  }

  // Distances to the minimum as shares of the first.
  const shares = (points) => points.map(([u, v]) => Math.hypot(u, v) / Math.hypot(...points[0]));

  Live.figure("momentum-race", { settings, path, shares }, (ui) => {
    const runners = [["gradient descent", "SGD"], ["heavy ball", "Momentum"], ["Nesterov", "Nesterov"]];
    const start = [1, 0.5], steps = 120, now = { kappa: 100, t: 0 }, low = 1e-6;
    let paths = [];

    const valley = ui.panel({
      title: "The valley and the three paths",
      x: { range: [-0.75, 1.15], ticks: [-0.5, 0, 0.5, 1], label: "flat direction" },
      y: { range: [-3.3, 3.3], ticks: [-2, 0, 2], label: "steep direction" },
    });
    const race = ui.panel({
      title: "Distance to the minimum",
      x: { range: [0, steps], ticks: [0, 30, 60, 90, 120], label: "step" },
      y: {
        range: [low, 10], log: true, ticks: [1e-6, 1e-4, 1e-2, 1],
        format: (v) => (v === 1 ? "1" : { 0.01: "10⁻²", 0.0001: "10⁻⁴", 0.000001: "10⁻⁶" }[v]),
        label: "share that is left",
      },
    });
    valley.legend(runners.map(([name, method]) => [name, `var(--${method})`, `var(--${method}-dash)`]), [0.03, 0.01]);

    function draw() {
      const { kappa, t } = now;
      valley.clear();
      race.clear();
      for (const height of [0.001, 0.01, 0.06, 0.3, 1.2, 4]) {
        const ring = Array.from({ length: 97 }, (_, k) => {
          const angle = (k * Math.PI) / 48, size = Math.sqrt(2 * height);
          return [size * Math.sqrt(kappa) * Math.cos(angle), size * Math.sin(angle)];
        });
        valley.area(ring, { stroke: "var(--line)", "fill-opacity": 0.5 });
      }
      race.line([[0, 1], [steps, 1]], { stroke: "var(--soft)", "stroke-width": 1, "stroke-dasharray": "4 4" });
      race.line([[t, low], [t, 10]], { stroke: "var(--soft)", "stroke-width": 1 });
      paths.forEach((points, k) => {
        const method = runners[k][1], color = `var(--${method})`, look = Live.optimizer(method);
        const left = shares(points).map((v) => Math.max(v, low / 3));
        valley.line(points.slice(0, t + 1), { ...look, "stroke-width": 1.4 });
        points.slice(0, t + 1).forEach(([u, v]) => valley.dot(u, v, { r: 1.8, fill: color }));
        valley.dot(...points[t], { r: 5.5, fill: color, stroke: "var(--paper)", "stroke-width": 1.5 });
        race.line(left.slice(0, t + 1).map((v, step) => [step, v]), { ...look, "stroke-width": 2.4 });
        race.dot(t, left[t], { r: 5, fill: color });
      });
      const share = paths.map((points) => shares(points)[t]);
      const order = [0, 1, 2].sort((i, j) => share[i] - share[j]);
      const percent = (v) => (v < 1e-6 ? "less than 0.0001 %" : `${Live.number(100 * v)} %`);
      const list = order.map((k) => `${runners[k][0]} (${percent(share[k])} left)`);
      const hump = Math.max(...shares(paths[1])), worst = share[1] > 1.005;
      const lesson = t === 0 ? "All three stand at the start."
        : worst ? `Heavy ball is farther away than at the start. At its worst it has ${Live.number(100 * hump, 3)} % left.`
        : order[0] === 1 ? "Heavy ball is in front: in the long run it shrinks the error fastest."
        : hump > 1.05 ? "Heavy ball has its hump behind it and is catching up."
        : kappa < 1.01 ? "This is no valley but a round bowl: one step brings all three to the minimum."
        : "Heavy ball has no hump here, and there is little to gain.";
      ui.verdict(`At <b>κ = ${Live.number(kappa)}</b> after <b>${t} step${t === 1 ? "" : "s"}</b>: ${list.join(", ")}. ${lesson}`);
      const rows = [0, 1, 2, 5, 10, 20, 40, 60, 90, 120].map((step) =>
        [`${step}`, ...paths.map((points) => percent(shares(points)[step]))]);
      ui.table(["step", ...runners.map(([name]) => name)], rows);
    }

    const width = ui.slider({
      label: "condition number κ", range: [1, 10 ** 2.5], log: true, value: now.kappa, steps: 50,
      format: (v) => Live.number(v), change: (v) => { reset(v); draw(); },
    });
    function reset(kappa) {
      now.kappa = kappa;
      paths = runners.map(([name]) => path(name, kappa, start, steps));
    }
    reset(width.value());
    const clock = ui.player({ steps, value: now.t, delay: 90, change: (t) => { now.t = t; draw(); } });
    for (const k of [1, 10, 100, 10 ** 2.5]) {
      ui.button(`κ = ${Live.number(k)}`, () => { width.set(k); clock.set(0); });
    }
    ui.still(() => clock.set(60));
    draw();
  });
})();
