// A promise falls with the steps. From where on does it say more than standing still?
"use strict";
(() => {
  // What the theorem promises after T steps of batch T, with the best learning rate; `noise` is 2 or 1, `bounds` is
  // alpha_u / alpha_l.
  const promised = (c, T, noise, bounds) =>
    bounds * (Math.sqrt((2 * c.Delta * c.L) / T) + (noise * c.sigma) / Math.sqrt(T));

  // The first number of steps after which it does not lie above `target`.
  const stepsFor = (c, target, noise, bounds) => Math.ceil((promised(c, 1, noise, bounds) / target) ** 2);

  // Delta, the sums of the L_i and of the sigma_i; what there is at the start, and the most that there is anywhere.
  const problems = {
    bounded: { name: "robust", Delta: 0.8072214728457586, L: 49.0416150188367, sigma: 3.9309880975260523,
      start: 0.4679495164792461, most: 2.1786335887470663 },
    convex: { name: "convex", Delta: 7.6563835526201505, L: 24.52080750941835, sigma: 6.052152096767682,
      start: 3.2399603386600293, most: 3.354225837143144 },
    bowl: { name: "bowl", Delta: 0.2137 ** 2 / 2, L: 1, sigma: Math.sqrt(3), start: 0.2137, most: Infinity },
  };

  Live.figure("lars-promise", { promised, stepsFor, problem: (name) => problems[name] }, (ui) => {
    const right = 1e6;
    const panel = ui.panel({
      title: "The promise: T steps, batch T", width: 360,
      x: { range: [1, right], log: true, ticks: [1, 100, 1e4, 1e6], format: (t) => (t < 1e6 ? Live.number(t, 5) : "10⁶"), label: "steps T" },
      y: { range: [0.003, 300], log: true, ticks: [0.01, 0.1, 1, 10, 100], label: "summed gradient norm" },
    });

    function draw() {
      const c = problems[problem.value()], noise = Number(count.value()), T = Math.round(bar.value());
      const bounds = c.name === "bowl" ? 1 : Number(phi.value()), now = promised(c, T, noise, bounds);
      const line = (v, dash) => panel.line([[1, v], [right, v]], { stroke: "var(--soft)", "stroke-dasharray": dash });
      panel.clear();
      line(c.start, "2 4");
      const one = c.most < 1.05 * c.start, end = { "text-anchor": "end" };
      panel.text(0.8 * right, c.start * (one ? 1.5 : 0.4), one ? "start and largest" : "at the start", end);
      if (Number.isFinite(c.most)) {
        line(c.most, "7 4");
        if (!one) panel.text(0.8 * right, c.most * 1.5, "the largest anywhere", end);
      }
      panel.line([[1, promised(c, 1, noise, bounds)], [right, promised(c, right, noise, bounds)]], { stroke: "var(--b)", class: "landmark" });
      const from = stepsFor(c, Math.min(c.start, c.most), noise, bounds);
      panel.line([[from, 0.003], [from, 300]], { stroke: "var(--c)", "stroke-dasharray": "5 4", class: "landmark" });
      panel.dot(T, now, { r: 6, fill: "var(--b)" });
      const says = now > Math.min(c.start, c.most) ? "<b>This says nothing</b>: standing still keeps it"
        : "<b>This says something</b>: standing still would break it";
      ui.verdict(`After ${Live.number(T, 4)} steps, or ${Live.number(T * T)} gradients, the promise is <b>${Live.number(now)}</b>; ` +
        `at the start there is ${Live.number(c.start)}. ${says}.`);
    }

    const bar = ui.slider({
      label: "steps T", range: [1, right], log: true, value: 10, steps: 120,
      format: (T) => Live.number(Math.round(T), 4), change: draw,
    });
    const problem = ui.choice({
      label: "problem", value: "convex", change: draw,
      options: [["convex", "convex regression"], ["bounded", "robust regression"], ["bowl", "lopsided bowl (φ = 1)"]],
    });
    const count = ui.choice({
      label: "the noise counts", value: "2", change: draw, options: [["2", "twice, as in the theorem"], ["1", "once"]],
    });
    const phi = ui.choice({
      label: "α_u / α_l", value: "4", change: draw, options: [1, 2, 4, 8, 16].map((k) => [`${k}`, `${k}`]),
    });
    ui.still(() => bar.set(3000));
    ui.table(["problem", "start", "largest", "says something from T ="], Object.entries(problems).map(([key, c]) =>
      [key, Live.number(c.start, 3), Live.number(c.most, 3), Live.number(stepsFor(c, Math.min(c.start, c.most), 2, key === "bowl" ? 1 : 4), 4)]));
    draw();
  });
})();
