// One hidden word: what do four rivals guess for it, of which two only count?
"use strict";
(() => {
  // Recorded in bert-guesses. Of each rival: the probability of what stood there, and its five likeliest tokens.
  const HOLES = Live.records["fill-the-hole"];
  const RIVALS = { frequencies: "frequencies", pairs: "table of pairs", "default run": "default run", "long run": "long run" };

  const top = (hole, rival) => HOLES[hole].guesses[rival].top;
  const truth = (hole, rival) => HOLES[hole].guesses[rival].truth; // its probability
  const nats = (hole, rival) => -Math.log(truth(hole, rival));

  // Words in lines of at most `most` letters.
  function lines(words, most) {
    const made = [""];
    for (const w of words) {
      if ((made.at(-1) + w).length > most) made.push("");
      made[made.length - 1] += `${w} `;
    }
    return made;
  }

  Live.figure("fill-the-hole", { nats }, (ui) => {
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
