// BERT-Large on 1,024 chips: which minutes are products, and which the price of a step?
"use strict";
(() => {
  const L = 24, h = 1024, V = 30522, chips = 1024, longBatch = 32768;
  const guessed = { 128: 20, 512: 80 };
  // Operations of a row, forward and backward.
  const operations = (T) => 3 * (24 * L * h * h * T + 4 * L * h * T * T + 2 * guessed[T] * (h * h + h * V));
  const shortRows = 7037 * 65536, longRows = 1562 * longBatch;
  const work = (few, long) => (few * operations(128) + long * operations(512)) / chips; // of one chip
  // Two published runs: [rows of 128, rows of 512, steps, seconds]. Two unknowns: seconds an operation, seconds a step.
  const published = [[shortRows, longRows, 7037 + 1562, 76.19 * 60], [14063 * 32768, longRows, 14063 + 1562, 101.2 * 60]];
  function prices() {
    const [[a, b, e], [c, d, f]] = published.map(([few, long, steps, seconds]) => [work(few, long), steps, seconds]);
    return [(e * d - b * f) / (a * d - b * c), (a * f - e * c) / (a * d - b * c)];
  }
  // Minutes: products and price of a step, of the short rows and of the long ones.
  function minutes(few, batch, long) {
    const [product, step] = prices();
    return [product * work(few, 0), (step * few) / batch, product * work(0, long), (step * long) / longBatch].map((s) => s / 60);
  }

  Live.figure("where-minutes-go", { operations, prices, minutes }, (ui) => {
    const all = shortRows + longRows, sum = (list) => list.reduce((total, v) => total + v, 0);
    const names = ["products, short rows", "price of a step, short rows", "products, long rows", "price of a step, long rows"];
    const fills = ["var(--a)", "var(--b)", "var(--c)", "var(--d)"];
    const left = ui.panel({
      title: "Where the minutes go", height: 250, x: { range: [0, 230], ticks: [0, 50, 100, 150, 200], label: "minutes" }, y: { range: [0, 5.2], ticks: [], label: "" },
    });
    const right = ui.panel({
      title: "Minutes of the whole run", height: 250, x: { range: [7000, 150000], log: true, ticks: [8192, 16384, 32768, 65536, 131072], format: (b) => Live.number(b, 6), label: "rows in a short step" },
      y: { range: [0, 240], ticks: [0, 50, 100, 150, 200], label: "minutes" },
    });
    const powers = [13, 14, 15, 16, 17].map((k) => 2 ** k), visited = new Map();

    function draw() {
      const b = 2 ** Math.round(batch.value()), shown = Math.round(10 * share.value()) / 10, few = shown === 0.9 ? shortRows / all : shown; // as published
      const parts = minutes(few * all, b, (1 - few) * all), total = sum(parts);
      visited.set(`${b} ${shown}`, [b, total]);
      left.clear();
      right.clear();
      let from = 0;
      parts.forEach((v, k) => {
        left.area([[from, 4.2], [from + v, 4.2], [from + v, 5], [from, 5]], { fill: fills[k], "fill-opacity": 0.75, stroke: "var(--panel)" });
        left.area([[0, 3.1 - k], [6, 3.1 - k], [6, 3.6 - k], [0, 3.6 - k]], { fill: fills[k], "fill-opacity": 0.75 });
        left.text(10, 3.2 - k, `${names[k]}: ${Live.number(v, 3)}`);
        from += v;
      });
      right.line(powers.map((p) => [p, sum(minutes(few * all, p, (1 - few) * all))]), { stroke: "var(--a)", class: "landmark" });
      for (const [p, t] of visited.values()) right.dot(p, t, { r: 3.5, fill: "var(--soft)" });
      right.dot(b, total, { r: 6, fill: "var(--b)" });
      const steps = (few * all) / b + ((1 - few) * all) / longBatch, price = parts[1] + parts[3];
      ui.verdict(`<b>${Live.number(b, 6)}</b> short rows a step, ${Math.round(100 * shown)} % of the rows short: ${Live.number(Math.round(steps), 5)} steps, ` +
        `<b>${total.toFixed(1)}</b> minutes. ${price.toFixed(1)} of them pay for steps, ${(total - price).toFixed(1)} for products.`);
      ui.table(["short rows a step", ...names, "together"], powers.map((p) => {
        const m = minutes(few * all, p, (1 - few) * all);
        return [Live.number(p, 6), ...m.map((v) => v.toFixed(1)), sum(m).toFixed(1)];
      }));
    }

    const batch = ui.slider({
      label: "rows in a short step", range: [13, 17], steps: 4, value: 15, format: (k) => Live.number(2 ** Math.round(k), 6), change: () => draw(),
    });
    const share = ui.slider({ label: "short rows, of all", range: [0, 1], steps: 10, value: 0.9, format: (v) => `${Math.round(100 * v)} %`, change: () => draw() });
    ui.button("65,536 a step", () => batch.set(16));
    ui.button("131,072 a step", () => batch.set(17));
    ui.button("no short rows", () => share.set(0));
    ui.still(() => batch.set(16));
    draw();
  });
})();
