// One hidden word: what do four rivals guess for it, of which two only count?
"use strict";
(() => {
  // Recorded in bert-guesses. Of each rival: the probability of what stood there, then its five likeliest tokens.
  const HOLES = [
    { before: "might involve tensor. [SEP] given a schema, returns the id of",
      truth: "the", after: "device : torch. device argument. if it does not exist, returns",
      frequencies: [0.055313],
      pairs: [0.668727, "the", 0.6687, "a", 0.0756, "cuda", 0.0214, "each", 0.0164, "given", 0.0137],
      "default run": [0.570428, "the", 0.5704, "a", 0.1109, "_", 0.0403, "an", 0.0157, "this", 0.0105],
      "long run": [0.73537, "the", 0.7354, "a", 0.0653, "this", 0.0539, "an", 0.0252, "each", 0.0086] },
    { before: "of these frozensets are a restriction. the node",
      truth: "can", after: "be mapped only to nodes in the frozenset. thus it",
      frequencies: [0.002983],
      pairs: [0.240398, "will", 0.2501, "can", 0.2404, "to", 0.2026, "should", 0.1532, "must", 0.0808],
      "default run": [0.26932, "can", 0.2693, "to", 0.1628, "will", 0.1473, "must", 0.0912, "should", 0.0645],
      "long run": [0.208622, "will", 0.3295, "can", 0.2086, "must", 0.1477, "should", 0.1108, "to", 0.0869] },
    { before: "that the loop body deferred : the buf - and -",
      truth: "copy", after: "input - grad slice into grad _ input ( skipped on the fast path",
      frequencies: [0.0004],
      pairs: [0.00015, "valued", 0.231, "dimensional", 0.1836, "the", 0.0609, "like", 0.0556, "d", 0.0504],
      "default run": [0.000977, "-", 0.0732, "_", 0.029, "state", 0.0228, "non", 0.0212, "like", 0.0129],
      "long run": [0.000222, "the", 0.0609, "gather", 0.056, "-", 0.0442, "backward", 0.0324, "only", 0.0241] },
    { before: "##ensed distance matrix y. see linkage for more information on the",
      truth: "return", after: "structure and algorithm. [SEP] performs median / wpgmc link",
      frequencies: [0.002324],
      pairs: [0.000165, "data", 0.3229, "same", 0.2066, "graph", 0.0753, "original", 0.0363, "tree", 0.0288],
      "default run": [0.000264, "algorithm", 0.0136, "given", 0.0111, "function", 0.0104, "of", 0.0077, "first", 0.0073],
      "long run": [0.000332, "data", 0.1287, "same", 0.029, "two", 0.0268, "other", 0.0258, "input", 0.0233] },
    { before: "generic _ eval _ expand _ hint ( ) method defined in expr will",
      truth: "handle", after: "the no - op case. [SEP] each hint should be responsible for expand",
      frequencies: [0.000206],
      pairs: [0.001559, "be", 0.2274, "return", 0.1227, "have", 0.0829, "use", 0.0486, "compute", 0.0227],
      "default run": [0.00091, "use", 0.0338, "in", 0.0333, "if", 0.0319, "create", 0.0232, "return", 0.023],
      "long run": [0.005939, "return", 0.105, "use", 0.0844, "override", 0.0675, "be", 0.0496, "make", 0.0266] },
    { before: "generally, a decorator takes a function as input and constructs a function as",
      truth: "output", after: ". specifically, an argmap object returns the input function decorated /",
      frequencies: [0.001186],
      pairs: [0.003319, "well", 0.1028, "torch", 0.0778, "a", 0.033, "g", 0.0286, "follows", 0.0266],
      "default run": [0.004495, "module", 0.0201, "it", 0.0188, "graph", 0.0164, "torch", 0.0163, "##s", 0.0144],
      "long run": [0.002434, "well", 0.0892, "a", 0.0809, "torch", 0.0709, "self", 0.0496, "input", 0.0407] },
    { before: "quantizable. lstm and use this helper function to customize",
      truth: "the", after: "observer insertion logic. [SEP] this is meant to be used to convert",
      frequencies: [0.055313],
      pairs: [0.470414, "the", 0.4704, "an", 0.1151, "_", 0.0729, "(", 0.0416, ".", 0.034],
      "default run": [0.101041, "the", 0.101, "to", 0.0818, "_", 0.0665, ".", 0.0604, "and", 0.0358],
      "long run": [0.29661, "the", 0.2966, "_", 0.1675, "and", 0.052, "this", 0.0391, "an", 0.0313] },
    { before: "- valued sub - ops. the graph signature ( input / output count",
      truth: "and", after: "dtypes ) is preserved : complex inputs get unpacked via aten. real",
      frequencies: [0.012546],
      pairs: [0.053444, "the", 0.1998, "_", 0.1133, "of", 0.1071, "##ed", 0.0941, "/", 0.0643],
      "default run": [0.015392, "(", 0.3383, ",", 0.0482, ".", 0.0473, "_", 0.0411, "the", 0.0303],
      "long run": [0.012848, "_", 0.2829, "(", 0.1195, "##ing", 0.0804, "##ed", 0.0783, ",", 0.0715] },
  ];
  const COMMON = [".", 0.0599, "the", 0.0553, ",", 0.0276, "of", 0.0226, "a", 0.021]; // the frequencies say the same everywhere
  const RIVALS = { frequencies: "frequencies", pairs: "table of pairs", "default run": "default run", "long run": "long run" };

  function top(hole, rival) {
    const list = rival === "frequencies" ? [0, ...COMMON] : HOLES[hole][rival];
    return [1, 3, 5, 7, 9].map((k) => [list[k], list[k + 1]]);
  }
  const truth = (hole, rival) => HOLES[hole][rival][0]; // its probability
  const nats = (hole, rival) => -Math.log(truth(hole, rival));
  const word = (hole) => HOLES[hole].truth;

  // Words in lines of at most `most` letters.
  function lines(words, most) {
    const made = [""];
    for (const w of words) {
      if ((made.at(-1) + w).length > most) made.push("");
      made[made.length - 1] += `${w} `;
    }
    return made;
  }

  Live.figure("fill-the-hole", { top, truth, nats, word, holes: () => HOLES.length }, (ui) => {
    let rival = null, told = false;
    const left = ui.panel({ title: "What is hidden?", x: { range: [0, 1] }, y: { range: [8, 0] }, axes: false, height: 250 });
    const right = ui.panel({
      title: "Its five likeliest tokens", x: { range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], label: "probability" },
      y: { range: [5, 0], ticks: [], label: "" }, height: 250,
    });

    function draw() {
      const h = Math.round(bar.value()) - 1, hole = HOLES[h], gap = told ? `[ ${hole.truth} ]` : "[ ? ]";
      left.clear();
      right.clear();
      const text = [...hole.before.split(" "), gap, ...hole.after.split(" ")];
      lines(text, 46).forEach((line, k) => {
        const [a, b] = line.includes(gap) ? [line.slice(0, line.indexOf(gap)), line.slice(line.indexOf(gap) + gap.length)] : [line, ""];
        const drawn = left.text(0.03, k + 1, a);
        if (!line.includes(gap)) return;
        Live.el("tspan", { fill: "var(--b)", "font-weight": 700 }, drawn, gap);
        Live.el("tspan", {}, drawn, b);
      });
      const said = told ? `There stood <b>${hole.truth}</b>.` : "";
      if (!rival) return ui.verdict(`Hole ${h + 1}. Guess first, then ask a rival. ${said}`);
      top(h, rival).forEach(([token, p], k) => {
        const fill = told && token === hole.truth ? "var(--b)" : "var(--a)";
        right.area([[0, k + 0.45], [p, k + 0.45], [p, k + 0.85], [0, k + 0.85]], { fill });
        right.text(0.01, k + 0.36, `${token}   ${Live.number(p, 2)}`);
      });
      const rank = top(h, rival).findIndex(([token]) => token === hole.truth);
      const how = rank === 0 ? "its first guess" : rank > 0 ? "among its five" : "not among its five";
      ui.verdict(`Hole ${h + 1}, <b>${RIVALS[rival]}</b>: first guess “${top(h, rival)[0][0]}” with ${Live.number(top(h, rival)[0][1], 2)}. ` +
        (told ? `${said} That is ${how}, with probability ${Live.number(truth(h, rival), 2)}: ${nats(h, rival).toFixed(1)} nats.` : "What stood there?"));
      return undefined;
    }

    const bar = ui.slider({
      label: "hole", range: [1, HOLES.length], value: 1, steps: HOLES.length - 1, format: (k) => `${Math.round(k)} of ${HOLES.length}`,
      change: () => { told = false; draw(); },
    });
    for (const [key, name] of Object.entries(RIVALS)) ui.button(name, () => { rival = key; draw(); });
    ui.button("what stood there", () => { told = true; draw(); });
    ui.still(() => { bar.set(2); rival = "pairs"; told = true; draw(); });
    ui.table(["what stood there", ...Object.values(RIVALS).map((n) => `${n}, nats`)], HOLES.map((hole, h) =>
      [`${h + 1}: ${hole.truth}`, ...Object.keys(RIVALS).map((r) => nats(h, r).toFixed(1))]));
    draw();
  });
})();
