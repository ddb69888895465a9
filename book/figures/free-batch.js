// The same tokens in larger batches: is it free?
"use strict";
(() => {
  const batches = [16, 64, 256, 1024], tokens = 4e6, length = 32, matters = 0.05;
  // Last validation losses of five seeds (book/runs/gpt2-batches and gpt2-half-octaves): at the rate that was tuned at
  // this batch, by half octaves, and at the rate that the rule of the root carries from the best octave of 16 rows. A
  // row a batch.
  const { losses, tables } = Live.records["free-batch"];
  const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;
  const steps = (rows) => Math.floor(tokens / length / rows); // of whole batches
  const of = (method, rate, rows) => losses[method][rate][batches.indexOf(rows)];
  function summary(method, rate, rows) {
    const ends = of(method, rate, rows), average = mean(ends);
    return { mean: average, low: Math.min(...ends), high: Math.max(...ends), above: average - mean(of(method, "tuned", 16)), steps: steps(rows) };
  }

  Live.figure("free-batch", { summary }, (ui) => {
    const x = { range: [11, 1500], log: true, ticks: batches, label: "rows a step" };
    const left = ui.panel({ title: "Loss after four million tokens", height: 280, x, y: { range: [3.5, 6.05], ticks: [4, 4.5, 5, 5.5, 6], label: "nats per token" } });
    const right = ui.panel({
      title: "Above 16 rows", height: 280, x, y: { range: [0.01, 3], log: true, ticks: [0.01, 0.03, 0.1, 0.3, 1, 3], label: "nats" },
    });
    right.line([[11, matters], [1500, matters]], { stroke: "var(--ink)", "stroke-dasharray": "5 4" }, right.back);
    right.text(12, 0.055, "what matters: 0.05", {}, right.back);
    for (const [name, loss] of Object.entries(tables)) {
      left.line([[11, loss], [1500, loss]], { stroke: "var(--soft)", "stroke-dasharray": "3 4", class: "landmark" }, left.back);
      left.text(12, loss + (name === "pairs" ? 0.05 : -0.18), `counting ${name}`, { class: "landmark" }, left.back);
    }
    const seen = new Map(), shift = { "AdamW tuned": 0.95, "AdamW rule": 0.88, "LAMB tuned": 1.05, "LAMB rule": 1.12 };
    const words = { tuned: "tuned there", rule: "by the rule" };

    function draw() {
      const now = { method: method.value(), rate: rate.value(), rows: batches[Math.round(bar.value())] };
      const key = `${now.method} ${now.rate} ${now.rows}`;
      seen.set(key, now);
      left.clear();
      right.clear();
      for (const [name, one] of seen) {
        const s = summary(one.method, one.rate, one.rows), at = one.rows * shift[`${one.method} ${one.rate}`];
        const color = Live.optimizer(one.method).stroke, fill = one.rate === "tuned" ? color : "var(--panel)", r = name === key ? 6 : 4;
        left.line([[at, s.low], [at, s.high]], { stroke: color });
        left.dot(at, s.mean, { r, fill, stroke: color, "stroke-width": 2 });
        if (one.rows > 16) right.dot(at, s.above, { r, fill, stroke: color, "stroke-width": 2 });
      }
      const s = summary(now.method, now.rate, now.rows);
      const told = now.rows === 16 && now.rate === "tuned" ? "This is where the others are compared from."
        : `That is <b>${s.above.toFixed(3)}</b> nats above 16 rows, ${s.above < matters ? "less" : "more"} than what matters.`;
      ui.verdict(`${now.method}, rate ${words[now.rate]}, <b>${Live.number(now.rows, 4)}</b> rows: ${Live.number(s.steps, 4)} steps end at ` +
        `<b>${s.mean.toFixed(3)}</b> nats (${s.low.toFixed(2)} to ${s.high.toFixed(2)}). ${told}`);
      ui.table(["method", "rate", "rows", "steps", "loss", "above 16 rows"], [...seen.values()].map((one) => {
        const t = summary(one.method, one.rate, one.rows);
        return [one.method, words[one.rate], Live.number(one.rows, 4), Live.number(t.steps, 4), t.mean.toFixed(3), t.above.toFixed(3)];
      }));
    }

    const bar = ui.slider({
      label: "rows a step", range: [0, 3], steps: 3, value: 0, format: (k) => Live.number(batches[Math.round(k)], 4), change: () => draw(),
    });
    const method = ui.choice({ label: "method", options: [["AdamW", "AdamW"], ["LAMB", "LAMB"]], value: "AdamW", change: () => draw() });
    const rate = ui.choice({ label: "learning rate", options: [["tuned", "tuned at this batch"], ["rule", "by the rule, from 16 rows"]], value: "tuned", change: () => draw() });
    left.legend([["AdamW", Live.optimizer("AdamW").stroke], ["LAMB", Live.optimizer("LAMB").stroke]], [0.04, 0.03]);
    ui.still(() => {
      for (const how of ["rule", "tuned"]) for (const name of ["LAMB", "AdamW"]) for (const k of [0, 1, 2, 3]) { rate.set(how); method.set(name); bar.set(k); }
    });
    draw();
  });
})();
