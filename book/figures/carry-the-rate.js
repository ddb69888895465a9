// Which method can take its learning rate along to another batch?
"use strict";
(() => {
  const batches = [16, 32, 64, 128, 256, 512, 1024, 1437], searched = batches.slice(2), base = 128;
  const factors = Array.from({ length: 11 }, (_, k) => 2 ** ((k - 6) / 2));
  // Final training loss on digits after 30 epochs, recorded (book/runs/lamb-untuned): a row a batch, with the lowest,
  // the median and the highest of ten seeds. The rate of batch 128 times the root of the ratio of the batches; kept as
  // it is; searched again at each batch from 64 on.
  const losses = {
    root: {
      LAMB: [
        [0.00026, 0.00053, 0.00247],
        [0.00031, 0.00061, 0.00186],
        [0.00038, 0.00086, 0.00276],
        [0.0004, 0.00105, 0.00326],
        [0.00147, 0.00271, 0.00903],
        [0.00578, 0.00988, 0.01635],
        [0.07755, 0.11211, 0.15058],
        [0.18126, 0.22074, 0.31495],
      ],
      AdamW: [
        [0.00038, 0.00106, 0.00462],
        [0.00057, 0.00105, 0.00266],
        [0.00068, 0.00108, 0.00546],
        [0.00134, 0.00188, 0.00406],
        [0.00317, 0.00773, 0.01437],
        [0.01289, 0.03681, 0.1152],
        [0.1506, 0.44908, 1.03962],
        [0.29474, 0.83523, 1.30654],
      ],
      LARS: [
        [0.18216, 0.26465, 0.50888],
        [0.02188, 0.05236, 0.07706],
        [0.00031, 0.00539, 0.01721],
        [0.0024, 0.00408, 0.00865],
        [0.01015, 0.01425, 0.03244],
        [0.03107, 0.05405, 0.09358],
        [0.20285, 0.34015, 0.60139],
        [0.38096, 0.8693, 1.315],
      ],
    },
    kept: {
      LAMB: [
        [0.64356, 1.19619, 2.30299],
        [0.00807, 0.01211, 0.01684],
        [0.00181, 0.00283, 0.00979],
        [0.0004, 0.00105, 0.00326],
        [0.00308, 0.00555, 0.01083],
        [0.07882, 0.11058, 0.14862],
        [0.70327, 0.79346, 0.93776],
        [1.29429, 1.42754, 1.54426],
      ],
      AdamW: [
        [0.00235, 0.00486, 0.00763],
        [0.0005, 0.00142, 0.00324],
        [0.00051, 0.00085, 0.00445],
        [0.00134, 0.00188, 0.00406],
        [0.0039, 0.00724, 0.0163],
        [0.02699, 0.0398, 0.06719],
        [0.12643, 0.16593, 0.23571],
        [0.21447, 0.30156, 0.53359],
      ],
      LARS: [
        [2.30315, 2.30421, 2.30532],
        [0.15, 0.27882, 2.30352],
        [0.00443, 0.01423, 0.03341],
        [0.0024, 0.00408, 0.00865],
        [0.01738, 0.02677, 0.04495],
        [0.06883, 0.11524, 0.16592],
        [0.24759, 0.39682, 0.47054],
        [0.4495, 0.61174, 0.82025],
      ],
    },
    searched: {
      LAMB: [
        [0.00038, 0.00086, 0.00276],
        [0.0004, 0.00105, 0.00326],
        [0.00147, 0.00271, 0.00903],
        [0.00423, 0.00858, 0.01366],
        [0.04851, 0.06617, 0.14064],
        [0.14553, 0.23551, 0.39973],
      ],
      AdamW: [
        [0.00051, 0.00085, 0.00445],
        [0.00134, 0.00188, 0.00406],
        [0.0039, 0.00724, 0.0163],
        [0.02699, 0.0398, 0.06719],
        [0.11638, 0.17522, 0.31185],
        [0.23857, 0.81626, 1.32494],
      ],
      LARS: [
        [0.00187, 0.00516, 0.01862],
        [0.0024, 0.00408, 0.00865],
        [0.00898, 0.01616, 0.0399],
        [0.02889, 0.07914, 0.27652],
        [0.19448, 0.29246, 0.33798],
        [0.37504, 0.5571, 0.62455],
      ],
    },
  };
  // The rate of the root rule times 1/8 ... 4, from batch 64 on: medians of the two seeds that chose the rates.
  const near = {
    LAMB: [
      [0.2771, 0.11629, 0.04089, 0.0131, 0.00282, 0.00084, 0.00056, 0.00196, 0.01715, 2.27563, 1.15403],
      [0.60596, 0.27273, 0.0952, 0.03215, 0.00869, 0.00255, 0.00208, 0.00322, 0.01348, 2.30272, 2.30277],
      [1.11795, 0.61321, 0.27518, 0.10137, 0.03929, 0.00961, 0.00485, 0.00644, 0.0239, 2.30317, 2.30264],
      [1.61817, 1.19333, 0.70715, 0.32245, 0.13128, 0.05255, 0.016, 0.00942, 0.02574, 1.59248, 2.30325],
      [1.97135, 1.71579, 1.32907, 0.8614, 0.44263, 0.22666, 0.13331, 0.1168, 0.13823, 0.5019, 2.32766],
      [2.07742, 1.90424, 1.61007, 1.1742, 0.69511, 0.37392, 0.27431, 0.19724, 0.25976, 1.67575, 2.33685],
    ],
    AdamW: [
      [0.04908, 0.03102, 0.01723, 0.00835, 0.00442, 0.00153, 0.00115, 0.00071, 0.0028, 0.00567, 0.01904],
      [0.07691, 0.04849, 0.02554, 0.01743, 0.01117, 0.00332, 0.00118, 0.00122, 0.01336, 0.01334, 0.06719],
      [0.10981, 0.07236, 0.05287, 0.0271, 0.01439, 0.01111, 0.01762, 0.0299, 0.01964, 0.23005, 0.76842],
      [0.15609, 0.11268, 0.07767, 0.05723, 0.03693, 0.04982, 0.26616, 0.22603, 0.64393, 1.55584, 1.89212],
      [0.31031, 0.21407, 0.19338, 0.15123, 0.1284, 0.24667, 0.32477, 1.20627, 1.50798, 2.07407, 2.18465],
      [0.46924, 0.34333, 0.30666, 0.41115, 0.32478, 0.29018, 0.54118, 1.47426, 1.92497, 2.0702, 2.30348],
    ],
    LARS: [
      [0.17999, 0.10484, 0.05381, 0.02042, 0.00573, 0.00409, 0.00428, 0.03115, 0.03225, 2.30336, 2.30368],
      [0.23363, 0.13614, 0.07999, 0.04172, 0.01934, 0.00755, 0.00431, 0.01641, 0.02563, 0.26437, 2.30464],
      [0.30784, 0.21957, 0.14415, 0.10877, 0.05864, 0.03714, 0.0173, 0.01539, 0.05832, 1.23593, 2.30504],
      [0.49419, 0.36388, 0.30366, 0.18009, 0.14926, 0.13736, 0.07386, 0.07085, 1.23909, 1.98961, 2.41547],
      [0.80724, 0.69497, 0.64497, 0.41086, 0.37349, 0.32746, 0.66095, 0.72004, 0.99202, 2.67767, 4.22298],
      [1.15658, 1.01465, 0.83465, 0.73062, 0.61542, 0.63055, 0.67474, 1.62979, 2.2035, 1.51193, 3.33371],
    ],
  };
  // Where LAMB's lead over AdamW is confirmed by the rule for ties: in a family of 8, of 7 (LAMB by the root, AdamW's
  // rate kept) and of 6.
  const confirmed = { root: [256, 512, 1024, 1437], kept: [16, 32, 256, 512, 1024, 1437], searched: [256, 512, 1024, 1437] };
  const tuned = { LAMB: 0.02, AdamW: 0.028284271247461898, LARS: 0.5 }; // at `base`

  const record = () => ({ batches, searched, factors, losses, near, confirmed, tuned, base });

  // The root rule: the tuned rate times the root of the ratio of the batches.
  const carried = (method, b) => tuned[method] * Math.sqrt(b / base);

  // The rate of a rule at batch b, as a multiple of the root rule's.
  function multiple(rule, method, b) {
    const tried = near[method][searched.indexOf(b)];
    if (rule === "searched") return factors[tried.indexOf(Math.min(...tried))];
    return rule === "root" ? 1 : Math.sqrt(base / b);
  }

  Live.figure("carry-the-rate", { record, carried, multiple }, (ui) => {
    const methods = ["LAMB", "AdamW", "LARS"], colors = Object.fromEntries(methods.map((name) => [name, `var(--${name})`]));
    const said = (v) => (v < 0.01 ? "10⁻³" : `${v}`), state = { k: batches.indexOf(base), rule: "root" };
    const loss = { range: [0.0002, 4], log: true, ticks: [0.001, 0.01, 0.1, 1], format: said };
    const left = ui.panel({
      title: "Final loss by batch, ten seeds", height: 300,
      x: { range: [14, 1650], log: true, ticks: [16, 64, 128, 512, 1437], label: "batch size" },
      y: { ...loss, label: "final training loss (nats)" },
    });
    left.line([[base, 0.0002], [base, 4]], { stroke: "var(--soft)", "stroke-dasharray": "2 4" }, left.back);
    left.legend(methods.map((name) => [name, colors[name]]));
    const right = ui.panel({
      title: "Lines: two tuning seeds. Large: the ten", height: 300,
      x: { range: [0.11, 4.6], log: true, ticks: [0.125, 0.25, 0.5, 1, 2, 4], label: "learning rate / rate by the root",
        format: (c) => (c < 1 ? `1/${1 / c}` : `${c}`) },
      y: { ...loss, label: "final training loss (nats)" },
    });
    right.line([[1, 0.0002], [1, 4]], { stroke: "var(--soft)", "stroke-dasharray": "2 4" }, right.back);

    const shown = (rule) => (rule === "searched" ? searched : batches);
    // [lowest, median, highest] at batch b; undefined where nothing was searched.
    const ends = (rule, name, b) => losses[rule][name][shown(rule).indexOf(b)];

    function draw() {
      const { rule } = state, b = batches[state.k], row = searched.indexOf(b), say = (v) => v.toPrecision(2);
      left.clear();
      right.clear();
      left.line([[b, 0.0002], [b, 4]], { stroke: "var(--ink)", "stroke-width": 1.2 });
      for (const name of methods) {
        const band = losses[rule][name], at = shown(rule).map((batch, j) => [batch, band[j]]);
        const edge = [...at.map(([x, [low]]) => [x, low]), ...at.map(([x, [, , high]]) => [x, high]).reverse()];
        left.area(edge, { fill: colors[name], "fill-opacity": 0.16, class: "landmark" });
        left.line(at.map(([x, [, median]]) => [x, median]), { stroke: colors[name], class: "landmark" });
        if (ends(rule, name, b)) left.dot(b, ends(rule, name, b)[1], { r: 5, fill: colors[name] });
        if (row < 0) continue;
        right.line(factors.map((c, j) => [c, near[name][row][j]]), { stroke: colors[name] });
        factors.forEach((c, j) => right.dot(c, near[name][row][j], { r: 2.5, fill: colors[name] }));
        right.dot(multiple(rule, name, b), ends(rule, name, b)[1], { r: 5, fill: colors[name] });
      }
      if (row < 0) right.text(0.7, 0.03, "not searched here", { "text-anchor": "middle" });
      const words = { root: "by the root rule", kept: "with the rate of batch 128", searched: "with a rate searched here" };
      const start = `At batch <b>${Live.number(b, 4)}</b>, <b>${words[rule]}</b>`;
      if (!ends(rule, "LAMB", b)) return ui.verdict(`${start}: no rate was searched below batch 64.`);
      const range = (name) => {
        const [low, median, high] = ends(rule, name, b);
        return `<b>${say(median)}</b> (${say(low)} to ${say(high)}) for ${name}`;
      };
      const firm = confirmed[rule === "kept" && b === base ? "root" : rule].includes(b);
      const claim = rule === "kept" && b !== base
        ? `LAMB by the root, with ${say(ends("root", "LAMB", b)[1])}, below this AdamW` : "LAMB below AdamW";
      return ui.verdict(`${start}, the losses end at ${methods.map(range).join(", ")}. ` +
        `${claim}: ${firm ? "confirmed" : "not resolved"}.`);
    }

    const bar = ui.slider({
      label: "batch size", range: [0, batches.length - 1], steps: batches.length - 1, value: state.k,
      format: (k) => Live.number(batches[Math.round(k)], 4), change: (k) => { state.k = Math.round(k); draw(); },
    });
    const rules = ui.choice({
      label: "learning rate",
      options: [["root", "of batch 128, times the root of the ratio"], ["kept", "of batch 128, as it is"],
        ["searched", "searched at this batch"]],
      value: "root", change: (rule) => { state.rule = rule; draw(); },
    });
    const at = (k, rule) => { bar.set(k); rules.set(rule); };
    ui.button("batch 128, root", () => at(3, "root"));
    ui.button("batch 1,437, root", () => at(7, "root"));
    ui.button("batch 1,437, as it is", () => at(7, "kept"));
    ui.button("batch 1,437, searched", () => at(7, "searched"));
    ui.still(() => at(7, "root"));
    left.drag((b) => {
      const away = batches.map((other) => Math.abs(Math.log(other / b)));
      bar.set(away.indexOf(Math.min(...away)));
    });
    ui.table(["batch", ...methods.flatMap((name) => [`${name}: root`, "as it is", "searched"])],
      batches.map((b) => [Live.number(b, 4), ...methods.flatMap((name) =>
        ["root", "kept", "searched"].map((rule) => (ends(rule, name, b) ? ends(rule, name, b)[1].toPrecision(2) : "–")))]));
    draw();
  });
})();
