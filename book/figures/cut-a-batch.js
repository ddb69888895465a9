// Twelve rows in micro-batches: does every token weigh as much as in the whole batch?
"use strict";
(() => {
  const kinds = {
    equal: Array(12).fill(32),
    unequal: [32, 28, 8, 30, 4, 6, 16, 32, 24, 12, 32, 20],
  };
  // The micro-batch of each row, when every one takes `size` rows and the last what is left.
  const parts = (count, size) => Array.from({ length: count }, (_, i) => Math.floor(i / size));
  // What a token of each row weighs in the accumulated gradient, over its weight in the whole batch. "part": each
  // micro-batch divides by its own tokens, and the means are averaged; "batch": all divide by the tokens of the batch.
  function weights(tokens, size, how) {
    const of = parts(tokens.length, size), count = of[of.length - 1] + 1, all = tokens.reduce((sum, n) => sum + n, 0);
    const inside = Array(count).fill(0);
    tokens.forEach((n, i) => { inside[of[i]] += n; });
    return tokens.map((_, i) => (how === "batch" ? 1 : all / (count * inside[of[i]])));
  }

  Live.figure("cut-a-batch", { kinds: () => kinds, parts, weights }, (ui) => {
    const colors = ["var(--a)", "var(--b)", "var(--c)", "var(--d)", "var(--e)"];
    const x = { range: [0.3, 12.7], ticks: [1, 3, 6, 9, 12], label: "row" };
    const left = ui.panel({ title: "Tokens, coloured by micro-batch", height: 250, x, y: { range: [0, 36], ticks: [0, 8, 16, 24, 32], label: "tokens in the row" } });
    const right = ui.panel({
      title: "Weight of a token", height: 250, x,
      y: { range: [0.3, 12], log: true, ticks: [0.5, 1, 2, 4, 8], label: "times what it should be" },
    });
    right.line([[0.3, 1], [12.7, 1]], { stroke: "var(--ink)", "stroke-dasharray": "5 4" }, right.back);

    function draw() {
      const tokens = kinds[kind.value()], size = Math.round(bar.value()), of = parts(12, size), w = weights(tokens, size, how.value());
      left.clear();
      right.clear();
      tokens.forEach((n, i) => {
        const fill = colors[of[i] % colors.length];
        left.area([[i + 0.62, 0], [i + 1.38, 0], [i + 1.38, n], [i + 0.62, n]], { fill, "fill-opacity": 0.75 });
        right.line([[i + 1, 1], [i + 1, w[i]]], { stroke: fill });
        right.dot(i + 1, w[i], { r: 5, fill });
      });
      const low = Math.min(...w), high = Math.max(...w), count = of[11] + 1, rest = 12 - size * (count - 1);
      const cut = count === 1 ? "One part, the whole batch" : rest === size ? `<b>${count}</b> parts of ${size}` : `<b>${count}</b> parts, the last of ${rest}`;
      const told = high - low < 1e-9 ? "Every token weighs what it should: this <b>is</b> the whole batch."
        : `A token weighs between <b>${low.toFixed(2)}</b> and <b>${high.toFixed(2)}</b> times what it should.`;
      ui.verdict(`${cut}. ${told}`);
      ui.table(["row", "micro-batch", "tokens", "weight"], tokens.map((n, i) => [`${i + 1}`, `${of[i] + 1}`, `${n}`, w[i].toFixed(3)]));
    }

    const bar = ui.slider({ label: "rows in a micro-batch", range: [1, 12], steps: 11, value: 12, format: (v) => `${Math.round(v)}`, change: () => draw() });
    const kind = ui.choice({ label: "rows", options: [["unequal", "of different lengths"], ["equal", "all of 32 tokens"]], value: "unequal", change: () => draw() });
    const how = ui.choice({ label: "a loss is divided by", options: [["part", "the tokens of its micro-batch"], ["batch", "the tokens of the batch"]], value: "part", change: () => draw() });
    ui.still(() => bar.set(3));
    draw();
  });
})();
