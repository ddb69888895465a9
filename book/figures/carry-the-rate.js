// Which method can take its learning rate along to another batch?
"use strict";
(() => {
  const batches = [16, 32, 64, 128, 256, 512, 1024, 1437], searched = batches.slice(2), base = 128;
  const factors = [0.25, 0.5, 1, 2, 4];
  // Final training loss on digits after 30 epochs, recorded (book/runs/lamb-untuned): a row a batch, five seeds.
  const losses = {
    LAMB: [
      [0.00026, 0.00098, 0.00026, 0.00032, 0.00098],
      [0.00034, 0.00028, 0.00099, 0.00092, 0.001],
      [0.00097, 0.00173, 0.00056, 0.00089, 0.00172],
      [0.00253, 0.0009, 0.00142, 0.0015, 0.00084],
      [0.00447, 0.00313, 0.00123, 0.00281, 0.00382],
      [0.01249, 0.00873, 0.00752, 0.00941, 0.0076],
      [0.10708, 0.18893, 0.06775, 0.12926, 0.10365],
      [0.20804, 0.31334, 0.1681, 0.21945, 0.19026],
    ],
    AdamW: [
      [0.00093, 0.00088, 0.00057, 0.00305, 0.00059],
      [0.00096, 0.00075, 0.00047, 0.00147, 0.00133],
      [0.00329, 0.00208, 0.00058, 0.00129, 0.0007],
      [0.00277, 0.00259, 0.00198, 0.02047, 0.0037],
      [0.0087, 0.01706, 0.01432, 0.00528, 0.01737],
      [0.18009, 0.06057, 0.1977, 0.14404, 0.0963],
      [0.23832, 0.55337, 1.46939, 0.48079, 0.47892],
      [1.04105, 1.19802, 0.91234, 0.66366, 1.18905],
    ],
    LARS: [
      [0.11878, 0.20091, 0.11766, 0.61728, 0.19714],
      [0.04907, 0.03156, 0.03676, 0.05563, 0.03597],
      [0.00687, 0.00776, 0.00971, 0.00363, 0.00868],
      [0.0098, 0.00919, 0.00237, 0.00434, 0.02417],
      [0.01983, 0.01282, 0.017, 0.01333, 0.01696],
      [0.08463, 0.06622, 0.06833, 0.11069, 0.08818],
      [0.36221, 0.3472, 0.2944, 0.35272, 0.49677],
      [0.95039, 0.45642, 1.1437, 0.8624, 1.6632],
    ],
  };
  // The rate of the rule times 1/4, 1/2, 1, 2 and 4, from batch 64 on: medians of the two seeds that chose the rates.
  const near = {
    LAMB: [
      [0.04089, 0.00282, 0.00056, 0.0171, 1.5605],
      [0.0952, 0.00869, 0.00208, 0.01727, 2.30277],
      [0.27518, 0.03929, 0.00485, 0.0239, 2.30264],
      [0.70715, 0.13128, 0.016, 0.02574, 2.30325],
      [1.32907, 0.44263, 0.13331, 0.13823, 2.32766],
      [1.61007, 0.69511, 0.27431, 0.25976, 2.33685],
    ],
    AdamW: [
      [0.00835, 0.00153, 0.00071, 0.00578, 0.42015],
      [0.01743, 0.00332, 0.00122, 0.01334, 0.83709],
      [0.0271, 0.01111, 0.0299, 0.23005, 1.92163],
      [0.05723, 0.04982, 0.22603, 1.55584, 2.30283],
      [0.15123, 0.24667, 1.20627, 2.07407, 2.30425],
      [0.41115, 0.29018, 1.47426, 2.0702, 2.31326],
    ],
    LARS: [
      [0.05381, 0.00573, 0.00427, 0.0321, 2.30368],
      [0.07999, 0.01934, 0.00431, 0.0192, 2.30464],
      [0.14415, 0.05864, 0.0173, 0.05832, 2.30504],
      [0.30366, 0.14926, 0.07386, 1.23909, 2.41547],
      [0.64497, 0.37349, 0.66095, 0.99202, 4.22298],
      [0.83465, 0.61542, 0.67474, 2.2035, 3.33371],
    ],
  };
  // Where LAMB's lead over AdamW is confirmed among the eight comparisons, by the book's rule.
  const confirmed = [512, 1437];
  const tuned = { LAMB: 0.02, AdamW: 0.04, LARS: 0.5 }; // at `base`

  const record = () => ({ batches, searched, factors, losses, near, confirmed, tuned, base });

  // The root rule: the tuned rate times the root of the ratio of the batches.
  const carried = (method, b) => tuned[method] * Math.sqrt(b / base);

  function median(values) {
    const sorted = [...values].sort((u, v) => u - v), half = sorted.length / 2;
    return sorted.length % 2 ? sorted[Math.floor(half)] : (sorted[half - 1] + sorted[half]) / 2;
  }

  Live.figure("carry-the-rate", { record, carried, median }, (ui) => {
    const methods = ["LAMB", "AdamW", "LARS"], colors = Object.fromEntries(methods.map((name) => [name, `var(--${name})`]));
    const said = (v) => (v < 0.01 ? "10⁻³" : `${v}`);
    const loss = { range: [0.0002, 4], log: true, ticks: [0.001, 0.01, 0.1, 1], format: said };
    const left = ui.panel({
      title: "The rate carried from batch 128", height: 300,
      x: { range: [14, 1650], log: true, ticks: [16, 64, 128, 512, 1437], label: "batch size" },
      y: { ...loss, label: "final training loss (nats)" },
    });
    for (const name of methods) {
      const low = batches.map((b, k) => [b, Math.min(...losses[name][k])]);
      const high = batches.map((b, k) => [b, Math.max(...losses[name][k])]);
      left.area([...low, ...high.reverse()], { fill: colors[name], "fill-opacity": 0.16, class: "landmark" }, left.back);
      left.line(batches.map((b, k) => [b, median(losses[name][k])]), { stroke: colors[name], class: "landmark" }, left.back);
    }
    left.line([[base, 0.0002], [base, 4]], { stroke: "var(--soft)", "stroke-dasharray": "2 4" }, left.back);
    left.legend(methods.map((name) => [name, colors[name]]));
    const right = ui.panel({
      title: "Other rates at this batch", height: 300,
      x: { range: [0.22, 4.6], log: true, ticks: factors, label: "learning rate / rate by the rule",
        format: (c) => (c < 1 ? `1/${1 / c}` : `${c}`) },
      y: { ...loss, label: "final training loss (nats)" },
    });
    right.line([[1, 0.0002], [1, 4]], { stroke: "var(--soft)", "stroke-dasharray": "2 4" }, right.back);

    function draw(place) {
      const k = Math.round(place), b = batches[k], row = searched.indexOf(b), say = (v) => v.toPrecision(2);
      left.clear();
      right.clear();
      left.line([[b, 0.0002], [b, 4]], { stroke: "var(--ink)", "stroke-width": 1.2 });
      for (const name of methods) {
        left.dot(b, median(losses[name][k]), { r: 5, fill: colors[name] });
        if (row < 0) continue;
        right.line(factors.map((c, j) => [c, near[name][row][j]]), { stroke: colors[name] });
        factors.forEach((c, j) => right.dot(c, near[name][row][j], { r: c === 1 ? 5 : 3, fill: colors[name] }));
      }
      if (row < 0) right.text(1, 0.03, "not searched here", { "text-anchor": "middle" });
      const range = (name) => `<b>${say(median(losses[name][k]))}</b> (${say(Math.min(...losses[name][k]))} to ` +
        `${say(Math.max(...losses[name][k]))})`;
      const ends = methods.map((name) => `${range(name)} for ${name}`).join(", ");
      const verdict = confirmed.includes(b) ? "LAMB below AdamW is confirmed here."
        : "Whether LAMB is below AdamW is not resolved here.";
      const gain = (name) => {
        const [now, best] = [near[name][row][2], Math.min(...near[name][row])];
        return best < now ? `lowers ${name} from ${say(now)} to ${say(best)}` : `leaves ${name} at ${say(now)}`;
      };
      const search = row < 0 ? ""
        : ` On two other seeds a search among the five rates ${gain("AdamW")}, and ${gain("LAMB")}.`;
      ui.verdict(`At batch <b>${Live.number(b, 4)}</b> the losses end, with the carried rate, at ${ends}. ${verdict}${search}`);
    }

    const bar = ui.slider({
      label: "batch size", range: [0, batches.length - 1], steps: batches.length - 1, value: batches.indexOf(base),
      format: (k) => Live.number(batches[Math.round(k)], 4), change: draw,
    });
    ui.button("batch 128", () => bar.set(3));
    ui.button("batch 512", () => bar.set(5));
    ui.button("batch 1,437", () => bar.set(7));
    ui.still(() => bar.set(7));
    left.drag((b) => {
      const away = batches.map((other) => Math.abs(Math.log(other / b)));
      bar.set(away.indexOf(Math.min(...away)));
    });
    const pair = (name, b, k) => [carried(name, b), median(losses[name][k])].map((v) => v.toPrecision(2));
    ui.table(["batch", ...methods.flatMap((name) => [`${name}: rate`, "loss"])],
      batches.map((b, k) => [Live.number(b, 4), ...methods.flatMap((name) => pair(name, b, k))]));
    draw(bar.value());
  });
})();
