// What do Adam, AdaBelief, Adafactor and CAME do to four entries whose gradient never changes?
"use strict";
(() => {
  const T = 500, frames = 60;
  const zeros = () => [0, 0, 0, 0];
  const average = (old, fresh, beta) => old.map((v, i) => beta * v + (1 - beta) * fresh[i]);
  const rows = (a) => [(a[0] + a[1]) / 2, (a[2] + a[3]) / 2], columns = (a) => [(a[0] + a[2]) / 2, (a[1] + a[3]) / 2];

  // a / sqrt(r c / mean(r)) for the row means r and the column means c of a matrix of two by two.
  const overRoot = (a, [r, c]) => a.map((v, i) =>
    (v * Math.sqrt((r[0] + r[1]) / 2)) / Math.sqrt(r[i >> 1]) / Math.sqrt(c[i & 1]));

  // The steps, in learning rates, for a series of gradients of four entries. Defaults as published.
  function steps(method, gradients) {
    let m = zeros(), v = zeros(), r = [[0, 0], [0, 0]], R = [[0, 0], [0, 0]];
    return gradients.map((g, index) => {
      const t = index + 1;
      if (method === "Adam" || method === "AdaBelief") {
        m = average(m, g, 0.9);
        v = average(v, g.map((x, i) => Exact.square(method === "Adam" ? x : x - m[i])), 0.999);
        const eps = method === "Adam" ? 1e-8 : 1e-16;
        if (method === "AdaBelief") v = v.map((x) => x + eps);
        return m.map((x, i) => x / (1 - Exact.power(0.9, t)) / (Math.sqrt(v[i] / (1 - Exact.power(0.999, t))) + eps));
      }
      const beta2 = method === "Adafactor" ? 1 - Exact.power(t, -0.8) : 0.999, squares = g.map((x) => x * x + 1e-30);
      r = [average(r[0], rows(squares), beta2), average(r[1], columns(squares), beta2)];
      const u = overRoot(g, r), size = Math.max(1, Math.sqrt(u.reduce((sum, x) => sum + x * x, 0) / 4));
      const clipped = u.map((x) => x / size);
      if (method === "Adafactor") return clipped;
      m = average(m, clipped, 0.9);
      const U = clipped.map((x, i) => Exact.square(x - m[i]) + 1e-16);
      R = [average(R[0], rows(U), 0.9999), average(R[1], columns(U), 0.9999)];
      return overRoot(m, R);
    });
  }
  const cross = (a) => (a[0] * a[3]) / (a[1] * a[2]);

  Live.figure("came-four", { steps, cross }, (ui) => {
    const noise = Array.from({ length: T }, (_, t) => Live.normals(4, 100 + t));
    const time = (k) => (k === 0 ? 0 : Math.round(Exact.power(T, k / frames)));
    const G = { a: [3, 1, 1, 1], b: [3, 1, 3, 1], c: [3, 1, 1, -2] };
    let chosen = "a", method = "CAME", runs = [];
    const axis = { range: [1, 600], log: true, ticks: [1, 10, 100, 500], label: "step" };
    const left = ui.panel({
      title: "How far the four entries move", x: axis,
      y: { range: [0.05, 200], log: true, ticks: [0.1, 1, 10, 100], label: "step / learning rate" },
    });
    const looks = [["var(--a)", null], ["var(--b)", null], ["var(--c)", "6 4"], ["var(--ink)", "2 3"]];
    left.legend(["top left", "top right", "bottom left", "bottom right"].map((n, i) => [n, ...looks[i]]), [0.5, 0.68]);
    const right = ui.panel({
      title: "The cross ratio of the step", x: axis,
      y: { range: [0.3, 30], log: true, ticks: [0.3, 1, 3, 10, 30], label: "size of d₁₁ d₂₂ / (d₁₂ d₂₁)" },
    });

    function run() {
      const gradients = noise.map((z) => G[chosen].map((g, i) => g + spread.value() * z[i]));
      runs = steps(method, gradients);
    }
    function draw() {
      const t = time(player.value());
      left.clear();
      right.clear();
      const goal = Math.abs(cross(G[chosen]));
      right.line([[1, goal], [T, goal]], { stroke: "var(--soft)", "stroke-dasharray": "3 4", class: "landmark" });
      right.text(1.2, goal * 1.1, "of the gradient", { class: "landmark" });
      if (!t) return ui.verdict("Nothing has moved yet.");
      looks.forEach(([color, dash], i) => {
        const attributes = dash ? { stroke: color, "stroke-dasharray": dash } : { stroke: color };
        left.line(runs.slice(0, t).map((d, s) => [s + 1, Math.max(1e-4, Math.abs(d[i]))]), attributes);
        left.dot(t, Math.max(1e-4, Math.abs(runs[t - 1][i])), { r: 4, fill: color });
      });
      right.line(runs.slice(0, t).map((d, s) => [s + 1, Math.max(1e-4, Math.abs(cross(d)))]), { stroke: "var(--b)" });
      const now = runs[t - 1], list = now.map((d) => Live.number(d, 2));
      ui.verdict(`Step <b>${t}</b> of ${method}: ${list[0]} and ${list[1]} above, ${list[2]} and ${list[3]} below, in learning ` +
        `rates. The cross ratio of the step is <b>${Live.number(cross(now), 2)}</b>, that of the mean gradient ` +
        `${Live.number(cross(G[chosen]), 2)}; steps of one length have 1 or −1.`);
      return undefined;
    }
    const again = () => { run(); draw(); };

    const player = ui.player({ steps: frames, delay: 90, change: draw, format: (k) => `${time(Math.round(k))}` });
    ui.choice({
      label: "method", options: ["Adam", "AdaBelief", "Adafactor", "CAME"].map((n) => [n, n]), value: method,
      change: (name) => { method = name; again(); },
    });
    const spread = ui.slider({ label: "noise on every entry", range: [0, 1.5], value: 0, steps: 30, change: again });
    const say = (g) => `${g[0]}, ${g[1]} / ${g[2]}, ${g[3]}`.replaceAll("-", "−");
    for (const key of ["a", "b", "c"]) ui.button(say(G[key]), () => { chosen = key; again(); });
    ui.still(() => player.set(frames));
    ui.table(["method", "step 500, gradient 3, 1 / 1, 1", "cross ratio"],
      ["Adam", "AdaBelief", "Adafactor", "CAME"].map((name) => {
        const last = steps(name, Array.from({ length: T }, () => G.a))[T - 1];
        return [name, last.map((d) => Live.number(d, 3)).join(", "), Live.number(cross(last), 3)];
      }));
    again();
  });
})();
