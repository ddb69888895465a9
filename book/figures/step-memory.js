// Two steps of training a small BERT, by kind. What is at the peak?
"use strict";
(() => {
  const model = { words: 2000, length: 128, h: 128, layers: 6, heads: 4 }, float = 4, index = 8;
  const block = 12 * model.h ** 2 + 13 * model.h, embeddings = (model.words + model.length) * model.h;
  const parameters = embeddings + model.layers * block + 2 * model.h + model.words;

  // Numbers of optimizer state: two copies, momentum and two factored pairs, or the rows and columns alone.
  function stateNumbers(optimizer) {
    if (optimizer === "SGD") return 0;
    if (optimizer === "AdamW") return 2 * parameters;
    const { words, length, h, layers } = model;
    const sides = words + length + 2 * h + layers * 18 * h; // rows and columns of all matrices
    const vectors = parameters - (words + length) * h - layers * 12 * h * h;
    return optimizer === "CAME" ? parameters + 2 * sides + vectors : sides + vectors;
  }

  // Bytes that a block keeps for its backward pass, and the two ends of the network (an eighth of the tokens is predicted).
  const blockBytes = (b, s) => float * (16 * b * s * model.h + b * model.heads * s * s) + 16 * b * s;
  function endBytes(b, s) {
    const k = Math.floor((b * s) / 8);
    return b * s * index + float * b * s * model.h + 2 * b * s * float + 2 * k * index + float * k * model.h + float * (k * model.words + 1);
  }

  // [parameters, gradients, state, activations] from moment to moment of two steps.
  function moments(b, s, optimizer, recompute) {
    const { words, h, layers } = model, weights = float * parameters, full = float * stateNumbers(optimizer);
    const whole = blockBytes(b, s), kept = recompute ? float * b * s * h : whole, ids = b * s * index, out = [];
    for (const state of [0, full]) {
      for (let i = 0; i <= layers; i++) out.push([weights, 0, state, ids + i * kept]);
      out.push([weights, 0, state, endBytes(b, s) + layers * kept]);
      for (let i = layers; i > 0; i--) {
        out.push([weights, float * ((words + 2) * h + words + (layers - i) * block), state, ids + i * kept + whole - kept]);
      }
      out.push([weights, weights, state, 0], [weights, weights, full, 0]);
    }
    return out;
  }

  const sum = (parts) => parts.reduce((a, x) => a + x, 0);
  const peak = (b, s, optimizer, recompute) =>
    moments(b, s, optimizer, recompute).reduce((a, parts) => (sum(parts) > sum(a) ? parts : a));

  Live.figure("step-memory", { stateNumbers, moments, peak }, (ui) => {
    const names = ["parameters", "gradients", "optimizer state", "activations"];
    const colors = ["var(--a)", "var(--c)", "var(--b)", "var(--e)"], texts = [1, 2, 4, 8, 16, 32, 64], MB = 1e6;
    const left = ui.panel({
      title: "Two steps", x: { range: [0, 32], ticks: [0, 16], label: "moment", format: (t) => (t ? "second step" : "first step") },
      y: { range: [0, 1.45], ticks: [0, 0.5, 1], label: "share of the peak" },
    });
    const right = ui.panel({
      title: "At the fullest moment", x: { range: [1, 64], log: true, ticks: texts, label: "texts" },
      y: { range: [0, 1], ticks: [0, 0.5, 1], label: "share" },
    });
    left.legend(names.map((n, k) => [n, colors[k]]), [0.03, 0]);
    const stack = (panel, xs, columns, attributes) => names.forEach((_, k) => {
      const low = columns.map((c) => sum(c.slice(0, k))), high = columns.map((c, i) => low[i] + c[k]);
      const points = [...xs.map((x, i) => [x, high[i]]), ...xs.map((x, i) => [x, low[i]]).reverse()];
      panel.area(points, { fill: colors[k], "fill-opacity": 0.75, ...attributes });
    });

    function draw() {
      const b = texts[Math.round(batch.value())], s = 2 ** Math.round(length.value());
      const way = [b, s, optimizer.value(), again.value() === "yes"], all = moments(...way), top = peak(...way);
      const highest = sum(top);
      left.clear();
      right.clear();
      stack(left, all.map((_, t) => (t * 32) / all.length), all.map((parts) => parts.map((x) => x / highest)), { class: "landmark" });
      stack(right, texts, texts.map((n) => {
        const parts = peak(n, ...way.slice(1));
        return parts.map((x) => x / sum(parts));
      }), { class: "landmark" });
      right.line([[b, 0], [b, 1]], { "stroke-width": 2.5, stroke: "var(--ink)" });
      const shares = names.map((n, k) => `${n} ${Math.round((100 * top[k]) / highest)} %`);
      ui.verdict(`With <b>${b} ${b === 1 ? "text" : "texts"} of ${s} tokens</b> the peak is `
        + `<b>${Live.number(highest / MB, 3)} MB</b>, ${(highest / (float * parameters)).toFixed(1)} times the parameters: ${shares.join(", ")}.`);
    }

    const optimizer = ui.choice({
      label: "optimizer", value: "AdamW", options: ["SGD", "Adafactor", "CAME", "AdamW"].map((n) => [n, n]), change: () => draw(),
    });
    const again = ui.choice({ label: "recompute blocks", value: "no", options: [["no", "no"], ["yes", "yes"]], change: () => draw() });
    const batch = ui.slider({
      label: "texts", range: [0, 6], value: 0, steps: 6, format: (k) => `${texts[Math.round(k)]}`, change: () => draw(),
    });
    const length = ui.slider({
      label: "tokens in a text", range: [4, 7], value: 5, steps: 3, format: (k) => `${2 ** Math.round(k)}`, change: () => draw(),
    });
    ui.button("1 text of 32", () => { batch.set(0); length.set(5); });
    ui.button("16 texts of 128", () => { batch.set(4); length.set(7); });
    ui.still(() => { batch.set(4); length.set(7); });
    ui.table(["texts of 128 tokens, AdamW", ...names.map((n) => `${n}, MB`)], texts.map((n) =>
      [`${n}`, ...peak(n, 128, "AdamW", false).map((x) => (x / MB).toFixed(1))]));
    draw();
    ui.plays();
  });
})();
