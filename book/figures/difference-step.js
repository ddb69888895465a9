// How long should the step of a difference quotient be?
"use strict";
(() => {
  const EPS = { double: 2 ** -53, single: 2 ** -24 };
  const round = { double: (v) => v, single: Math.fround };

  // rho(r) = r² / (1 + r²), every operation rounded.
  function rho(r, kind) {
    const fl = round[kind], square = fl(r * r);
    return fl(square / fl(1 + square));
  }
  const slope = (r) => (2 * r) / (1 + r * r) ** 2;
  const third = (r) => (24 * r * (r * r - 1)) / (1 + r * r) ** 4;

  // The central difference; 2 h as it was rounded, and 0 where r + h is r.
  function central(r, step, kind) {
    const fl = round[kind], h = fl(step), up = fl(r + h), down = fl(r - h);
    return up > down ? fl(fl(rho(up, kind) - rho(down, kind)) / fl(up - down)) : 0;
  }
  const truncation = (r, h) => (h * h * Math.abs(third(r))) / 6;
  const rounding = (r, h, kind) => (EPS[kind] * rho(r, "double")) / h;
  const best = (r, kind) => Math.cbrt((3 * EPS[kind] * rho(r, "double")) / Math.abs(third(r)));

  Live.figure("difference-step", { rho, slope, third, central, truncation, rounding, best }, (ui) => {
    const r = 0.5, exact = slope(r), small = 1e-17;
    const left = ui.panel({
      title: "The curve and the line of the difference",
      x: { range: [0, 1.5], ticks: [0, 0.5, 1, 1.5], label: "r" },
      y: { range: [-0.1, 0.8], ticks: [0, 0.2, 0.4, 0.6, 0.8], label: "ρ(r)" },
    });
    left.line(Array.from({ length: 91 }, (_, k) => [k / 60, rho(k / 60, "double")]),
      { stroke: "var(--ink)" }, left.back);
    const raised = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 4: "⁴", 6: "⁶", 8: "⁸" };
    const exponent = (v) => [...`${Math.round(Math.log10(v))}`].map((digit) => raised[digit]).join("");
    const power = (v) => (v === 1 ? "1" : `10${exponent(v)}`);
    const right = ui.panel({
      title: "The error of the derivative",
      x: { range: [small, 1], log: true, ticks: [1e-16, 1e-12, 1e-8, 1e-4, 1], label: "step h", format: power },
      y: { range: [1e-13, 10], log: true, ticks: [1e-12, 1e-8, 1e-4, 1], label: "error", format: power },
    });
    right.legend([["truncation", "var(--c)"], ["rounding", "var(--b)"], ["measured", "var(--a)"]], [0.05, 0.62]);
    let h = 0.3, kind = "double";

    function draw() {
      const D = central(r, h, kind), error = Math.abs(D - exact), h0 = best(r, kind), fl = round[kind];
      left.clear();
      right.clear();
      const line = (slopeOf, from) => [[0, from - slopeOf * r], [1.5, from + slopeOf * (1.5 - r)]];
      const middle = (rho(r + h, "double") + rho(r - h, "double")) / 2;
      left.line(line(exact, rho(r, "double")), { stroke: "var(--soft)", "stroke-dasharray": "5 4" });
      left.line(line(D, h > 1e-3 ? middle : rho(r, "double")), { stroke: "var(--a)" });
      for (const side of h > 1e-3 ? [-h, h] : [0]) left.dot(r + side, rho(r + side, "double"), { r: 5 });
      const grid = Array.from({ length: 171 }, (_, k) => 10 ** (-17 + k / 10));
      const broad = { "stroke-width": 7, "stroke-opacity": 0.45 }, hint = { class: "landmark" };
      right.line(grid.map((v) => [v, truncation(r, v)]), { stroke: "var(--c)", ...broad, ...hint });
      right.line(grid.map((v) => [v, rounding(r, v, kind)]), { stroke: "var(--b)", ...broad, ...hint });
      for (const v of grid) right.dot(v, Math.max(1e-15, Math.abs(central(r, v, kind) - exact)), { r: 2, ...hint });
      right.line([[h, 1e-15], [h, 100]], { stroke: "var(--ink)", "stroke-width": 1.2 });
      right.dot(h, Math.min(10, Math.max(1e-13, error)), { r: 6 });
      const digits = Math.max(0, Math.floor(-Math.log10(error / exact)));
      const lesson = fl(r + fl(h)) === r && fl(r - fl(h)) === r
        ? "r + h is rounded to r: the difference is 0, and a gradient of zero would pass the check."
        : h > 5 * h0 ? "Truncation decides: the curve is not a line between the two points, and a shorter step is better."
        : h < h0 / 5 ? "Rounding decides: the two values of f share nearly all their digits, and a longer step is better."
        : "Near the best step the two errors are about equal.";
      ui.verdict(`<b>h = ${Live.number(h)}</b>: the difference is ${D.toFixed(6)}, the derivative ${exact.toFixed(6)}; ` +
        `${digits === 0 ? "no digit is" : digits === 1 ? "one digit is" : `${digits} digits are`} right. ${lesson}`);
    }

    const bar = ui.slider({
      label: "step h", range: [small, 1], log: true, value: h, steps: 340, change: (v) => { h = v; draw(); },
    });
    const precision = ui.choice({
      label: "precision", value: kind, options: [["double", "float64"], ["single", "float32"]],
      change: (v) => { kind = v; draw(); },
    });
    ui.button("h = 0.3", () => bar.set(0.3));
    ui.landmark("where both errors are equal", () => bar.set(best(r, precision.value())));
    ui.button("h = 10⁻¹⁴", () => bar.set(1e-14));
    ui.button("h = 10⁻¹⁷", () => bar.set(1e-17));
    ui.table(["h", "float64: error", "float32: error"], [1e-1, 1e-2, 1e-3, 1e-5, 1e-8, 1e-11, 1e-14].map((v) =>
      [Live.number(v), ...["double", "single"].map((n) => Live.number(Math.abs(central(r, v, n) - exact)))]));
    h = bar.value();
    draw();
  });
})();
