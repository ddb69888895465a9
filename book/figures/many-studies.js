// Many studies of the same question: do they agree?
"use strict";
(() => {
  // Test losses of the selected trial on five fresh seeds, one row a search (book/runs/digit-searches).
  const { methods, losses } = Live.records["many-studies"];
  const quantile = 2.7764451051977987; // of Student's t with 4 degrees of freedom, 0.975

  // How much lower a's log losses are than b's, seed by seed, with the interval of 95 % from five seeds.
  function paired(a, b) {
    const d = a.map((v, k) => Math.log(b[k]) - Math.log(v)), n = d.length;
    const mean = d.reduce((u, v) => u + v) / n;
    const half = quantile * Math.sqrt(d.reduce((u, v) => u + (v - mean) ** 2, 0) / (n - 1) / n);
    return { mean, low: mean - half, high: mean + half };
  }

  // What one search says: 1 where a is lower, -1 where b is, 0 where five seeds resolve nothing.
  function says(a, b) {
    const { low, high } = paired(a, b);
    return low > 0 ? 1 : high < 0 ? -1 : 0;
  }

  // How many of the first `count` searches name a, nobody and b.
  function tally(name, knobs, a, b, count) {
    const found = losses[name][knobs][a].slice(0, count).map((row, k) => says(row, losses[name][knobs][b][k]));
    return [1, 0, -1].map((verdict) => found.filter((v) => v === verdict).length);
  }

  Live.figure("many-studies", { paired, says, tally }, (ui) => {
    const all = losses["digits, big"]["four knobs"].LAMB.length;
    const pairs = methods.flatMap((a, k) => methods.slice(k + 1).map((b) => [a, b]));
    const left = ui.panel({
      title: "One study: five fresh seeds", height: 320,
      x: { range: [-0.6, 3.6], ticks: [0, 1, 2, 3], label: "method", format: (k) => methods[k] },
      y: { range: [0.006, 1], log: true, ticks: [0.01, 0.03, 0.1, 0.3, 1], label: "test loss (nats)" },
    });
    const right = ui.panel({
      title: "What the studies so far have said", height: 320,
      x: { range: [0, all], ticks: [0, all / 2, all], label: "studies" },
      y: { range: [5.6, -0.6], ticks: [], label: "pair" },
    });

    function draw() {
      const count = Math.round(bar.value()), k = count - 1, rows = losses[choice.value()][knobs.value()];
      const means = (m) => rows[m].map((row) => Math.exp(row.reduce((u, v) => u + Math.log(v), 0) / row.length));
      left.clear();
      right.clear();
      methods.forEach((m, j) => {
        means(m).slice(0, k).forEach((v) => left.line([[j + 0.22, v], [j + 0.36, v]],
          { stroke: `var(--${m})`, "stroke-width": 1.2, opacity: 0.7, class: "landmark" }));
        rows[m][k].forEach((v, s) => left.dot(j - 0.12 + 0.05 * s, v, { r: 3.5, fill: `var(--${m})`, class: "landmark" }));
      });
      const total = [0, 0, 0];
      let both = 0;
      pairs.forEach(([a, b], j) => {
        const [first, open, second] = tally(choice.value(), knobs.value(), a, b, count);
        const bars = [[0, first, `var(--${a})`], [first, open, "var(--shade)"], [first + open, second, `var(--${b})`]];
        for (const [from, size, color] of bars)
          if (size) right.area([[from, j - 0.1], [from + size, j - 0.1], [from + size, j + 0.3], [from, j + 0.3]],
            { fill: color, class: "landmark" });
        right.text(0.2, j - 0.2, `${a} or ${b}`);
        [first, open, second].forEach((v, i) => { total[i] += v; });
        both += first > 0 && second > 0;
      });
      const now = pairs.map(([a, b]) => [says(rows[a][k], rows[b][k]), a, b]).filter(([v]) => v);
      const told = now.map(([v, a, b]) => (v > 0 ? `${a} below ${b}` : `${b} below ${a}`)).join(", ") || "nothing";
      ui.verdict(`Study <b>${count}</b>, by its own five seeds: ${told}. After ${count} ${count > 1 ? "studies" : "study"} ` +
        `${total[0] + total[2]} of ${6 * count} comparisons are decided, and for <b>${both}</b> of 6 pairs two studies have ` +
        "decided in opposite directions.");
    }

    const bar = ui.slider({
      label: "study", range: [1, all], steps: all - 1, value: 1, format: (k) => `${Math.round(k)}`, change: draw,
    });
    const choice = ui.choice({
      label: "case", value: "digits, big", change: draw, options: Object.keys(losses).map((name) => [name, name]),
    });
    const knobs = ui.choice({
      label: "tuned", value: "four knobs", change: draw, options: [["four knobs", "four knobs"], ["rate only", "rate only"]],
    });
    const show = (what, count) => { knobs.set(what); bar.set(count); };
    ui.button("next study", () => bar.set(Math.min(all, Math.round(bar.value()) + 1)));
    ui.button("all studies, four knobs", () => show("four knobs", all));
    ui.button("all studies, rate only", () => show("rate only", all));
    ui.still(() => show("four knobs", all));
    ui.table(["case", "tuned", "pair", "first is lower", "not resolved", "second is lower"],
      Object.keys(losses).flatMap((name) => ["four knobs", "rate only"].flatMap((what) => pairs.map(([a, b]) =>
        [name, what, `${a}, ${b}`, ...tally(name, what, a, b, all).map(String)]))));
    draw();
  });
})();
