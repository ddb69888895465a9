// A gradient with two entries, one rare: who pays when a row times a column forgets it?
"use strict";
(() => {
  // Squared gradients diag(1, delta): the update of the common and of the rare entry, in learning rates.
  const factored = (delta) => [Math.sqrt(1 + delta), Math.sqrt((1 + delta) / delta)];
  const rms = ([a, b]) => Math.sqrt((a * a + b * b) / 4); // over all four entries
  const clipped = (delta, d) => {
    const u = factored(delta), over = Math.max(1, rms(u) / d);
    return u.map((v) => v / over);
  };

  Live.figure("rare-entry", { factored, rms, clipped }, (ui) => {
    const low = 1e-6, powers = { 1e-6: "10⁻⁶", 1e-4: "10⁻⁴", 1e-2: "0.01", 1: "1" };
    const sizes = { range: [1e-3, 1e3], log: true, ticks: [1e-3, 1e-2, 0.1, 1, 10, 100, 1000] };
    const left = ui.panel({
      title: "One step",
      x: { ...sizes, label: "length of the step / learning rate" },
      y: { range: [3, 0], ticks: [], label: "" },
    });
    ["Adam", "factored", "clipped"].forEach((name, k) => left.text(1.3e-3, k + 0.22, name, {}, left.back));
    left.line([[1, 0], [1, 3]], { stroke: "var(--soft)", "stroke-dasharray": "3 4" }, left.back);
    const right = ui.panel({
      title: "The same, by rarity",
      x: { range: [low, 1], log: true, ticks: [1e-6, 1e-4, 1e-2, 1], format: (v) => powers[v], label: "δ" },
      y: { ...sizes, label: "step / learning rate" },
    });
    const lines = [["rare, factored", "var(--b)", "5 4"], ["rare, clipped", "var(--b)"], ["common, clipped", "var(--a)"]];
    right.legend(lines, [0.5, 0.02]);
    const grid = Array.from({ length: 61 }, (_, k) => low ** (1 - k / 60));

    function draw() {
      const delta = rarity.value(), d = threshold.value(), bare = factored(delta), cut = clipped(delta, d);
      left.clear();
      right.clear();
      [[1, 1], bare, cut].forEach(([common, rare], k) => {
        const hint = k === 2 ? { class: "landmark" } : {};
        left.line([[1e-3, k + 0.36], [common, k + 0.36]], { stroke: "var(--a)", "stroke-width": 9, ...hint });
        left.line([[1e-3, k + 0.64], [rare, k + 0.64]], { stroke: "var(--b)", "stroke-width": 9, ...hint });
      });
      right.line(grid.map((v) => [v, factored(v)[1]]), { stroke: "var(--b)", "stroke-dasharray": "5 4", class: "landmark" });
      right.line(grid.map((v) => [v, clipped(v, d)[1]]), { stroke: "var(--b)", class: "landmark" });
      right.line(grid.map((v) => [v, clipped(v, d)[0]]), { stroke: "var(--a)", class: "landmark" });
      right.line([[delta, 1e-3], [delta, 1e3]], { stroke: "var(--line)" });
      const payer = cut[0] > 0.5 ? "The common entry still takes more than half of its step."
        : cut[0] > 0.05 ? "<b>The common entry pays</b>: its step is shorter, too."
        : "<b>The common entry pays</b>: it hardly moves any more.";
      ui.verdict(`δ = ${Live.number(delta)}, d = ${Live.number(d)}: without the clip the rare entry moves by ` +
        `<b>${Live.number(bare[1])}</b> learning rates. The clip makes that ${Live.number(cut[1])}, ` +
        `and the common entry's step <b>${Live.number(cut[0])}</b>. ${payer}`);
      const header = ["δ", "rare, factored", "RMS of the update", "rare, clipped", "common, clipped"];
      ui.table(header, [1, 0.1, 1e-2, 1e-4, 1e-6].map((v) =>
        [Live.number(v), ...[factored(v)[1], rms(factored(v)), clipped(v, d)[1], clipped(v, d)[0]].map((x) => Live.number(x))]));
    }

    const rarity = ui.slider({ label: "δ", range: [low, 1], log: true, value: 1, steps: 120, change: draw });
    const threshold = ui.slider({ label: "threshold d", range: [0.5, 50], log: true, value: 1, steps: 80, change: draw });
    ui.button("δ = 1", () => rarity.set(1));
    ui.button("δ = 0.01", () => rarity.set(0.01));
    ui.button("δ = 0.0001", () => rarity.set(1e-4));
    ui.still(() => rarity.set(1e-4));
    draw();
  });
})();
