// A step on many cards: how much of the message hides behind the backward pass?
"use strict";
(() => {
  // BERT-Large on rows of 128 tokens, of which 20 are guessed; gradients travel in float32.
  const L = 24, h = 1024, V = 30522, T = 128, k = 20;
  const head = h * h + 5 * h + V, block = 12 * h * h + 13 * h, tables = (V + 514) * h, d = head + L * block + tables;
  const headWork = 2 * k * (h * h + h * V), work = 24 * L * h * h * T + 4 * L * h * T * T + headWork, F = 3 * work;

  // In the order in which the backward pass completes them: [numbers so far, share of the pass]. The token table serves
  // the head and the embedding, so it is complete last.
  function arrivals() {
    const share = headWork / work, list = [[head, share]];
    for (let j = 1; j <= L; j++) list.push([head + j * block, share + (j * (1 - share)) / L]);
    return [...list, [d, 1]];
  }

  // Seconds of the forward and of the backward pass, [start, end] of each piece on the wire, and the whole step.
  function timeline({ cards, batch, pieces, wire, latency, rate }) {
    const compute = ((batch / cards) * F) / rate, forward = compute / 3, order = arrivals(), sent = [];
    const one = 2 * (cards - 1) * latency + (((2 * (cards - 1)) / cards) * 4 * d) / pieces / wire;
    let free = 0;
    for (let i = 1; cards > 1 && i <= pieces; i++) {
      const [, share] = order.find(([numbers]) => i * d <= numbers * pieces);
      const start = Math.max(free, forward + share * (compute - forward));
      free = start + one;
      sent.push([start, free]);
    }
    return { forward, backward: compute - forward, sent, step: Math.max(compute, free) };
  }
  const faster = (c) => timeline({ ...c, cards: 1 }).step / timeline(c).step;

  Live.figure("what-hides", { arrivals, timeline, faster, size: () => [d, F] }, (ui) => {
    const wires = [1.25, 3, 6, 12.5, 25, 50, 100, 200, 300], fixed = { latency: 1e-5, rate: 0.4 * 312e12 };
    const left = ui.panel({
      title: "One step of one card", height: 230,
      x: { range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], label: "share of the step" }, y: { range: [0, 2.3], ticks: [], label: "" },
    });
    const right = ui.panel({
      title: "Times as fast as one card", height: 230,
      x: { range: [1, 1024], log: true, ticks: [1, 4, 16, 64, 256, 1024], label: "cards" },
      y: { range: [0.25, 1024], log: true, ticks: [1, 4, 16, 64, 256, 1024], label: "times as fast" },
    });
    right.line([[1, 1], [1024, 1024]], { stroke: "var(--ink)", "stroke-dasharray": "5 4", class: "landmark" }, right.back);
    right.text(1.3, 500, "dashed: as many times as cards", { class: "landmark" }, right.back);
    const all = Array.from({ length: 11 }, (_, j) => 2 ** j);
    const ms = (s) => `${Live.number(1e3 * s, 3)} ms`;
    const bar = (from, to, low, high, fill) =>
      left.area([[from, low], [to, low], [to, high], [from, high]], { fill, "fill-opacity": 0.75, stroke: "var(--panel)" });

    function draw() {
      const c = { cards: 2 ** Math.round(cards.value()), batch: 2 ** Math.round(batch.value()), ...fixed };
      c.pieces = 2 ** Math.round(pieces.value());
      c.wire = 1e9 * wires[Math.round(wire.value())];
      const { forward, backward, sent, step } = timeline(c), compute = forward + backward;
      const message = sent.reduce((sum, [from, to]) => sum + to - from, 0), bare = Math.max(0, step - compute);
      left.clear();
      right.clear();
      bar(0, forward / step, 1.2, 1.8, "var(--a)");
      bar(forward / step, compute / step, 1.2, 1.8, "var(--c)");
      sent.forEach(([from, to]) => bar(from / step, to / step, 0.2, 0.8, "var(--b)"));
      left.text(0.01, 1.95, `forward and backward pass: ${ms(compute)}`);
      left.text(0.01, 0.95, sent.length ? `on the wire: ${ms(message)}` : "on the wire: nothing");
      right.line(all.filter((n) => n <= c.batch).map((n) => [n, faster({ ...c, cards: n })]), { stroke: "var(--b)", class: "landmark" });
      right.dot(c.cards, faster(c), { r: 5, fill: "var(--b)" });
      const share = message ? `${Math.round(100 * (1 - bare / message))} % of the message hides behind the passes. ` : "";
      const first = c.cards === 1 ? `<b>1</b> card with ${Live.number(c.batch, 4)} rows: a step takes ${ms(step)}. It sends nothing.`
        : `<b>${Live.number(c.cards, 4)}</b> cards with ${Live.number(c.batch / c.cards, 4)} rows each: a step takes ${ms(step)}, ` +
        `<b>${Live.number(faster(c), 3)}</b> times as fast as one card. ${share}`;
      // less than a microsecond is rounding
      ui.verdict(`${first}${bare > 1e-6 ? `For ${ms(bare)} of the step the cards wait for the wire.` : ""}`);
      ui.table(["cards", "passes", "on the wire", "step", "times as fast"], all.filter((n) => n <= c.batch).map((n) => {
        const t = timeline({ ...c, cards: n }), one = t.sent.reduce((sum, [from, to]) => sum + to - from, 0);
        return [Live.number(n, 4), ms(t.forward + t.backward), ms(one), ms(t.step), Live.number(faster({ ...c, cards: n }), 3)];
      }));
    }
    const power = (label, low, high, value) => ui.slider({
      label, range: [low, high], steps: high - low, value, format: (j) => Live.number(2 ** Math.round(j), 5), change: () => draw(),
    });
    const cards = power("cards", 0, 10, 0), batch = power("rows in the batch", 10, 16, 10);
    const pieces = power("pieces of the message", 0, 6, 0);
    const wire = ui.slider({
      label: "wire of a card, GB/s", range: [0, wires.length - 1], value: 4, steps: wires.length - 1,
      format: (k) => Live.number(wires[Math.round(k)], 3), change: () => draw(),
    });
    for (const x of [1.25, 25, 300]) ui.button(`${x} GB/s`, () => wire.set(wires.indexOf(x)));
    ui.still(() => { cards.set(6); batch.set(12); pieces.set(3); });
    draw();
  });
})();
