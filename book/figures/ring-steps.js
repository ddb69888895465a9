// How an all-reduce adds up, round by round: who sends how much?
"use strict";
(() => {
  const range = (n) => Array.from({ length: n }, (_, i) => i);

  // The rounds of a way: each is a list of [source, target, parts], and whether the target adds or replaces.
  function rounds(way, n) {
    const whole = range(n), levels = range(Math.log2(n)).map((k) => 2 ** k);
    if (way === "chief") {
      const others = whole.slice(1);
      return [{ add: true, sent: others.map((p) => [p, 0, whole]) }, { add: false, sent: others.map((p) => [0, p, whole]) }];
    }
    if (way === "tree") {
      const pairs = levels.map((gap) => whole.filter((p) => p % (2 * gap) === 0).map((p) => [p + gap, p]));
      const up = pairs.map((level) => ({ add: true, sent: level.map(([a, b]) => [a, b, whole]) }));
      const down = [...pairs].reverse().map((level) => ({ add: false, sent: level.map(([a, b]) => [b, a, whole]) }));
      return [...up, ...down];
    }
    if (way === "doubling") return levels.map((gap) => ({ add: true, sent: whole.map((p) => [p, p ^ gap, whole]) }));
    const lap = (add, shift) => range(n - 1).map((r) =>
      ({ add, sent: whole.map((p) => [p, (p + 1) % n, [(((p + shift - r) % n) + n) % n]]) }));
    return [...lap(true, 0), ...lap(false, 1)];
  }

  // After so many rounds: who is in the sum that process p holds of part j (bits), and the parts sent and received.
  function state(way, n, upTo) {
    const held = range(n).map((p) => range(n).map(() => 2 ** p)), sent = Array(n).fill(0), got = Array(n).fill(0);
    let last = [];
    for (const { add, sent: messages } of rounds(way, n).slice(0, upTo)) {
      const taken = messages.map(([source, , parts]) => parts.map((j) => held[source][j]));
      last = messages;
      messages.forEach(([source, target, parts], k) => {
        parts.forEach((j, i) => { held[target][j] = taken[k][i] + (add ? held[target][j] : 0); });
        sent[source] += parts.length;
        got[target] += parts.length;
      });
    }
    return { held, sent, got, last };
  }
  const bits = (x) => { let count = 0; for (; x; x >>= 1) count += x & 1; return count; };

  Live.figure("ring-steps", { rounds, state, bits }, (ui) => {
    const left = ui.panel({
      title: "Contributions in each part", height: 300, x: { range: [-1, 8], ticks: [], label: "part of the vector" },
      y: { range: [8, 0], ticks: [], label: "process" },
    });
    const right = ui.panel({
      title: "Sent by each process, in vectors", height: 300,
      x: { range: [0, 8], ticks: [0, 1, 2, 3, 4, 5, 6, 7], label: "vectors sent so far" }, y: { range: [8, 0], ticks: [], label: "process" },
    });
    const marks = Live.el("g", { class: "landmark" }, right.back);

    function draw() {
      const n = Number(size.value()), name = way.value(), all = rounds(name, n), r = Math.min(all.length, player.value());
      const { held, sent, last } = state(name, n, r), side = 8 / n, whole = 2 ** n - 1;
      left.clear();
      right.clear();
      marks.replaceChildren();
      for (const p of range(n)) {
        for (const j of range(n)) {
          const count = bits(held[p][j]), fresh = last.some(([, target, parts]) => target === p && parts.includes(j));
          const corners = [[j, p], [j + 1, p], [j + 1, p + 1], [j, p + 1]].map(([x, y]) => [x * side, y * side]);
          left.area(corners, {
            fill: held[p][j] === whole ? "var(--c)" : "var(--a)", "fill-opacity": held[p][j] === whole ? 0.55 : (0.5 * (count - 1)) / n,
            stroke: fresh ? "var(--b)" : "var(--line)", "stroke-width": fresh ? 2.5 : 1,
          });
          left.text((j + 0.5) * side, (p + 0.5) * side, `${count}`, { "text-anchor": "middle", "dominant-baseline": "central" });
        }
        left.text(-0.55, (p + 0.5) * side, `${p}`, { "text-anchor": "middle", "dominant-baseline": "central" });
        const to = sent[p] / n, y = p * side;
        right.area([[0, y + 0.15 * side], [to, y + 0.15 * side], [to, y + 0.85 * side], [0, y + 0.85 * side]], { fill: "var(--b)", "fill-opacity": 0.7 });
        right.text(to + 0.15, y + 0.5 * side, Live.number(to, 3), { "dominant-baseline": "central" });
      }
      const least = (2 * (n - 1)) / n;
      right.line([[least, 0], [least, 8]], { stroke: "var(--ink)", "stroke-dasharray": "5 4" }, marks);
      const done = held.flat().filter((x) => x === whole).length, busiest = Math.max(...sent) / n, total = sent.reduce((a, x) => a + x, 0) / n;
      ui.verdict(`Round <b>${r}</b> of ${all.length}, ${name}, ${n} processes: ${done} of ${n * n} places hold the whole sum. ` +
        `The busiest process has sent <b>${Live.number(busiest, 3)}</b> vectors, all together ${Live.number(total, 3)}.`);
      ui.table(["way", "rounds", "most sent", "sent together"], ["chief", "tree", "doubling", "ring"].map((one) => {
        const list = rounds(one, n), end = state(one, n, list.length).sent;
        return [one, list.length, Live.number(Math.max(...end) / n, 3), Live.number(end.reduce((a, x) => a + x, 0) / n, 3)];
      }));
    }
    const player = ui.player({ label: "round", steps: 14, delay: 700, change: () => draw() });
    const way = ui.choice({ label: "way", options: ["chief", "tree", "doubling", "ring"].map((w) => [w, w]), value: "ring", change: () => draw() });
    const size = ui.choice({ label: "processes", options: [2, 4, 8].map((n) => [n, n]), value: 4, change: () => draw() });
    ui.still(() => player.set(4));
    draw();
  });
})();
