// One matrix, fewer bytes: take bits from every weight, or take weights away?
"use strict";
(() => {
  const ROWS = 16, COLUMNS = 32, f32 = Math.fround;
  const W = Live.normals(ROWS * COLUMNS, 3).map(f32);

  // The least float32 that is not below x > 0.
  function up(x) {
    const near = new Float32Array([x]);
    if (near[0] < x) new Uint32Array(near.buffer)[0] += 1;
    return near[0];
  }

  // Codes of k bits from the least to the greatest of these weights: what is read back, and the step of the grid.
  function quantised(w, k) {
    if (k === 32 || !w.length) return { read: w, step: 0 };
    const low = Math.min(...w), step = up((Math.max(...w) - low) / (Exact.power(2, k) - 1));
    const even = (x) => { const r = Math.round(x); return Math.abs(x % 1) === 0.5 && r % 2 ? r - 1 : r; };
    return { read: w.map((v) => f32(low + step * even((v - low) / step))), step };
  }

  // Bytes for the places of what is left: gaps in codes of 1 to 8 bits, whichever needs least; one bit is a bitmap.
  function places(kept) {
    const gaps = [];
    kept.reduce((gap, left) => (left ? (gaps.push(gap), 0) : gap + 1), 0);
    const bits = [1, 2, 3, 4, 5, 6, 7, 8].map((b) => b * gaps.reduce((sum, gap) => sum + 1 + Math.floor(gap / (Exact.power(2, b) - 1)), 0));
    return Math.ceil(Math.min(...bits) / 8);
  }

  // The matrix with its smallest weights at zero and the others in k bits: { read, bytes, step, left }.
  function stored(k, share) {
    const order = W.map((_, j) => j).sort((i, j) => Math.abs(W[i]) - Math.abs(W[j]) || i - j), count = Math.round(share * W.length);
    const kept = Array(W.length).fill(true);
    order.slice(0, count).forEach((j) => { kept[j] = false; });
    const { read, step } = quantised(W.filter((_, j) => kept[j]), k), rest = [...read];
    const grid = k === 32 ? 0 : 8, values = Math.ceil((k * read.length) / 8) + grid;
    return { read: kept.map((left) => (left ? rest.shift() : 0)), step, left: read.length, bytes: values + (count ? places(kept) : 0) };
  }

  const size = (v) => Math.sqrt(v.reduce((sum, a) => sum + a * a, 0));
  // How far the matrix's output moves for a random input, as a share of its length (root mean squares of both).
  const lost = (read) => size(read.map((v, j) => v - W[j])) / size(W);

  Live.figure("bits-and-zeros", { matrix: () => W, stored, lost }, (ui) => {
    const all = [2, 3, 4, 5, 6, 7, 8], shares = Array.from({ length: 19 }, (_, i) => i / 20);
    const left = ui.panel({
      title: "512 weights, as they are read back",
      x: { range: [-3.5, 3.5], ticks: [-3, -2, -1, 0, 1, 2, 3], label: "weight" }, y: { range: [-3.5, 3.5], ticks: [-3, -2, -1, 0, 1, 2, 3], label: "read back" },
    });
    const right = ui.panel({
      title: "What the output loses",
      x: { range: [60, 2300], log: true, ticks: [64, 128, 256, 512, 1024, 2048], label: "bytes" },
      y: { range: [0.0015, 2], log: true, ticks: [0.01, 0.1, 1], label: "share of the output's length" },
    });
    left.line([[-3.5, -3.5], [3.5, 3.5]], { stroke: "var(--line)" }, left.back);
    for (const k of all) {
      const whole = stored(k, 0);
      right.dot(whole.bytes, lost(whole.read), { r: 3, fill: "var(--a)", class: "landmark" }, right.back);
    }
    right.line(all.map((k) => { const w = stored(k, 0); return [w.bytes, lost(w.read)]; }), { stroke: "var(--a)", class: "landmark" }, right.back);
    right.legend([["fewer bits, nothing pruned", "var(--a)"], ["pruned, at your bits", "var(--b)"]], [0.02, 0.82]);

    function draw() {
      const k = [...all, 32][Math.round(bits.value())], share = Math.round(100 * zeros.value()) / 100, now = stored(k, share);
      left.clear();
      right.clear();
      now.read.forEach((v, j) => left.dot(W[j], v, { r: 2.4, fill: v === 0 ? "var(--b)" : "var(--a)", "fill-opacity": 0.7 }));
      const loss = lost(now.read);
      right.line(shares.slice(k === 32 ? 1 : 0).map((s) => { const at = stored(k, s); return [at.bytes, lost(at.read)]; }), { stroke: "var(--b)", class: "landmark" });
      right.dot(now.bytes, Math.max(loss, 0.002), { r: 6, fill: "var(--ink)" });
      const same = all.map((b) => [b, stored(b, 0)]).filter(([, at]) => at.bytes <= now.bytes).pop();
      const rival = same && share ? ` In as many bytes all weights fit in <b>${same[0]} bits</b> and lose ${Live.number(100 * lost(same[1].read))} %.` : "";
      const grid = k === 32 ? "" : ` Half a step of the grid is ${Live.number(now.step / 2)}.`;
      ui.verdict(`${now.left} weights left, ${k} bits each: <b>${Live.number(now.bytes, 4)} bytes</b>, and the output moves by <b>${Live.number(100 * loss)} %</b>.${grid}${rival}`);
      ui.table(["bits", "bytes", "output moves by", "bytes at 60 % zeros", "moves by"], all.map((b) => {
        const whole = stored(b, 0), thin = stored(b, 0.6);
        return [`${b}`, `${whole.bytes}`, `${Live.number(100 * lost(whole.read))} %`, `${thin.bytes}`, `${Live.number(100 * lost(thin.read))} %`];
      }));
    }
    const bits = ui.slider({ label: "bits a weight", range: [0, 7], steps: 7, value: 7, format: (i) => `${[...all, 32][Math.round(i)]}`, change: () => draw() });
    const zeros = ui.slider({ label: "share pruned", range: [0, 0.9], steps: 90, value: 0, format: (s) => `${Math.round(100 * s)} %`, change: () => draw() });
    ui.button("8 bits, 60 % pruned", () => { bits.set(6); zeros.set(0.6); });
    ui.button("4 bits, nothing pruned", () => { bits.set(2); zeros.set(0); });
    ui.button("2 bits", () => { bits.set(0); zeros.set(0); });
    ui.still(() => { bits.set(6); zeros.set(0.6); });
    draw();
  });
})();
