// A rate that was tuned at 16 rows, carried by the rule: what does it cost at the other batches?
"use strict";
(() => {
  const batches = [16, 64, 256, 1024], octaves = [-4, -3, -2, -1, 0, 1];
  // method -> rows -> rate -> last loss, of the seed that tuned (book/runs/gpt2-batches); 99: the run diverged
  const tried = Live.records["wrong-rate"];
  const lowest = (runs) => Math.min(...Object.values(runs));
  const best = (method, rows) => Number(Object.entries(tried[method][rows]).find(([, loss]) => loss === lowest(tried[method][rows]))[0]);
  const rule = (method, rows) => best(method, 16) * Math.sqrt(rows / 16);
  const octave = (method, rows, rate) => Math.round(Math.log2(rate / rule(method, rows)));
  // Nats above the best rate that was tried, of the rate 2^k times the rule's; null where it was not tried.
  function cost(method, rows, k) {
    const found = Object.entries(tried[method][rows]).find(([rate]) => octave(method, rows, Number(rate)) === k);
    return found ? found[1] - lowest(tried[method][rows]) : null;
  }
  const bestOctave = (method, rows) => octave(method, rows, best(method, rows));

  Live.figure("wrong-rate", { rule, cost, bestOctave }, (ui) => {
    const name = (k) => (k < 0 ? `1/${2 ** -k}` : `${2 ** k}`), top = 1;
    const left = ui.panel({
      title: "What a rate costs at this batch", height: 280, x: { range: [-4.4, 1.4], ticks: octaves, format: name, label: "rate, over the rule's" },
      y: { range: [-0.05, 1.1], ticks: [0, 0.25, 0.5, 0.75, 1], label: "nats above the best" },
    });
    const right = ui.panel({
      title: "The best rate that you have found", height: 280, x: { range: [11, 1500], log: true, ticks: batches, label: "rows a step" },
      y: { range: [-4.4, 1.4], ticks: octaves, format: name, label: "over the rule's" },
    });
    left.line([[0, -0.05], [0, 1.1]], { stroke: "var(--soft)", "stroke-dasharray": "5 4" }, left.back);
    left.text(0.06, 1.04, "the rule's", {}, left.back);
    right.line([[11, 0], [1500, 0]], { stroke: "var(--soft)", "stroke-dasharray": "5 4" }, right.back);
    right.legend([["AdamW", Live.optimizer("AdamW").stroke], ["LAMB", Live.optimizer("LAMB").stroke]], [0.05, 0.72]);
    const seen = new Set();

    function draw() {
      const m = method.value(), rows = batches[Math.round(bar.value())], now = Math.round(rate.value());
      const color = Live.optimizer(m).stroke;
      if (cost(m, rows, now) !== null) seen.add(`${m} ${rows} ${now}`);
      left.clear();
      right.clear();
      const here = octaves.filter((k) => seen.has(`${m} ${rows} ${k}`)).map((k) => [k, Math.min(top, cost(m, rows, k)), k]);
      left.line(here, { stroke: color });
      for (const [k, v] of here) left.dot(k, v, { r: k === now ? 6 : 4, fill: v < top ? color : "var(--panel)", stroke: color, "stroke-width": 2 });
      for (const one of ["AdamW", "LAMB"]) {
        const points = batches.map((b) => [b, octaves.filter((k) => seen.has(`${one} ${b} ${k}`)).sort((i, j) => cost(one, b, i) - cost(one, b, j))[0]]);
        const found = points.filter(([, k]) => k !== undefined).map(([b, k]) => [b * (one === "LAMB" ? 1.06 : 0.94), k]);
        right.line(found, { stroke: Live.optimizer(one).stroke });
        for (const [b, k] of found) right.dot(b, k, { r: 4, fill: Live.optimizer(one).stroke });
      }
      const value = cost(m, rows, now), lr = Live.number(rule(m, rows) * 2 ** now, 2);
      const told = value === null ? "That rate was not tried." : value > 90 ? "The run <b>diverges</b>."
        : value === 0 ? "No rate that was tried ends lower." : `It ends <b>${value.toFixed(2)}</b> nats above the best rate that was tried.`;
      ui.verdict(`${m} with <b>${Live.number(rows, 4)}</b> rows at a rate of ${lr}, <b>${name(now)}</b> times the rule's. ${told}`);
      ui.table(["over the rule's", ...batches.map((b) => `${Live.number(b, 4)} rows`)], octaves.map((k) => [name(k), ...batches.map((b) => {
        if (!seen.has(`${m} ${b} ${k}`)) return "";
        return cost(m, b, k) > 90 ? "diverged" : cost(m, b, k).toFixed(3);
      })]));
    }

    const bar = ui.slider({
      label: "rows a step", range: [0, 3], steps: 3, value: 0, format: (k) => Live.number(batches[Math.round(k)], 4), change: () => draw(),
    });
    const rate = ui.slider({ label: "rate, over the rule's", range: [-4, 1], steps: 5, value: 0, format: (k) => name(Math.round(k)), change: () => draw() });
    const method = ui.choice({ label: "method", options: [["AdamW", "AdamW"], ["LAMB", "LAMB"]], value: "AdamW", change: () => draw() });
    ui.landmark("all rates", () => {
      for (const k of octaves) if (cost(method.value(), batches[Math.round(bar.value())], k) !== null) seen.add(`${method.value()} ${batches[Math.round(bar.value())]} ${k}`);
      draw();
    });
    ui.still(() => {
      for (const one of ["LAMB", "AdamW"]) for (const b of batches) for (const k of octaves) if (cost(one, b, k) !== null) seen.add(`${one} ${b} ${k}`);
      bar.set(3);
    });
    draw();
  });
})();
