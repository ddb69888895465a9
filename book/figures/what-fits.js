// Does a run fit on a device, and which single change would help most?
"use strict";
(() => {
  const words = 32000, GIB = 2 ** 30, room = 0.8, statistic = 4, index = 8;

  // A language model: [rows, columns] of its matrices, or [length] of a vector, with how many there are of each.
  function shapes({ h, layers, length }) {
    return [
      [[words, h], 1], [[length, h], 1], [[h, h], 4 * layers], [[h, 4 * h], layers], [[4 * h, h], layers],
      [[h], layers * 9 + 2], [[4 * h], layers], [[words], 1],
    ];
  }
  const size = (shape) => shape.reduce((a, x) => a * x, 1);
  const parameters = (c) => shapes(c).reduce((sum, [shape, count]) => sum + count * size(shape), 0);

  // Bytes of a number: [parameters, gradients, master weights, state, activations].
  const NUMBERS = {
    "float32": [4, 4, 0, 4, 4],
    "bf16 and a master copy": [2, 2, 4, 4, 2],
    "bf16 alone": [2, 2, 0, 2, 2],
  };

  // Bytes of optimizer state; `each` for a number that has the shape of a matrix. CAME is minilib's, in float32.
  function stateBytes(c) {
    const each = NUMBERS[c.numbers][3];
    return shapes(c).reduce((sum, [shape, count]) => {
      const n = size(shape), sides = shape.reduce((a, x) => a + x, 0);
      const one = {
        "SGD": 0,
        "Momentum": each * n,
        "Adafactor": each * sides,
        "CAME": 4 * (n + shape.length * sides),
        "AdamW, 8 bits": 2 * (n < 4096 ? 4 * n : n + 4 * Math.ceil(n / 256)),
        "AdamW": 2 * each * n,
      };
      return sum + count * one[c.optimizer];
    }, 0);
  }

  // Bytes kept for the backward pass of `texts` texts; every token is predicted, nothing is dropped.
  function activations(c) {
    const { h, layers, length: s, texts: b } = c, e = NUMBERS[c.numbers][4], bs = b * s, heads = Math.max(1, Math.round(h / 64));
    const fused = c.kept.includes("fused"), again = c.kept.includes("recomputed");
    const weights = fused ? b * heads * s * statistic : b * heads * s * s * e;
    const block = 16 * bs * h * e + weights + 4 * bs * statistic, ids = bs * index;
    const ends = ids + bs * h * e + 2 * bs * statistic + 2 * bs * index + bs * h * e + (bs * words + 1) * e;
    if (!again) return ends + layers * block;
    return layers * bs * h * e + Math.max(ends, block - bs * h * e + ids);
  }

  // [parameters, gradients, master weights, state, activations] on one device.
  function needed(c) {
    const d = parameters(c), n = NUMBERS[c.numbers], [devices, stage] = c.devices.split(", stage ").map(Number);
    const cut = (x, each, from) => Math.ceil(Math.ceil(x / (stage >= from ? devices : 1)) * each);
    return [cut(d, n[0], 3), cut(d, n[1], 2), cut(d, n[2], 1), cut(Math.ceil(stateBytes(c)), 1, 1), activations(c)];
  }
  const sum = (parts) => parts.reduce((a, x) => a + x, 0);

  // Single changes, each to what one would take next.
  const CHANGES = [
    ["recompute blocks", (c) => ({ kept: c.kept.includes("fused") ? "fused and recomputed" : "recomputed" })],
    ["fuse attention", (c) => ({ kept: c.kept.includes("recomputed") ? "fused and recomputed" : "fused" })],
    ["half the texts", (c) => ({ texts: Math.max(1, c.texts / 2) })],
    ["AdamW, 8 bits", () => ({ optimizer: "AdamW, 8 bits" })],
    ["CAME", () => ({ optimizer: "CAME" })],
    ["bf16 alone", () => ({ numbers: "bf16 alone" })],
    ["8 devices, stage 1", () => ({ devices: "8, stage 1" })],
    ["8 devices, stage 3", () => ({ devices: "8, stage 3" })],
  ];
  const changed = (c) => CHANGES.map(([name, change]) => [name, sum(needed({ ...c, ...change(c) }))]);

  Live.figure("what-fits", { needed, changed: (c) => Object.fromEntries(changed(c)) }, (ui) => {
    const names = ["parameters", "gradients", "master weights", "optimizer state", "activations"];
    const colors = ["var(--a)", "var(--c)", "var(--d)", "var(--b)", "var(--e)"];
    const widths = [128, 256, 512, 768, 1024, 1536, 2048, 2560, 3072, 4096, 5120, 6144, 8192];
    const depths = [2, 4, 6, 8, 12, 16, 24, 32, 40, 48, 64, 80], lengths = [128, 256, 512, 1024, 2048, 4096];
    const cards = [8, 12, 16, 24, 32, 40, 48, 80, 141];
    const places = (range) => ({ range, ticks: [], label: "" });
    const left = ui.panel({
      title: "A and B, in devices", x: { range: [0, 3.3], ticks: [], label: "share of the device" },
      y: places([0, 2]), height: 200,
    });
    const right = ui.panel({
      title: "B after one change", x: { range: [0, 2.5], ticks: [], label: "share of the device" },
      y: places([0, CHANGES.length]), height: 200,
    });
    // Where a bar is longer than `end` devices the axis shrinks, so that it ends there. Returns the place of a share.
    const axes = new Map([left, right].map((panel) => [panel, Live.el("g", {}, panel.svg)]));
    for (const [panel, group] of axes) panel.svg.insertBefore(group, panel.back);
    function axis(panel, top, end, longest) {
      const per = Math.min(1, end / longest), group = axes.get(panel), { box, X } = panel;
      const size = 10 ** Math.floor(Math.log10(longest)), wide = [0.5, 1, 2].find((k) => longest <= 5 * k * size) * size;
      const tick = per < 1 ? wide : 0.5;
      group.replaceChildren();
      for (let k = 0; k * tick <= Math.max(2, longest); k++) {
        const x = X(per * k * tick);
        Live.el("line", { x1: x, x2: x, y1: box.top, y2: box.bottom, class: "axis" }, group);
        Live.el("text", { x, y: box.bottom + 17, "text-anchor": "middle", class: "tick" }, group, Live.number(k * tick, 4));
      }
      panel.line([[per * room, 0], [per * room, top]], { "stroke-dasharray": "5 4", stroke: "var(--ink)" });
      return (share) => per * share;
    }

    left.legend(names.map((n, k) => [n, colors[k]]), [0.62, 0.05]);
    let A = null;

    const setting = () => ({
      h: widths[Math.round(width.value())], layers: depths[Math.round(depth.value())], length: lengths[Math.round(tokens.value())],
      texts: 2 ** Math.round(texts.value()), optimizer: optimizer.value(), numbers: numbers.value(), kept: kept.value(),
      devices: devices.value(),
    });
    const gib = (n) => `${Live.number(n / GIB, 3)} GiB`;
    const model = (c) => {
      const d = parameters(c);
      return d >= 1e9 ? `${(d / 1e9).toFixed(1)} billion` : `${Math.round(d / 1e6)} million`;
    };

    function bar(row, c, name, card, at) {
      let from = 0;
      needed(c).forEach((n, k) => {
        const to = from + at(n / card);
        left.area([[from, row + 0.2], [to, row + 0.2], [to, row + 0.75], [from, row + 0.75]], { fill: colors[k], "fill-opacity": 0.8 });
        from = to;
      });
      left.text(0.02, row + 0.8, `${name}: ${gib(sum(needed(c)))}`);
    }

    function draw() {
      const c = setting(), card = cards[Math.round(device.value())] * GIB, total = sum(needed(c));
      left.clear();
      right.clear();
      const at = axis(left, 2, 2, Math.max(total, A ? sum(needed(A)) : 0) / card);
      if (A) bar(1, A, "A", card, at);
      bar(0, c, "B", card, at);
      const found = changed(c), best = found.reduce((a, x) => (x[1] < a[1] ? x : a));
      const place = axis(right, CHANGES.length, 2.4, Math.max(...found.map((x) => x[1])) / card);
      found.forEach(([name, left_], k) => {
        const row = CHANGES.length - 1 - k, share = left_ / card, to = place(share), fill = share <= room ? "var(--c)" : "var(--soft)";
        right.area([[0, row + 0.1], [to, row + 0.1], [to, row + 0.9], [0, row + 0.9]], { fill, "fill-opacity": 0.45, class: "landmark" });
        right.text(0.03, row + 0.22, `${name}: ${gib(left_)}`, { class: "landmark" });
      });
      const parts = needed(c), largest = parts.indexOf(Math.max(...parts));
      const fits = total <= room * card ? "<b>fits</b>" : "does <b>not</b> fit";
      const against = A ? ` A needs ${gib(sum(needed(A)))}.` : "";
      ui.verdict(`${model(c)} parameters: B needs <b>${gib(total)}</b> and ${fits} into four fifths of ${gib(card)}. The largest part: `
        + `${names[largest]}, ${Math.round((100 * parts[largest]) / total)} %. The single change that leaves least is "${best[0]}".${against}`);
      ui.table(["", ...names, "together"], [["B", c], ...(A ? [["A", A]] : [])].map(([name, one]) =>
        [name, ...[...needed(one), sum(needed(one))].map((n) => gib(n))]));
    }

    const list = (label, values, value) => ui.choice({ label, value, options: values.map((v) => [v, v]), change: () => draw() });
    const optimizer = list("optimizer", ["SGD", "Momentum", "Adafactor", "CAME", "AdamW, 8 bits", "AdamW"], "AdamW");
    const numbers = list("numbers", Object.keys(NUMBERS), "float32");
    const kept = list("activations", ["all kept", "fused", "recomputed", "fused and recomputed"], "all kept");
    const devices = list("devices, ZeRO", ["1, stage 0", "8, stage 1", "8, stage 2", "8, stage 3", "64, stage 1", "64, stage 3"], "1, stage 0");
    const pick = (label, values, k, unit = "") => ui.slider({
      label, range: [0, values.length - 1], value: k, steps: values.length - 1,
      format: (i) => `${Live.number(values[Math.round(i)], 5)}${unit}`, change: () => draw(),
    });
    const width = pick("width", widths, 4), depth = pick("blocks", depths, 6), tokens = pick("tokens", lengths, 2);
    const texts = pick("texts", [1, 2, 4, 8, 16, 32, 64], 3), device = pick("device", cards, 3, " GiB");
    const set = (w, l, b) => { width.set(widths.indexOf(w)); depth.set(depths.indexOf(l)); texts.set(b); };
    ui.button("keep B as A", () => { A = setting(); draw(); });
    ui.button("0.3 billion", () => set(1024, 24, 3));
    ui.button("7 billion", () => set(4096, 32, 0));
    ui.still(() => { set(1024, 24, 3); A = setting(); kept.set("recomputed"); draw(); });
    draw();
  });
})();
