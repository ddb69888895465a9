// So many kilobytes: which size of a model, in which format, ends lowest?
"use strict";
(() => {
  // book/runs/gpt2-compressed, means of five seeds: [size, % pruned, bits, a grid for each row?, bytes, loss on the half
  // of the validation rows that chooses a format, loss on the half that judges]. And what a table of pairs reaches.
  const SIZES = ["1 × 32", "2 × 64", "4 × 128"], { formats: FORMATS, pairs: PAIRS } = Live.records.kilobytes;

  // For each size the format that fits into `limit` bytes and is best on the choosing half; -1 where none fits. And the
  // size that is best on that half. Numbers of rows of FORMATS.
  function best(limit) {
    const of = SIZES.map((_, size) => FORMATS.reduce((low, row, k) =>
      (row[0] === size && row[4] <= limit && (low < 0 || row[5] < FORMATS[low][5]) ? k : low), -1));
    const winner = of.reduce((low, k) => (k >= 0 && (low < 0 || FORMATS[k][5] < FORMATS[low][5]) ? k : low), -1);
    return { of, winner };
  }

  Live.figure("kilobytes", { best }, (ui) => {
    const colors = ["var(--b)", "var(--a)", "var(--c)"], tall = 6.7;
    const name = ([, pruned, bits, rows]) => `${pruned ? `${pruned} % pruned, ` : ""}${bits === 32 ? "float32" : `${bits} bits${rows ? " a row" : ""}`}`;
    const x = { range: [9, 5000], log: true, ticks: [10, 30, 100, 300, 1000, 3000], label: "kilobytes" };
    const left = ui.panel({ title: "Every format of fifteen models", x, y: { range: [3.7, tall], ticks: [4, 4.5, 5, 5.5, 6, 6.5], label: "loss, nats" } });
    const right = ui.panel({
      title: "The best of each size that fits", x: { range: [3.7, 6.3], ticks: [4, 4.5, 5, 5.5, 6], label: "loss, nats" },
      y: { range: [0, 3.3], ticks: [], label: "" },
    });
    left.legend(SIZES.map((size, k) => [size, colors[k]]), [0.6, 0.02]);
    for (const row of FORMATS) left.dot(row[4] / 1e3, row[6], { r: 2.2, fill: colors[row[0]], "fill-opacity": 0.3, class: "landmark" }, left.back);
    left.line([[9, PAIRS], [5000, PAIRS]], { stroke: "var(--soft)", "stroke-dasharray": "5 4" }, left.back);
    left.text(9.5, PAIRS + 0.05, "a table of pairs", {}, left.back);

    function draw() {
      const kb = Number(limit.value().toPrecision(2)), { of, winner } = best(1e3 * kb);
      left.clear();
      right.clear();
      left.line([[kb, 3.7], [kb, tall]], { stroke: "var(--ink)", "stroke-width": 1.5 });
      of.forEach((k, size) => {
        const y = 2.6 - size;
        if (k < 0) return right.text(3.75, y, `${SIZES[size]}: nothing fits`);
        const row = FORMATS[k];
        left.dot(row[4] / 1e3, row[6], { r: 6, fill: colors[size], stroke: "var(--panel)" });
        right.line([[3.7, y - 0.3], [6.3, y - 0.3]], { stroke: "var(--line)", "stroke-width": 1 });
        right.dot(row[6], y - 0.3, { r: k === winner ? 8 : 5, fill: colors[size] });
        return right.text(3.75, y, `${SIZES[size]}: ${row[6].toFixed(2)}, ${name(row)}`);
      });
      const row = FORMATS[winner];
      ui.verdict(row ? `Of all that fits into <b>${Live.number(kb, 4)} KB</b>, <b>${SIZES[row[0]]}</b>, ${name(row)}, is best, at ${row[6].toFixed(2)} nats.`
        : `Into ${Live.number(kb)} KB nothing fits.`);
      ui.table(["at most KB", ...SIZES, "best"], [20, 40, 80, 120, 250, 1000, 4300].map((most) => {
        const at = best(1e3 * most);
        return [Live.number(most, 4), ...at.of.map((k) => (k < 0 ? "–" : FORMATS[k][6].toFixed(2))), `${SIZES[FORMATS[at.winner][0]]}, ${name(FORMATS[at.winner])}`];
      }));
    }
    const limit = ui.slider({ label: "at most KB", range: [12, 4500], log: true, value: 12, steps: 90, format: (v) => Live.number(Number(v.toPrecision(2)), 4), change: draw });
    for (const kb of [40, 80, 320, 1000]) ui.button(`${kb} KB`, () => limit.set(kb));
    ui.still(() => limit.set(320));
    draw();
  });
})();
