// Which share of a run's memory does CAME save?
"use strict";
(() => {
  const GIB = 2 ** 30, length = 512, masked = 80, statistic = 4, index = 8;
  const MODELS = { // width, layers, heads; the last shape is this book's guess
    "BERT-base": [768, 12, 12],
    "BERT-Large": [1024, 24, 16],
    "BERT of 4 billion": [2560, 48, 40],
  };
  // BERT's parameters: [shape, how many of them].
  function shapes(model) {
    const [h, layers] = MODELS[model];
    return [
      [[30522, h], 1], [[512, h], 1], [[2, h], 1], [[h, h], 4 * layers + 1], [[h, 4 * h], layers], [[4 * h, h], layers],
      [[h], layers * 9 + 5], [[4 * h], layers], [[30522], 1],
    ];
  }
  const size = (shape) => shape.reduce((a, x) => a * x, 1);
  const count = (model, f) => shapes(model).reduce((sum, [shape, times]) => sum + times * f(shape), 0);

  // Bytes of a number: weights, gradients, master weights, AdamW's state, CAME's average, activations.
  const PRECISIONS = {
    "float32": [4, 4, 0, 4, 4, 4],
    "bfloat16, float32 master": [2, 2, 4, 4, 4, 2],
    "bfloat16 alone, authors' CAME": [2, 2, 0, 2, 4, 2],
    "bfloat16 alone, CAME in bfloat16": [2, 2, 0, 2, 2, 2],
  };
  // Optimizer state in bytes; CAME's rows and columns are float32.
  function state(model, precision, method) {
    const [, , , adamw, came] = PRECISIONS[precision];
    if (method === "AdamW") return count(model, (shape) => 2 * adamw * size(shape));
    return count(model, (shape) => came * size(shape) + (shape.length > 1 ? 8 * (shape[0] + shape[1]) : came * size(shape)));
  }
  // Bytes kept for the backward pass of so many rows of 512 tokens, of which 80 are asked; nothing is dropped.
  function activations(model, precision, rows, again) {
    const [h, layers, heads] = MODELS[model], e = PRECISIONS[precision][5], bs = rows * length, k = rows * masked;
    const block = 16 * bs * h * e + rows * heads * length ** 2 * e + 4 * bs * statistic, ids = 2 * bs * index;
    const ends = ids + bs * h * e + 2 * bs * statistic + 2 * k * index + 4 * k * h * e + (k * 30522 + 1) * e + 2 * k * statistic;
    return again ? layers * bs * h * e + Math.max(ends, block - bs * h * e + ids) : ends + layers * block;
  }
  // [weights and gradients, state, activations] of a run in bytes.
  function bill(model, precision, rows, again, method) {
    const [w, g, m] = PRECISIONS[precision], d = count(model, size);
    return [(w + g + m) * d, state(model, precision, method), activations(model, precision, rows, again)];
  }
  const sum = (parts) => parts.reduce((a, x) => a + x, 0);
  const saved = (model, precision, rows, again) =>
    1 - sum(bill(model, precision, rows, again, "CAME")) / sum(bill(model, precision, rows, again, "AdamW"));

  Live.figure("share-saved", { bill, saved, parameters: (model) => count(model, size) }, (ui) => {
    const names = ["weights, gradients", "state", "activations"], colors = ["var(--a)", "var(--b)", "var(--e)"], most = 256;
    const left = ui.panel({
      title: "The bill, in AdamW's", height: 250, x: { range: [0, 1.05], ticks: [0, 0.25, 0.5, 0.75, 1], label: "share of AdamW's bill" },
      y: { range: [0, 3], ticks: [], label: "" },
    });
    left.legend(names.map((name, k) => [name, colors[k]]), [0.02, 0.0]);
    const right = ui.panel({
      title: "Share saved", height: 250, x: { range: [0.9, 1.15 * most], log: true, ticks: [1, 4, 16, 64, 256], label: "rows of 512 tokens" },
      y: { range: [-0.02, 0.5], ticks: [0, 0.1, 0.25, 0.47], label: "share saved", format: (v) => `${Math.round(100 * v)} %` },
    });

    function draw() {
      const at = [model.value(), precision.value()], rows = Math.round(batch.value()), again = kept.value() === "recomputed";
      const bills = Object.fromEntries(["AdamW", "CAME"].map((m) => [m, bill(...at, rows, again, m)])), whole = sum(bills.AdamW);
      left.clear();
      right.clear();
      ["CAME", "AdamW"].forEach((m, row) => {
        let from = 0;
        bills[m].forEach((bytes, k) => {
          const to = from + bytes / whole;
          left.area([[from, row + 0.1], [to, row + 0.1], [to, row + 0.6], [from, row + 0.6]], { fill: colors[k], "fill-opacity": 0.8 });
          from = to;
        });
        left.text(0.01, row + 0.66, `${m}: ${Live.number(sum(bills[m]) / GIB, 3)} GiB`);
      });
      const curve = Array.from({ length: 33 }, (_, k) => 2 ** (k / 4)).map((r) => [r, saved(...at, r, again)]);
      right.line(curve, { stroke: "var(--b)", class: "landmark" });
      right.dot(rows, saved(...at, rows, again), { r: 5.5, fill: "var(--b)" });
      const d = count(at[0], size);
      ui.verdict(`${at[0]} (${d > 1e9 ? `${(d / 1e9).toFixed(1)} billion` : `${Math.round(d / 1e6)} million`}), ${rows} ${rows > 1 ? "rows" : "row"}: AdamW holds ` +
        `<b>${Live.number(whole / GIB, 3)} GiB</b>, CAME ${Live.number(sum(bills.CAME) / GIB, 3)}. CAME saves <b>${(100 * saved(...at, rows, again)).toFixed(1)} %</b> ` +
        `of the whole, and ${(100 * (1 - bills.CAME[1] / bills.AdamW[1])).toFixed(1)} % of the state.`);
    }
    const list = (label, options, value) => ui.choice({ label, value, options: options.map((name) => [name, name]), change: () => draw() });
    const model = list("model", Object.keys(MODELS), "BERT-Large"), precision = list("numbers", Object.keys(PRECISIONS), "float32");
    const kept = list("activations", ["kept", "recomputed"], "kept");
    const batch = ui.slider({ label: "rows", range: [1, most], log: true, steps: 8, value: 256, format: (r) => `${Math.round(r)}`, change: () => draw() });
    ui.button("1 row", () => batch.set(1));
    ui.button("32 rows", () => batch.set(32));
    ui.button("4 billion, 1 row", () => { model.set("BERT of 4 billion"); batch.set(1); });
    ui.still(() => batch.set(32));
    ui.table(["model", "numbers", "1 row", "32 rows", "256 rows"], Object.keys(MODELS).flatMap((m) => Object.keys(PRECISIONS).map((p) =>
      [m, p, ...[1, 32, 256].map((r) => `${(100 * saved(m, p, r, false)).toFixed(1)} %`)])));
    draw();
  });
})();
