// A rate that was tuned at batch 2: where does each rule take it, and what does the run lose?
"use strict";
(() => {
  // Training loss on digits after eight epochs, median of twenty seeds (book/runs/carried-rates): without a warm-up and
  // with one; a row a batch, a column a rate. And the number of the rate that five other seeds chose.
  const { batches, rates, losses, tuned } = Live.records["carried-rate"], base = 2, count = rates.SGD.length;

  // The grid has two rates an octave, so every rule lands on it: "same", "root" and "linear" from batch 2.
  const octaves = { same: 0, root: 0.5, linear: 1 };
  const landed = (method, warm, rule, k) => tuned[method][warm][base] + 2 * octaves[rule] * Math.log2(batches[k] / base);
  const lossAt = (method, warm, k, j) => losses[method][warm][k][j] ?? Infinity; // beyond the grid: it has long diverged

  Live.figure("carried-rate", { landed, lossAt }, (ui) => {
    const rules = Object.keys(octaves), colors = { same: "var(--soft)", root: "var(--c)", linear: "var(--b)" };
    const floor = 0.01, top = 3.5, clip = (v) => Math.max(floor, Math.min(2.45, v));
    const axis = { range: [floor, top], log: true, ticks: [0.01, 0.03, 0.1, 0.3, 1, 2.3], label: "training loss (nats)" };
    const panels = {};
    for (const method of ["SGD", "Adam"]) {
      const [a, z] = [rates[method][0] / 1.2, rates[method][count - 1] * 1.2];
      panels[method] = ui.panel({
        title: `${method} at your batch`, height: 290, y: axis,
        x: { range: [a, z], log: true, label: "learning rate",
          ticks: method === "SGD" ? [0.02, 0.1, 0.5, 2, 10] : [0.005, 0.02, 0.1, 0.5, 2] },
      });
    }
    panels.SGD.legend([["same rate", colors.same], ["root", colors.root], ["linear", colors.linear]], [0.66, 0.5]);
    let warm = 1;

    function draw(place) {
      const k = Math.round(place), b = batches[k];
      const said = Object.entries(panels).map(([method, panel]) => {
        const row = losses[method][warm][k], best = tuned[method][warm][b];
        panel.clear();
        for (const [j, other] of batches.entries()) {
          if (j !== k) panel.line(losses[method][warm][j].map((v, i) => [rates[method][i], clip(v)]),
            { stroke: "var(--a)", "stroke-opacity": 0.16, class: "landmark", "data-batch": other });
        }
        panel.line(row.map((v, i) => [rates[method][i], clip(v)]), { stroke: "var(--a)" });
        panel.dot(rates[method][best], clip(row[best]), { r: 8, fill: "none", stroke: "var(--ink)", "stroke-width": 1.6, class: "landmark" });
        const parts = rules.map((rule) => {
          const j = landed(method, warm, rule, k), loss = lossAt(method, warm, k, j), x = rates[method][Math.min(j, count - 1)];
          panel.dot(x, clip(loss), { r: 5.5, fill: colors[rule] });
          return `${rule} ${loss > 2 ? "learns nothing" : Live.number(loss / row[best])}`;
        });
        return `<b>${method}</b> ${parts.join(", ")}`;
      });
      ui.verdict(b === base ? "At batch 2 all three rules take the tuned rate."
        : `At batch <b>${b}</b>, as multiples of the loss with the rate that is tuned there (ring, chosen by five other seeds): ${said.join("; ")}.`);
      ui.table(["method", "batch", "tuned rate", "its loss", ...rules], ["SGD", "Adam"].flatMap((method) => batches.map((c, i) => {
        const best = tuned[method][warm][c];
        return [method, `${c}`, rates[method][best].toPrecision(2), losses[method][warm][i][best].toPrecision(2),
          ...rules.map((rule) => Math.min(lossAt(method, warm, i, landed(method, warm, rule, i)), 99).toPrecision(2))];
      })));
    }

    const bar = ui.slider({
      label: "your batch", range: [0, batches.length - 1], steps: batches.length - 1, value: 0,
      format: (k) => `${batches[Math.round(k)]}`, change: draw,
    });
    ui.button("with warm-up", () => { warm = 1; draw(bar.value()); });
    ui.button("without", () => { warm = 0; draw(bar.value()); });
    ui.still(() => bar.set(3));
    draw(bar.value());
  });
})();
