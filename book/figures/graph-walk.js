// When does a value know its adjoint?
"use strict";
(() => {
  const ORDER = ["a", "b", "c", "s", "u", "y"];
  const EDGES = [["a", "s"], ["b", "s"], ["s", "u"], ["c", "u"], ["s", "y"], ["u", "y"]];

  // s = a b, u = s + c, y = s u.
  function values(a, b, c) {
    const s = a * b, u = s + c;
    return { a, b, c, s, u, y: s * u };
  }

  // The derivative of the end of each edge with respect to its start, in the order of EDGES.
  const locals = (v) => [v.b, v.a, 1, 1, v.u, v.s];

  // What has arrived at each node after each of the six edges was walked backwards: a list of seven rows, in ORDER.
  function backward(a, b, c) {
    const w = locals(values(a, b, c)), adjoint = { a: 0, b: 0, c: 0, s: 0, u: 0, y: 1 };
    const rows = [ORDER.map((name) => adjoint[name])];
    for (const k of [4, 5, 2, 3, 0, 1]) {
      const [start, end] = EDGES[k];
      adjoint[start] += w[k] * adjoint[end];
      rows.push(ORDER.map((name) => adjoint[name]));
    }
    return rows;
  }

  const steps = [
    "Three numbers are given: a, b and c.", "<b>s = a b</b> is computed.", "<b>u = s + c</b> is computed.",
    "<b>y = s u</b> is computed. The program is done; now backwards.",
    "y has the adjoint 1, the derivative of y with respect to itself.",
    "y sends u · 1 to s. <b>The adjoint of s is not complete</b>: s was used twice, and u has not had its turn.",
    "y sends s · 1 to u. Nothing else uses u, so u is complete.",
    "u sends its adjoint times 1 to s. <b>Now s is complete</b>: both contributions have arrived, and they add up.",
    "u sends its adjoint times 1 to c.", "Only now is it the turn of s: it sends its adjoint times b to a.",
    "s sends its adjoint times a to b. Every edge was used once, and all adjoints are known.",
  ];
  const complete = { y: 4, u: 6, s: 7, c: 8, a: 9, b: 10 }; // the step after which an adjoint is complete
  const computed = { a: 0, b: 0, c: 0, s: 1, u: 2, y: 3 };
  const walked = [4, 5, 2, 3, 0, 1]; // edge of steps 5, 6, ...

  Live.figure("graph-walk", { values, locals, backward }, (ui) => {
    const place = { a: [0, 3], b: [0, 1.5], c: [0, 0], s: [1.5, 2.25], u: [3, 0.75], y: [4.5, 2.25] };
    const panel = ui.panel({
      title: "y = s u,  u = s + c,  s = a b", x: { range: [-0.5, 5] }, y: { range: [-0.75, 3.75] },
      width: 400, height: 320, axes: false, // narrow, so that a phone can show its words
    });
    panel.svg.style.maxWidth = "34rem";
    panel.svg.style.marginInline = "auto";
    const radius = 17;

    function arrow(k, color, width) {
      const [p, q] = EDGES[k].map((name) => [panel.X(place[name][0]), panel.Y(place[name][1])]);
      const length = Math.hypot(q[0] - p[0], q[1] - p[1]), d = [(q[0] - p[0]) / length, (q[1] - p[1]) / length];
      const at = (x, y) => [panel.X.back(x), panel.Y.back(y)];
      panel.arrow(at(p[0] + radius * d[0], p[1] + radius * d[1]), at(q[0] - radius * d[0], q[1] - radius * d[1]),
        { stroke: color, "stroke-width": width });
    }

    function draw(step) {
      const v = values(2, -1, 3), w = locals(v);
      const sent = backward(2, -1, 3)[Math.max(0, Math.min(6, step - 4))], active = step > 4 ? walked[step - 5] : -1;
      const word = (x) => String(x).replace("-", "−");
      panel.clear();
      EDGES.forEach(([start, end], k) => {
        const known = computed[end] <= step;
        arrow(k, k === active ? "var(--b)" : known ? "var(--soft)" : "var(--line)", k === active ? 4 : 1.8);
        if (!known) return;
        const [p, q] = [place[start], place[end]];
        const mid = [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];
        panel.dot(mid[0], mid[1], { r: 11, fill: "var(--panel)" });
        panel.text(mid[0], mid[1] - 0.07, word(w[k]), { "text-anchor": "middle" });
      });
      ORDER.forEach((name, k) => {
        const [x, y] = place[name], known = computed[name] <= step;
        const rim = known ? "var(--ink)" : "var(--line)";
        panel.dot(x, y, { r: radius, fill: "var(--paper)", stroke: rim, "stroke-width": 1.6 });
        panel.text(x, y - 0.07, name, { "text-anchor": "middle", style: "font-style:italic;font-size:16px" });
        if (known) panel.text(x, y + 0.36, word(v[name]), { "text-anchor": "middle", style: "font-weight:700" });
        if (step < 4 || (sent[k] === 0 && step < complete[name])) return;
        const done = step >= complete[name], style = { "text-anchor": "middle", style: "fill:var(--b);font-weight:700" };
        panel.text(x, y - 0.56, done ? word(sent[k]) : `${word(sent[k])} so far`, style);
      });
      ui.verdict(`Step ${step} of ${steps.length - 1}. ${steps[step]}`);
    }

    const time = ui.player({ label: "step", steps: steps.length - 1, delay: 1400, change: draw });
    ui.button("step 0", () => time.set(0));
    ui.button("step 3", () => time.set(3));
    ui.still(() => time.set(steps.length - 1));
    const v = values(2, -1, 3), done = backward(2, -1, 3)[6];
    ui.table(["value", "number", "adjoint"],
      ORDER.map((name, k) => [name, `${v[name]}`.replace("-", "−"), `${done[k]}`.replace("-", "−")]));
    draw(time.value());
    ui.plays();
  });
})();
