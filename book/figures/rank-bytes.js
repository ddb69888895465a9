// At which rank does a method of low rank remember less than CAME?
"use strict";
(() => {
  // Numbers that a method keeps for a matrix with sides n <= k, at rank r.
  const STATE = {
    AdamW: (n, k) => 2 * n * k,
    "Adam-mini": (n, k) => n * k + n,
    CAME: (n, k) => n * k + 2 * (n + k),
    GaLore: (n, k, r) => r * (n + 2 * k),
    APOLLO: (n, k, r) => 2 * r * k,
    Adafactor: (n, k) => n + k,
  };
  const state = (method, n, k, r) => STATE[method](Math.min(n, k), Math.max(n, k), r);

  // The rank at which both keep the same: below it the method of low rank keeps less than CAME.
  function even(method, n, k) {
    const [short, long] = [Math.min(n, k), Math.max(n, k)];
    return STATE.CAME(short, long) / (STATE[method](short, long, 1));
  }

  Live.figure("rank-bytes", { state, even }, (ui) => {
    const shapes = { "768 × 768": [768, 768], "768 × 3,072": [768, 3072], "4,096 × 4,096": [4096, 4096], "4,096 × 11,008": [4096, 11008] };
    const colors = { AdamW: "var(--AdamW)", "Adam-mini": "var(--AdamMini)", CAME: "var(--CAME)", GaLore: "var(--b)", APOLLO: "var(--ink)", Adafactor: "var(--Adafactor)" };
    const methods = Object.keys(STATE), low = ["GaLore", "APOLLO"];
    const left = ui.panel({
      title: "Bytes of state a weight, in float32",
      x: { range: [0, 16], ticks: [0, 4, 8, 12], label: "bytes a weight" },
      y: { range: [0, 6.4], ticks: [], label: "" },
    });
    const right = ui.panel({
      title: "The same over the rank",
      x: {
        range: [1 / 64, 1], log: true, ticks: [1 / 64, 1 / 16, 1 / 4, 1 / 2, 1], format: (s) => (s < 1 ? `1/${1 / s}` : "1"),
        label: "rank, as a share of the shorter side",
      },
      y: { range: [0, 12], ticks: [0, 4, 8, 12], label: "bytes a weight" },
    });
    right.legend([["GaLore", colors.GaLore], ["APOLLO", colors.APOLLO], ["CAME", colors.CAME, "6 4"]]);

    function draw() {
      const [n, k] = shapes[shape.value()], r = Math.max(1, Math.round(share.value() * n)), bytes = (m, rank) => (4 * state(m, n, k, rank)) / (n * k);
      left.clear();
      right.clear();
      methods.forEach((name, i) => {
        const y = 6 - i, long = bytes(name, r);
        left.area([[0, y - 0.7], [long, y - 0.7], [long, y - 0.15], [0, y - 0.15]], { fill: colors[name], "fill-opacity": 0.55 });
        left.text(long + 0.15, y - 0.52, `${name} ${Live.number(long)}`);
      });
      for (const name of low) {
        const points = Array.from({ length: 101 }, (_, i) => 64 ** (i / 100 - 1));
        right.line(points.map((s) => [s, bytes(name, s * n)]), { stroke: colors[name], class: "landmark" });
        right.dot(r / n, bytes(name, r), { r: 5.5, fill: colors[name] });
        right.line([[even(name, n, k) / n, 0], [even(name, n, k) / n, bytes("CAME", r)]],
          { stroke: colors[name], "stroke-dasharray": "3 3", class: "landmark" });
      }
      right.line([[1 / 64, bytes("CAME", r)], [1, bytes("CAME", r)]], { stroke: colors.CAME, "stroke-dasharray": "6 4" });
      const side = (name) => (r < even(name, n, k) ? "less" : "more");
      const edge = Math.floor(even("GaLore", n, k));
      ui.verdict(`${shape.value()} at rank <b>${r.toLocaleString("en")}</b>: GaLore keeps ${Live.number(bytes("GaLore", r))} bytes a weight, ` +
        `<b>${side("GaLore")}</b> than CAME's ${Live.number(bytes("CAME", r))}; APOLLO keeps ${Live.number(bytes("APOLLO", r))}, <b>${side("APOLLO")}</b>. ` +
        `GaLore is below CAME up to rank ${edge.toLocaleString("en")}, ${Math.round((100 * edge) / n)} % of the shorter side.`);
      ui.table(["method", "bytes a weight"], methods.map((name) => [name, Live.number(bytes(name, r), 3)]));
    }
    const shape = ui.choice({ label: "matrix", options: Object.keys(shapes).map((s) => [s, s]), value: "768 × 3,072", change: () => share.set(share.value()) });
    const share = ui.slider({
      label: "rank", range: [1 / 64, 1], log: true, value: 1 / 32, steps: 96,
      format: (s) => { const n = shapes[shape.value()][0]; return `${Math.max(1, Math.round(s * n)).toLocaleString("en")}`; },
      change: draw,
    });
    ui.button("1/16", () => share.set(1 / 16));
    ui.button("1/4", () => share.set(0.25));
    ui.button("1/2", () => share.set(0.5));
    ui.still(() => share.set(0.5));
    draw();
  });
})();
