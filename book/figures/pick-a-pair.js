// Two methods, a margin and some seeds: which verdict?
"use strict";
(() => {
  // Last losses of the judging seeds (book/runs: gpt2-optimizers, gpt2-losers, t5-optimizers, bert-below).
  const RECORD = Live.records["pick-a-pair"];
  // Of Student's t, 0.975, with 1 to 4 degrees of freedom.
  const QUANTILES = [12.706204736174694, 4.302652729749462, 3.1824463052837078, 2.7764451051977934];

  // How much lower ours is, seed by seed, on the first `seeds` of them: the mean, and the interval of 95 %.
  function paired(ours, theirs, seeds) {
    const d = ours.slice(0, seeds).map((v, k) => theirs[k] - v), mean = d.reduce((a, v) => a + v) / seeds;
    const sd = Math.sqrt(d.reduce((a, v) => a + (v - mean) ** 2, 0) / (seeds - 1));
    const half = (QUANTILES[seeds - 2] * sd) / Math.sqrt(seeds);
    return { mean, low: mean - half, high: mean + half };
  }
  // The verdict on a range of differences: all of the interval inside, all of it outside, or neither.
  const judged = ({ low, high }, least, most) =>
    (least < low && high < most ? "confirmed" : high < least || most < low ? "contradicted" : "not resolved");
  const equal = (interval, margin) => judged(interval, -margin, margin);
  const lower = (interval) => judged(interval, 0, Infinity);

  Live.figure("pick-a-pair", { paired, equal, lower }, (ui) => {
    const colors = { confirmed: "var(--c)", "not resolved": "var(--soft)", contradicted: "var(--b)" };
    const y = { range: [7, 0.3], ticks: [1, 2, 3, 4, 5], label: "seed" };
    const far = ui.panel({
      title: "Theirs − ours", height: 260, y, x: { range: [-2, 2], ticks: [-2, -1, 0, 1, 2], label: "nats" },
    });
    const near = ui.panel({
      title: "The same, near zero", height: 260, y, x: { range: [-0.1, 0.1], ticks: [-0.1, -0.05, 0, 0.05, 0.1], label: "nats" },
    });
    for (const panel of [far, near]) panel.line([[0, 0.3], [0, 7]], { stroke: "var(--ink)" }, panel.back);

    function draw() {
      const runs = RECORD[model.value()], [a, b] = [ours.value(), theirs.value()], n = Math.round(seeds.value()), m = margin.value();
      far.clear();
      near.clear();
      const lacks = [a, b].find((name) => !runs[name]);
      if (lacks || a === b) {
        ui.verdict(lacks ? `The record has no ${lacks} on ${model.value()}.` : "Choose two methods.");
        return;
      }
      const d = runs[a].map((v, k) => runs[b][k] - v), found = paired(runs[a], runs[b], n), same = equal(found, m);
      for (const panel of [far, near]) {
        panel.area([[-m, 0.3], [m, 0.3], [m, 7], [-m, 7]]);
        d.slice(0, n).forEach((v, k) => panel.dot(v, k + 1, { r: 5, fill: "var(--a)" }));
        panel.line([[found.low, 6.3], [found.high, 6.3]], { stroke: colors[same], "stroke-width": 5, class: "landmark" });
        panel.dot(found.mean, 6.3, { r: 5, fill: "var(--ink)", class: "landmark" });
      }
      const size = (v) => Live.number(Math.abs(v), 2);
      ui.verdict(`${model.value()}, ${n} seeds: ${a} ends <b>${size(found.mean)}</b> nats ${found.mean > 0 ? "below" : "above"} ${b}, ` +
        `the interval of theirs − ours is ${Live.number(found.low, 2)} to ${Live.number(found.high, 2)}. Equal within ${Live.number(m, 2)}: ` +
        `<b>${same}</b>. ${a} below ${b}: <b>${lower(found)}</b>.`);
    }
    const choice = (label, options, value) => ui.choice({ label, value, options: options.map((name) => [name, name]), change: () => draw() });
    const methods = [...new Set(Object.values(RECORD).flatMap((runs) => Object.keys(runs)))];
    const model = choice("model", Object.keys(RECORD), "GPT-2"), ours = choice("ours", methods, "CAME"), theirs = choice("theirs", methods, "AdamW");
    const seeds = ui.slider({ label: "seeds", range: [2, 5], steps: 3, value: 2, format: (n) => `${Math.round(n)}`, change: () => draw() });
    const margin = ui.slider({
      label: "margin", range: [0.005, 0.8], log: true, steps: 22, value: 0.05, format: (m) => `${Live.number(m, 2)} nats`, change: () => draw(),
    });
    for (const name of Object.keys(RECORD)) ui.button(`${name}, 5 seeds`, () => { model.set(name); seeds.set(5); });
    ui.still(() => { model.set("T5"); seeds.set(5); });
    ui.table(["model", "ours", "theirs", "lower by", "interval", "equal within 0.05", "lower"],
      Object.entries(RECORD).flatMap(([name, runs]) => Object.keys(runs).flatMap((a, k, all) => all.slice(k + 1).map((b) => {
        const found = paired(runs[a], runs[b], 5);
        return [name, a, b, Live.number(found.mean, 2), `${Live.number(found.low, 2)} to ${Live.number(found.high, 2)}`, equal(found, 0.05), lower(found)];
      }))));
    draw();
  });
})();
