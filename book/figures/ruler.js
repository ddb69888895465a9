// In which direction is the steepest descent, when the unit of one knob changes?
"use strict";
(() => {
  const FIT = { H: [[0.353495237473904, 0.4315848990953375], [0.4315848990953375, 1]], // mean a², mean a; mean a, 1
    linear: [0.03422929714683368, 0.09951287404314545] }; // mean a y, mean y: pixel 42 and the sevens
  const gradient = (fit, x) => fit.H.map((row, i) => row[0] * x[0] + row[1] * x[1] - fit.linear[i]);

  // The step of length 1 with the lowest linear loss, in our unit; she measures the weight as w / c. Ours: c = 1.
  function steepest(g, c, norm) {
    const [gw, gb] = [c * g[0], g[1]]; // her partial derivatives
    const length = Math.hypot(gw, gb);
    const u = norm === "euclid" ? [-gw / length, -gb / length]
      : norm === "largest" ? [-Math.sign(gw), -Math.sign(gb)]
      : Math.abs(gw) > Math.abs(gb) ? [-Math.sign(gw), 0] : [0, -Math.sign(gb)];
    return [c * u[0], u[1]]; // her step of w / c, in our w
  }

  // The angle between two steps in degrees.
  function angle(u, v) {
    const cross = u[0] * v[1] - u[1] * v[0];
    return (Math.abs(Math.atan2(cross, u[0] * v[0] + u[1] * v[1])) * 180) / Math.PI;
  }

  // Points of the level line f = f* + level.
  function ring(fit, level) {
    const [[p, q], [, s]] = fit.H, det = p * s - q * q;
    const best = [(s * fit.linear[0] - q * fit.linear[1]) / det, (p * fit.linear[1] - q * fit.linear[0]) / det];
    const l11 = Math.sqrt(p), l21 = q / l11, l22 = Math.sqrt(s - l21 * l21); // H = l l'
    return Array.from({ length: 241 }, (_, k) => {
      const turn = (k * Math.PI) / 120, r = Math.sqrt(2 * level), b = (r * Math.sin(turn)) / l22;
      return [best[0] + (r * Math.cos(turn) - l21 * b) / l11, best[1] + b];
    });
  }

  Live.figure("ruler", { gradient, steepest, angle, ring }, (ui) => {
    const here = [0.75, 0.6], g = gradient(FIT, here), reach = 0.62, half = 1;
    const balls = {
      euclid: Array.from({ length: 73 }, (_, k) => [Math.cos((k * Math.PI) / 36), Math.sin((k * Math.PI) / 36)]),
      largest: [[1, 1], [-1, 1], [-1, -1], [1, -1]], sum: [[1, 0], [0, 1], [-1, 0], [0, -1]],
    };
    const levels = [];
    for (let level = 0.008; level < 40; level *= 1.5) levels.unshift(level);
    const axis = (label) => ({ range: [-half, half], ticks: [-1, -0.5, 0, 0.5, 1], label });
    const make = (title, label) => ui.panel({
      title, x: axis(label), y: axis("offset, from here"), width: 360, height: 356,
    });
    const left = make("Our picture", "weight in our unit, from here");
    const right = make("Her picture", "weight in her unit, from here");
    let c = 1, norm = "euclid";

    // One picture: a step of our w by 1 is drawn as 1 / scale.
    function picture(panel, scale, ours, hers) {
      const see = ([w, b]) => [w / scale, b], size = (u) => Math.hypot(...see(u));
      panel.clear();
      for (const level of levels) {
        panel.area(ring(FIT, level).map(([w, b]) => see([w - here[0], b - here[1]])),
          { stroke: "var(--line)", "fill-opacity": 0.4 });
      }
      const zoom = reach / size(hers);
      panel.area(balls[norm].map(([w, b]) => see([zoom * c * w, zoom * b])),
        { fill: "var(--b)", "fill-opacity": 0.14, stroke: "var(--b)", "stroke-dasharray": "4 3" });
      for (const [step, color, name, width] of [[ours, "var(--a)", "ours", 5], [hers, "var(--b)", "hers", 2.4]]) {
        const tip = see(step).map((v) => (reach * v) / size(step));
        panel.arrow([0, 0], tip, { stroke: color, "stroke-width": width }, panel.front, 10);
        const words = { "text-anchor": "middle", style: `fill:${color};font-weight:700` };
        const side = name === "ours" ? 0.12 : -0.12; // labels beside the arrows, not on them
        panel.text(tip[0] * 1.2 + (angle(ours, hers) < 8 ? side * 1.4 : 0), tip[1] * 1.2 - 0.03, name, words);
      }
      panel.dot(0, 0, { r: 4.5, fill: "var(--ink)" });
    }

    function draw() {
      const ours = steepest(g, 1, norm), hers = steepest(g, c, norm);
      picture(left, 1, ours, hers);
      picture(right, c, ours, hers);
      const degrees = angle(ours, hers), factor = Live.number(c, 3), square = Live.number(c * c, 5);
      const lesson = Math.abs(c - 1) < 0.02 ? "One unit, one steepest direction."
        : norm === "euclid" ? `Measured in our unit, her step along the weight is c² = ${square} times ours for the same ` +
          "step along the offset: one factor c comes from the derivative, one from the unit."
        : norm === "largest" ? `Both knobs move by 1 in their own unit, whatever the size of the derivatives. ` +
          `Measured in our unit, her step along the weight is c = ${factor} times ours.`
        : degrees > 1 ? "Only the knob with the largest partial derivative moves: for us the offset, for her the weight."
        : "Only the knob with the largest partial derivative moves: the offset, for both of us.";
      ui.verdict(`Her ink goes from 0 to <b>${factor}</b>. In our picture the two steepest directions differ by ` +
        `<b>${degrees.toFixed(0)} degrees</b>. ${lesson}`);
    }

    const plain = (v) => (v > 100 ? Math.round(v) : Number(v.toPrecision(2)));
    const bar = ui.slider({
      label: "her ink goes from 0 to c =", range: [0.25, 255], log: true, value: c, steps: 240,
      format: (v) => Live.number(plain(v), 3), change: (v) => { c = plain(v); draw(); },
    });
    ui.choice({
      label: "the length of a step is", value: norm, change: (v) => { norm = v; draw(); },
      options: [["euclid", "Euclid's length"], ["largest", "its largest entry"], ["sum", "the sum of its entries' sizes"]],
    });
    ui.button("c = 1", () => bar.set(1));
    ui.button("c = 3", () => bar.set(3));
    ui.button("c = 255: bytes", () => bar.set(255));
    ui.table(["c", "Euclid's length", "largest entry", "sum"], [0.25, 1, 3, 10, 255].map((v) => [`${v}`,
      ...["euclid", "largest", "sum"].map((n) => `${angle(steepest(g, 1, n), steepest(g, v, n)).toFixed(1)}°`)]));
    ui.still(() => bar.set(3));
    draw();
  });
})();
