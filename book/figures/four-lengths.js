// Four steps of length 1 by four ideas of length: what do they lower, and what do they move?
"use strict";
(() => {
  const SIDE = 4, REST = 2; // Euclid's length of the gradient of the rest of the network
  const NAMES = ["all layers", "this layer", "largest entry", "singular values"];

  // A reflection, which is an orthogonal matrix.
  function mirror(v) {
    const square = v.reduce((sum, x) => sum + x * x, 0);
    return v.map((a, i) => v.map((b, j) => (i === j ? 1 : 0) - (2 * a * b) / square));
  }
  const U = mirror([1, 2, 3, 4]), V = mirror([4, -1, 2, 1]);
  const built = (values) => U.map((row) => V.map((other) => values.reduce((sum, s, k) => sum + row[k] * s * other[k], 0)));
  const powers = (s) => [1, s, s * s, s * s * s];
  const gradient = (s) => built(powers(s));
  const product = (A, B) => A.reduce((sum, row, i) => sum + row.reduce((part, a, j) => part + a * B[i][j], 0), 0);

  // The largest singular value: the root of the largest eigenvalue of A'A, by Jacobi's rotations.
  function stretch(A) {
    const S = A.map((_, i) => A.map((_, j) => A.reduce((sum, row) => sum + row[i] * row[j], 0)));
    for (let sweep = 0; sweep < 30; sweep++) {
      for (let p = 0; p < SIDE; p++) {
        for (let q = p + 1; q < SIDE; q++) {
          if (Math.abs(S[p][q]) < 1e-300) continue;
          const tau = (S[q][q] - S[p][p]) / (2 * S[p][q]);
          const t = (tau >= 0 ? 1 : -1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau)), c = 1 / Math.sqrt(1 + t * t), s = t * c;
          for (let k = 0; k < SIDE; k++) [S[k][p], S[k][q]] = [c * S[k][p] - s * S[k][q], s * S[k][p] + c * S[k][q]];
          for (let k = 0; k < SIDE; k++) [S[p][k], S[q][k]] = [c * S[p][k] - s * S[q][k], s * S[p][k] + c * S[q][k]];
        }
      }
    }
    return Math.sqrt(Math.max(...S.map((row, i) => row[i])));
  }

  // Of the four steps of length 1: [by how much the loss falls, how far an output may move].
  function four(s) {
    const G = gradient(s), own = Math.sqrt(product(G, G)), all = Math.sqrt(own * own + REST * REST);
    const scaled = (c) => G.map((row) => row.map((g) => g / c));
    const steps = [scaled(all), scaled(own), G.map((row) => row.map((g) => Math.sign(g))), built([1, 1, 1, 1])];
    return steps.map((step) => [product(G, step), stretch(step)]);
  }

  Live.figure("four-lengths", { gradient: (s) => gradient(s), four }, (ui) => {
    const colors = ["var(--soft)", "var(--c)", "var(--b)", "var(--a)"];
    const left = ui.panel({
      title: "Four steps of length 1",
      x: { range: [0, 4], ticks: [0, 1, 2, 3, 4], label: "how far an output may move" },
      y: { range: [0, 9], ticks: [0, 3, 6, 9], label: "how far the loss falls" },
    });
    left.legend(NAMES.map((name, k) => [name, colors[k]]), [0.04, 0.02]);
    const right = ui.panel({
      title: "For the same move of the output",
      x: { range: [0, 1], ticks: [0, 0.5, 1], label: "spread s" },
      y: { range: [0, 4.2], ticks: [0, 1, 2, 3, 4], label: "loss / move" },
    });
    const grid = Array.from({ length: 48 }, (_, i) => 0.05 + (0.95 * i) / 47), curves = grid.map(four);
    NAMES.forEach((_, k) => right.line(curves.map((c, i) => [grid[i], c[k][0] / c[k][1]]), { stroke: colors[k], class: "landmark" }, right.back));

    function draw() {
      const s = spread.value(), now = four(s);
      left.clear();
      right.clear();
      now.forEach(([falls, moves], k) => {
        left.line([[0, 0], [9 * moves, 9 * falls]], { stroke: colors[k], "stroke-width": 1, class: "landmark" });
        left.dot(moves, falls, { r: 6, fill: colors[k] });
        right.dot(s, falls / moves, { r: 5, fill: colors[k] });
      });
      const words = now.map(([falls, moves], k) => `${NAMES[k]} ${Live.number(falls)} for a move of ${Live.number(moves)}`);
      ui.verdict(`With the singular values 1, s, s², s³ at <b>s = ${Live.number(s)}</b> the loss falls by: ${words.join("; ")}. ` +
        `For a move of 1 the singular values' step lowers it by <b>${Live.number(now[3][0] / now[3][1])}</b>, ` +
        `the three others by ${now.slice(0, 3).map(([a, b]) => Live.number(a / b)).join(", ")}.`);
      ui.table(["length", "the loss falls by", "an output moves by", "falls per move"],
        now.map(([a, b], k) => [NAMES[k], Live.number(a, 3), Live.number(b, 3), Live.number(a / b, 3)]));
    }
    const spread = ui.slider({ label: "spread s", range: [0.05, 1], value: 0.5, steps: 95, change: draw });
    ui.button("nearly one direction", () => spread.set(0.05));
    ui.button("all directions alike", () => spread.set(1));
    ui.still(() => spread.set(0.5));
    draw();
  });
})();
