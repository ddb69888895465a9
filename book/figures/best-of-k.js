// What does a budget of k trials buy?
"use strict";
(() => {
  const methods = ["Nesterov", "AdamW", "LARS", "LAMB"];
  // Validation losses of all trials of one search, sorted, recorded (book/runs/reality-check). 99: diverged.
  const trials = {
    "digits, small": {
      Nesterov: [0.1232, 0.1238, 0.1268, 0.1323, 0.1536, 0.1662, 0.1674, 0.1752, 0.1842, 0.186, 0.1945, 0.2004, 0.2357, 0.3021, 0.3356, 0.3471,
        0.3656, 0.4605, 0.5546, 0.5619, 0.6087, 0.7269, 1.668, 1.676, 1.858, 2.294, 2.299, 2.301, 2.301, 2.301, 2.302, 2.303],
      AdamW: [0.08624, 0.1018, 0.1025, 0.1062, 0.1164, 0.1194, 0.1212, 0.1224, 0.1243, 0.1258, 0.1344, 0.1347, 0.1363, 0.1676, 0.1707, 0.1811,
        0.2004, 0.2258, 0.2317, 0.2392, 0.3009, 0.3137, 0.3683, 0.4323, 0.4457, 0.4524, 0.6994, 0.7904, 0.9118, 1.214, 1.275, 2.301],
      LARS: [0.1353, 0.1519, 0.1528, 0.1638, 0.1808, 0.1901, 0.2006, 0.2044, 0.2138, 0.2431, 0.2517, 0.4412, 0.5125, 0.5565, 0.5776, 0.6883,
        0.716, 0.7421, 0.8131, 0.8772, 0.9006, 0.9214, 1.121, 1.235, 1.947, 2.041, 2.319, 2.386, 5.848, 11.72, 99.0, 99.0],
      LAMB: [0.1029, 0.1061, 0.142, 0.1622, 0.1633, 0.1657, 0.1817, 0.1884, 0.1895, 0.2341, 0.3008, 0.6401, 0.8349, 1.114, 1.144, 1.275,
        1.468, 1.469, 1.81, 1.814, 1.831, 1.988, 2.003, 2.015, 2.127, 2.251, 2.296, 2.299, 2.299, 2.3, 2.301, 2.305],
    },
    "digits, big": {
      Nesterov: [0.127, 0.1641, 0.169, 0.1694, 0.183, 0.1839, 0.1966, 0.2034, 0.2091, 0.2536, 0.2666, 0.2848, 0.2997, 0.3007, 0.3377, 0.3699,
        0.588, 0.6511, 0.7303, 0.8177, 0.8466, 0.8863, 0.9412, 0.9579, 1.254, 1.402, 1.653, 1.693, 1.699, 2.114, 2.301, 2.301],
      AdamW: [0.08243, 0.09074, 0.1019, 0.1089, 0.1142, 0.1247, 0.1256, 0.1402, 0.1438, 0.1457, 0.1492, 0.1592, 0.1604, 0.1612, 0.2112, 0.2182,
        0.2268, 0.2806, 0.2919, 0.3786, 0.3892, 0.4516, 0.578, 0.8039, 0.9186, 0.9559, 1.153, 1.301, 1.482, 1.521, 1.77, 1.813],
      LARS: [0.1347, 0.147, 0.1576, 0.1706, 0.1833, 0.1895, 0.1979, 0.2021, 0.2083, 0.2102, 0.2107, 0.2314, 0.2558, 0.3087, 0.4023, 0.4393,
        0.5325, 0.6732, 0.7009, 0.8277, 0.8288, 0.8521, 1.181, 1.182, 1.268, 1.299, 1.454, 1.658, 1.778, 2.125, 5.475, 31.84],
      LAMB: [0.068, 0.1259, 0.1737, 0.1912, 0.2069, 0.2462, 0.2462, 0.2746, 0.4343, 0.566, 0.8059, 0.8436, 0.966, 1.244, 1.419, 1.571,
        1.636, 1.812, 1.816, 1.961, 1.978, 2.059, 2.072, 2.168, 2.177, 2.217, 2.244, 2.248, 2.302, 2.302, 2.346, 2.732],
    },
    "words, small": {
      Nesterov: [2.827, 2.893, 2.962, 3.046, 3.13, 3.142, 3.158, 3.172, 3.182, 3.184, 3.186, 3.187,
        3.187, 3.189, 3.19, 3.192, 3.193, 3.194, 3.205, 99.0, 99.0, 99.0, 99.0, 99.0],
      AdamW: [2.697, 2.733, 2.869, 2.953, 2.972, 3.044, 3.117, 3.134, 3.137, 3.163, 3.167, 3.184,
        3.189, 3.189, 3.19, 3.19, 3.19, 3.19, 3.191, 3.193, 3.193, 3.194, 3.201, 3.21],
      LARS: [2.989, 3.105, 3.133, 3.139, 3.169, 3.174, 3.175, 3.184, 3.187, 3.191, 3.194, 3.199,
        3.199, 3.2, 3.206, 3.308, 3.315, 3.588, 99.0, 99.0, 99.0, 99.0, 99.0, 99.0],
      LAMB: [2.821, 2.888, 2.956, 2.984, 3.054, 3.077, 3.109, 3.125, 3.159, 3.185, 3.188, 3.188,
        3.191, 3.194, 3.194, 3.195, 3.195, 3.195, 3.197, 3.199, 3.202, 3.26, 3.269, 8.772],
    },
    "words, big": {
      Nesterov: [2.735, 2.735, 2.828, 2.863, 3.083, 3.152, 3.162, 3.169, 3.175, 3.177, 3.179, 3.181,
        3.182, 3.182, 3.182, 3.183, 3.183, 3.188, 3.229, 99.0, 99.0, 99.0, 99.0, 99.0],
      AdamW: [2.507, 2.511, 2.514, 2.524, 2.75, 2.831, 2.961, 2.979, 2.989, 2.992, 3.086, 3.097,
        3.121, 3.139, 3.153, 3.159, 3.176, 3.182, 3.182, 3.183, 3.183, 3.185, 3.185, 3.192],
      LARS: [2.542, 2.55, 2.61, 2.692, 2.743, 2.802, 2.803, 3.017, 3.028, 3.076, 3.113, 3.181,
        3.184, 3.184, 3.188, 3.19, 3.193, 3.2, 3.22, 62.75, 99.0, 99.0, 99.0, 99.0],
      LAMB: [2.517, 2.518, 2.536, 2.549, 2.891, 2.977, 2.998, 3.021, 3.136, 3.167, 3.17, 3.177,
        3.18, 3.18, 3.181, 3.181, 3.182, 3.182, 3.186, 3.187, 3.189, 3.19, 3.201, 26.56],
    },
  };
  const names = Object.keys(trials), record = () => ({ methods, trials });

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

  Live.figure("best-of-k", { record, weights, bestOf, chance }, (ui) => {
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
  });
})();
