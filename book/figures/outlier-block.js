// One gradient in a block grows. Whose second moment is stored as zero, and how long are the steps of these weights?
"use strict";
(() => {
  const power = (v) => (v < 1e3 ? Live.number(v, 2) : `10${[...String(Math.round(Math.log10(v)))].map((d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]).join("")}`);
  const f32 = Math.fround, eps = 1e-8, count = 32, outlier = 5;

  // Levels up to 1: in each decade twice as many as in the one below. `signed` has negative ones, too.
  function dynamic(signed, decades) {
    const levels = [0, 1];
    for (let i = 0; i < decades; i++) {
      const parts = 2 ** (signed ? i : i + 1);
      for (let k = 0; k < parts; k++) {
        const middle = (10 ** (i + 1 - decades) * (0.1 + (0.9 * k) / parts + 0.1 + (0.9 * (k + 1)) / parts)) / 2;
        levels.push(middle, ...(signed ? [-middle] : []));
      }
    }
    return levels.map(f32).sort((a, b) => a - b);
  }

  const LEVELS = {
    equal: Array.from({ length: 256 }, (_, k) => f32(k / 255)),
    decades: dynamic(false, 7),
    four: Array.from({ length: 16 }, (_, k) => f32((k + 1) / 16)),
  };

  // The levels nearest to the numbers, times the largest number of each block: what is read back.
  function stored(v, kind, block) {
    const levels = LEVELS[kind], out = [];
    for (let start = 0; start < v.length; start += block) {
      const part = v.slice(start, start + block), scale = f32(Math.max(...part));
      for (const x of part) {
        const share = f32(f32(x) / scale);
        let code = 0;
        while (code + 1 < levels.length && f32(f32(levels[code] + levels[code + 1]) / 2) <= share) code++;
        out.push(f32(levels[code] * scale));
      }
    }
    return out;
  }

  // Sizes of the gradients: between 0.3 and 3, and the outlier.
  const gradients = (size) => Array.from({ length: count }, (_, k) =>
    k === outlier ? size : 0.3 * 10 ** (((7 * k) % count) / (count - 1)));

  // Under steady gradients m is g and v is its square: steps in learning rates.
  const steps = (g, v) => g.map((x, k) => x / (Math.sqrt(v[k]) + eps));
  const longest = (size, kind, block) => {
    const g = gradients(size);
    return Math.max(...steps(g, stored(g.map((x) => x * x), kind, block)));
  };

  Live.figure("outlier-block", { levels: (kind) => LEVELS[kind], dynamic, stored, gradients, steps, longest }, (ui) => {
    const floor = 1e-3, sizes = Array.from({ length: 81 }, (_, k) => 10 ** (k / 20));
    const left = ui.panel({
      title: "v, exact and stored",
      x: { range: [0, count + 1], ticks: [1, 6, 16, 32], label: "weight" },
      y: { range: [floor / 2, 3e8], log: true, ticks: [0.01, 1, 100, 1e4, 1e6, 1e8], label: "v", format: power },
    });
    const right = ui.panel({
      title: "The longest step",
      x: { range: [1, 1e4], log: true, ticks: [1, 10, 100, 1e3, 1e4], label: "gradient of the outlier", format: power },
      y: { range: [0.5, 1e9], log: true, ticks: [1, 1e3, 1e6, 1e9], label: "learning rates", format: power },
    });

    function draw() {
      const size = bar.value(), kind = code.value(), block = Number(blocks.value());
      const g = gradients(size), v = g.map((x) => x * x), kept = stored(v, kind, block), taken = steps(g, kept);
      left.clear();
      right.clear();
      g.forEach((_, k) => {
        left.dot(k + 1, v[k], { r: 4, fill: "none", stroke: "var(--soft)", "stroke-width": 1.5 });
        const gone = kept[k] === 0;
        left.dot(k + 1, gone ? floor : kept[k], { r: 3, fill: gone ? "var(--b)" : "var(--a)" });
      });
      for (let edge = block; edge < count; edge += block) {
        left.line([[edge + 0.5, floor / 2], [edge + 0.5, 3e8]], { stroke: "var(--line)" });
      }
      right.line(sizes.map((s) => [s, longest(s, kind, block)]), { stroke: "var(--soft)", class: "landmark" });
      right.dot(size, Math.max(...taken), { r: 6, fill: "var(--b)" });
      const zeros = kept.filter((x) => x === 0).length, shortest = Math.min(...taken);
      ui.verdict(`The outlier's gradient is <b>${Live.number(size)}</b>: ${zeros === 0 ? "no v is" : `<b>${zeros}</b> of ${count} are`} `
        + `stored as zero (orange). Steps are between ${Live.number(shortest)} and <b>${Live.number(Math.max(...taken))}</b> `
        + "learning rates long; exact Adam's are all 1.");
    }

    const code = ui.choice({
      label: "levels", value: "equal",
      options: [["equal", "256, equally spaced"], ["decades", "256, by decades"], ["four", "16, without zero"]],
      change: () => draw(),
    });
    const blocks = ui.choice({
      label: "a scale for", value: "32", options: [["32", "all 32"], ["8", "each 8"]], change: () => draw(),
    });
    const bar = ui.slider({
      label: "outlier", range: [1, 1e4], log: true, value: 1, steps: 80, format: (v) => Live.number(v), change: () => draw(),
    });
    for (const size of [1, 10, 100, 3000]) ui.button(`outlier ${Live.number(size, 4)}`, () => bar.set(size));
    ui.still(() => bar.set(100));
    ui.table(["outlier", "equal", "by decades", "16 levels"], [1, 10, 100, 1000, 1e4].map((s) =>
      [Live.number(s, 5), ...["equal", "decades", "four"].map((kind) => Live.number(longest(s, kind, 32)))]));
    draw();
  });
})();
