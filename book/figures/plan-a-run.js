// Before you rent cards: what binds a step, does it fit, and what would one change do?
"use strict";
(() => {
  // [products in bfloat16 a second, bytes a second of memory, bytes of memory, bytes a second to other cards, cards in a node].
  const CARDS = {
    "t4 (fp16)": [65e12, 320e9, 16e9, 16e9, 8], "l4": [121e12, 300e9, 24e9, 32e9, 8], "a10": [125e12, 600e9, 24e9, 32e9, 8],
    "rtx-4090": [165.2e12, 1008e9, 24e9, 0, 1], "a100-40": [312e12, 1555e9, 40e9, 300e9, 8], "h100": [989e12, 3350e9, 80e9, 450e9, 8],
    "tpu-v5e": [197e12, 819e9, 16e9, 200e9, 256], "tpu-v6e": [918e12, 1638e9, 32e9, 400e9, 256],
  };
  const MODELS = {
    "BERT-base": ["bert", 12, 768, 30522, 512, 128], "BERT-Large": ["bert", 24, 1024, 30522, 512, 128],
    "GPT-2, 0.35 billion": ["gpt2", 24, 1024, 50257, 1024, 1024], "GPT-2, 4 billion": ["gpt2", 48, 2560, 50257, 1024, 1024],
  };
  const BUCKET = 25 * 2 ** 20, METHODS = { AdamW: [28, 8], LAMB: [40, 8], "SGD": [12, 0] }; // bytes moved and kept a parameter

  // [all parameters, those in blocks].
  function size([family, L, h, V, P]) {
    const blocks = L * (12 * h * h + 13 * h), ends = family === "bert" ? 2 * h + h * h + 3 * h + V : 0;
    return [(V + P) * h + blocks + 2 * h + ends, blocks];
  }
  const guessed = ([family, , , , , T]) => (family === "bert" ? Math.ceil(0.15 * T) : T);
  function operations(model, again) {
    const [family, L, h, V, , T] = model, k = guessed(model), blocks = 24 * L * h * h * T + 4 * L * h * T * T;
    return 3 * (blocks + 2 * k * h * V + (family === "bert" ? 2 * k * h * h : 0)) + (again ? blocks : 0);
  }

  // Bytes kept for the backward pass with so many rows at once: bfloat16 by autocast, flash attention.
  function activations(model, rows, again) {
    const [family, L, h, V, , T] = model, bs = rows * T, k = rows * guessed(model), heads = Math.max(2, Math.floor(h / 64)), e = 2;
    const bert = family === "bert", block = 16 * bs * h * e + 16 * bs + 4 * rows * heads * T, ids = (bert ? 2 : 1) * bs * 8;
    const ends = ids + bs * h * e + 8 * bs + 16 * k + k * h * e + (k * V + 1) * e + (bert ? 3 * k * h * e + 8 * k : 0);
    const kept = again ? L * bs * h * e + Math.max(ends, block - bs * h * e + ids) : ends + L * block;
    return kept + bs * h * ((again ? 2 * L + 8 : 8 * L) + 2) + 2 * k * V;
  }

  // In how many parts the model and its state are cut.
  const shares = (c) => ({ DDP: 1, FSDP: c.cards * c.nodes, HSDP: c.cards })[c.parallel];

  // Bytes on a card: parameters, gradients, optimizer state, copies in 16 bits, activations.
  function held(c, rows, parts) {
    const model = MODELS[c.model], [d, blocks] = size(model), cut = shares(c);
    const kept = METHODS[c.optimizer][1], copies = cut > 1 ? 2 * (d - blocks + (2 * blocks) / model[1]) : 2 * d;
    const gradients = cut > 1 && parts > 1 ? 4 * d : 4 * Math.ceil(d / cut);
    return [4 * Math.ceil(d / cut), gradients, Math.ceil((kept * d) / cut), copies, activations(model, rows, c.again)];
  }
  const sum = (list) => list.reduce((a, x) => a + x, 0);

  // Seconds of a step by what they are spent on, bytes sent by a card, rows at once, and bytes held.
  function plan(c) {
    const [rate, bandwidth, memory, link] = CARDS[c.card], model = MODELS[c.model], n = c.cards * c.nodes, rows = c.batch / n, [d, blocks] = size(model);
    let micro = 1;
    for (let m = rows; m >= 1; m--) {
      if (rows % m === 0 && sum(held(c, m, rows / m)) <= memory) { micro = m; break; }
    }
    // Of every lap: bytes, messages, cards of a node and nodes that it goes over, and the part that a card sends.
    const laps = [], cut = shares(c), hybrid = c.parallel === "HSDP", within = [c.cards, hybrid ? 1 : c.nodes, (cut - 1) / cut];
    if (n > 1 && c.parallel === "DDP") for (let k = 0; k < 2; k++) laps.push([4 * d, Math.ceil((4 * d) / BUCKET), c.cards, c.nodes, (n - 1) / n]);
    if (cut > 1) {
      for (let k = 0; k < rows / micro; k++) laps.push([2 * d, model[1] + 1, ...within], [2 * blocks, model[1], ...within]);
      laps.push([4 * d, model[1] + 1, ...within]);
    }
    if (hybrid && c.nodes > 1) for (let k = 0; k < 2; k++) laps.push([4 * d, model[1] + 1, 1, c.nodes, (c.nodes - 1) / c.nodes / c.cards]);
    const lap = (m, cards, nodes) => (cards > 1 ? (((cards - 1) / cards) * m) / link : 0) + (nodes > 1 ? (((nodes - 1) / nodes) * m) / c.network : 0);
    const terms = [
      (rows * operations(model, c.again)) / (c.share * rate),
      (METHODS[c.optimizer][0] * d) / cut / bandwidth,
      sum(laps.map(([m, , cards, nodes]) => lap(m, cards, nodes))),
      c.latency * sum(laps.map(([, count, cards, nodes]) => (cards + nodes - 2) * count)),
    ];
    return { terms, step: sum(terms), sent: sum(laps.map(([m, , , , part]) => m * part)), micro, held: held(c, micro, rows / micro) };
  }

  // One change at a time; rows are kept, so a batch twice as large counts half.
  function changes(c) {
    const list = { "as it is": c, "half the batch": { ...c, batch: c.batch / 2 }, "twice the batch": { ...c, batch: 2 * c.batch } };
    if (2 * c.cards <= CARDS[c.card][4]) list["twice the cards"] = { ...c, cards: 2 * c.cards };
    list["twice the nodes"] = { ...c, nodes: 2 * c.nodes };
    if (c.nodes > 1) list["ten times the network"] = { ...c, network: 10 * c.network };
    for (const parallel of c.nodes > 1 ? ["DDP", "FSDP", "HSDP"] : ["DDP", "FSDP"]) {
      if (parallel !== c.parallel) list[parallel] = { ...c, parallel };
    }
    list[c.again ? "all activations kept" : "activations recomputed"] = { ...c, again: !c.again };
    return Object.entries(list).filter(([, one]) => one.batch >= one.cards * one.nodes).map(([name, one]) => {
      const p = plan(one);
      return [name, (p.step * c.batch) / one.batch, sum(p.held) <= CARDS[c.card][2]];
    });
  }

  const told = (c) => Object.fromEntries(changes(c).map(([name, seconds, fits]) => [name, { seconds, fits }]));

  Live.figure("plan-a-run", { plan, changes: told, cards: () => CARDS, models: () => MODELS }, (ui) => {
    const names = ["products", "optimizer", "messages, bytes", "messages, rounds"], colors = ["var(--a)", "var(--c)", "var(--b)", "var(--d)"];
    const holds = ["parameters", "gradients", "state", "16-bit copies", "activations"], tints = ["var(--a)", "var(--c)", "var(--b)", "var(--d)", "var(--e)"];
    const left = ui.panel({
      title: "Of a step, and of a card's memory", height: 245, x: { range: [0, 1.25], ticks: [0, 0.25, 0.5, 0.75, 1], label: "share" }, y: { range: [0.3, 4.7], ticks: [], label: "" },
    });
    const right = ui.panel({
      title: "As many rows, after one change", height: 245, x: { range: [0, 2], ticks: [0, 0.5, 1, 1.5, 2], label: "times as long as now" },
      y: { range: [0, 8], ticks: [], label: "" },
    });
    right.line([[1, 0], [1, 8]], { "stroke-dasharray": "5 4", stroke: "var(--ink)", class: "landmark" }, right.back);
    const time = (s) => (s >= 1 ? `${Live.number(s, 3)} s` : `${Live.number(1e3 * s, 3)} ms`), gb = (x) => `${Live.number(x / 1e9, 3)} GB`;
    const row = (y, title, parts, whole, fills, words) => {
      let from = 0;
      left.text(0.01, y + 0.6, title);
      parts.forEach((x, k) => {
        const to = Math.min(1.25, from + x / whole), u = 0.62 * (k % 2), v = y - 0.35 - 0.38 * Math.floor(k / 2);
        left.area([[from, y], [to, y], [to, y + 0.45], [from, y + 0.45]], { fill: fills[k], "fill-opacity": 0.7, stroke: "var(--panel)" });
        left.area([[u, v], [u + 0.05, v], [u + 0.05, v + 0.2], [u, v + 0.2]], { fill: fills[k], "fill-opacity": 0.7 });
        left.text(u + 0.08, v, words[k]);
        from = to;
      });
    };

    function draw() {
      const [, , memory, , together] = CARDS[card.value()];
      const c = {
        card: card.value(), model: model.value(), optimizer: "AdamW", parallel: spread.value().slice(0, 4).trim().replace(",", ""), again: spread.value().includes("recomputed"),
        cards: 2 ** Math.round(cards.value()), nodes: 2 ** Math.round(nodes.value()), network: 1e9 * networks[Math.round(network.value())],
        batch: 2 ** Math.round(batch.value()), share: share.value(), latency: 1e-5,
      };
      left.clear();
      right.clear();
      const wrong = c.cards > together ? `Links join at most ${together} of ${c.card}: take more nodes.`
        : c.batch < c.cards * c.nodes ? `A batch of ${c.batch} rows cannot be shared by ${c.cards * c.nodes} cards: some would stand idle.` : "";
      if (wrong) {
        ui.table(["", ""], []);
        return ui.verdict(wrong);
      }
      const p = plan(c), total = sum(p.held), most = p.terms.indexOf(Math.max(...p.terms)), found = changes(c);
      row(3.75, `a step: ${time(p.step)}`, p.terms, p.step, colors, names);
      row(1.65, `held: ${gb(total)} of ${gb(memory)}`, p.held, memory, tints, holds);
      left.line([[1, 1.55], [1, 2.2]], { stroke: "var(--ink)", "stroke-width": 2.5 });
      found.slice(1).forEach(([name, seconds, fits], k) => {
        const y = 7 - k, to = Math.min(2, seconds / found[0][1]);
        right.area([[0, y + 0.12], [to, y + 0.12], [to, y + 0.88], [0, y + 0.88]], { fill: fits ? "var(--c)" : "var(--soft)", "fill-opacity": 0.4, class: "landmark" });
        right.text(0.03, y + 0.3, `${name}: ${Live.number(seconds / found[0][1], 3)}${fits ? "" : ", too large"}`, { class: "landmark" });
      });
      const fits = total <= memory ? "<b>fits</b>" : "does <b>not</b> fit";
      ui.verdict(`${Live.number(c.cards * c.nodes, 4)} × ${c.card}: a step takes <b>${time(p.step)}</b>, ${Math.round((100 * p.terms[most]) / p.step)} % of it ` +
        `${names[most]}. A card takes ${Live.number(p.micro, 4)} of its ${Live.number(c.batch / c.cards / c.nodes, 4)} rows at once, sends ${gb(p.sent)}, ` +
        `and holds ${gb(total)}, which ${fits}.`);
      return ui.table(["", ...names, ...holds], [["seconds, GB", ...p.terms.map((t) => time(t)), ...p.held.map((x) => gb(x))]]);
    }
    const list = (label, values, value) => ui.choice({ label, value, options: values.map((v) => [v, v]), change: () => draw() });
    const model = list("model", Object.keys(MODELS), "BERT-Large"), card = list("card", Object.keys(CARDS), "a100-40");
    const spread = list("spread by", ["DDP", "DDP, recomputed", "FSDP", "FSDP, recomputed", "HSDP", "HSDP, recomputed"], "DDP");
    const networks = [0.125, 1.25, 6, 12.5, 25, 50, 100, 400];
    const power = (label, high, value) => ui.slider({
      label, range: [0, high], steps: high, value, format: (j) => Live.number(2 ** Math.round(j), 5), change: () => draw(),
    });
    const cards = power("cards joined by links", 8, 3), nodes = power("nodes", 5, 0), batch = power("rows in the batch", 16, 8);
    const network = ui.slider({
      label: "network of a node, GB/s", range: [0, networks.length - 1], value: 4, steps: networks.length - 1,
      format: (k) => Live.number(networks[Math.round(k)], 3), change: () => draw(),
    });
    const share = ui.slider({
      label: "products, share of the peak", range: [0.1, 0.8], value: 0.4, steps: 35, format: (x) => `${Math.round(100 * x)} %`, change: () => draw(),
    });
    ui.still(() => { nodes.set(1); draw(); });
    draw();
  });
})();
