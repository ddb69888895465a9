// Many weights in sixteen bits take small steps down. Where is one of them after 200 steps, and where is their mean?
"use strict";
(() => {
  const f32 = Math.fround, one = new Float32Array(1), bits = new Uint32Array(one.buffer), T = 200, count = 300;

  // 16 bits, a hash of the number's own bits and of the step: the same on every replica.
  function hash(x, step) {
    one[0] = x;
    let h = (bits[0] + Math.imul(step + 1, 0x9e3779b1)) >>> 0;
    h = Math.imul(h ^ (h >>> 15), 0x7feb352d) >>> 0;
    h = Math.imul(h ^ (h >>> 13), 0x846ca68b) >>> 0;
    return h >>> 16;
  }
  const rounded = (x, step) => Live.bfloat16(x, hash(x, step));

  // How far `count` weights, spread from 1.3 to 1.9, have come down after each of T steps of mean length `lr`; `own`: the
  // steps have noise, as large as their mean, of each weight's own.
  const start = (i) => 1.3 + (0.6 * i) / (count - 1);
  let noise = null; // made once, when it is asked for
  function walks(kind, lr, own) {
    noise ??= Live.normals(count * T, 5);
    const x = Array.from({ length: count }, (_, i) => Live.bfloat16(f32(start(i)))), from = [...x];
    const path = [x.map(() => 0)];
    for (let t = 1; t <= T; t++) {
      for (let i = 0; i < count; i++) {
        const moved = f32(x[i] - f32(lr * (1 + (own ? noise[count * (t - 1) + i] : 0))));
        x[i] = kind === "nearest" ? Live.bfloat16(moved) : rounded(moved, t);
      }
      path.push(x.map((v, i) => from[i] - v));
    }
    return path;
  }
  const mean = (a) => a.reduce((sum, v) => sum + v, 0) / a.length;
  function spread(a) {
    const middle = mean(a);
    return Math.sqrt(mean(a.map((v) => Exact.square(v - middle))));
  }
  // By the proposition: t steps, each between neighbours that are 2⁻⁷ apart; E|1 + z| = 1.1666 for normal z, and the noise.
  const foretold = (lr, t, own) => Math.sqrt(t * lr * ((own ? 1.166631 : 1) / 128 - lr));

  Live.figure("rounded-cloud", { hash, rounded, walks, foretold, start }, (ui) => {
    const names = { nearest: "to nearest", random: "at random" };
    let kind = "nearest", own = true, path = [];
    const left = ui.panel({
      title: "300 weights", x: { range: [1.27, 1.93], ticks: [1.3, 1.5, 1.7, 1.9], label: "where it started" },
      y: { range: [-1.3, 3.3], ticks: [-1, 0, 1, 2, 3], label: "how far it has come / what it should" },
    });
    const right = ui.panel({
      title: "Scatter of the weights", x: { range: [0, T], ticks: [0, 50, 100, 150, 200], label: "step" },
      y: { range: [0, 0.05], ticks: [0, 0.01, 0.02, 0.03, 0.04, 0.05], label: "standard deviation" },
    });
    left.line([[1.27, 1], [1.93, 1]], { stroke: "var(--soft)", "stroke-dasharray": "5 4" }, left.back);

    function draw() {
      const t = player.value(), lr = rate.value(), now = path[t], goal = Math.max(t, 1) * lr;
      left.clear();
      right.clear();
      now.forEach((d, i) => left.dot(start(i), d / goal, { r: 2.4, fill: kind === "nearest" ? "var(--b)" : "var(--c)" }));
      const steps = Array.from({ length: t + 1 }, (_, s) => s);
      right.line(Array.from({ length: T + 1 }, (_, s) => [s, foretold(lr, s, own)]), { stroke: "var(--soft)", "stroke-dasharray": "5 4", class: "landmark" });
      right.line(steps.map((s) => [s, spread(path[s])]), { stroke: kind === "nearest" ? "var(--b)" : "var(--c)", "stroke-width": 2.4 });
      if (!t) return ui.verdict("No weight has moved yet.");
      ui.verdict(`After <b>${t}</b> steps of ${Live.number(lr, 2)}, rounded ${names[kind]}: every weight should have come ${Live.number(goal, 2)} down. ` +
        `Their mean has come <b>${mean(now).toFixed(4)}</b>; a single one scatters about that by ${spread(now).toFixed(4)}.`);
      return undefined;
    }
    const again = () => { path = walks(kind, rate.value(), own); draw(); };

    const player = ui.player({ steps: T, delay: 40, change: draw });
    const rate = ui.slider({ label: "length of a step", range: [5e-5, 1e-3], log: true, value: 5e-4, steps: 26, format: (v) => Live.number(v, 2), change: again });
    for (const key of Object.keys(names)) ui.button(names[key], () => { kind = key; again(); });
    ui.button("gradients with noise", () => { own = true; again(); });
    ui.button("one gradient for all", () => { own = false; again(); });
    ui.still(() => { kind = "random"; again(); player.set(T); });
    ui.table(["", "should come", "mean", "scatter"], Object.keys(names).flatMap((k) => [true, false].map((mine) => {
      const last = walks(k, 5e-4, mine)[T];
      return [`${names[k]}, ${mine ? "noise" : "one gradient"}`, "0.1", Live.number(mean(last), 3), Live.number(spread(last), 2)];
    })));
    again();
    ui.plays();
  });
})();
