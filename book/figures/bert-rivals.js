// Three runs of a small BERT, and four tables that only count. Which table does which run pass, and after how many tokens?
"use strict";
(() => {
  // Validation loss in nats after so many tokens, recorded (bert-laptop, seed 0; bert-long).
  const RUNS = Live.records["bert-rivals"];
  // What the tables lose on the same hidden tokens.
  const TABLES = { frequencies: 6.417, "the token before": 5.186, "both neighbours": 4.107, "and the hole": 3.749 };

  const points = (run) => RUNS[run];
  // The loss after so many tokens: a line between recorded points; none before the first and after the last.
  function loss(run, tokens) {
    const all = points(run), k = all.findIndex(([n]) => n >= tokens);
    if (k < 0 || tokens < all[0][0]) return null;
    if (k === 0) return all[0][1];
    const [[a, u], [b, v]] = [all[k - 1], all[k]];
    return u + ((v - u) * (tokens - a)) / (b - a);
  }
  // The first recorded point below a table, in tokens; null where there is none.
  const passes = (run, table) => points(run).find(([, v]) => v < TABLES[table])?.[0] ?? null;

  Live.figure("bert-rivals", { loss, passes, level: (table) => TABLES[table] }, (ui) => {
    const names = Object.keys(RUNS), rivals = Object.keys(TABLES), step = 204800, most = 12288000, million = 1e6;
    const colors = ["var(--b)", "var(--a)", "var(--c)"], say = (n) => `${(n / million).toFixed(1)}`;
    const left = ui.panel({
      title: "Validation loss", x: { range: [0, 12.5], ticks: [0, 3, 6, 9, 12], label: "tokens seen (millions)" },
      y: { range: [3.3, 8.2], ticks: [4, 5, 6, 7], label: "nats a token" }, height: 300,
    });
    left.legend(names.map((name, k) => [name, colors[k]]), [0.3, 0]);
    for (const rival of rivals) {
      left.line([[0, TABLES[rival]], [12.5, TABLES[rival]]], { stroke: "var(--soft)", "stroke-dasharray": "6 4", "stroke-width": 1.4 }, left.back);
      left.text(12.3, TABLES[rival] + (rival === "and the hole" ? -0.27 : 0.07), rival, { "text-anchor": "end" }, left.back);
    }
    const right = ui.panel({
      title: "Tables that are passed", x: { range: [0.15, 16], log: true, ticks: [0.2, 0.5, 1, 2, 5, 10], label: "after so many million tokens" },
      y: { range: [4, 0], ticks: [], label: "" }, height: 300,
    });
    rivals.forEach((rival, row) => right.text(0.16, row + 0.24, rival, { "font-weight": 600 }, right.back));

    function draw() {
      const seen = player.value() * step, told = [];
      left.clear();
      right.clear();
      names.forEach((run, k) => {
        const so = points(run).filter(([n]) => n <= seen);
        left.line(so.map(([n, v]) => [n / million, v]), { stroke: colors[k], "stroke-width": 2.4 });
        if (so.length) left.dot(so.at(-1)[0] / million, so.at(-1)[1], { r: 4.5, fill: colors[k] });
        const behind = [];
        rivals.forEach((rival, row) => {
          const n = passes(run, rival);
          if (n === null || n > seen) return;
          behind.push(rival);
          right.dot(n / million, row + 0.44 + 0.2 * k, { r: 4.5, fill: colors[k] });
          right.text((n / million) * 1.1, row + 0.51 + 0.2 * k, say(n), { "font-size": 12 });
        });
        if (!so.length) return;
        const over = points(run).at(-1)[0] < seen ? "ended at" : "is at";
        const last = rivals.filter((r) => !behind.includes(r));
        told.push(`<b>${run}</b> ${over} ${so.at(-1)[1].toFixed(2)} nats, ` +
          (last.length ? `above ${last.length === 4 ? "all four tables" : last.join(", ")}` : "below all four tables"));
      });
      ui.verdict(seen ? `After ${say(seen)} million tokens: ${told.join("; ")}.` : "No run has read anything yet.");
      return undefined;
    }

    const player = ui.player({ label: "tokens", steps: most / step, delay: 110, format: (t) => `${say(t * step)} million`, change: draw });
    ui.button("2.7 million", () => player.set(13));
    ui.button("all 12.3 million", () => player.set(60));
    ui.still(() => player.set(60));
    ui.table(["table", "nats", ...names.map((n) => `${n}: passed after`)], rivals.map((rival) => [rival, TABLES[rival].toFixed(2),
      ...names.map((run) => (passes(run, rival) ? `${say(passes(run, rival))} million` : "never"))]));
    draw();
  });
})();
