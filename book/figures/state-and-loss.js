// Which methods fit into what a card has left for state, and what is known of their loss?
"use strict";
(() => {
  // Of the record, three digits: method, bytes of state a parameter, test loss above AdamW's, the ends of its interval,
  // and the verdict of the family.
  const RECORD = [
    ["Adafactor", 0.321, -0.040, -0.112, 0.031, "not resolved"],
    ["Nesterov", 4.000, 0.518, 0.159, 0.877, "higher"],
    ["LARS", 4.000, 0.028, -0.046, 0.103, "not resolved"],
    ["Lion", 4.000, 0.717, 0.631, 0.804, "higher"],
    ["AdamMini", 4.101, 0.023, -0.002, 0.048, "equal"],
    ["SM3", 4.321, 0.660, 0.490, 0.830, "higher"],
    ["CAME", 4.501, 0.059, -0.032, 0.151, "not resolved"],
    ["Muon", 5.150, -0.053, -0.134, 0.028, "not resolved"],
    ["AdamW", 8.000, 0.000, 0.000, 0.000, "equal"],
    ["LAMB", 8.000, 0.216, -0.237, 0.669, "not resolved"],
    ["ScheduleFree", 8.000, -0.026, -0.109, 0.056, "not resolved"],
    ["Shampoo", 28.475, 0.021, -0.080, 0.121, "not resolved"],
    ["SOAP", 36.527, -0.056, -0.164, 0.052, "not resolved"],
  ];

  // Bytes a parameter when so many GiB are left for the state of a model of so many parameters.
  const budget = (gib, parameters) => (gib * 2 ** 30) / parameters;
  const fitting = (bytes) => RECORD.filter((row) => row[1] <= bytes).map((row) => row[0]);

  Live.figure("state-and-loss", { record: () => RECORD, budget, fitting }, (ui) => {
    const models = { 125e6: "125 million", 350e6: "350 million", 1.3e9: "1.3 billion", 7e9: "7 billion" };
    const y = { range: [RECORD.length + 0.7, 0.2], ticks: [], label: "" };
    const left = ui.panel({
      title: "Bytes of state a parameter", height: 340, y,
      x: { range: [0.2, 512], log: true, ticks: [0.25, 1, 4, 16, 64], label: "bytes a parameter" },
    });
    const right = ui.panel({
      title: "Test loss above AdamW's", height: 340, y, x: { range: [-0.3, 1], ticks: [-0.2, 0, 0.2, 0.4, 0.6, 0.8], label: "nats" },
    });
    const [top, bottom] = [0.2, RECORD.length + 0.7];
    right.area([[-0.05, top], [0.05, top], [0.05, bottom], [-0.05, bottom]], {}, right.back);

    function draw() {
      const parameters = Number(model.value()), bytes = budget(room.value(), parameters), inside = fitting(bytes);
      left.clear();
      right.clear();
      const line = Math.min(Math.max(bytes, 0.2), 512);
      left.line([[line, top], [line, bottom]], { stroke: "var(--c)", "stroke-dasharray": "5 4" });
      RECORD.forEach(([name, size, difference, low, high], i) => {
        const there = inside.includes(name), color = there ? `var(--${name})` : "var(--line)", row = i + 1;
        left.line([[0.2, row], [size, row]], { stroke: color, "stroke-width": 7 });
        left.text(size * 1.25, row + 0.28, name, { fill: there ? "var(--ink)" : "var(--soft)" });
        right.line([[low, row], [high, row]], { stroke: color, "stroke-width": 2.5, class: "landmark" });
        right.dot(difference, row, { r: there ? 5.5 : 3.5, fill: color });
      });
      const of = (verdict) => RECORD.filter((row) => row[5] === verdict && inside.includes(row[0])).map((row) => row[0]);
      const list = (names) => (names.length ? names.join(", ") : "none");
      ui.verdict(`${Live.number(room.value())} GiB for the state of <b>${models[parameters]}</b> parameters are ` +
        `<b>${Live.number(bytes)} bytes</b> a parameter. Of what fits, shown to be level with AdamW: <b>${list(of("equal"))}</b>; ` +
        `shown to be behind: ${list(of("higher"))}; not resolved: ${list(of("not resolved"))}.`);
    }
    const model = ui.choice({ label: "parameters", options: Object.entries(models), value: "1300000000", change: draw });
    const room = ui.slider({
      label: "left for state", range: [0.25, 64], log: true, value: 1, steps: 96, format: (g) => `${Live.number(g)} GiB`, change: draw,
    });
    for (const gib of [2, 6, 16]) ui.button(`${gib} GiB`, () => room.set(gib));
    ui.still(() => room.set(6));
    ui.table(["method", "bytes", "above AdamW", "interval", "verdict"], RECORD.map(([name, bytes, difference, low, high, verdict]) =>
      [name, Live.number(bytes), difference.toFixed(3), name === "AdamW" ? "" : `${low.toFixed(3)} to ${high.toFixed(3)}`, verdict]));
    draw();
  });
})();
