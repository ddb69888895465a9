// Which bound of CAME's step is the smaller one, momentum's or the clip's?
"use strict";
(() => {
  const T = 100000;

  // K_t: what any updates obey, squared.
  const momentum = (t, beta1, beta3) => (((1 - beta1) / beta1) ** 2 * beta3 * (beta3 ** -t - 1)) / (1 - beta3) ** 2;

  // What clipped updates obey from a start at zero, squared, in a weighted mean.
  const clip = (t, beta1, beta3) => (1 - beta1 ** t) ** 2 / (beta1 ** 2 * (1 - beta3) * beta3 ** (t - 1));

  // The step after t equal updates, eps2 = 0, squared.
  function certain(t, beta1, beta3) {
    const q = beta1 * beta1, apart = beta3 - q;
    const sum = Math.abs(apart) < 1e-9 ? t * q ** (t - 1) : Math.abs((beta3 ** t - q ** t) / apart);
    return (1 - beta1 ** t) ** 2 / ((1 - beta3) * q * sum);
  }

  // The first step at which the clip's bound is below momentum's; T + 1 where there is none. At step 1 they are equal.
  function crossing(beta1, beta3) {
    for (let t = 2; t <= T; t++) if (clip(t, beta1, beta3) < momentum(t, beta1, beta3)) return t;
    return T + 1;
  }

  Live.figure("came-bounds", { momentum, clip, certain, crossing }, (ui) => {
    const panel = ui.panel({
      title: "How long a step of CAME can be", width: 360, height: 270,
      x: { range: [1, T], log: true, ticks: [1, 10, 100, 1000, 1e4], label: "step t" },
      y: { range: [0.5, 3e4], log: true, ticks: [1, 10, 100, 1000], label: "step / learning rate" },
    });
    panel.legend([["bound from momentum", "var(--a)", "7 4"], ["bound from the clip", "var(--b)", "2 3"],
      ["the same update for ever", "var(--c)"]], [0.03, 0.02]);
    const times = Array.from({ length: 201 }, (_, k) => Math.max(1, Math.round(T ** (k / 200))));
    const exact = (v) => 1 - Number((1 - v).toPrecision(2));

    function draw() {
      const beta1 = one.value(), beta3 = exact(1 - gap.value()), t = Math.round(at.value());
      panel.clear();
      const curve = (f, attributes) => panel.line(times.map((s) => [s, Math.sqrt(f(s, beta1, beta3))]), attributes);
      curve(momentum, { stroke: "var(--a)", "stroke-dasharray": "7 4" });
      curve(clip, { stroke: "var(--b)", "stroke-dasharray": "2 3" });
      curve(certain, { stroke: "var(--c)" });
      const meet = crossing(beta1, beta3), bounds = [momentum, clip].map((f) => Math.sqrt(f(t, beta1, beta3)));
      if (meet <= T) {
        panel.line([[meet, 0.5], [meet, 3e4]], { stroke: "var(--soft)", "stroke-width": 1, class: "landmark" });
      }
      const step = Math.sqrt(certain(t, beta1, beta3)), first = bounds[0] <= bounds[1];
      panel.dot(t, Math.min(...bounds), { r: 6, fill: first ? "var(--a)" : "var(--b)" });
      panel.dot(t, step, { r: 4, fill: "var(--c)" });
      ui.verdict(`β₁ = ${Live.number(beta1, 2)}, β₃ = ${beta3.toFixed(5).replace(/0+$/, "")}, step ${Live.number(t, 6)}: momentum allows ` +
        `<b>${Live.number(bounds[0], 3)}</b> learning rates, the clip <b>${Live.number(bounds[1], 3)}</b>. ` +
        `The smaller one is ${first ? "momentum's" : "the clip's"}` +
        `${meet <= T ? `; the clip's is the smaller one from step ${Live.number(meet, 6)} on` : ""}. ` +
        `An update that never changes has ${Live.number(step, 3)}.`);
    }

    const gap = ui.slider({
      label: "β₃", range: [1e-5, 0.1], log: true, value: 1e-4, steps: 80,
      format: (v) => `${Number(exact(1 - v).toFixed(6))}`, change: draw,
    });
    const one = ui.slider({ label: "β₁", range: [0.5, 0.99], value: 0.9, steps: 49, change: draw });
    const at = ui.slider({
      label: "step t", range: [1, T], log: true, value: 10, steps: 100,
      format: (v) => Live.number(Math.round(v), 6), change: draw,
    });
    for (const b of [0.9, 0.99, 0.999, 0.9999]) ui.button(`β₃ = ${b}`, () => gap.set(1 - b));
    ui.still(() => at.set(1000));
    ui.table(["β₃", "clip below momentum from step", "clip's bound at 1,000", "momentum's at 1,000"], [0.9, 0.99, 0.999, 0.9999].map((b) =>
      [`${b}`, Live.number(crossing(0.9, b), 4), ...[clip, momentum].map((f) => Live.number(Math.sqrt(f(1000, 0.9, b)), 3))]));
    draw();
  });
})();
