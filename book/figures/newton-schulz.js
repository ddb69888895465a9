// What do Muon's rounds do to the singular values of a matrix?
"use strict";
(() => {
  const SETS = { muon: [3.4445, -4.775, 2.0315], classical: [15 / 8, -10 / 8, 3 / 8] };

  // One round: every singular value goes through the polynomial.
  const round = (z, [a, b, c]) => a * z + b * z ** 3 + c * z ** 5;
  function rounds(values, k, name) {
    let now = [...values];
    for (let i = 0; i < k; i++) now = now.map((z) => round(z, SETS[name]));
    return now;
  }

  // Sixteen singular values that fall by a constant factor over so many decades, as shares of the matrix's norm.
  function spectrum(decades, count = 16) {
    const raw = Array.from({ length: count }, (_, i) => 10 ** ((-decades * i) / (count - 1)));
    const norm = Math.sqrt(raw.reduce((sum, v) => sum + v * v, 0));
    return raw.map((v) => v / norm);
  }

  // The rounds that a value needs until it is at least 0.68; none within forty: Infinity.
  function needed(value, name) {
    let z = value, k = 0;
    while (z < 0.68 && k < 40) { z = round(z, SETS[name]); k += 1; }
    return z < 0.68 ? Infinity : k;
  }

  Live.figure("newton-schulz", { round: (z, name) => round(z, SETS[name]), rounds, spectrum, needed }, (ui) => {
    const MOST = 12, ticks = [1e-4, 1e-3, 0.01, 0.1, 1];
    const left = ui.panel({
      title: "Sixteen singular values",
      x: { range: [0, 17], ticks: [1, 4, 8, 12, 16], label: "number" },
      y: { range: [3e-5, 3], log: true, ticks, label: "singular value" },
    });
    const right = ui.panel({
      title: "From before to now",
      x: { range: [1e-4, 1], log: true, ticks, label: "singular value before" },
      y: { range: [0, 1.4], ticks: [0, 0.5, 1], label: "after the rounds" },
    });
    const band = (panel, low, high) => {
      const attributes = { "fill-opacity": 0.5, class: "landmark" };
      panel.area([[low, 0.68], [high, 0.68], [high, 1.21], [low, 1.21]], attributes, panel.back);
    };
    band(left, 0, 17);
    band(right, 1e-4, 1);
    const grid = Array.from({ length: 401 }, (_, i) => 10 ** (-4 + i / 100));

    function draw() {
      const k = player.value(), name = set.value(), before = spectrum(width.value()), now = rounds(before, k, name);
      left.clear();
      right.clear();
      right.line(rounds(grid, k, name).map((v, i) => [grid[i], v]), { stroke: "var(--soft)" });
      now.forEach((v, i) => {
        const color = v >= 0.68 ? "var(--a)" : "var(--b)";
        left.dot(i + 1, before[i], { r: 3, fill: "none", stroke: "var(--soft)" });
        left.dot(i + 1, v, { r: 5, fill: color });
        right.dot(before[i], v, { r: 4, fill: color });
      });
      const arrived = now.filter((v) => v >= 0.68).length, last = needed(before.at(-1), name);
      const sizes = [Math.min(...now), Math.max(...now)].map((v) => Live.number(v));
      ui.verdict(`After <b>${k} round${k === 1 ? "" : "s"}</b> the sixteen values lie between ${sizes[0]} and ${sizes[1]}; ` +
        `<b>${arrived} of 16</b> are at least 0.68. The smallest, ${Live.number(before.at(-1))} at the start, is there after ` +
        `${Number.isFinite(last) ? `${last} rounds` : "more than 40 rounds"}.`);
      ui.table(["number", "before", `after ${k}`], before.map((v, i) => [`${i + 1}`, Live.number(v), Live.number(now[i])]));
    }
    const player = ui.player({ label: "rounds", steps: MOST, delay: 700, change: draw });
    const width = ui.slider({
      label: "they span", range: [0.5, 3.5], value: 2, steps: 30, format: (d) => `a factor of ${Live.number(10 ** d, 1)}`, change: draw,
    });
    const set = ui.choice({
      label: "coefficients", options: [["muon", "Muon's"], ["classical", "15/8, −10/8, 3/8"]], value: "muon", change: draw,
    });
    ui.button("a factor of 30", () => width.set(1.5));
    ui.button("a factor of 3,000", () => width.set(3.5));
    ui.still(() => { width.set(3.5); player.set(5); });
    draw();
  });
})();
