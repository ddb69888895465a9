// Which method can take its learning rate along to another batch?
"use strict";
(() => {
  // Final training loss on digits after 30 epochs (book/runs/lamb-untuned): a row a batch, with the lowest, the median
  // and the highest of ten seeds. The rate of batch `base` times the root of the ratio of the batches; kept as it is;
  // searched again at each batch from 64 on, among the `factors` of the root rule's rate, by medians of two seeds.
  const { batches, searched, factors, base, losses, near, tuned } = Live.records["carry-the-rate"];
  // Where LAMB's lead over AdamW is confirmed by the rule for ties: in a family of 8, of 7 (LAMB by the root, AdamW's
  // rate kept) and of 6.
  const { confirmed } = Live.records["carry-the-rate"];

  // The root rule: the tuned rate times the root of the ratio of the batches.
  const carried = (method, b) => tuned[method] * Math.sqrt(b / base);

  // The rate of a rule at batch b, as a multiple of the root rule's.
  function multiple(rule, method, b) {
    const tried = near[method][searched.indexOf(b)];
    if (rule === "searched") return factors[tried.indexOf(Math.min(...tried))];
    return rule === "root" ? 1 : Math.sqrt(base / b);
  }

  Live.figure("carry-the-rate", { carried, multiple }, (ui) => {
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
      x: { range: [0.11, 4.6], log: true, ticks: [0.125, 0.25, 0.5, 1, 2, 4], label: "learning rate / the root rule's",
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
      const words = { root: "with the root rule", kept: "with the rate of batch 128", searched: "with a rate searched here" };
      const start = `At batch <b>${Live.number(b, 4)}</b>, <b>${words[rule]}</b>`;
      if (!ends(rule, "LAMB", b)) return ui.verdict(`${start}: no rate was searched below batch 64.`);
      const range = (name) => {
        const [low, median, high] = ends(rule, name, b);
        return `<b>${say(median)}</b> (${say(low)} to ${say(high)}) for ${name}`;
      };
      const firm = confirmed[rule === "kept" && b === base ? "root" : rule].includes(b);
      const claim = rule === "kept" && b !== base
        ? `LAMB with the root rule, at ${say(ends("root", "LAMB", b)[1])}, below this AdamW` : "LAMB below AdamW";
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
