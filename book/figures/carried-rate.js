// A rate that was tuned at batch 2: where does each rule take it, and what does the run lose?
"use strict";
(() => {
  const batches = [2, 8, 32, 128, 512], base = 2, count = 23;
  // The rates of all batches: 2^(low/2), 2^((low + 1)/2), ...
  const low = { SGD: -12, Adam: -17 };
  const rates = Object.fromEntries(Object.keys(low).map((name) => [name, Array.from({ length: count }, (_, k) => 2 ** ((low[name] + k) / 2))]));
  // Training loss on digits after eight epochs, median of ten seeds (book/runs/carried-rates): without a warm-up and
  // with one; a row a batch, a column a rate.
  const losses = {
    SGD: [
      [
        [0.1901, 0.1439, 0.1111, 0.0852, 0.0639, 0.0468, 0.0323, 0.0248, 0.0289, 0.0745, 1.2009, 2.3047,
          2.3049, 2.3055, 2.3063, 2.3071, 2.3077, 2.3087, 2.31, 2.3104, 2.3112, 2.3121, 2.3129],
        [0.7788, 0.5244, 0.3611, 0.2561, 0.1892, 0.1427, 0.1103, 0.0855, 0.0633, 0.0443, 0.0348, 0.0449,
          1.1069, 2.3039, 2.3042, 2.3048, 2.3048, 2.3052, 2.3056, 2.3057, 2.3058, 2.306, 2.3067],
        [1.9228, 1.7464, 1.4788, 1.1243, 0.7822, 0.5238, 0.3579, 0.2558, 0.1885, 0.1426, 0.1093, 0.0843,
          0.0752, 0.5723, 2.3032, 2.3034, 2.304, 2.3042, 2.3042, 2.3043, 2.3046, 2.3051, 2.3056],
        [2.2173, 2.1739, 2.1181, 2.0384, 1.9246, 1.7467, 1.4769, 1.1212, 0.7758, 0.5269, 0.3626, 0.2628,
          0.21, 0.2183, 1.1414, 2.2122, 2.3024, 2.303, 2.3033, 2.3035, 2.3038, 2.3041, 2.3042],
        [2.306, 2.2894, 2.27, 2.2459, 2.2152, 2.1708, 2.1156, 2.036, 1.9214, 1.7491, 1.4918, 1.1507,
          0.8119, 0.6884, 0.7921, 1.6797, 2.0908, 2.3336, 2.3598, 2.3307, 2.3121, 2.3041, 2.3082],
      ],
      [
        [0.2272, 0.1694, 0.1293, 0.0993, 0.0755, 0.0547, 0.038, 0.0259, 0.0224, 0.0319, 0.176, 1.3799,
          2.3049, 2.3035, 2.3063, 2.3071, 2.3077, 2.3087, 2.31, 2.3104, 2.3112, 2.3121, 2.3129],
        [0.9821, 0.667, 0.4528, 0.3136, 0.2269, 0.1689, 0.1285, 0.0992, 0.0745, 0.0546, 0.038, 0.0312,
          0.0515, 1.088, 2.0022, 2.3048, 2.3048, 2.3052, 2.3056, 2.3057, 2.3058, 2.306, 2.3067],
        [1.9986, 1.8602, 1.653, 1.3442, 0.9834, 0.6665, 0.4497, 0.3118, 0.224, 0.1674, 0.1277, 0.0986,
          0.0775, 0.1092, 0.9954, 2.3033, 2.3037, 2.3035, 2.3042, 2.3043, 2.3046, 2.3051, 2.3056],
        [2.2354, 2.1987, 2.1506, 2.086, 1.9933, 1.8537, 1.6422, 1.3293, 0.9592, 0.6506, 0.4407, 0.3104,
          0.2348, 0.2464, 0.5426, 1.8635, 2.3027, 2.3032, 2.3033, 2.3035, 2.3038, 2.3041, 2.3042],
        [2.3117, 2.2963, 2.2781, 2.256, 2.229, 2.1892, 2.1394, 2.0698, 1.9732, 1.825, 1.6012, 1.2807,
          0.9161, 0.6975, 0.8679, 1.6029, 2.0146, 2.2869, 2.4084, 2.4299, 2.3494, 2.3965, 2.3473],
      ],
    ],
    Adam: [
      [
        [0.0724, 0.0544, 0.0407, 0.0306, 0.0246, 0.0237, 0.0294, 0.0573, 0.2447, 1.007, 2.1487, 2.3045,
          2.3049, 2.3051, 2.3059, 2.3068, 2.3075, 2.3082, 2.3094, 2.3108, 2.3111, 2.3119, 2.3125],
        [0.1426, 0.1091, 0.0817, 0.0639, 0.0498, 0.0354, 0.027, 0.0238, 0.024, 0.0376, 0.1434, 0.8086,
          1.6979, 2.3038, 2.305, 2.305, 2.3055, 2.3061, 2.3063, 2.3064, 2.3066, 2.3069, 2.3073],
        [0.3227, 0.234, 0.1703, 0.1292, 0.0987, 0.075, 0.0565, 0.0412, 0.03, 0.0243, 0.0278, 0.0541,
          0.6085, 2.0644, 2.1435, 2.3041, 2.3047, 2.3051, 2.3055, 2.3057, 2.3051, 2.3057, 2.3059],
        [1.2027, 0.8427, 0.5484, 0.358, 0.2474, 0.172, 0.1315, 0.1037, 0.083, 0.0697, 0.067, 0.1108,
          0.2866, 0.933, 1.5421, 2.0145, 2.3035, 2.3037, 2.3051, 2.3048, 2.3065, 2.3065, 2.3071],
        [2.0335, 1.9143, 1.7407, 1.5068, 1.1958, 0.8597, 0.5733, 0.3742, 0.2816, 0.2586, 0.2898, 0.4955,
          0.8899, 1.6284, 2.0008, 2.2792, 2.4753, 2.7309, 3.0656, 3.5185, 4.2, 5.8115, 8.0268],
      ],
      [
        [0.0842, 0.0615, 0.0428, 0.0298, 0.0184, 0.0136, 0.0137, 0.0181, 0.0315, 0.0671, 0.3591, 1.3202,
          2.026, 2.3051, 2.3059, 2.3068, 2.3075, 2.3082, 2.3094, 2.3108, 2.3111, 2.3119, 2.3125],
        [0.1625, 0.1234, 0.091, 0.0664, 0.048, 0.0332, 0.0235, 0.0185, 0.0161, 0.0166, 0.0389, 0.0827,
          0.4399, 1.0762, 1.696, 2.3048, 2.3054, 2.3061, 2.3063, 2.3064, 2.3066, 2.3072, 2.3081],
        [0.3855, 0.2666, 0.1915, 0.142, 0.107, 0.0802, 0.0592, 0.0433, 0.0301, 0.0201, 0.0172, 0.0181,
          0.032, 0.0681, 0.1568, 0.6326, 1.2678, 1.883, 2.2708, 2.3051, 2.3053, 2.3063, 2.3071],
        [1.3724, 1.0249, 0.6846, 0.4454, 0.2982, 0.2047, 0.1511, 0.1128, 0.0856, 0.0703, 0.0553, 0.0423,
          0.0395, 0.0337, 0.0444, 0.0736, 0.1873, 0.7018, 1.7014, 2.3051, 2.3052, 2.3058, 2.306],
        [2.074, 1.9758, 1.8304, 1.6272, 1.3498, 1.0088, 0.6905, 0.4402, 0.2947, 0.2182, 0.1948, 0.234,
          0.2791, 0.4302, 1.3036, 1.9157, 2.3284, 2.396, 2.4442, 2.687, 3.7188, 4.8478, 6.9806],
      ],
    ],
  };
  // The number of the rate that five other seeds chose, without a warm-up and with one.
  const tuned = {
    SGD: [{ 2: 7, 8: 10, 32: 12, 128: 12, 512: 13 }, { 2: 8, 8: 11, 32: 13, 128: 13, 512: 13 }],
    Adam: [{ 2: 5, 8: 8, 32: 9, 128: 9, 512: 9 }, { 2: 6, 8: 8, 32: 10, 128: 12, 512: 10 }],
  };
  const record = () => ({ batches, rates, losses, tuned });

  // The grid has two rates an octave, so every rule lands on it: "same", "root" and "linear" from batch 2.
  const octaves = { same: 0, root: 0.5, linear: 1 };
  const landed = (method, warm, rule, k) => tuned[method][warm][base] + 2 * octaves[rule] * Math.log2(batches[k] / base);
  const lossAt = (method, warm, k, j) => losses[method][warm][k][j] ?? Infinity; // beyond the grid: it has long diverged

  Live.figure("carried-rate", { record, landed, lossAt }, (ui) => {
    const rules = Object.keys(octaves), colors = { same: "var(--soft)", root: "var(--c)", linear: "var(--b)" };
    const floor = 0.01, top = 3.5, clip = (v) => Math.max(floor, Math.min(2.45, v));
    const axis = { range: [floor, top], log: true, ticks: [0.01, 0.03, 0.1, 0.3, 1, 2.3], label: "training loss (nats)" };
    const panels = {};
    for (const method of ["SGD", "Adam"]) {
      const [a, z] = [rates[method][0] / 1.2, rates[method][count - 1] * 1.2];
      panels[method] = ui.panel({
        title: `${method} at your batch`, height: 290, y: axis,
        x: { range: [a, z], log: true, label: "learning rate",
          ticks: method === "SGD" ? [0.02, 0.1, 0.5, 2, 10] : [0.005, 0.02, 0.1, 0.5, 2] },
      });
    }
    panels.SGD.legend([["same rate", colors.same], ["root", colors.root], ["linear", colors.linear]], [0.66, 0.5]);
    let warm = 1;

    function draw(place) {
      const k = Math.round(place), b = batches[k];
      const said = Object.entries(panels).map(([method, panel]) => {
        const row = losses[method][warm][k], best = tuned[method][warm][b];
        panel.clear();
        for (const [j, other] of batches.entries()) {
          if (j !== k) panel.line(losses[method][warm][j].map((v, i) => [rates[method][i], clip(v)]),
            { stroke: "var(--a)", "stroke-opacity": 0.16, class: "landmark", "data-batch": other });
        }
        panel.line(row.map((v, i) => [rates[method][i], clip(v)]), { stroke: "var(--a)" });
        panel.dot(rates[method][best], clip(row[best]), { r: 8, fill: "none", stroke: "var(--ink)", "stroke-width": 1.6, class: "landmark" });
        const parts = rules.map((rule) => {
          const j = landed(method, warm, rule, k), loss = lossAt(method, warm, k, j), x = rates[method][Math.min(j, count - 1)];
          panel.dot(x, clip(loss), { r: 5.5, fill: colors[rule] });
          return `${rule} ${loss > 2 ? "learns nothing" : Live.number(loss / row[best])}`;
        });
        return `<b>${method}</b> ${parts.join(", ")}`;
      });
      ui.verdict(b === base ? "At batch 2 all three rules take the tuned rate."
        : `At batch <b>${b}</b>, as multiples of the loss with the rate that is tuned there (ring, chosen by five other seeds): ${said.join("; ")}.`);
      ui.table(["method", "batch", "tuned rate", "its loss", ...rules], ["SGD", "Adam"].flatMap((method) => batches.map((c, i) => {
        const best = tuned[method][warm][c];
        return [method, `${c}`, rates[method][best].toPrecision(2), losses[method][warm][i][best].toPrecision(2),
          ...rules.map((rule) => Math.min(lossAt(method, warm, i, landed(method, warm, rule, i)), 99).toPrecision(2))];
      })));
    }

    const bar = ui.slider({
      label: "your batch", range: [0, batches.length - 1], steps: batches.length - 1, value: 0,
      format: (k) => `${batches[Math.round(k)]}`, change: draw,
    });
    ui.button("with warm-up", () => { warm = 1; draw(bar.value()); });
    ui.button("without", () => { warm = 0; draw(bar.value()); });
    ui.still(() => bar.set(3));
    draw(bar.value());
  });
})();
