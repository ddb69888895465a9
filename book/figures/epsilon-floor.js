// Where does a package put eps1, and which layer's step does that stop?
"use strict";
(() => {
  // A layer whose gradients all have one size g: its update in units of the learning rate, at d = 1.
  // The paper adds eps1 to the squared gradient.
  const added = (g, eps) => g / Math.sqrt(g * g + eps);

  // torch bounds the divisor mean(r) by eps1, and the estimate by eps1 squared.
  function bounded(g, eps) {
    const mean = g * g, estimate = Math.max((mean * mean) / Math.max(mean, eps), eps * eps);
    const u = g / Math.sqrt(estimate);
    return u / Math.max(1, u);
  }
  const rules = { paper: added, torch: bounded };
  const update = (rule, g, eps) => rules[rule](g, eps);

  Live.figure("epsilon-floor", { update }, (ui) => {
    const layers = [1e-1, 1e-2, 1e-3, 1e-4, 1e-6], low = 1e-8;
    const power = (v) => ({ 1e-8: "10⁻⁸", 1e-6: "10⁻⁶", 1e-4: "10⁻⁴", 1e-3: "10⁻³", 1e-2: "0.01", 0.1: "0.1", 1: "1" })[v];
    // The slider has no stop at the rounding units of float32 and bfloat16.
    const size = (e) => [2 ** -23, 2 ** -7].find((unit) => Math.abs(Math.log10(unit) - e) < 0.06) ?? 10 ** e;
    const left = ui.panel({
      title: "The step of five layers",
      x: { range: [0, 1.1], ticks: [0, 0.5, 1], label: "step / learning rate" },
      y: { range: [5, 0], ticks: [0.5, 1.5, 2.5, 3.5, 4.5], format: (v) => power(layers[v - 0.5]), label: "gradients of size" },
    });
    const right = ui.panel({
      title: "The same, by the gradient's size",
      x: { range: [low, 1], log: true, ticks: [1e-8, 1e-6, 1e-4, 1e-2, 1], format: power, label: "size of the gradients" },
      y: { range: [0, 1.1], ticks: [0, 0.5, 1], label: "step / learning rate" },
    });
    right.legend([["torch", "var(--b)"], ["added to g², same ε₁", "var(--a)", "5 4"]], [0.03, 0.1]);
    const grid = Array.from({ length: 161 }, (_, k) => low ** (1 - k / 160));

    function draw() {
      const eps = size(exponent.value()), rule = where.value();
      const steps = layers.map((g) => update(rule, g, eps)), stopped = steps.filter((u) => u < 0.1).length;
      left.clear();
      right.clear();
      const color = rule === "torch" ? "var(--b)" : "var(--a)";
      steps.forEach((u, k) => left.line([[0, k + 0.5], [u, k + 0.5]], { stroke: color, "stroke-width": 14 }));
      right.line(grid.map((g) => [g, added(g, eps)]), { stroke: "var(--a)", "stroke-dasharray": "5 4", class: "landmark" });
      right.line(grid.map((g) => [g, bounded(g, eps)]), { stroke: "var(--b)", class: "landmark" });
      const half = layers.map((g, k) => [g, steps[k]]);
      for (const [g, u] of half) right.dot(g, u, { r: 4.5, fill: color });
      const told = stopped === 0 ? "No layer takes less than a tenth of its step."
        : `<b>${stopped}</b> of five layers take less than a tenth of their step, and nothing says so.`;
      ui.verdict(`ε₁ = <b>${Live.number(eps)}</b>, ${rule === "torch" ? "as torch reads it" : "added to g², as in the paper"}: ` +
        `a layer with gradients of size 10⁻³ takes <b>${Live.number(100 * steps[2])} %</b> of its step. ${told}`);
      ui.table(["gradients", "paper", "torch"], layers.map((g) => [power(g), Live.number(added(g, eps)), Live.number(bounded(g, eps))]));
    }

    const exponent = ui.slider({
      label: "ε₁", range: [-30, -1], value: -30, steps: 290, format: (e) => Live.number(size(e)), change: draw,
    });
    const where = ui.choice({
      label: "ε₁ stands", options: [["paper", "in g² + ε₁ (paper)"], ["torch", "as torch has it"]], value: "torch", change: draw,
    });
    ui.button("ε₁ = 10⁻³⁰", () => exponent.set(-30));
    ui.button("float32, 1.2 · 10⁻⁷", () => exponent.set(Math.log10(2 ** -23)));
    ui.button("bfloat16, 0.0078", () => exponent.set(Math.log10(2 ** -7)));
    ui.still(() => exponent.set(Math.log10(2 ** -7)));
    draw();
  });
})();
