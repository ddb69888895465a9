// A step has a price, and so has an example: which batch do you buy?
"use strict";
(() => {
  // Steps of a run at batch b on the hyperbola, and its cost when a step costs as much as `price` examples.
  const steps = (fewest, critical, b) => fewest * (1 + critical / b);
  const cost = (fewest, critical, b, price) => steps(fewest, critical, b) * (b + price);
  // The cost is fewest (b + price) (1 + critical / b); its derivative vanishes at b^2 = price critical.
  const cheapest = (critical, price) => Math.sqrt(price * critical);

  Live.figure("which-batch", { steps, cost, cheapest }, (ui) => {
    const fits = { SGD: [53, 24], Adam: [15, 84] }; // fewest steps and critical batch on digits, loss 0.2 (batch-size)
    const most = 1024, sizes = Array.from({ length: 121 }, (_, k) => 2 ** (k / 12));
    const left = ui.panel({
      title: "Steps against examples",
      x: { range: [700, 90000], log: true, ticks: [1000, 10000], label: "examples E" },
      y: { range: [10, 3000], log: true, ticks: [10, 100, 1000], label: "steps S" },
    });
    const right = ui.panel({
      title: "What the run costs, in examples",
      x: { range: [0.8, 1.25 * most], log: true, ticks: [1, 8, 64, 512], label: "batch size b" },
      y: { range: [1000, 3e7], log: true, ticks: [1e3, 1e5, 1e7], format: (t) => ({ 1e3: "10³", 1e5: "10⁵", 1e7: "10⁷" })[t], label: "cost" },
    });
    const leftMarks = Live.el("g", { class: "landmark" }, left.back), rightMarks = Live.el("g", { class: "landmark" }, right.back);

    function draw() {
      const b = Math.round(batch.value()), r = price.value(), [S, B] = fits[method.value()];
      const best = Math.min(most, Math.max(1, cheapest(B, r))), look = Live.optimizer(method.value());
      left.clear();
      right.clear();
      leftMarks.replaceChildren();
      rightMarks.replaceChildren();
      left.line(sizes.map((size) => [size * steps(S, B, size), steps(S, B, size)]), { ...look, "stroke-width": 2 });
      left.dot(2 * S * B, 2 * S, { r: 5, fill: "none", stroke: "var(--c)", "stroke-width": 2.5 }, leftMarks);
      left.dot(b * steps(S, B, b), steps(S, B, b), { r: 6 });
      right.line(sizes.map((size) => [size, cost(S, B, size, r)]), { ...look, "stroke-width": 2 }, rightMarks);
      right.line([[B, 1000], [B, 3e7]], { stroke: "var(--c)", "stroke-dasharray": "5 4" }, rightMarks);
      right.dot(best, cost(S, B, best, r), { r: 6, fill: "none", stroke: "var(--b)", "stroke-width": 2.5 }, rightMarks);
      right.dot(b, cost(S, B, b, r), { r: 6 });
      const now = Live.number(steps(S, B, b)), seen = Live.number(b * steps(S, B, b));
      const over = cost(S, B, b, r) / cost(S, B, best, r);
      const lesson = over < 1.05 ? "No batch is cheaper by more than 5 %."
        : `The cheapest batch is ${Live.number(Math.round(best))}; yours costs <b>${Live.number(over)} times</b> as much.`;
      ui.verdict(`At <b>b = ${Live.number(b, 4)}</b> the run takes ${now} steps and ${seen} examples. A step costs as much as ` +
        `<b>${Live.number(r)}</b> examples. ${lesson}`);
    }

    const batch = ui.slider({
      label: "batch size b", range: [1, most], log: true, value: 1, steps: 60,
      format: (b) => Live.number(Math.round(b), 4), change: draw,
    });
    const price = ui.slider({
      label: "price of a step, in examples", range: [0.1, 10000], log: true, value: 100, steps: 50, change: draw,
    });
    const method = ui.choice({ label: "method", options: ["SGD", "Adam"].map((name) => [name, name]), value: "SGD", change: draw });
    ui.button("a step costs 1 example", () => price.set(1));
    ui.button("100 examples", () => price.set(100));
    ui.button("10,000 examples", () => price.set(10000));
    ui.table(["price of a step", "cheapest batch, SGD", "cheapest batch, Adam"], [1, 10, 100, 1000, 10000].map((r) =>
      [Live.number(r, 5), ...["SGD", "Adam"].map((name) => Live.number(Math.round(cheapest(fits[name][1], r)), 3))]));
    ui.still(() => batch.set(256));
    draw();
  });
})();
