// From which T does SGD's theorem promise more than standing still does?
"use strict";
(() => {
  // The regression of SGD's chapter: eight samples, loss r² / (1 + r²) with r = <a, x> - c. `decay` adds |x|² decay / 2.
  const A = [
    [0.345584192064786, 0.8216181435011584], [0.33043707618338714, -1.303157231604361],
    [0.9053558666731177, 0.4463745723640113], [-0.5369532353602852, 0.5811181041963531],
    [0.36457239618607573, 0.294132496655526], [0.02842224131579679, 0.5467129866124469],
    [-0.7364540870016669, -0.16290994799305278], [-0.48211931267997826, 0.5988462126346276],
  ];
  const c = [-2, 2.5, 0.6770866889386127, -1.4637056294224422, 0.25516875177909065, -0.5867604962285629,
    -0.5535520381899854, -1.0200078870628566];
  const L = 0.9219491831550984, sigma2 = (27 / 64) * A.reduce((sum, [u, v]) => sum + u * u + v * v, 0) / 8;
  const LOSSES = {
    plain: { decay: 0, start: [-1, 1], any: 0.07571319469226709 }, // the largest squared gradient anywhere
    decay: { decay: 0.1, start: [-5, 5], any: Infinity },
  };

  // The slopes of the eight residuals' losses at (x, y); 0 where a residual is so large that its square is not finite.
  function slopes(x, y, into = new Float64Array(8)) {
    for (let i = 0; i < 8; i++) {
      const r = A[i][0] * x + A[i][1] * y - c[i], s = 1 + r * r;
      into[i] = s < 1e150 ? (2 * r) / (s * s) : 0;
    }
    return into;
  }

  // The squared gradient of the whole loss at (x, y).
  function square(x, y, decay) {
    let [p, q] = [8 * decay * x, 8 * decay * y];
    slopes(x, y).forEach((slope, i) => { p += slope * A[i][0]; q += slope * A[i][1]; });
    return (p * p + q * q) / 64;
  }

  // What the theorem needs, and the two numbers that need no theorem.
  function constants(name) {
    const { decay, start: [x, y], any } = LOSSES[name];
    const height = A.reduce((sum, [u, v], i) => sum + 1 - 1 / (1 + Exact.square(u * x + v * y - c[i])), 0) / 8;
    return { L: L + decay, sigma2, Delta: height + (decay / 2) * (x * x + y * y), atRest: square(x, y, decay), any };
  }
  const bestRate = (b, T, k) => Math.min(1 / k.L, Math.sqrt((2 * k.Delta * b) / (k.L * k.sigma2 * T)));
  const promise = (lr, b, T, k) => (2 * k.Delta) / (lr * T) + (lr * k.L * k.sigma2) / b;

  // The first T at which the promise, with its own best rate, lies below `level`.
  function saysFrom(b, k, level) {
    const says = (T) => promise(bestRate(b, T, k), b, T, k) < level;
    let high = 1;
    while (!says(high)) high *= 2;
    for (let low = high / 2; high - low > 1;) {
      const T = Math.floor((low + high) / 2);
      if (says(T)) high = T; else low = T;
    }
    return high;
  }

  // Mean over runs and steps of the squared gradient; a negative lr walks uphill. Sample k of step t of run r is
  // draws[(r far + t) wide + k].
  function average(lr, b, T, name, draws, far, wide) {
    const { decay, start } = LOSSES[name], runs = draws.length / (far * wide);
    const slope = new Float64Array(8), often = new Float64Array(8);
    let total = 0;
    for (let r = 0; r < runs; r++) {
      let [x, y] = start;
      for (let t = 0; t < T; t++) {
        if (x * x + y * y > 1e150) return Infinity;
        slopes(x, y, slope);
        often.fill(0);
        for (let k = 0; k < b; k++) often[draws[(r * far + t) * wide + k]] += 1;
        let [p, q, P, Q] = [decay * x, decay * y, decay * x, decay * y];
        for (let i = 0; i < 8; i++) {
          p += (often[i] / b) * slope[i] * A[i][0];
          q += (often[i] / b) * slope[i] * A[i][1];
          P += (slope[i] * A[i][0]) / 8;
          Q += (slope[i] * A[i][1]) / 8;
        }
        total += P * P + Q * Q;
        x -= lr * p;
        y -= lr * q;
      }
    }
    return total / (runs * T);
  }

  Live.figure("bound-worth", { constants, bestRate, promise, saysFrom, average }, (ui) => {
    const most = 10_000, wide = 16, runs = 16, low = 1e-4, high = 1e3, uniform = Live.uniforms(3);
    const draws = new Uint8Array(runs * most * wide);
    for (let k = 0; k < draws.length; k++) draws[k] = Math.floor(8 * uniform());
    let name = "plain";
    const power = (v) => ({ 0.0001: "10⁻⁴", 0.001: "10⁻³", 0.01: "10⁻²", 0.1: "0.1" })[v] ?? `${v}`;
    const height = { range: [low, high], log: true, ticks: [1e-4, 1e-2, 1, 100], format: power, label: "mean squared gradient" };
    const left = ui.panel({
      title: "The promise over the steps", y: { ...height, range: [1e-3, 10], ticks: [0.001, 0.01, 0.1, 1, 10] },
      x: { range: [10, most], log: true, ticks: [10, 100, 1000, 10_000], label: "steps T" },
    });
    left.legend([["promised", "var(--a)"], ["standing still", "var(--ink)", "2 4"], ["any method", "var(--ink)", "8 3 2 3"]], [0.5, 0.02]);
    const right = ui.panel({
      title: "The numbers at this T",
      x: { ...height, label: "mean squared gradient" }, y: { range: [0, 5], ticks: [], label: "" },
    });

    function draw() {
      const T = Math.round(time.value()), b = Math.round(batch.value()), k = constants(name), lr = bestRate(b, T, k);
      const promised = promise(lr, b, T, k), least = Math.min(k.atRest, k.any), from = saysFrom(b, k, least);
      const [down, up] = [lr, -lr].map((rate) => average(rate, b, T, name, draws, most, wide));
      left.clear();
      right.clear();
      const grid = Array.from({ length: 61 }, (_, i) => 10 * Exact.power(most / 10, i / 60));
      left.line(grid.map((t) => [t, promise(bestRate(b, t, k), b, t, k)]), { stroke: "var(--a)", class: "landmark" });
      for (const [level, dashes] of [[k.atRest, "2 4"], [k.any, "8 3 2 3"]]) {
        if (level < Infinity) left.line([[10, level], [most, level]], { stroke: "var(--ink)", "stroke-width": 1.5, "stroke-dasharray": dashes });
      }
      left.line([[T, 1e-3], [T, 10]], { stroke: "var(--soft)", "stroke-width": 1 });
      left.dot(T, promised, { r: 6, class: "landmark" });
      const bars = [["promised", promised, "var(--a)"], ["measured, 16 runs", down, "var(--c)"],
        ["standing still", k.atRest, "var(--ink)"], ["any method", k.any, "var(--ink)"], ["walking uphill", up, "var(--b)"]];
      bars.forEach(([word, value, color], row) => {
        const y = 4.3 - 0.95 * row, end = Math.min(high, Math.max(low, value));
        right.area([[low, y], [end, y], [end, y + 0.16], [low, y + 0.16]], { fill: color, class: "landmark" });
        const said = value === Infinity && row === 3 ? "no limit" : Live.number(value, 2);
        right.text(low * 1.25, y + 0.29, `${word}: ${said}`, { class: "landmark" });
      });
      const lesson = promised >= least
        ? `It says nothing: ${k.atRest <= promised ? "a method that never moves keeps it" : "every method keeps it"}. It will say something from <b>T = ${Live.number(from, 6)}</b> on.`
        : up > promised ? "It says something: neither a method that never moves nor one that walks uphill keeps it."
        : "A method that never moves breaks it. And yet the same method walking uphill keeps it: far out this loss is flat.";
      ui.verdict(`<b>T = ${Live.number(T, 5)}, b = ${b}</b>: promised ${Live.number(promised)}, measured ${Live.number(down)}, ` +
        `standing still ${Live.number(k.atRest)}, uphill ${Live.number(up)}. ${lesson}`);
    }

    const time = ui.slider({
      label: "steps T", range: [10, most], log: true, value: 10, steps: 60,
      format: (T) => Live.number(Math.round(T), 5), change: () => draw(),
    });
    const batch = ui.slider({
      label: "batch size", range: [1, wide], log: true, value: 1, steps: 4, format: (b) => `${Math.round(b)}`, change: () => draw(),
    });
    ui.choice({
      label: "loss", value: name, change: (v) => { name = v; draw(); },
      options: [["plain", "regression of eight samples"], ["decay", "the same, with weight decay, from farther away"]],
    });
    for (const T of [100, 1000, most]) ui.button(`T = ${Live.number(T, 5)}`, () => time.set(T));
    ui.still(() => { batch.set(4); time.set(1000); });
    ui.table(["b", "regression: says something from T =", "with weight decay"], [1, 4, 16].map((b) => [`${b}`,
      ...["plain", "decay"].map((of) => {
        const k = constants(of);
        return Live.number(saysFrom(b, k, Math.min(k.atRest, k.any)), 6);
      })]));
    draw();
  });
})();
