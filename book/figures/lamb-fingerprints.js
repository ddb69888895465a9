// How long a step do five LAMBs take for one layer, and which of them does its length tell apart?
"use strict";
(() => {
  const coordinates = 1024, lr = 0.01, beta1 = 0.9, beta2 = 0.999, eps = 1e-6;
  const joint = (size) => Math.min(1, 1 / size); // a clip of the gradient's norm at 1

  // Norms of Adam's direction at the last step, corrected and not, when step i has a gradient of norm sizes[i] whose
  // entries are all equal.
  function directions(sizes, clipped) {
    let m = 0, v = 0;
    for (const size of sizes) {
      const g = (size * (clipped ? joint(size) : 1)) / Math.sqrt(coordinates);
      m = beta1 * m + (1 - beta1) * g;
      v = beta2 * v + (1 - beta2) * g * g;
    }
    const t = sizes.length, root = Math.sqrt(coordinates);
    const corrected = (root * (m / (1 - beta1 ** t))) / (Math.sqrt(v / (1 - beta2 ** t)) + eps);
    return { corrected, raw: (root * m) / (Math.sqrt(v) + eps) };
  }

  // Length of step number sizes.length over the learning rate, for a layer of this norm, at right angles to the
  // gradient.
  function lengths(norm, sizes, decay) {
    const t = sizes.length, plain = directions(sizes, false), clipped = directions(sizes, true);
    const adam = (r) => Math.hypot(r, decay * norm); // r + decay x, or r and then the decay
    const paper = norm > 0 ? norm : plain.corrected;
    const timm = norm > 0 && decay > 0 ? norm : adam(clipped.corrected);
    const shrunk = (1 - lr * decay) * norm, warm = 1 / (1 - beta1 ** t);
    const ratio = norm > 0 ? Math.min(shrunk, 10) / (plain.raw + eps) : 1;
    const po = adam(warm * ratio * plain.raw);
    const early = (1 - beta1 ** t) / Math.sqrt(1 - beta2 ** t); // without the correction the direction is longer
    const oneSided = (r) => adam(Math.min(1, norm / r) * plain.corrected);
    return [paper, timm, po, oneSided(plain.corrected), oneSided(plain.corrected * early)];
  }

  // t - 1 gradients of norm 1, then one of norm `last`.
  const history = (t, last) => [...Array(t - 1).fill(1), last];

  // For each length the first one that it equals within a share of 1 %: an index.
  function alike(values) {
    const first = [];
    values.forEach((v, k) => {
      const found = values.findIndex((w, j) => j < k && first[j] === j && Math.abs(w - v) <= 0.01 * Math.max(w, v));
      first.push(found < 0 ? k : found);
    });
    return first;
  }

  Live.figure("lamb-fingerprints", { directions, lengths, history, alike }, (ui) => {
    const names = ["paper", "timm", "pt_opt", "bnb", "bnb CPU"];
    const full = ["the paper's", "timm's or Apex's", "pytorch_optimizer's", "bitsandbytes'", "bitsandbytes' on a CPU"];
    const colors = ["var(--b)", "var(--a)", "var(--c)", "var(--d)", "var(--e)"], dashes = ["", "6 4", "", "2 3", "8 3"];
    const most = 30, low = 0.1, high = 30000, state = { norm: 20, last: 1, t: 1, decay: 0.01 };
    const y = { range: [low, high], log: true, ticks: [0.1, 10, 1000], label: "step / learning rate" };
    const bars = ui.panel({
      title: "This step", x: { range: [-0.6, 4.6], ticks: [0, 1, 2, 3, 4], format: (k) => names[k], label: "method" }, y,
    });
    const curves = ui.panel({
      title: "The same layer, step by step", x: { range: [1, most], ticks: [1, 10, 20, 30], label: "step number" }, y,
    });
    curves.legend(names.map((name, k) => [name, colors[k], dashes[k]]), [0.68, 0.02]);

    function draw() {
      const { norm, last, t, decay } = state;
      const now = lengths(norm, history(t, last), decay);
      bars.clear();
      curves.clear();
      now.forEach((v, k) => {
        if (v > low) bars.area([[k - 0.35, low], [k - 0.35, v], [k + 0.35, v], [k + 0.35, low]], { fill: colors[k] });
        const at = { "text-anchor": "middle", class: "tick" };
        bars.text(k, Math.max(v, low) * 1.35, Live.number(v, 3), at);
      });
      if (norm > low) bars.line([[-0.6, norm], [4.6, norm]], { stroke: "var(--soft)", "stroke-dasharray": "5 4" });
      const runs = Array.from({ length: most }, (_, i) => lengths(norm, history(i + 1, last), decay));
      names.forEach((_, k) => {
        const points = runs.map((row, i) => [i + 1, Math.max(row[k], low / 10)]);
        curves.line(points, { stroke: colors[k], "stroke-dasharray": dashes[k] });
        curves.dot(t, Math.max(now[k], low / 10), { r: 4, fill: colors[k] });
      });
      const first = alike(now), groups = [...new Set(first)].map((j) => [0, 1, 2, 3, 4].filter((k) => first[k] === j));
      const same = groups.filter((g) => g.length > 1);
      const list = (g) => `${g.slice(0, -1).map((k) => full[k]).join(", ")} and ${full[g[g.length - 1]]}`;
      const said = same.map(list).join("; and ");
      const layer = norm > 0 ? `A layer of norm <b>${Live.number(norm, 2)}</b>` : "A layer of <b>zeros</b>";
      ui.verdict(`${layer}, step <b>${t}</b>: the five steps have <b>${groups.length}</b> different lengths. ` +
        (same.length ? `Equally long, and so not told apart, are ${said}.` : "This one length tells all five apart."));
      ui.table(["method", "step / learning rate", "over the norm"], full.map((name, k) =>
        [name, Live.number(now[k], 4), norm > 0 ? Live.number(now[k] / norm, 4) : "–"]));
    }

    const size = ui.slider({
      label: "norm of the layer", range: [0.1, 1000], log: true, value: 20, steps: 120,
      change: (v) => { state.norm = v; draw(); },
    });
    const gradient = ui.slider({
      label: "last gradient / earlier ones", range: [0.01, 100], log: true, value: 1, steps: 80,
      change: (v) => { state.last = v; draw(); },
    });
    const number = ui.slider({
      label: "step number", range: [1, most], value: 1, steps: most - 1, format: (v) => `${Math.round(v)}`,
      change: (v) => { state.t = Math.round(v); draw(); },
    });
    const decays = ui.choice({
      label: "decay", options: [["0.01", "0.01"], ["0", "0"]], value: "0.01",
      change: (v) => { state.decay = Number(v); draw(); },
    });
    const at = (norm, last, t, decay) => {
      size.set(Math.max(norm, low)); gradient.set(last); number.set(t); decays.set(decay);
      state.norm = norm; // the slider has no stop there
      draw();
    };
    ui.button("norm 0.5, decay 0", () => at(0.5, 1, 1, "0"));
    ui.button("norm 5, decay 0, a spike in step 10", () => at(5, 100, 10, "0"));
    ui.button("norm 0, decay 0", () => at(0, 1, 1, "0"));
    draw();
  });
})();
