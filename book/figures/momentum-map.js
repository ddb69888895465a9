// Heavy ball in one direction: where are the two roots, and what does the run look like?
"use strict";
(() => {
  // The roots of z² − (1 + β − s) z + β, s = η λ, as [real part, imaginary part] each.
  function roots(s, beta) {
    const half = (1 + beta - s) / 2, D = half * half - beta;
    if (D < 0) return [[half, Math.sqrt(-D)], [half, -Math.sqrt(-D)]];
    return [[half + Math.sqrt(D), 0], [half - Math.sqrt(D), 0]];
  }

  // The larger modulus: the factor a step in the long run.
  const radius = (s, beta) => Math.max(...roots(s, beta).map(([a, b]) => Math.hypot(a, b)));

  // x_{t+1} = (1 + β − s) x_t − β x_{t−1}, at rest at 1 before the first step: the points 0 ... steps.
  function path(s, beta, steps) {
    const x = [1];
    for (let t = 0, before = 1; t < steps; t++) {
      x.push((1 + beta - s) * x[t] - beta * before);
      before = x[t];
    }
    return x;
  }

  function regime(s, beta) {
    const root = Math.sqrt(beta);
    if (s > 2 * (1 + beta)) return "divergent";
    if (s > (1 + root) ** 2) return "alternating";
    return s > (1 - root) ** 2 ? "oscillating" : "monotone";
  }

  Live.figure("momentum-map", { roots, radius, path, regime }, (ui) => {
    const most = 4.2, steps = 60, now = { s: 0.03, beta: 0.5 }, size = { width: 300, height: 260 };
    const fine = Array.from({ length: 121 }, (_, k) => k / 120);
    const edges = [(b) => (1 - Math.sqrt(b)) ** 2, (b) => (1 + Math.sqrt(b)) ** 2, (b) => 2 * (1 + b)];
    const curve = (edge) => fine.map((b) => [edge(b), b]);

    const map = ui.panel({
      ...size, title: "The map",
      x: { range: [0, most], ticks: [0, 1, 2, 3, 4], label: "learning rate × curvature, ηλ" },
      y: { range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], label: "momentum β" },
    });
    const [slow, swing, flip] = edges.map(curve);
    const region = (from, to, color) =>
      map.area([...from, ...[...to].reverse()], { fill: color, "fill-opacity": 0.16 }, map.back);
    region([[0, 0], [0, 1]], slow, "var(--a)");
    region(slow, swing, "var(--c)");
    region(swing, flip, "var(--d)");
    for (let c = 2.15; c < 2 * most - 2; c += 0.15) { // hatched, from the last edge to the frame
      const ends = [Math.max(0, (c - most) / 2), (c - 2) / 4];
      map.line(ends.map((v) => [c - 2 * v, v]), { stroke: "var(--soft)", "stroke-width": 0.8, opacity: 0.5 }, map.back);
    }
    for (const line of [slow, swing, flip]) map.line(line, { stroke: "var(--soft)", "stroke-width": 1.2 }, map.back);
    const name = (u, v, word, turn = 0) => {
      const at = `rotate(${turn} ${map.X(u)} ${map.Y(v)})`;
      map.text(u, v, word, { class: "tick", "text-anchor": "middle", transform: at }, map.back);
    };
    name(1.25, 0.72, "oscillating");
    name(0.2, 0.17, "monotone", -90);
    name(2.36, 0.33, "alternating", -57);
    name(3.5, 0.2, "divergent");

    const plane = ui.panel({
      ...size, title: "The two roots",
      x: { range: [-1.6, 1.6], ticks: [-1, 0, 1], label: "real part" },
      y: { range: [-1.338, 1.338], ticks: [-1, 0, 1], label: "imaginary part" },
    });
    const circle = (r) => Array.from({ length: 121 }, (_, k) => {
      const angle = (k * Math.PI) / 60;
      return [r * Math.cos(angle), r * Math.sin(angle)];
    });
    plane.area(circle(1), { stroke: "var(--ink)", "stroke-width": 1.5 }, plane.back);

    const far = 1.6; // the third panel stands alone in its row: as wide as the others
    const run = ui.panel({
      ...size, title: "The run from 1, at rest",
      x: { range: [0, steps], ticks: [0, 20, 40, 60], label: "step" },
      y: { range: [-far, far], ticks: [-1, 0, 1], label: "x" },
    });

    run.svg.style.maxWidth = "max(min(100%, 22rem), calc(50% - 0.4rem))";
    run.svg.style.marginInline = "auto";

    function draw() {
      const { s, beta } = now, r = radius(s, beta), x = path(s, beta, steps), kind = regime(s, beta);
      for (const panel of [map, plane, run]) panel.clear();
      map.dot(s, beta, { r: 7, fill: "var(--b)", stroke: "var(--paper)", "stroke-width": 2 });
      plane.line(circle(Math.sqrt(beta)), { stroke: "var(--c)", "stroke-dasharray": "5 4", "stroke-width": 1.4 });
      for (const [a, b] of roots(s, beta)) {
        const shown = Math.max(-1.55, Math.min(1.55, a)); // a root that has left the picture stays at its edge
        plane.dot(shown, b, { r: 6, fill: "var(--b)", stroke: "var(--paper)", "stroke-width": 1.5 });
      }
      for (const sign of [1, -1]) {
        const bound = x.map((_, t) => [t, Math.max(-9, Math.min(9, sign * r ** t))]);
        run.line(bound, { stroke: "var(--soft)", "stroke-dasharray": "5 4", "stroke-width": 1.2 });
      }
      run.line(x.map((v, t) => [t, v]), { stroke: "var(--a)", "stroke-width": 1.6 });
      x.forEach((v, t) => Math.abs(v) <= far && run.dot(t, v, { r: 2.4 }));
      const where = `At <b>ηλ = ${Live.number(s, 3)}</b>, <b>β = ${Live.number(beta, 3)}</b> the run is <b>${kind}</b>`;
      const factor = Live.number(r, 3);
      const said = {
        monotone: `: two real roots. The larger one, ${factor}, is the factor a step. In this region a larger ηλ or a ` +
          "larger β makes the run faster.",
        oscillating: `: two complex roots, both at distance √β = ${factor} from zero. Moving the point left or ` +
          "right turns the roots but does not change this distance, so the speed stays the same.",
        alternating: `: two negative roots. x changes its sign at every step; the factor is ${factor}.`,
        divergent: ": one root is outside the unit circle, and in the long run every step multiplies the error " +
          `by ${factor}.`,
      };
      const plain = beta === 0 && kind !== "divergent"
        ? ` Without momentum one root is zero: gradient descent, with the factor |1 − ηλ| = ${factor}.` : "";
      if (Math.abs(r - 1) < 1e-9) return ui.verdict(`${where.split(" the run")[0]} a root stands on the unit circle: ` +
        "the run neither grows nor shrinks. One step further to the right and it diverges.");
      return ui.verdict(where + (plain ? `.${plain}` : said[kind]));
    }

    const put = (s, beta) => {
      strength.set(s);
      momentum.set(beta);
    };
    const strength = ui.slider({
      label: "ηλ", range: [0.01, 4.2], value: now.s, steps: 419, format: (v) => v.toFixed(2),
      change: (v) => { now.s = v; draw(); },
    });
    const momentum = ui.slider({
      label: "β", range: [0, 0.99], value: now.beta, steps: 99, format: (v) => v.toFixed(2),
      change: (v) => { now.beta = v; draw(); },
    });
    map.drag((s, beta) => put(Math.max(0.01, s), Math.min(0.99, beta)));
    ui.button("ηλ = 0.03, β = 0.5", () => put(0.03, 0.5));
    ui.landmark("to the left edge, (1 − √β)²", () => strength.set(Math.max(0.01, edges[0](now.beta))));
    ui.landmark("to the right edge, 2 (1 + β)", () => strength.set(edges[2](now.beta)));
    ui.button("β = 0", () => put(0.5, 0));
    ui.button("β = 0.99", () => put(0.5, 0.99));
    ui.still(() => put(0.6, 0.8));
    ui.table(["β", "left edge (1 − √β)²", "right edge (1 + √β)²", "stable below 2 (1 + β)", "factor between"],
      [0, 0.25, 0.5, 0.81, 0.9, 0.99].map((b) => [Live.number(b), ...edges.map((edge) => edge(b).toFixed(4)),
        Math.sqrt(b).toFixed(3)]));
    draw();
  });
})();
