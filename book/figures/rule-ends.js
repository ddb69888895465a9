// You tuned at one batch. Up to which batch does each rule stay near the best rate?
"use strict";
(() => {
  // Best learning rate to a loss of 0.2 on digits, median of six seeds, and the critical batch (book/runs/batch-size).
  const { batches, best, critical, power } = Live.records["rule-ends"];

  // The factor on the rate from batch b to batch c.
  const rules = { same: () => 1, root: (b, c) => Math.sqrt(c / b), linear: (b, c) => c / b };
  const carried = (rule, b, c) => rules[rule](b, c);
  // The same by the bend: ((1 + B/b) / (1 + B/c))^(1/p).
  const bend = (B, p, b, c) => ((1 + B / b) / (1 + B / c)) ** (1 / p);
  // The last batch, from b upwards, up to which a rate stays within a factor of 2 of the best one.
  function reach(method, b, factor) {
    const from = batches.indexOf(b), start = best[method][from];
    let last = b;
    for (let k = from + 1; k < batches.length; k++) {
      if (Math.abs(Math.log2((start * factor(b, batches[k])) / best[method][k])) > 1) break;
      last = batches[k];
    }
    return last;
  }
  const reached = (method, b, rule) => reach(method, b, rule === "bend"
    ? (from, to) => bend(critical[method], power[method], from, to) : rules[rule]);

  Live.figure("rule-ends", { carried, bend, reached }, (ui) => {
    const colors = { same: "var(--soft)", root: "var(--c)", linear: "var(--b)", bend: "var(--ink)" };
    const end = batches[batches.length - 1], dense = Array.from({ length: 61 }, (_, k) => end ** (k / 60));
    const panels = Object.fromEntries(["SGD", "Adam"].map((method) => {
      const panel = ui.panel({
        title: method, height: 300,
        x: { range: [0.8, 1800], log: true, ticks: [1, 4, 16, 64, 256, 1437], label: "batch size" },
        y: { range: method === "SGD" ? [0.04, 4] : [0.004, 0.4], log: true, label: "learning rate",
          ticks: method === "SGD" ? [0.05, 0.2, 1, 4] : [0.005, 0.02, 0.1, 0.4] },
      });
      const points = batches.map((b, k) => [b, best[method][k]]);
      panel.line(points, { stroke: "var(--a)", "stroke-opacity": 0.35, class: "landmark" }, panel.back);
      for (const [b, lr] of points) panel.dot(b, lr, { r: 3.5, class: "landmark" }, panel.back);
      return [method, panel];
    }));
    panels.SGD.legend([["same rate", colors.same], ["root", colors.root], ["linear", colors.linear], ["best, measured", "var(--a)"]], [0.56, 0.41]);

    function draw(place) {
      const b = batches[Math.round(place)];
      const parts = Object.entries(panels).map(([method, panel]) => {
        const start = best[method][batches.indexOf(b)], up = dense.filter((c) => c >= b);
        panel.clear();
        for (const rule of Object.keys(rules)) {
          panel.line(up.map((c) => [c, start * carried(rule, b, c)]), { stroke: colors[rule] });
        }
        panel.line(up.map((c) => [c, start * bend(critical[method], power[method], b, c)]),
          { stroke: colors.bend, "stroke-dasharray": "6 4", class: "landmark" });
        panel.dot(b, start, { r: 6 });
        const far = Object.keys(rules).map((rule) => `${rule} ${Live.number(reached(method, b, rule), 4)}`);
        return `<b>${method}</b>: ${far.join(", ")}, bend (dashed) ${Live.number(reached(method, b, "bend"), 4)}`;
      });
      ui.verdict(`Tuned at batch <b>${Live.number(b, 4)}</b>. Within a factor of 2 of the best rate up to batch: ${parts.join("; ")}.`);
    }

    const bar = ui.slider({
      label: "tuned at batch", range: [0, batches.length - 1], steps: batches.length - 1, value: 1,
      format: (k) => Live.number(batches[Math.round(k)], 4), change: draw,
    });
    ui.button("batch 2", () => bar.set(1));
    ui.button("batch 32", () => bar.set(5));
    ui.button("batch 256", () => bar.set(8));
    ui.still(() => bar.set(1));
    ui.table(["batch", "SGD: best", "by the bend from 1", "Adam: best", "by the bend from 1"], batches.map((b, k) => [
      Live.number(b, 4), ...["SGD", "Adam"].flatMap((method) => [best[method][k],
        best[method][0] * bend(critical[method], power[method], 1, b)].map((v) => v.toPrecision(2)))]));
    draw(bar.value());
  });
})();
