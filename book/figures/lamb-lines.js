// LAMB, line by line: how many bytes does each line move through memory, and which way of writing it moves how many?
"use strict";
(() => {
  const LINES = ["m = β₁ m + (1 − β₁) g", "v = β₂ v + (1 − β₂) g²", "m̂ = m / (1 − β₁ᵗ)", "v̂ = v / (1 − β₂ᵗ)",
    "u = m̂ / (√v̂ + ε) + λ x", "the norm of x", "the norm of u", "x = x − η ‖x‖/‖u‖ u"];

  // Of each line its operations, each as [numbers read, numbers written] for every parameter.
  const scale = [1, 1], add = [2, 1], norm = [1, 0];
  const OPERATIONS = {
    "np becomes torch": [[scale, scale, add], [scale, scale, scale, add], [scale], [scale],
      [scale, scale, add, scale, add], [norm], [norm], [scale, add]],
    "in place": [[add], [scale, add], [scale], [scale], [scale, scale, add, add], [norm], [norm], [scale, add]],
    // In one sweep m, v, g, x are read once, for all lines that need them; what a line makes stays in the processor.
    "two sweeps": [[[2, 1]], [[1, 1]], [], [], [], [[1, 0]], [], [[3, 1]]],
    "two sweeps, u stored": [[[2, 1]], [[1, 1]], [], [], [[0, 1]], [[1, 0]], [], [[2, 1]]],
  };
  const sum = (list) => list.reduce((a, x) => a + x, 0);

  // Bytes of each line for every parameter of float32.
  const bytes = (way) => OPERATIONS[way].map((line) => 4 * sum(line.map(([read, written]) => read + written)));
  const calls = (way) => OPERATIONS[way].map((line) => line.length);
  const FLOORS = { LAMB: 4 * (4 + 2 + 3 + 1), AdamW: 4 * (4 + 3) };

  Live.figure("lamb-lines", { bytes: (way) => bytes(way), total: (way) => sum(bytes(way)), floor: (name) => FLOORS[name] }, (ui) => {
    const rows = LINES.length, hidden = () => "";
    let way = "np becomes torch";
    const left = ui.panel({
      title: "Bytes of each line, for one parameter", x: { range: [0, 60], ticks: [0, 20, 40, 60], label: "bytes" },
      y: { range: [rows, 0], ticks: [], label: "line", format: hidden }, height: 330,
    });
    const right = ui.panel({
      title: "Bytes so far", x: { range: [0, rows + 0.6], ticks: [0, 2, 4, 6, 8], label: "line" },
      y: { range: [0, 175], ticks: [0, 40, 80, 120, 160], label: "bytes, for one parameter" }, height: 330,
    });
    for (const [name, dash, at] of [["LAMB", "6 4", 44], ["AdamW", "2 4", 8]]) {
      const mark = { stroke: "var(--soft)", "stroke-dasharray": dash, class: "landmark" };
      right.line([[0, FLOORS[name]], [rows + 0.6, FLOORS[name]]], mark, right.back);
      right.text(4.4, at, `${name} needs ${FLOORS[name]}`, { class: "landmark" }, right.back);
    }

    function draw() {
      const step = player.value(), each = bytes(way), so = [[0, 0]];
      left.clear();
      right.clear();
      LINES.forEach((name, k) => {
        left.text(0.8, k + 0.42, name, { fill: k < step ? "var(--ink)" : "var(--soft)", "font-size": 12.5 });
        if (k >= step) return;
        const now = k === step - 1, fill = now ? "var(--b)" : "var(--a)";
        if (each[k]) left.area([[0, k + 0.52], [each[k], k + 0.52], [each[k], k + 0.9], [0, k + 0.9]], { fill });
        left.text(each[k] + 1, k + 0.88, `${each[k]}`, { "font-size": 12 });
        so.push([k + 1, so[k][1] + each[k]]);
      });
      right.line(so, { stroke: "var(--a)", "stroke-width": 2.5 });
      for (const [k, total] of so.slice(1)) right.dot(k, total, { r: 4, fill: "var(--a)" });
      const total = so[so.length - 1][1], done = step === rows;
      if (!step) return ui.verdict(`<b>${way}</b>: no line has run yet.`);
      ui.verdict(`<b>${way}</b>, line ${step}: ${each[step - 1]} bytes in ${calls(way)[step - 1]} ` +
        `operation${calls(way)[step - 1] === 1 ? "" : "s"}. ${done ? "In all" : "So far"} <b>${total} bytes</b> for each parameter` +
        `${done ? `, ${Live.number(total / FLOORS.AdamW, 2)} times as many as AdamW needs` : ""}.`);
      return undefined;
    }

    const player = ui.player({ label: "line", steps: rows, delay: 500, change: draw });
    for (const name of Object.keys(OPERATIONS)) {
      ui.button(name, () => { way = name; if (!player.value()) player.set(rows); draw(); });
    }
    ui.still(() => player.set(rows));
    ui.table(["line", ...Object.keys(OPERATIONS)], [...LINES.map((name, k) => [name, ...Object.keys(OPERATIONS).map((w) => `${bytes(w)[k]}`)]),
      ["in all", ...Object.keys(OPERATIONS).map((w) => `${sum(bytes(w))}`)]]);
    draw();
  });
})();
