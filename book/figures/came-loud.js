// A row is loud. Whose steps does a confidence of rank one shorten?
"use strict";
(() => {
  const n = 6, width = 10;

  // What CAME keeps of a matrix of instabilities: row means times column means over the mean.
  function factored(E) {
    const rows = E.map((row) => row.reduce((sum, v) => sum + v, 0) / row.length);
    const columns = E[0].map((_, j) => E.reduce((sum, row) => sum + row[j], 0) / E.length);
    const mean = rows.reduce((sum, v) => sum + v, 0) / rows.length;
    return rows.map((r) => columns.map((c) => (r * c) / mean));
  }

  // The step with the factored instability over the step with the instability in full, entry by entry.
  const pays = (E) => factored(E).map((row, i) => row.map((s, j) => Math.sqrt(E[i][j] / s)));

  Live.figure("came-loud", { factored, pays }, (ui) => {
    const axes = { x: { range: [0, width] }, y: { range: [n, 0] }, width: 360, height: 240, axes: false };
    const left = ui.panel({ title: "Instability of every entry (drag to paint)", ...axes });
    const right = ui.panel({ title: "CAME's step over the step in full", ...axes });
    const none = () => Array.from({ length: n }, () => Array(width).fill(false));
    let loud = none(), brush = "loud";

    function cell(panel, i, j, attributes) {
      panel.area([[j + 0.04, i + 0.04], [j + 0.96, i + 0.04], [j + 0.96, i + 0.96], [j + 0.04, i + 0.96]], attributes);
    }
    function draw() {
      const L = level.value(), E = loud.map((row) => row.map((is) => (is ? L : 1))), P = pays(E);
      left.clear();
      right.clear();
      let worst = [0, 0];
      P.forEach((row, i) => row.forEach((p, j) => {
        cell(left, i, j, { fill: loud[i][j] ? "var(--b)" : "var(--shade)", stroke: "var(--line)" });
        const strength = Math.min(1, Math.abs(Math.log2(p)) / 3);
        cell(right, i, j, { fill: "var(--shade)", stroke: "var(--line)" });
        if (strength > 0.001) cell(right, i, j, { fill: p < 1 ? "var(--b)" : "var(--a)", "fill-opacity": strength });
        right.text(j + 0.5, i + 0.6, Live.number(p, p < 0.1 ? 1 : 2), { "text-anchor": "middle", class: "tick" });
        if (p < P[worst[0]][worst[1]] - 1e-12) worst = [i, j];
      }));
      const [i, j] = worst, least = P[i][j], most = Math.max(...P.flat());
      if (least < 1 - 1e-9) {
        right.line([[j, i], [j + 1, i], [j + 1, i + 1], [j, i + 1], [j, i]], { stroke: "var(--ink)", "stroke-width": 3, class: "landmark" });
      }
      const count = loud.flat().filter(Boolean).length;
      const said = `${count} of 60 entries are louder by ${Live.number(L, 2)}. `;
      ui.verdict(said + (least > 1 - 1e-9 ? "Nobody pays: this matrix of instabilities has rank one, and rows and columns hold all of it."
        : `The entry in row ${i + 1}, column ${j + 1}, itself <b>${loud[i][j] ? "loud" : "quiet"}</b>, pays most: its step is ` +
          `<b>${Live.number(100 * least, 2)} %</b> of what its own instability would give. The largest gain is a factor of ${Live.number(most, 2)}.`));
    }
    const set = (rule) => { loud = none().map((row, i) => row.map((_, j) => rule(i, j))); draw(); };

    left.drag((u, v) => {
      const i = Math.max(0, Math.min(n - 1, Math.floor(v))), j = Math.max(0, Math.min(width - 1, Math.floor(u)));
      loud[i][j] = brush === "loud";
      draw();
    });
    const level = ui.slider({ label: "a loud entry is louder by", range: [1, 1000], log: true, value: 100, steps: 60, change: draw });
    ui.choice({ label: "paint", options: [["loud", "loud"], ["quiet", "quiet"]], value: brush, change: (v) => { brush = v; } });
    ui.button("row 3", () => set((i) => i === 2));
    ui.button("row 3, column 8", () => set((i, j) => i === 2 || j === 7));
    ui.button("the same, crossing quiet", () => set((i, j) => (i === 2) !== (j === 7)));
    ui.button("one entry", () => set((i, j) => i === 2 && j === 7));
    ui.button("all quiet", () => set(() => false));
    ui.still(() => set((i, j) => (i === 2) !== (j === 7)));
    const ways = [["row 3", (i) => i === 2], ["row 3, column 8", (i, j) => i === 2 || j === 7],
      ["the same, crossing quiet", (i, j) => (i === 2) !== (j === 7)], ["one entry", (i, j) => i === 2 && j === 7]];
    ui.table(["loud by 100", "shortest step, share of the step in full", "longest"], ways.map(([name, rule]) => {
      const P = pays(none().map((row, i) => row.map((_, j) => (rule(i, j) ? 100 : 1)))).flat();
      return [name, Live.number(Math.min(...P), 3), Live.number(Math.max(...P), 3)];
    }));
    draw();
    ui.plays();
  });
})();
