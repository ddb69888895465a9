// An average of squares in sixteen bits. Does it move, and can it come back down?
"use strict";
(() => {
  const f32 = Math.fround, T = 5000;

  // The squares of T steps; v begins at 1.
  const GRADIENTS = {
    thrice: () => Array(T).fill(3),
    zero: () => Array(T).fill(0),
    noise: () => Live.normals(T, 7).map((g) => f32(g * g)),
  };

  // v ← v + (1 − β₂)(g² − v), rounded after every step: v after each of them, from v = 1.
  function average(kind, squares, weight, seed = 1) {
    const w = f32(weight), uniform = Live.uniforms(seed), path = [1];
    for (const g2 of squares) {
      const v = path[path.length - 1], exact = f32(v + f32(w * f32(f32(g2) - v)));
      path.push(kind === "float32" ? exact : kind === "nearest" ? Live.bfloat16(exact) : Live.bfloat16(exact, Math.floor(65536 * uniform())));
    }
    return path;
  }
  const mean = (a) => a.reduce((sum, x) => sum + x, 0) / a.length;
  // Where an average ends: its mean over the last thousand steps.
  const ends = (kind, squares, weight) => mean(average(kind, squares, weight).slice(-1000));

  Live.figure("stuck-average", { average, ends }, (ui) => {
    const names = { float32: "float32", random: "bfloat16, at random", nearest: "bfloat16, to nearest" };
    const colors = { float32: "var(--soft)", random: "var(--c)", nearest: "var(--b)" }, all = Object.keys(names);
    const says = { thrice: "squares of 3 from now on", zero: "squares of 0 from now on", noise: "squares of noise, with mean 1" };
    const weights = Array.from({ length: 13 }, (_, k) => Exact.power(10, -4 + k / 4)), squares = {}, curves = {};
    for (const key of Object.keys(says)) squares[key] = GRADIENTS[key]();
    let chosen = "thrice";
    const left = ui.panel({
      title: "The average, from 1 on", x: { range: [0, T], ticks: [0, 1000, 3000, 5000], label: "step" },
      y: { range: [-0.1, 5], ticks: [0, 1, 2, 3, 4, 5], label: "v" },
    });
    left.legend(all.map((k) => [names[k], colors[k]]), [0.42, 0]);
    const right = ui.panel({
      title: "Where it ends", x: { range: [8e-5, 0.13], log: true, ticks: [1e-4, 1e-3, 0.01, 0.1], label: "1 − β₂", format: (w) => `${w}` },
      y: { range: [-0.1, 5], ticks: [0, 1, 2, 3, 4, 5], label: "v, mean of the last 1,000 steps" },
    });
    const curve = (key) => (curves[key] ??= Object.fromEntries(all.map((k) => [k, weights.map((w) => [w, ends(k, squares[key], w)])])));

    function draw() {
      const w = bar.value(), told = [];
      left.clear();
      right.clear();
      for (const k of all) {
        const path = average(k, squares[chosen], w), end = mean(path.slice(-1000));
        left.line(path.filter((_, t) => t % 20 === 0).map((v, t) => [20 * t, v]), { stroke: colors[k], "stroke-width": k === "float32" ? 4 : 2 });
        right.line(curve(chosen)[k], { stroke: colors[k], "stroke-width": 1.6, class: "landmark" });
        right.dot(w, end, { r: 5, fill: colors[k] });
        told.push(`${end.toFixed(2)} (${names[k]})`);
      }
      ui.verdict(`β₂ = <b>${Live.number(1 - w, 4)}</b>, ${says[chosen]}: the average ends at ${told.join(", ")}.`);
    }

    const bar = ui.slider({ label: "1 − β₂", range: [1e-4, 0.1], log: true, value: 0.1, steps: 36, format: (w) => Live.number(w, 2), change: draw });
    for (const key of Object.keys(says)) ui.button(says[key], () => { chosen = key; draw(); });
    ui.button("β₂ = 0.999", () => bar.set(1e-3));
    ui.still(() => { chosen = "zero"; bar.set(1e-3); });
    ui.table(["1 − β₂", "squares", ...all.map((k) => names[k])], [0.1, 0.01, 0.001].flatMap((w) => Object.keys(says).map((key) =>
      [`${w}`, says[key], ...all.map((k) => ends(k, squares[key], w).toFixed(2))])));
    draw();
  });
})();
