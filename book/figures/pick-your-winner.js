// Which of four methods wins, and does it depend on who judges?
"use strict";
(() => {
  // Final training losses on digits (book/runs/winners): by one seed, three seeds, ten fresh seeds. 99: diverged.
  const { methods, protocols, judges, losses } = Live.records["pick-your-winner"];

  function median(values) {
    const sorted = [...values].sort((u, v) => u - v), half = sorted.length / 2;
    return sorted.length % 2 ? sorted[Math.floor(half)] : (sorted[half - 1] + sorted[half]) / 2;
  }

  // The method with the lowest median under a protocol, as the judges 0, 1 or 2 see it.
  function winner(protocol, who) {
    const medians = methods.map((m) => median(losses[protocol][m][who]));
    return methods[medians.indexOf(Math.min(...medians))];
  }

  Live.figure("pick-your-winner", { median, winner }, (ui) => {
    const names = ["one seed", "three seeds", "ten fresh"], color = (m) => `var(--${m})`;
    const left = ui.panel({
      title: "Final losses, seed by seed", height: 300,
      x: { range: [-0.6, 3.6], ticks: [0, 1, 2, 3], label: "method", format: (k) => methods[k] },
      y: { range: [0.008, 4], log: true, ticks: [0.01, 0.03, 0.1, 0.3, 1, 3], label: "final training loss (nats)" },
    });
    const right = ui.panel({
      title: "The winner, by protocol and judges", height: 300,
      x: { range: [-0.6, 5.6], ticks: [0, 1, 2, 3, 4, 5], label: "protocol", format: (k) => protocols[k] },
      y: { range: [-0.6, 2.6], ticks: [0, 1, 2], label: "judging seeds", format: (k) => ["1", "3", "10"][k] },
    });
    const seen = new Set(); // what the reader has asked for so far

    function draw() {
      const who = Math.round(bar.value()), p = protocol.value(), best = winner(p, who), say = (v) => Live.number(v);
      seen.add(`${p}${who}`);
      left.clear();
      right.clear();
      methods.forEach((m, k) => {
        const values = losses[p][m][who], middle = median(values);
        values.forEach((v, j) => left.dot(k + 0.16 * (j / Math.max(1, values.length - 1) - 0.5), Math.min(v, 3.8),
          { r: 3.5, fill: color(m), class: "landmark" }));
        left.line([[k - 0.3, Math.min(middle, 3.8)], [k + 0.3, Math.min(middle, 3.8)]],
          { stroke: color(m), "stroke-width": m === best ? 4 : 2, class: "landmark" });
      });
      protocols.forEach((name, k) => judges.forEach((_, j) => {
        if (!seen.has(`${name}${j}`)) return;
        const here = name === p && j === who;
        right.dot(k, j, { r: here ? 13 : 10, fill: color(winner(name, j)), class: "landmark",
          ...(here ? { stroke: "var(--ink)", "stroke-width": 2 } : {}) });
        right.text(k, j - 0.36, winner(name, j).replace("Nesterov", "Nest."), { "text-anchor": "middle", class: "tick landmark" });
      }));
      const medians = methods.map((m) => [m, median(losses[p][m][who])]).sort((u, v) => u[1] - v[1]);
      const told = medians.map(([m, v]) => (v > 3.8 ? `${m} (diverged)` : `${m} ${say(v)}`)).join(", ");
      const diverged = medians.filter(([, v]) => v > 3.8).length ? " A dot at the top edge stands for what lies above." : "";
      ui.verdict(`Protocol ${p}, ${names[who]}${who === 2 ? " seeds" : ""}: <b>${best}</b> wins. Medians: ${told}.${diverged} ` +
        `You have asked for ${seen.size} of the 18 tables.`);
    }

    const bar = ui.slider({
      label: "judges", range: [0, 2], steps: 2, value: 0, format: (k) => names[Math.round(k)], change: draw,
    });
    const protocol = ui.choice({
      label: "protocol", value: "A", change: draw,
      options: [["A", "A: own rates, no warm-up"], ["B", "B: own rates, warm-up"], ["C", "C: momentum's rates for all"],
        ["D", "D: AdamW's rates for all"], ["E", "E: one grid, momentum 0.99"], ["F", "F: B, and decay on everything"]],
    });
    const show = (p, who) => { protocol.set(p); bar.set(who); };
    ui.button("A, three seeds", () => show("A", 1));
    ui.button("B, three seeds", () => show("B", 1));
    ui.button("A, ten fresh seeds", () => show("A", 2));
    ui.still(() => { for (const p of protocols) for (const who of [0, 1, 2]) seen.add(`${p}${who}`); show("A", 2); });
    ui.table(["protocol", ...methods.flatMap((m) => [`${m}: 3 seeds`, "10 fresh"])],
      protocols.map((p) => [p, ...methods.flatMap((m) => [1, 2].map((who) => Live.number(median(losses[p][m][who]))))]));
    draw();
  });
})();
