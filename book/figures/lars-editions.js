// A network and its rescaled copy compute the same. Which method's best learning rate moves from one to the other?
"use strict";
(() => {
  // A network of two layers, u and v, of two weights each: it is to make the products u_k v_k equal to `target`. The copy
  // has c u and v / c. The loss is half the sum of the squared errors.
  const target = [2, -1.5], start = [[1, 0.5], [0.8, -0.4]], T = 40, trust = 0.02;

  const norm = (a) => Math.sqrt(a.reduce((sum, x) => sum + x * x, 0));
  const loss = ([u, v]) => u.reduce((sum, x, k) => sum + (x * v[k] - target[k]) ** 2 / 2, 0);
  const gradient = ([u, v]) => {
    const error = u.map((x, k) => x * v[k] - target[k]);
    return [error.map((e, k) => e * v[k]), error.map((e, k) => e * u[k])];
  };

  // What multiplies the gradient of each layer.
  const ratios = {
    SGD: () => [1, 1],
    "One ratio": (x, g) => Array(2).fill((trust * norm(x.map(norm))) / norm(g.map(norm))),
    LARS: (x, g) => x.map((layer, i) => (trust * norm(layer)) / norm(g[i])),
  };

  // The mean loss over T steps without momentum on the copy; the learning rate falls as (1 - t / T)^2.
  function mean(method, c, lr) {
    let x = [start[0].map((w) => w * c), start[1].map((w) => w / c)], sum = 0;
    for (let t = 0; t < T; t++) {
      const g = gradient(x), ratio = ratios[method](x, g), now = lr * (1 - t / T) ** 2;
      x = x.map((layer, i) => layer.map((w, k) => w - now * ratio[i] * g[i][k]));
      sum += loss(x) / T;
    }
    return sum;
  }

  const rates = Array.from({ length: 73 }, (_, k) => 1e-4 * 2 ** (k / 4)); // quarters of an octave, up to 26
  const curve = (method, c) => rates.map((lr) => {
    const found = mean(method, c, lr);
    return Number.isFinite(found) ? found : Infinity;
  });

  function best(method, c) {
    const losses = curve(method, c);
    return rates[losses.indexOf(Math.min(...losses))];
  }

  Live.figure("lars-editions", { mean, rates: () => rates, best }, (ui) => {
    const methods = ["SGD", "One ratio", "LARS"], names = { SGD: "SGD", "One ratio": "one ratio", LARS: "LARS" };
    const look = (m) => (m === "One ratio" ? { stroke: "var(--c)" } : Live.optimizer(m)), color = (m) => look(m).stroke;
    const range = [1e-4, 26], ticks = [1e-4, 1e-3, 0.01, 0.1, 1, 10], floor = 0.01;
    const left = ui.panel({
      title: "Loss over the learning rate", x: { range, log: true, ticks, label: "learning rate" },
      y: { range: [floor, 30], log: true, ticks: [0.01, 0.1, 1, 10], label: "mean loss of 40 steps" },
    });
    const before = loss(start);
    left.line([[range[0], before], [range[1], before]], { stroke: "var(--soft)", "stroke-dasharray": "3 4" }, left.back);
    left.text(1.3e-4, before * 1.25, "at the start", { "font-size": 11 }, left.back);
    left.legend(methods.map((m) => [names[m], color(m), look(m)["stroke-dasharray"]]), [0.03, 0.02]);
    const right = ui.panel({
      title: "The best rate", x: { range: [1, 10], log: true, ticks: [1, 2, 5, 10], label: "factor c" },
      y: { range, log: true, ticks, label: "best learning rate" },
    });
    const factors = Array.from({ length: 25 }, (_, k) => 10 ** (k / 24));
    for (const m of methods) {
      right.line(factors.map((c) => [c, best(m, c)]), { ...look(m), "stroke-width": 1.6, class: "landmark" }, right.back);
    }
    const first = Object.fromEntries(methods.map((m) => [m, best(m, 1)]));

    function draw() {
      const c = bar.value();
      left.clear();
      right.clear();
      for (const m of methods) {
        const losses = curve(m, c).map((v) => Math.max(floor, Math.min(v, 1e6))), at = best(m, c);
        left.line(rates.map((lr, k) => [lr, losses[k]]), look(m));
        // at c = 1 one ratio's dot lies under that of LARS
        const r = m === "LARS" && c < 1.05 ? 3.5 : m === "One ratio" && c < 1.05 ? 7.5 : 5.5;
        left.dot(at, Math.max(floor, mean(m, c, at)), { r, fill: color(m) });
        right.dot(c, at, { r: 6, fill: color(m) });
      }
      const say = (m) => `${names[m]} ${Live.number(best(m, c))} (at c = 1: ${Live.number(first[m])})`;
      ui.verdict(`At <b>c = ${Live.number(c, 3)}</b> the best rates are: ${methods.map(say).join(", ")}.`);
    }

    const bar = ui.slider({
      label: "factor c", range: [1, 10], log: true, value: 1, steps: 48, format: (c) => Live.number(c, 3), change: draw,
    });
    ui.button("c = 1", () => bar.set(1));
    ui.button("c = 3", () => bar.set(3));
    ui.button("c = 10", () => bar.set(10));
    ui.still(() => bar.set(10));
    ui.table(["factor c", ...methods.map((m) => names[m])], [1, 2, 5, 10].map((c) =>
      [`${c}`, ...methods.map((m) => Live.number(best(m, c)))]));
    draw();
  });
})();
