// How many seeds does it take to see a gap between two methods?
"use strict";
(() => {
  const level = 0.95, rows = 25, most = 30;

  // P(|T| < x) for Student's T with a whole number of degrees of freedom: a finite sum.
  function within(x, df) {
    const angle = Exact.atan(x / Math.sqrt(df)), s = Exact.sin(angle), c = Exact.cos(angle);
    let sum = 0;
    for (let k = df % 2, term = df % 2 ? c : 1; k < df - 1; k += 2) {
      sum += term;
      term *= ((k + 1) / (k + 2)) * c * c;
    }
    return df % 2 ? (2 / Math.PI) * (angle + s * sum) : s * sum;
  }

  // How many standard errors an interval reaches to each side.
  function reach(df) {
    let low = 0, high = 1000;
    for (let k = 0; k < 80; k++) {
      const middle = (low + high) / 2;
      if (within(middle, df) < level) low = middle; else high = middle;
    }
    return (low + high) / 2;
  }

  // The interval of the mean of paired differences, and the verdict on "ours is lower".
  function judged(differences) {
    const n = differences.length, mean = differences.reduce((a, d) => a + d, 0) / n;
    const sd = Math.sqrt(differences.reduce((a, d) => a + Exact.square(d - mean), 0) / (n - 1));
    const half = (reach(n - 1) * sd) / Math.sqrt(n), low = mean - half, high = mean + half;
    return { low, high, verdict: low > 0 ? "confirmed" : high < 0 ? "contradicted" : "not resolved" };
  }

  // Shares of all experiments that confirm and that contradict "ours is lower", where the mean of normal differences
  // lies so many standard errors above 0: an integral over the estimated scatter divided by the true one.
  function shares(errors, df) {
    const far = reach(df);
    let gamma = df % 2 ? Exact.log(Math.PI) / 2 : 0; // of df / 2
    for (let k = df % 2 ? 0.5 : 1; k < df / 2; k++) gamma += Exact.log(k);
    const start = Exact.log(2) + (df / 2) * Exact.log(df / 2) - gamma, steps = 1500;
    const from = -(40 + start) / df, to = 0.2 + 0.5 * Exact.log((2 * (80 + start)) / df), h = (to - from) / steps;
    let confirmed = 0, contradicted = 0;
    for (let k = 0; k <= steps; k++) {
      const x = from + k * h, likely = h * Exact.exp(start + df * x - (df / 2) * Exact.exp(2 * x));
      confirmed += likely * Live.normalTail(far * Exact.exp(x) - errors);
      contradicted += likely * Live.normalTail(far * Exact.exp(x) + errors);
    }
    return { confirmed, contradicted };
  }

  const power = (gap, scatter, seeds) => shares((gap / scatter) * Math.sqrt(seeds), seeds - 1).confirmed;

  // The fewest seeds that confirm the gap in 80 % of the experiments; Infinity where 400 are too few.
  function needed(gap, scatter) {
    if (power(gap, scatter, 400) < 0.8) return Infinity;
    let low = 1, high = 400;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (power(gap, scatter, middle) < 0.8) low = middle; else high = middle;
    }
    return high;
  }

  // Differences of invented experiments: scatter times fixed normal numbers, plus the gap.
  const draws = Array.from({ length: rows }, (_, k) => Live.normals(most, 17 + k));
  const experiment = (k, gap, scatter, seeds) => draws[k].slice(0, seeds).map((z) => gap + scatter * z);

  Live.figure("what-seeds-see", { within, reach, judged, shares, power, needed, experiment }, (ui) => {
    const state = { seeds: 3, gap: 0.1, scatter: 0.12 };
    const colors = { confirmed: "var(--c)", "not resolved": "var(--soft)", contradicted: "var(--b)" };
    const left = ui.panel({
      title: `${rows} experiments`, height: 330,
      x: { range: [-0.45, 0.65], ticks: [-0.4, -0.2, 0, 0.2, 0.4, 0.6], label: "theirs − ours: the 95 % interval" },
      y: { range: [0, rows + 6], ticks: [1, 5, 10, 15, 20, 25], label: "experiment" },
    });
    left.legend(Object.entries(colors), [0.62, 0.02]);
    left.line([[0, 0], [0, rows + 1]], { stroke: "var(--ink)", "stroke-width": 1.2 }, left.back);
    const right = ui.panel({
      title: "Of all such experiments", height: 330,
      x: { range: [0, 0.3], ticks: [0, 0.1, 0.2, 0.3], label: "true gap" },
      y: { range: [0, 1.02], ticks: [0, 0.2, 0.4, 0.6, 0.8, 1], label: "confirm it", format: (v) => `${Math.round(100 * v)} %` },
    });
    right.line([[0, 0.8], [0.3, 0.8]], { stroke: "var(--soft)", "stroke-dasharray": "5 4", class: "landmark" }, right.back);

    let waiting = false; // for the last of several settings
    let curve = []; // over the gaps, for the scatter and the seeds in its first entry
    const percent = (v) => `${v < 0.1 ? (100 * v).toFixed(1) : Math.round(100 * v)} %`;
    function draw() {
      if (waiting) return;
      const { seeds, gap, scatter } = state, found = draws.map((_, k) => judged(experiment(k, gap, scatter, seeds)));
      left.clear();
      right.clear();
      left.line([[gap, 0], [gap, rows + 1]], { stroke: "var(--ink)", "stroke-dasharray": "2 4" });
      found.forEach(({ low, high, verdict }, k) => {
        left.line([[low, k + 1], [high, k + 1]], { stroke: colors[verdict], "stroke-width": 3 });
        left.dot((low + high) / 2, k + 1, { r: 3, fill: colors[verdict] });
      });
      if (curve[0] !== `${scatter} ${seeds}`) {
        const gaps = Array.from({ length: 61 }, (_, k) => 0.005 * k);
        curve = [`${scatter} ${seeds}`, gaps.map((g) => [g, power(g, scatter, seeds)])];
      }
      right.line(curve[1], { stroke: "var(--a)", class: "landmark" });
      const share = shares((gap / scatter) * Math.sqrt(seeds), seeds - 1);
      right.dot(gap, share.confirmed, { r: 5, fill: "var(--a)" });
      const count = (name) => found.filter(({ verdict }) => verdict === name).length;
      const tie = share.confirmed + share.contradicted;
      const all = gap === 0 ? `Of all such experiments <b>${percent(tie)}</b> take the tie for a difference.`
        : `Of all such experiments <b>${percent(share.confirmed)}</b> confirm the gap, and ${percent(share.contradicted)} ` +
          "say the opposite.";
      const enough = needed(gap, scatter);
      const seedsFor = gap === 0 ? "" : Number.isFinite(enough) ? ` For 80 % it takes <b>${enough}</b> seeds.`
        : " For 80 % it takes more than 400 seeds.";
      ui.verdict(`A true gap of <b>${gap.toFixed(2)}</b>, differences that scatter by <b>${scatter.toFixed(2)}</b>, ` +
        `<b>${seeds}</b> seeds: of the ${rows} experiments ${count("confirmed")} confirm that ours is lower, ` +
        `${count("not resolved")} do not resolve it, ${count("contradicted")} contradict it. ${all}${seedsFor}`);
      ui.table(["experiment", "from", "to", "verdict"],
        found.map(({ low, high, verdict }, k) => [`${k + 1}`, Live.number(low, 3), Live.number(high, 3), verdict]));
    }

    const seeds = ui.slider({
      label: "seeds", range: [2, most], value: state.seeds, steps: most - 2, format: (v) => `${Math.round(v)}`,
      change: (v) => { state.seeds = Math.round(v); draw(); },
    });
    const gap = ui.slider({
      label: "true gap", range: [0, 0.3], value: state.gap, steps: 30, format: (v) => v.toFixed(2),
      change: (v) => { state.gap = Math.round(100 * v) / 100; draw(); },
    });
    const scatter = ui.slider({
      label: "scatter of the differences", range: [0.02, 0.3], value: state.scatter, steps: 28, format: (v) => v.toFixed(2),
      change: (v) => { state.scatter = Math.round(100 * v) / 100; draw(); },
    });
    const at = (n, g, s) => {
      waiting = true;
      seeds.set(n);
      gap.set(g);
      waiting = false;
      scatter.set(s);
    };
    ui.button("5 seeds, gap 0.1, scatter 0.12", () => at(5, 0.1, 0.12));
    ui.button("5 seeds, gap 0.1, scatter 0.03", () => at(5, 0.1, 0.03));
    ui.button("5 seeds, gap 0, scatter 0.12", () => at(5, 0, 0.12));
    ui.still(() => at(5, 0.1, 0.12));
    draw();
  });
})();
