// Which of four methods wins, and does it depend on who judges?
"use strict";
(() => {
  const methods = ["Nesterov", "AdamW", "LARS", "LAMB"], protocols = ["A", "B", "C", "D", "E", "F"], judges = [1, 3, 10];
  // Final training losses on digits, recorded (book/runs/winners): by one seed, three seeds, ten fresh seeds. 99: diverged.
  const losses = {
    A: {
      Nesterov: [[0.08905], [0.08905, 0.09542, 0.1078],
        [0.10301, 0.09396, 0.09852, 0.09774, 0.09416, 0.08644, 0.09884, 0.08467, 0.09948, 0.09373]],
      AdamW: [[0.05613], [0.05613, 0.07882, 0.06988],
        [0.05287, 0.05196, 0.07085, 0.04763, 0.06852, 0.06672, 0.07053, 0.08774, 0.06801, 0.05273]],
      LARS: [[0.03997], [0.03997, 0.0333, 0.06496],
        [0.04621, 0.03666, 0.04284, 0.05349, 0.0557, 0.05177, 0.0464, 0.05268, 0.0577, 0.08072]],
      LAMB: [[0.03023], [0.03023, 0.06088, 0.04464],
        [0.04781, 0.02292, 0.02575, 0.02921, 0.0355, 0.0266, 0.01955, 0.02637, 0.0272, 0.03605]],
    },
    B: {
      Nesterov: [[0.09279], [0.09279, 0.10035, 0.11405],
        [0.10785, 0.09714, 0.10346, 0.10209, 0.09847, 0.08941, 0.10383, 0.08909, 0.10348, 0.09793]],
      AdamW: [[0.02598], [0.03408, 0.03916, 0.04234],
        [0.03704, 0.04574, 0.04258, 0.0381, 0.04007, 0.02968, 0.03252, 0.03136, 0.0461, 0.04761]],
      LARS: [[0.03527], [0.04182, 0.03275, 0.05832],
        [0.05323, 0.04906, 0.05275, 0.04772, 0.03324, 0.05674, 0.05136, 0.04904, 0.06733, 0.0776]],
      LAMB: [[0.03556], [0.03556, 0.03385, 0.02259],
        [0.01569, 0.01394, 0.02155, 0.02291, 0.01808, 0.04205, 0.03165, 0.03279, 0.01868, 0.03175]],
    },
    C: {
      Nesterov: [[0.08905], [0.08905, 0.09542, 0.1078],
        [0.10301, 0.09396, 0.09852, 0.09774, 0.09416, 0.08644, 0.09884, 0.08467, 0.09948, 0.09373]],
      AdamW: [[0.42829], [0.42829, 1.09301, 0.29488],
        [0.20932, 0.83657, 1.00954, 1.30404, 0.96243, 0.09447, 0.79646, 1.40821, 0.28757, 0.23568]],
      LARS: [[0.03997], [0.03997, 0.0333, 0.06496],
        [0.04621, 0.03666, 0.04284, 0.05349, 0.0557, 0.05177, 0.0464, 0.05268, 0.0577, 0.08072]],
      LAMB: [[1.91029], [1.91029, 2.14388, 2.08669],
        [1.73075, 1.40279, 1.95819, 1.84251, 1.85225, 1.36303, 1.15898, 1.63957, 1.90497, 1.51576]],
    },
    D: {
      Nesterov: [[1.83266], [1.83266, 1.91658, 1.92064],
        [1.89478, 1.73426, 1.94111, 1.82561, 1.81387, 1.75694, 1.99781, 1.67445, 1.87968, 1.82376]],
      AdamW: [[0.18586], [0.18586, 0.2625, 0.25762],
        [0.2228, 0.17637, 0.22291, 0.20992, 0.20396, 0.18729, 0.20714, 0.19737, 0.24719, 0.21692]],
      LARS: [[2.10002], [2.10002, 2.13556, 2.12435],
        [2.12954, 2.06623, 2.19789, 2.10527, 2.10879, 2.13614, 2.20089, 2.07409, 2.14808, 2.14742]],
      LAMB: [[1.34882], [1.34882, 1.50211, 1.44619],
        [1.44124, 1.25009, 1.50482, 1.393, 1.36753, 1.40423, 1.51006, 1.2515, 1.45019, 1.38797]],
    },
    E: {
      Nesterov: [[0.09082], [0.09082, 0.09344, 0.11338],
        [0.11067, 0.07785, 0.12117, 0.10923, 0.10577, 0.09365, 0.12532, 0.07132, 0.09372, 0.09896]],
      AdamW: [[0.13266], [0.13266, 0.19597, 0.09638],
        [0.07091, 0.11395, 0.11465, 0.09812, 0.12635, 0.11884, 0.14636, 0.15519, 0.13393, 0.09564]],
      LARS: [[0.23201], [0.25081, 0.27963, 0.33266],
        [0.29066, 0.2292, 0.3279, 0.30893, 0.26406, 0.24735, 0.23222, 0.24659, 0.3454, 0.32753]],
      LAMB: [[0.1203], [0.1203, 0.18512, 0.18953],
        [0.15479, 0.07495, 0.20594, 0.12283, 0.13223, 0.17559, 0.20865, 0.10772, 0.20983, 0.12126]],
    },
    F: {
      Nesterov: [[1.2965], [1.30593, 1.31062, 1.31355],
        [1.33506, 1.30697, 1.29988, 1.29962, 1.30613, 1.30233, 1.30799, 1.30212, 1.29371, 1.29835]],
      AdamW: [[0.04372], [0.0468, 0.05462, 0.05757],
        [0.05105, 0.05754, 0.05425, 0.05341, 0.04987, 0.04213, 0.04596, 0.04665, 0.06134, 0.06449]],
      LARS: [[1.28351], [1.31701, 1.3146, 1.3329],
        [1.31694, 1.32429, 1.30227, 1.32059, 1.29215, 1.28658, 1.29654, 1.30281, 1.31886, 1.31252]],
      LAMB: [[0.0237], [0.0237, 0.03407, 0.04281],
        [0.02434, 0.02727, 0.02666, 0.03303, 0.0198, 0.03822, 0.02419, 0.03936, 0.02211, 0.03123]],
    },
  };
  const record = () => ({ methods, protocols, judges, losses });

  function median(values) {
    const sorted = [...values].sort((u, v) => u - v), half = sorted.length / 2;
    return sorted.length % 2 ? sorted[Math.floor(half)] : (sorted[half - 1] + sorted[half]) / 2;
  }

  // The method with the lowest median under a protocol, as the judges 0, 1 or 2 see it.
  function winner(protocol, who) {
    const medians = methods.map((m) => median(losses[protocol][m][who]));
    return methods[medians.indexOf(Math.min(...medians))];
  }

  Live.figure("pick-your-winner", { record, median, winner }, (ui) => {
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
