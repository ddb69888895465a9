// A step of LAMB costs its calls and its bytes. Which of the two costs more, and what does one list of all tensors save?
"use strict";
(() => {
  // Of each way: calls for each tensor, calls whatever the number of tensors, bytes for each parameter, and what its
  // temporaries are as large as: two tensors (the last one's still has its name), all of them, or none.
  const WAYS = {
    loop: { each: 20, once: 0, bytes: 116, of: "two" },
    lists: { each: 0, once: 22, bytes: 116, of: "all" },
    sweeps: { each: 2, once: 1, bytes: 44, of: "none" },
  };
  const calls = (way, tensors) => WAYS[way].each * tensors + WAYS[way].once;
  const bytesOf = (way) => WAYS[way].bytes;
  // Seconds of a step: `call` microseconds for every call, `rate` GB/s for every byte.
  const seconds = (way, tensors, parameters, call, rate) =>
    [1e-6 * call * calls(way, tensors), (WAYS[way].bytes * parameters) / (1e9 * rate)];
  const temporary = (way, tensors, parameters) =>
    ({ two: (4 * parameters * Math.min(tensors, 2)) / tensors, all: 4 * parameters, none: 0 })[WAYS[way].of];

  Live.figure("calls-or-bytes", { calls, bytesOf, seconds, temporary }, (ui) => {
    const names = { loop: "in place, one by one", lists: "in place, as lists", sweeps: "two sweeps" };
    const colors = { loop: "var(--b)", lists: "var(--a)", sweeps: "var(--c)" }, all = Object.keys(WAYS);
    const counts = Array.from({ length: 41 }, (_, k) => 10 ** (k / 10)), million = 1e6;
    const left = ui.panel({
      title: "One step", x: { range: [1, 1e4], log: true, ticks: [1, 10, 100, 1000, 1e4], label: "tensors", format: (n) => Live.number(n, 1) },
      y: { range: [0.01, 3000], log: true, ticks: [0.01, 0.1, 1, 10, 100, 1000], label: "milliseconds" },
    });
    left.legend(all.map((w) => [names[w], colors[w]]), [0.42, 0.72]);
    const right = ui.panel({
      title: "Where the time goes", x: { range: [0, 1.3], ticks: [0, 0.5, 1], label: "share of the slowest of the three" },
      y: { range: [3, 0], ticks: [], label: "" },
    });

    function draw() {
      const tensors = Math.max(1, Math.round(count.value())), n = parameters.value() * million;
      const [c, r] = [call.value(), rate.value()], ms = (w, k) => seconds(w, k, n, c, r).map((s) => 1e3 * s);
      const whole = (w, k) => ms(w, k)[0] + ms(w, k)[1], slowest = Math.max(...all.map((w) => whole(w, tensors)));
      left.clear();
      right.clear();
      all.forEach((w, row) => {
        left.line(counts.map((k) => [k, whole(w, k)]), { stroke: colors[w], "stroke-width": 1.6, class: "landmark" });
        left.dot(tensors, whole(w, tensors), { r: 5, fill: colors[w] });
        const [a, b] = ms(w, tensors).map((t) => t / slowest), end = a + b;
        right.text(0.01, row + 0.3, names[w]);
        right.area([[0, row + 0.4], [a, row + 0.4], [a, row + 0.8], [0, row + 0.8]], { fill: colors[w] });
        right.area([[a, row + 0.4], [end, row + 0.4], [end, row + 0.8], [a, row + 0.8]], { fill: colors[w], "fill-opacity": 0.35 });
        const inside = end > 0.9 ? { x: right.X(end) - 8, "text-anchor": "end" } : {};
        right.text(end + 0.01, row + 0.67, `${Live.number(whole(w, tensors), 2)} ms`, inside);
      });
      const told = all.map((w) => {
        const kept = temporary(w, tensors, n), part = (100 * ms(w, tensors)[0]) / whole(w, tensors);
        return `<b>${names[w]}</b> ${Live.number(calls(w, tensors), 5)} calls, ${part.toFixed(0)} % of its time, ` +
          `${kept ? `and a temporary of ${Live.number(kept / 1e6, 2)} MB` : "and no temporary"}`;
      });
      ui.verdict(`${Live.number(n / million, 3)} million parameters in ${Live.number(tensors, 5)} equal tensors: ${told.join("; ")}.`);
      ui.table(["", "calls", "ms of calls", "ms of bytes", "temporary, MB"], all.map((w) => [names[w], Live.number(calls(w, tensors), 5),
        ...ms(w, tensors).map((t) => Live.number(t, 3)), Live.number(temporary(w, tensors, n) / 1e6, 3)]));
    }

    const count = ui.slider({ label: "tensors", range: [1, 1e4], log: true, value: 1, steps: 80, format: (n) => Live.number(Math.round(n), 5), change: draw });
    const parameters = ui.slider({
      label: "parameters, millions", range: [0.1, 1000], log: true, value: 100, steps: 80, format: (n) => Live.number(n, 2), change: draw,
    });
    const call = ui.slider({ label: "microseconds a call", range: [1, 100], log: true, value: 5, steps: 40, change: draw });
    const rate = ui.slider({ label: "memory, GB/s", range: [10, 5000], log: true, value: 20, steps: 54, change: draw });
    ui.button("20 GB/s", () => rate.set(20));
    ui.button("2,000 GB/s", () => rate.set(2000));
    ui.button("200 tensors", () => count.set(200));
    ui.button("10,000 tensors", () => count.set(10000));
    ui.still(() => { rate.set(2000); count.set(1000); });
    draw();
  });
})();
