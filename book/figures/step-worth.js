// What is one step worth at batch size b?
"use strict";
(() => {
  // E f(x - lr g) on a quadratic: `length2` = |G|^2, `pull` = G'HG, `shake` = tr(H Sigma).
  const expected = (f, length2, pull, shake, b, lr) => f - lr * length2 + ((lr * lr) / 2) * (pull + shake / b);
  const bestRate = (length2, pull, shake, b) => length2 / (pull + shake / b);
  const gain = (length2, pull, shake, b) => length2 ** 2 / (2 * (pull + shake / b));

  Live.figure("step-worth", { expected, bestRate, gain }, (ui) => {
    const f = 2, length2 = 5, pull = 8.5, shake = 34, B = shake / pull, most = 256; // the bowl of the page
    const best = (b) => bestRate(length2, pull, shake, b), worth = (b) => gain(length2, pull, shake, b);
    const top = worth(Infinity), ticks = [1, 4, 16, 64, 256];

    const left = ui.panel({
      title: "Expected loss after one step",
      x: { range: [0, 0.8], ticks: [0, 0.2, 0.4, 0.6, 0.8], label: "learning rate" },
      y: { range: [0, 3], ticks: [0, 1, 2, 3], label: "loss" },
    });
    left.line([[0, f], [0.8, f]], { stroke: "var(--soft)", "stroke-dasharray": "2 4", "stroke-width": 1.5 }, left.back);
    const parabola = (b) => Array.from({ length: 81 }, (_, k) => [k / 100, expected(f, length2, pull, shake, b, k / 100)]);
    left.line(parabola(Infinity), { stroke: "var(--soft)" }, left.back);
    left.line([[0, f], [best(Infinity), f - top]], { stroke: "var(--c)", "stroke-dasharray": "5 4", class: "landmark" }, left.back);
    left.legend([["your batch", "var(--a)"], ["full gradient", "var(--soft)"]], [0.03, 0.01]);

    const right = ui.panel({
      title: "What the best step gains",
      x: { range: [0.8, 1.25 * most], log: true, ticks, label: "batch size b" },
      y: { range: [0, 1.6], ticks: [0, 0.5, 1, 1.5], label: "fall of the loss" },
    });
    right.line([[0.8, top], [1.25 * most, top]], { stroke: "var(--soft)" }, right.back);
    const curve = Array.from({ length: 97 }, (_, k) => 2 ** (k / 12)).map((b) => [b, worth(b)]);
    right.line(curve, { stroke: "var(--a)", "stroke-width": 1.5, class: "landmark" }, right.back);
    right.line([[B, 0], [B, 1.6]], { stroke: "var(--c)", "stroke-dasharray": "5 4", class: "landmark" }, right.back);
    right.text(B * 1.15, 0.1, "b = B", { class: "landmark" }, right.back);

    function draw(size) {
      const b = Math.round(size), more = worth(2 * b) / worth(b) - 1;
      left.clear();
      right.clear();
      left.line(parabola(b), { stroke: "var(--a)", "stroke-width": 2.5 });
      left.dot(best(b), f - worth(b), { r: 6 });
      right.dot(b, worth(b), { r: 6 });
      const share = `${Math.round((100 * worth(b)) / top)} %`, percent = Math.round(100 * more);
      const lesson = percent >= 50 ? "Doubling pays most of its price." : percent >= 10 ? "Doubling pays less than it costs."
        : "Doubling costs twice as much and hardly pays.";
      ui.verdict(`At <b>b = ${b}</b> the best rate is ${Live.number(best(b))}, and the step gains <b>${share}</b> of what the ` +
        `full gradient gains. Twice the batch would gain <b>${percent} %</b> more. ${lesson}`);
    }

    const bar = ui.slider({
      label: "batch size", range: [1, most], log: true, value: 1, steps: 96,
      format: (b) => Live.number(Math.round(b), 4), change: draw,
    });
    ui.button("b = 1", () => bar.set(1));
    ui.button("b = 16", () => bar.set(16));
    ui.button("b = 256", () => bar.set(256));
    ui.landmark("b = B", () => bar.set(B));
    ui.table(["b", "best rate", "gain", "share of the most"], [1, 2, 4, 8, 16, 64, 128, 256].map((b) =>
      [Live.number(b, 4), best(b).toFixed(3), worth(b).toFixed(3), `${Math.round((100 * worth(b)) / top)} %`]));
    ui.still(() => bar.set(2));
    draw(bar.value());
  });
})();
