// Which step of length 1 is steepest, when length means something else?
"use strict";
(() => {
  const BALLS = { euclid: "Euclid's length", largest: "the largest entry", sum: "the sum of the entries" };

  const length = (kind, [a, b]) =>
    kind === "euclid" ? Math.sqrt(a * a + b * b) : kind === "largest" ? Math.max(Math.abs(a), Math.abs(b)) : Math.abs(a) + Math.abs(b);
  const towards = (degrees) => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];

  // The steepest step of length 1 for the gradient g, and the dual norm of g: their inner product. A tie of the sum
  // takes the first weight.
  function steepest(kind, [a, b]) {
    const size = length("euclid", [a, b]);
    const step = kind === "euclid" ? [a / size, b / size] : kind === "largest" ? [Math.sign(a), Math.sign(b)]
      : Math.abs(a) >= Math.abs(b) ? [Math.sign(a), 0] : [0, Math.sign(b)];
    return [...step, a * step[0] + b * step[1]];
  }
  const steepestAt = (kind, x, y) => steepest(kind, [x, y]);
  const short = (v) => Live.number(Math.abs(v) < 1e-9 ? 0 : v);
  const edge = (kind) => Array.from({ length: 181 }, (_, i) => towards(2 * i)).map((p) => p.map((v) => v / length(kind, p)));

  Live.figure("steepest-ball", { steepest: steepestAt, edge }, (ui) => {
    const left = ui.panel({
      title: "All steps of length at most 1", height: 330,
      x: { range: [-1.77, 1.77], ticks: [-1, 0, 1], label: "first weight" },
      y: { range: [-1.6, 1.6], ticks: [-1, 0, 1], label: "second weight" },
    });
    const right = ui.panel({
      title: "The slope: the dual norm", height: 330,
      x: { range: [0, 90], ticks: [0, 30, 60, 90], format: (v) => `${v}°`, label: "angle of the gradient" },
      y: { range: [0.3, 1.6], ticks: [0.4, 0.7, 1, 1.3], label: "slope along the steepest step" },
    });
    const colors = { euclid: "var(--a)", largest: "var(--b)", sum: "var(--c)" };
    for (const kind of Object.keys(BALLS)) {
      const points = Array.from({ length: 181 }, (_, i) => [i / 2, steepest(kind, towards(i / 2))[2]]);
      right.line(points, { stroke: colors[kind], class: "landmark" }, right.back);
    }
    right.legend(Object.entries(BALLS).map(([kind, name]) => [name, colors[kind]]), [0.28, 0.72]);

    function draw() {
      const kind = ball.value(), g = towards(angle.value()), [a, b, slope] = steepest(kind, g), color = colors[kind];
      left.clear();
      right.clear();
      left.area(edge(kind), { stroke: color, "stroke-width": 2 });
      left.arrow([0, 0], g.map((v) => 1.5 * v), { stroke: "var(--soft)" });
      // the level line of the loss through the steepest step
      left.line([[a - 4 * g[1], b + 4 * g[0]], [a + 4 * g[1], b - 4 * g[0]]], { stroke: "var(--ink)", "stroke-width": 1, "stroke-dasharray": "5 4" });
      left.arrow([0, 0], [a, b], { stroke: color, "stroke-width": 3 });
      left.dot(a, b, { r: 6, fill: color });
      right.dot(angle.value(), slope, { r: 6, fill: color });
      ui.verdict(`Length is <b>${BALLS[kind]}</b>, the gradient points at ${Live.number(angle.value(), 3)}°: the step with the ` +
        `largest inner product is <b>(${short(a)}, ${short(b)})</b>, with the slope ${Live.number(slope, 3)}.`);
      ui.table(["length", "steepest step", "slope"], Object.entries(BALLS).map(([other, name]) => {
        const [x, y, z] = steepest(other, g);
        return [name, `(${Live.number(x)}, ${Live.number(y)})`, Live.number(z, 3)];
      }));
    }
    const angle = ui.slider({ label: "the gradient points at", range: [0, 90], value: 25, steps: 90, format: (v) => `${Live.number(v)}°`, change: draw });
    const ball = ui.choice({ label: "length is", options: Object.entries(BALLS), value: "euclid", change: draw });
    ui.still(() => { ball.set("largest"); angle.set(53); });
    draw();
    ui.plays();
  });
})();
