// A weight in sixteen bits walks in small equal steps. With how many steps does it no longer leave its place?
"use strict";
(() => {
  const f32 = Math.fround, to = 0.75, rounded = Live.bfloat16;

  // Half of the distance to the next larger bfloat16.
  const halfGap = (x) => Exact.power(2, Math.floor(Exact.log2(Math.abs(x))) - 8);
  const even = (x) => { // to the nearest whole number, halves to the even one
    const low = Math.floor(x), rest = x - low;
    return rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low;
  };

  // A step of each kind: [weight, what is kept beside it] -> the same afterwards.
  const kinds = {
    nearest: ([x, kept], step) => [rounded(f32(x - step)), kept],
    random: ([x, kept], step, draw) => [rounded(f32(x - step), draw), kept],
    Kahan: ([x, owed], step) => {
      const now = rounded(f32(owed - step)), moved = rounded(f32(x + now));
      return [moved, rounded(f32(now + f32(x - moved)))];
    },
    rest: ([x, rest], step) => {
      const exact = f32(f32(x + f32(rest * f32(halfGap(x) / 127))) - step), moved = rounded(exact);
      return [moved, even(f32(f32(f32(exact - moved) / halfGap(moved)) * 127))];
    },
  };

  // From 1 towards 0.75 in so many equal steps: the weight at `points` + 1 moments.
  function walk(kind, steps, points = 1, seed = 1) {
    const step = f32((1 - to) / steps), uniform = Live.uniforms(seed), out = [1];
    let now = [1, 0];
    for (let t = 1; t <= steps; t++) {
      now = kinds[kind](now, step, Math.floor(65536 * uniform()));
      if (Math.floor((t * points) / steps) > Math.floor(((t - 1) * points) / steps)) out.push(now[0]);
    }
    return out;
  }

  const share = (kind, steps) => (1 - walk(kind, steps)[1]) / (1 - to);

  Live.figure("four-roundings", { walk, share }, (ui) => {
    const names = { nearest: "to the nearest", random: "at random", Kahan: "Kahan", rest: "8 bits of rest" };
    const colors = { nearest: "var(--b)", random: "var(--d)", Kahan: "var(--a)", rest: "var(--c)" };
    const counts = Array.from({ length: 37 }, (_, k) => Math.round(Exact.power(10, 1 + k / 9))), all = Object.keys(names);
    const left = ui.panel({
      title: "The walk",
      x: { range: [0, 1], ticks: [0, 0.5, 1], label: "share of the steps" },
      y: { range: [0.45, 1.45], ticks: [0.5, 0.75, 1], label: "weight" },
    });
    left.line([[0, 1], [1, to]], { stroke: "var(--soft)", "stroke-dasharray": "4 4" }, left.back);
    left.legend(all.map((k) => [names[k], colors[k]]), [0.55, 0]);
    const right = ui.panel({
      title: "How far it comes",
      x: { range: [10, 1e5], log: true, ticks: [10, 100, 1000, 1e4, 1e5], label: "steps", format: (n) => `10${"⁰¹²³⁴⁵"[Math.round(Exact.log10(n))]}` },
      y: { range: [-0.1, 2.2], ticks: [0, 1, 2], label: "share of the way" },
    });
    const curves = Object.fromEntries(all.map((k) => [k, counts.map((n) => [n, share(k, n)])]));
    for (const k of all) right.line(curves[k], { stroke: colors[k], "stroke-width": 1.5, class: "landmark" }, right.back);

    function draw() {
      const steps = Math.round(bar.value()), points = Math.min(steps, 60), ends = {};
      left.clear();
      right.clear();
      for (const k of all) {
        const path = walk(k, steps, points);
        left.line(path.map((w, i) => [i / points, w]), { stroke: colors[k], "stroke-width": 2.4 });
        ends[k] = path[points];
        right.dot(steps, (1 - ends[k]) / (1 - to), { r: 5, fill: colors[k] });
      }
      ui.verdict(`<b>${Live.number(steps, 6)} steps</b> of ${Live.number((1 - to) / steps, 2)} each: `
        + `the weight ends at ${all.map((k) => `${ends[k].toFixed(3)} (${names[k]})`).join(", ")}, and exactly at ${to}.`);
    }

    const bar = ui.slider({
      label: "steps", range: [10, 1e5], log: true, value: 10, steps: 72, format: (n) => Live.number(Math.round(n), 6), change: draw,
    });
    for (const n of [10, 100, 1000, 10000, 100000]) ui.button(`${Live.number(n, 6)} steps`, () => bar.set(n));
    ui.still(() => bar.set(1000));
    ui.table(["steps", ...all.map((k) => names[k])], [10, 100, 1000, 10000, 100000].map((n) =>
      [Live.number(n, 6), ...all.map((k) => share(k, n).toFixed(2))]));
    draw();
  });
})();
