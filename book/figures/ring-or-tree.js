// Adding up m bytes over N processes: which way is fastest?
"use strict";
(() => {
  // Seconds by the model alpha + beta m for each message.
  const price = {
    tree: (n, m, alpha, beta) => 2 * Math.log2(n) * (alpha + beta * m),
    doubling: (n, m, alpha, beta) => Math.log2(n) * (alpha + beta * m),
    ring: (n, m, alpha, beta) => 2 * (n - 1) * alpha + ((2 * (n - 1)) / n) * beta * m,
  };
  const seconds = (way, n, m, alpha, beta) => price[way](n, m, alpha, beta);
  // From so many bytes on the ring is faster than doubling; never with two processes.
  const crossing = (n, alpha, beta) =>
    n < 4 ? Infinity : (alpha * (2 * (n - 1) - Math.log2(n))) / (beta * (Math.log2(n) - (2 * (n - 1)) / n));

  Live.figure("ring-or-tree", { seconds, crossing }, (ui) => {
    const ways = [["tree", "var(--c)", "3 4"], ["doubling", "var(--b)", null], ["ring", "var(--a)", null]];
    const sizes = Array.from({ length: 61 }, (_, k) => 10 ** (2 + k / 7.5)), most = 1e10;
    const tens = { 1e2: "100 B", 1e4: "10 kB", 1e6: "1 MB", 1e8: "100 MB", 1e10: "10 GB" };
    const bytes = { range: [100, most], log: true, ticks: [1e2, 1e4, 1e6, 1e8, 1e10], format: (t) => tens[t], label: "message" };
    const left = ui.panel({
      title: "Time of one sum", x: bytes,
      y: { range: [1e-6, 1e3], log: true, ticks: [1e-6, 1e-4, 1e-2, 1, 100], format: (t) => ({ 1e-6: "10⁻⁶", 1e-4: "10⁻⁴", 1e-2: "10⁻²", 1: "1" })[t] ?? "10²", label: "seconds" },
    });
    left.legend(ways, [0.03, 0.02]);
    const right = ui.panel({
      title: "Where the ring is faster than doubling", x: bytes,
      y: { range: [1.6, 1300], log: true, ticks: [2, 8, 32, 128, 512], label: "processes" },
    });
    const map = Live.el("g", { class: "landmark" }, right.back);
    const size = (m) => (m >= 1e9 ? `${Live.number(m / 1e9)} GB` : m >= 1e6 ? `${Live.number(m / 1e6)} MB` : m >= 1e3 ? `${Live.number(m / 1e3)} kB` : `${Live.number(m)} B`);
    const time = (s) => (s >= 1 ? `${Live.number(s)} s` : s >= 1e-3 ? `${Live.number(1e3 * s)} ms` : `${Live.number(1e6 * s)} µs`);

    function draw() {
      const n = 2 ** Math.round(processes.value()), m = message.value(), alpha = 1e-6 * latency.value(), beta = 1e-9 / rate.value();
      left.clear();
      right.clear();
      map.replaceChildren();
      for (const [way, stroke, dash] of ways) {
        const look = dash ? { stroke, "stroke-dasharray": dash, class: "landmark" } : { stroke, class: "landmark" };
        left.line(sizes.map((x) => [x, seconds(way, n, x, alpha, beta)]), look);
        left.dot(m, seconds(way, n, m, alpha, beta), { r: 5, fill: stroke });
      }
      const edge = [];
      for (let k = 2; k <= 10; k++) edge.push([Math.min(1e12, crossing(2 ** k, alpha, beta)), 2 ** k]);
      right.area([...edge, [1e12, 1024], [1e12, 4]], { fill: "var(--shade)" }, map);
      right.line(edge, { stroke: "var(--a)" }, map);
      right.dot(m, n, { r: 6 });
      const both = ["doubling", "ring"].map((way) => seconds(way, n, m, alpha, beta)), fast = both[1] < both[0] ? "ring" : "doubling";
      const at = crossing(n, alpha, beta), rule = at === Infinity ? "With two processes the ring never wins." : `The ring wins above ${size(at)}.`;
      ui.verdict(`${size(m)} over <b>${Live.number(n, 4)}</b> processes: doubling ${time(both[0])}, ring ${time(both[1])}, so <b>${fast}</b> is faster. ${rule}`);
      ui.table(["processes", "rounds, doubling", "rounds, ring", "the ring wins above"], [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].map((p) => {
        const where = crossing(p, alpha, beta);
        return [Live.number(p, 4), Math.log2(p), Live.number(2 * (p - 1), 4), where === Infinity ? "never" : size(where)];
      }));
    }
    const processes = ui.slider({
      label: "processes", range: [1, 10], steps: 9, value: 2, format: (k) => Live.number(2 ** Math.round(k), 4), change: () => draw(),
    });
    const message = ui.slider({ label: "message", range: [100, most], log: true, value: 1e4, steps: 80, format: size, change: () => draw() });
    const latency = ui.slider({
      label: "latency, µs", range: [1, 1000], log: true, value: 10, steps: 60, format: (x) => Live.number(x), change: () => draw(),
    });
    const rate = ui.slider({
      label: "bandwidth, GB/s", range: [0.1, 1000], log: true, value: 10, steps: 40, format: (x) => Live.number(x), change: () => draw(),
    });
    ui.button("4 bytes a parameter, BERT-Large", () => message.set(1.34e9));
    ui.button("two numbers a layer", () => message.set(3200));
    ui.still(() => { processes.set(6); message.set(1e6); });
    draw();
  });
})();
