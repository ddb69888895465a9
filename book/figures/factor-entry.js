// One entry of a second moment breaks the pattern of its row and column. Which entry's step is then wrong?
"use strict";
(() => {
  const rows = [1, 0.3, 0.1, 0.03, 0.01], columns = [1, 2, 0.5, 1, 4, 1], odd = [4, 2];

  // V: rows times columns, but for one entry, which is k times larger.
  const matrix = (k) => rows.map((a, i) => columns.map((b, j) => a * b * (i === odd[0] && j === odd[1] ? k : 1)));
  const sum = (values) => values.reduce((total, v) => total + v, 0);
  const across = (V) => V.map(sum);
  const down = (V) => V[0].map((_, j) => sum(V.map((row) => row[j])));

  // Row sums times column sums over the sum of all.
  function product(V) {
    const r = across(V), c = down(V), total = sum(r);
    return r.map((a) => c.map((b) => (a * b) / total));
  }

  // The best rank one by least squares: leading singular vectors, by powers of V'V.
  function leastSquares(V) {
    let right = V[0].map(() => 1), left = [];
    for (let step = 0; step < 300; step++) {
      left = V.map((row) => sum(row.map((v, j) => v * right[j])));
      right = right.map((_, j) => sum(V.map((row, i) => row[j] * left[i])));
      const length = Math.sqrt(sum(right.map((v) => v * v)));
      right = right.map((v) => v / length);
    }
    left = V.map((row) => sum(row.map((v, j) => v * right[j])));
    return left.map((a) => right.map((b) => a * b));
  }
  const byRow = (V) => V.map((row) => row.map(() => sum(row) / row.length));

  const kinds = { "row times column": product, "least squares": leastSquares, "a number a row": byRow };

  // How many times too long is the step that divides by root W in place of root V?
  const factors = (kind, k) => {
    const V = matrix(k), W = kinds[kind](V);
    return V.map((row, i) => row.map((v, j) => Math.sqrt(v / W[i][j])));
  };

  function worst(kind, k) {
    let found = [0, 0, 1];
    factors(kind, k).forEach((row, i) => row.forEach((f, j) => {
      if (Math.abs(Math.log(f)) > Math.abs(Math.log(found[2])) + 1e-9) found = [i, j, f];
    }));
    return found;
  }

  Live.figure("factor-entry", { matrix, product, leastSquares, byRow, factors, worst }, (ui) => {
    const names = ["“the”", "“sum”", "“edge”", "“rank”", "“zeta”"];
    const shape = {
      x: { range: [0, 6], ticks: [0.5, 1.5, 2.5, 3.5, 4.5, 5.5], format: (v) => `${v + 0.5}`, label: "coordinate" },
      y: { range: [5, 0], ticks: [0.5, 1.5, 2.5, 3.5, 4.5], format: (v) => names[v - 0.5], label: "" },
    };
    const left = ui.panel({ title: "V, Adam's second moment", ...shape });
    const right = ui.panel({ title: "Step / Adam's step", ...shape });

    function fill(panel, i, j, color, strength, words) {
      const corners = [[j + 0.03, i + 0.03], [j + 0.97, i + 0.03], [j + 0.97, i + 0.97], [j + 0.03, i + 0.97]];
      panel.area(corners, { fill: color, "fill-opacity": Math.min(0.75, strength).toFixed(3) });
      panel.text(j + 0.5, i + 0.6, words, { "text-anchor": "middle", "font-size": 11 });
    }

    function draw() {
      const k = size.value(), kind = how.value(), V = matrix(k), f = factors(kind, k), [i, j, most] = worst(kind, k);
      left.clear();
      right.clear();
      V.forEach((row, a) => row.forEach((v, b) => {
        fill(left, a, b, "var(--c)", (Math.log10(v) + 3) / 5, Live.number(v));
        fill(right, a, b, f[a][b] > 1 ? "var(--b)" : "var(--a)", Math.abs(Math.log10(f[a][b])) * 0.7, Live.number(f[a][b]));
      }));
      const marked = Math.abs(Math.log(most)) > 0.01;
      if (marked) {
        const ring = [[j, i], [j + 1, i], [j + 1, i + 1], [j, i + 1], [j, i]];
        right.line(ring, { stroke: "var(--ink)", "stroke-width": 2.5, class: "landmark" });
      }
      const wrong = f.flat().filter((v) => v > 1.5 || v < 1 / 1.5).length;
      const long = most > 1 ? `${Live.number(most)} times too long` : `${Live.number(1 / most)} times too short`;
      const told = marked ? `the step of ${names[i]} in coordinate ${j + 1} is furthest off: <b>${long}</b>. ` +
        `<b>${wrong}</b> of 30 steps are off by a factor of 1.5 or more.` : "<b>every step is Adam's</b>.";
      ui.verdict(`The odd entry is ${Live.number(k)} times what its row and column suggest. With ${kind} ${told}`);
      ui.table(["kept", "numbers", "furthest off", "off by 1.5 or more, of 30"], Object.keys(kinds).map((name) => [
        name, name === "a number a row" ? "5" : "11", Live.number(worst(name, k)[2]),
        `${factors(name, k).flat().filter((v) => v > 1.5 || v < 1 / 1.5).length}`]));
    }

    const size = ui.slider({
      label: "the odd entry is larger by", range: [1, 300], log: true, value: 1, steps: 100,
      format: (k) => `× ${Live.number(k)}`, change: draw,
    });
    const how = ui.choice({
      label: "what is kept", options: Object.keys(kinds).map((name) => [name, name]), value: "row times column", change: draw,
    });
    ui.button("× 1", () => size.set(1));
    ui.button("× 30", () => size.set(30));
    ui.button("× 300", () => size.set(300));
    ui.still(() => size.set(30));
    draw();
  });
})();
