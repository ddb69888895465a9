// How far may a valley turn away from the axes before Adam notices?
"use strict";
(() => {
  // The Hessian of the valley diag(1, κ), turned by an angle, and a point turned by it.
  function hessian(kappa, angle) {
    const c = Math.cos(angle), s = Math.sin(angle);
    return [[c * c + kappa * s * s, (1 - kappa) * c * s], [(1 - kappa) * c * s, s * s + kappa * c * c]];
  }
  const turned = (x, angle) => [
    Math.cos(angle) * x[0] - Math.sin(angle) * x[1], Math.sin(angle) * x[0] + Math.cos(angle) * x[1],
  ];
  const times = (H, x) => [H[0][0] * x[0] + H[0][1] * x[1], H[1][0] * x[0] + H[1][1] * x[1]];

  // Positions of heavy ball, m = β m + g, x = x − η m, on x'Hx/2.
  function momentum(H, start, lr, beta, steps) {
    const x = [...start], m = [0, 0], path = [[...x]];
    for (let t = 0; t < steps; t++) {
      const g = times(H, x);
      for (let j = 0; j < 2; j++) {
        m[j] = beta * m[j] + g[j];
        x[j] -= lr * m[j];
      }
      path.push([x[0], x[1]]);
    }
    return path;
  }

  // Positions of Adam on the same.
  function adam(H, start, lr, steps, beta1 = 0.9, beta2 = 0.999, eps = 1e-8) {
    const x = [...start], m = [0, 0], v = [0, 0], path = [[...x]];
    for (let t = 1; t <= steps; t++) {
      const g = times(H, x);
      const one = 1 - beta1 ** t, two = 1 - beta2 ** t;
      for (let j = 0; j < 2; j++) {
        m[j] = beta1 * m[j] + (1 - beta1) * g[j];
        v[j] = beta2 * v[j] + (1 - beta2) * g[j] * g[j];
        x[j] -= (lr * (m[j] / one)) / (Math.sqrt(v[j] / two) + eps);
      }
      path.push([x[0], x[1]]);
    }
    return path;
  }

  // Steps until the distance to the minimum stays within 1 % of the first.
  function needed(path) {
    const far = path.map(([x, y]) => Math.sqrt(x * x + y * y));
    let last = 0;
    far.forEach((d, t) => { if (!(d <= 0.01 * far[0])) last = t; });
    return last + 1;
  }

  // The fewest steps over rates; and the rate.
  function best(run, rates) {
    const tries = rates.map((lr) => needed(run(lr)));
    const k = tries.indexOf(Math.min(...tries));
    return [tries[k], rates[k]];
  }
  const adamRates = Array.from({ length: 9 }, (_, k) => 2 ** (k - 6));
  const START = [-2, 0.5], MOST = 1500;
  const bestAdam = (kappa, angle) =>
    best((lr) => adam(hessian(kappa, angle), turned(START, angle), lr, MOST), adamRates);
  const shares = Array.from({ length: 9 }, (_, k) => 2 ** (0.5 * k - 3)); // of 1/κ
  const bestMomentum = (kappa, angle) => best(
    (lr) => momentum(hessian(kappa, angle), turned(START, angle), lr, 0.9, MOST), shares.map((s) => s / kappa));

  const pure = { hessian, turned, momentum, adam, needed, bestAdam, bestMomentum };
  Live.figure("turn-the-valley", pure, (ui) => {
    const degrees = [0, 1, 2, 3, 4, 5, 7, 10, 15, 20, 25, 30, 35, 40, 45], radians = (a) => (a * Math.PI) / 180;
    const kappas = { 10: "10", 100: "100", 1000: "1,000" }, cache = {};
    const curve = (kappa) => {
      cache[kappa] ??= degrees.map((a) => [a, bestAdam(kappa, radians(a)), bestMomentum(kappa, radians(a))]);
      return cache[kappa];
    };

    const left = ui.panel({
      title: "60 steps from the same place in the valley",
      x: { range: [-2.7, 1.3] }, y: { range: [-2.4, 1.2] }, axes: false,
    });
    const looks = [["Adam", "var(--Adam)"], ["momentum", "var(--Momentum)"]];
    left.legend(looks, [0.62, 0.02]);
    const right = ui.panel({
      title: "Steps needed, best of nine rates",
      x: { range: [0, 45], ticks: [0, 15, 30, 45], label: "angle of the valley", format: (a) => `${a}°` },
      y: { range: [20, 1000], log: true, ticks: [20, 50, 100, 200, 500, 1000], label: "steps" },
    });
    right.legend(looks);

    function draw() {
      const kappa = Number(valley.value()), a = turn.value(), angle = radians(a);
      const H = hessian(kappa, angle), x = turned(START, angle), all = curve(kappa);
      const [adamSteps, adamRate] = bestAdam(kappa, angle), [ballSteps, ballRate] = bestMomentum(kappa, angle);
      left.clear();
      right.clear();
      for (let level = 0.02; level < 600; level *= 4) {
        const ring = Array.from({ length: 121 }, (_, k) => {
          const w = (k * Math.PI) / 60;
          return turned([Math.sqrt(2 * level) * Math.cos(w), Math.sqrt((2 * level) / kappa) * Math.sin(w)], angle);
        });
        left.area(ring, { stroke: "var(--line)", "fill-opacity": 0.25 });
      }
      const paths = [momentum(H, x, ballRate, 0.9, 60), adam(H, x, adamRate, 60)];
      for (const [path, color] of [[paths[0], "var(--Momentum)"], [paths[1], "var(--Adam)"]]) {
        left.line(path, { stroke: color, "stroke-width": 1.4, "stroke-opacity": 0.7 });
        for (const p of path) left.dot(...p, { fill: color, r: 1.6 });
      }
      left.dot(0, 0, { r: 4.5, fill: "var(--ink)" });
      right.line(all.map(([d, adamBest]) => [d, adamBest[0]]), { stroke: "var(--Adam)", class: "landmark" });
      right.line(all.map(([d, , ball]) => [d, ball[0]]), { stroke: "var(--Momentum)", class: "landmark" });
      right.dot(a, adamSteps, { r: 6, fill: "var(--Adam)" });
      right.dot(a, ballSteps, { r: 6, fill: "var(--Momentum)" });
      const ratio = adamSteps / all[0][1][0];
      const lesson = a < 0.5 ? "Valley and coordinates agree: Adam does not see the condition number."
        : ratio < 1.3 ? "Adam hardly notices the turn."
        : ratio < 2.5 ? "Adam begins to feel the turn." : "Dividing coordinate by coordinate no longer fits this valley.";
      ui.verdict(`Turned by <b>${a.toFixed(0)}°</b>, κ = ${kappas[kappa]}: Adam needs <b>${adamSteps} steps</b>, ` +
        `${ratio.toFixed(1)} times as many as without a turn; momentum needs ${ballSteps}, at every angle. ${lesson}`);
      ui.table(["angle", "Adam", "momentum"], all.map(([d, one, two]) => [`${d}°`, `${one[0]}`, `${two[0]}`]));
    }
    const turn = ui.slider({
      label: "angle", range: [0, 45], value: 0, steps: 45, format: (a) => `${a.toFixed(0)}°`, change: draw,
    });
    const valley = ui.choice({
      label: "condition number", options: Object.entries(kappas), value: "1000", change: draw,
    });
    ui.button("0°", () => turn.set(0));
    ui.button("5°", () => turn.set(5));
    ui.button("45°", () => turn.set(45));
    ui.still(() => turn.set(30));
    draw();
  });
})();
