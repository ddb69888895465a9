// Which methods fit into what a card has left for state, and what is known of their loss?
"use strict";
(() => {
  // Of the record, three digits: method, bytes of state a parameter, test loss above AdamW's, the ends of its interval,
  // and the verdict of the family on "equal within 0.05".
  const RECORD = Live.records["state-and-loss"];
  const KINDS = {
    "--a": ["AdamW", "AdamW 8-bit", "AdamW 4-bit", "LAMB", "Adam-mini"],
    "--c": ["Adafactor", "Algorithm 1", "CAME", "CAME corrected", "CAME 8-bit", "SM3"],
    "--b": ["GaLore", "APOLLO", "APOLLO-Mini"],
    "--e": ["Muon", "SOAP"],
    "--ink": ["Nesterov", "Lion"],
  };
  const colorOf = (name) => Object.keys(KINDS).find((color) => KINDS[color].includes(name));

  // What is known: equal within 0.05, or else an interval that lies below or above AdamW's loss, or neither.
  const known = ([, , , low, high, verdict]) => (verdict === "equal" ? verdict : high < 0 ? "lower" : low > 0 ? "higher" : "open");

  // Bytes a parameter when so many GiB are left for the state of a model of so many parameters.
  const budget = (gib, parameters) => (gib * 2 ** 30) / parameters;
  const fitting = (bytes) => RECORD.filter((row) => row[1] <= bytes).map((row) => row[0]);

  Live.figure("state-and-loss", { budget, fitting }, (ui) => {
    const models = { 125e6: "125 million", 350e6: "350 million", 1.3e9: "1.3 billion", 7e9: "7 billion" };
    const y = { range: [RECORD.length + 0.7, 0.2], ticks: [], label: "" };
    const left = ui.panel({
      title: "Bytes of state a parameter", height: 370, y,
      x: { range: [0.1, 1024], log: true, ticks: [0.25, 1, 4, 16, 64], label: "bytes a parameter" },
    });
    const right = ui.panel({
      title: "Test loss above AdamW's", height: 370, y, x: { range: [-0.2, 1.2], ticks: [-0.2, 0, 0.2, 0.4, 0.6, 0.8], label: "nats" },
    });
    const [top, bottom] = [0.2, RECORD.length + 0.7];
    right.area([[-0.05, top], [0.05, top], [0.05, bottom], [-0.05, bottom]], {}, right.back);

    function draw() {
      const parameters = Number(model.value()), bytes = budget(room.value(), parameters), inside = fitting(bytes);
      left.clear();
      right.clear();
      if (bytes < 64) left.line([[bytes, top], [bytes, bottom]], { stroke: "var(--c)", "stroke-dasharray": "5 4" });
      RECORD.forEach(([name, size, difference, low, high], i) => {
        const there = inside.includes(name), color = there ? `var(${colorOf(name)})` : "var(--line)", row = i + 1;
        left.line([[0.1, row], [size, row]], { stroke: color, "stroke-width": 7 });
        left.text(1024, row + 0.28, name, { fill: there ? "var(--ink)" : "var(--soft)", "text-anchor": "end" });
        right.line([[low, row], [high, row]], { stroke: color, "stroke-width": 2.5, class: "landmark" });
        right.dot(difference, row, { r: there ? 5.5 : 3.5, fill: color, class: "landmark" });
        if (there) right.text(1.19, row + 0.28, known(RECORD[i]), { "text-anchor": "end", class: "landmark" });
      });
      const of = (kind) => RECORD.filter((row) => known(row) === kind && inside.includes(row[0])).length;
      ui.verdict(`${Live.number(room.value())} GiB for the state of <b>${models[parameters]}</b> parameters are ` +
        `<b>${Live.number(bytes)} bytes</b> a parameter. Of the ${inside.length} that fit, equal to AdamW within 0.05: <b>${of("equal")}</b>; ` +
        `interval below AdamW: <b>${of("lower")}</b>; above: ${of("higher")}; open: ${of("open")}.`);
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
