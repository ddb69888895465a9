// How much of a layer does the first step move?
"use strict";
(() => {
  const base = 128; // where both rates were tuned
  const rms = [0.1252, 0.1744, 0.1769, 0.1749, 0.1794]; // of the fresh digits network's matrices, seed 0
  const layers = () => rms;

  // The root rule.
  const carried = (lr, b) => lr * Math.sqrt(b / base);

  // Step 1 of Adam is lr times a vector of signs: its length over the layer's, where no entry of the gradient is zero.
  const adamShare = (lr, size) => lr / size;

  // The batch at which Adam's first step is as long as the layer.
  const overwrites = (lr, size) => base * (size / lr) ** 2;

  Live.figure("layer-share", { layers, carried, adamShare, overwrites }, (ui) => {
    const lamb = 0.02, all = 1437, most = 32768, colors = { AdamW: "var(--AdamW)", LAMB: "var(--LAMB)" };
    const whole = (b) => (Math.abs(b / all - 1) < 0.02 ? all : Math.round(b)); // the slider has no stop at 1,437
    const percent = (share) => `${Live.number(100 * share, 2)} %`;
    const shares = { range: [0.003, 8], log: true, ticks: [0.01, 0.1, 1], format: (v) => `${100 * v} %` };
    const left = ui.panel({
      title: "Step 1, layer by layer",
      x: { ...shares, label: "length of the step / length of the layer" },
      y: { range: [5, 0], ticks: [0.5, 1.5, 2.5, 3.5, 4.5], format: (v) => `layer ${v + 0.5}`, label: "" },
    });
    left.line([[1, 0], [1, 5]], { stroke: "var(--ink)", "stroke-dasharray": "5 4" }, left.back);
    const right = ui.panel({
      title: "The same, by batch size",
      x: { range: [16, most], log: true, ticks: [16, 128, 1024, 8192], label: "batch size" },
      y: { ...shares, label: "step / layer" },
    });
    right.line([[16, 1], [most, 1]], { stroke: "var(--ink)", "stroke-dasharray": "5 4" }, right.back);
    right.legend([["AdamW, layers 1 and 5", colors.AdamW], ["LAMB, every layer", colors.LAMB]], [0.33, 0.78]);

    function draw() {
      const b = whole(size.value()), lr = rate.value(), now = carried(lr, b), sane = carried(lamb, b);
      const moved = rms.map((v) => adamShare(now, v));
      left.clear();
      right.clear();
      moved.forEach((share, k) => {
        left.dot(share, k + 0.5, { r: 6, fill: colors.AdamW });
        left.dot(sane, k + 0.5, { r: 6, fill: colors.LAMB });
      });
      const ends = [16, most];
      for (const v of [rms[0], rms[4]]) {
        right.line(ends.map((c) => [c, adamShare(carried(lr, c), v)]), { stroke: colors.AdamW, class: "landmark" });
      }
      const first = adamShare(carried(lr, 17), rms[0]), last = adamShare(carried(lr, 17), rms[4]);
      right.text(17, Math.max(0.0065, 1.7 * first), "layer 1", { class: "tick landmark" });
      right.text(17, Math.max(0.004, 0.5 * last), "layer 5", { class: "tick landmark" });
      right.line(ends.map((c) => [c, carried(lamb, c)]), { stroke: colors.LAMB, class: "landmark" });
      right.line([[b, 0.003], [b, 8]], { stroke: "var(--ink)", "stroke-width": 1.2 });
      right.dot(b, moved[0], { r: 5, fill: colors.AdamW });
      right.dot(b, sane, { r: 5, fill: colors.LAMB });
      const least = Math.min(...moved), largest = Math.max(...moved);
      const lesson = least > 1 ? "AdamW's step is longer than every layer: the old weights hardly matter any more."
        : Math.abs(largest - 1) < 0.02 ? "AdamW's step is as long as the first layer: this is the edge."
        : largest > 1 ? "AdamW's step is longer than the first layer: it replaces the layer instead of adjusting it."
        : largest > 0.5 ? "AdamW moves a layer by more than half of its length in a single step."
        : "Both methods' steps are shorter than half of a layer: they adjust it.";
      ui.verdict(`At batch <b>${Live.number(b, 5)}</b> the rule sets AdamW's rate to <b>${Live.number(now)}</b>, and ` +
        `its first step is ${percent(least)} to ${percent(largest)} of a layer. LAMB's rate, ${Live.number(sane)}, ` +
        `is the share: <b>${percent(sane)}</b> of every layer. ${lesson}`);
      const header = ["layer", "RMS of its weights", "AdamW's step / layer", "as long as the layer at batch"];
      ui.table(header, rms.map((v, k) =>
        [`${k + 1}`, Live.number(v, 4), percent(moved[k]), Live.number(Math.round(overwrites(lr, v)), 4)]));
    }

    const size = ui.slider({
      label: "batch size", range: [16, most], log: true, value: base, steps: 220,
      format: (b) => Live.number(whole(b), 5), change: draw,
    });
    const rate = ui.slider({
      label: "AdamW's rate at batch 128", range: [0.00125, 0.08], log: true, value: 0.0283, steps: 60,
      format: (lr) => Live.number(lr), change: draw,
    });
    ui.button("batch 128", () => { rate.set(0.0283); size.set(base); });
    ui.button("batch 1,437", () => { rate.set(0.0283); size.set(all); });
    ui.still(() => size.set(all));
    draw();
    ui.plays();
  });
})();
