// The explorable figure of the chapter on memory. It knows no formula of its own but a product and a division into
// shares: every number comes from the JSON that a cell of the chapter wrote with minilib.analysis.memory.
(function () {
  const KINDS = ["parameters", "gradients", "master weights", "optimizer state", "activations"];
  const GIB = 2 ** 30;

  // Bytes of each kind on one device; the same rounding as minilib.analysis.memory.training_bytes.
  function bytes(data, c) {
    const model = data.models[c.model];
    const weight = data.precisions[c.precision];
    const share = (numbers, each, from) => Math.ceil(Math.ceil(numbers / (c.stage >= from ? c.devices : 1)) * each);
    const key = [c.length, weight[4], c.attention, c.recompute].join("/");
    const [slope, fixed] = model.activations[key];
    return [
      share(model.numbers, weight[0], 3),
      share(model.numbers, weight[1], 2),
      share(model.numbers, weight[2], 1),
      share(model.state[c.optimizer][c.precision], 1, 1),
      slope * c.batch + fixed,
    ];
  }

  function element(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function gib(n) {
    const value = n / GIB;
    return value >= 1000 ? Math.round(value).toLocaleString("en") : value.toFixed(value >= 100 ? 1 : 2);
  }

  function build(box, data) {
    const powers = (last) => Array.from({ length: last + 1 }, (_, i) => 2 ** i);
    const models = Object.keys(data.models);
    const choices = {
      model: ["model", models, "BERT-Large"],
      optimizer: ["optimizer", Object.keys(data.models[models[0]].state), "LAMB"],
      precision: ["precision", Object.keys(data.precisions), "fp32"],
      length: ["tokens in a text", [128, 512, 2048], 512],
      batch: ["texts on each device", powers(8), 8],
      attention: ["attention weights", ["stored", "fused"], "stored"],
      recompute: ["recompute blocks", ["no", "yes"], "no"],
      devices: ["devices", powers(10), 1],
      stage: ["ZeRO stage", [0, 1, 2, 3], 0],
    };
    const now = {};
    const form = element("form", "memory-choices");
    for (const [name, [label, values, first]] of Object.entries(choices)) {
      const row = element("label", "", label);
      const select = element("select");
      select.name = name;
      for (const value of values) {
        const option = element("option", "", String(value));
        option.value = String(value);
        option.selected = value === first;
        select.append(option);
      }
      now[name] = first;
      select.addEventListener("change", () => {
        now[name] = typeof values[0] === "number" ? Number(select.value) : select.value;
        draw();
      });
      row.append(select);
      form.append(row);
    }
    const bars = element("div", "memory-bars");
    const table = element("table", "memory-table");
    const verdict = element("p", "memory-verdict");
    verdict.setAttribute("role", "status");
    box.replaceChildren(form, bars, verdict, table);

    function bar(parts, scale, card) {
      const row = element("div", "memory-row");
      row.append(element("span", "memory-card", card === null ? "needed" : `${card} GiB`));
      const track = element("div", "memory-track");
      if (card === null) {
        parts.forEach((n, i) => {
          const piece = element("div", `memory-piece memory-kind-${i}`);
          piece.style.width = `${(100 * n) / scale}%`;
          track.append(piece);
        });
      } else {
        const room = element("div", "memory-room");
        room.style.width = `${(100 * card * GIB) / scale}%`;
        track.append(room);
      }
      row.append(track);
      return row;
    }

    function draw() {
      const parts = bytes(data, now);
      const total = parts.reduce((a, b) => a + b, 0);
      const largest = data.cards[data.cards.length - 1] * GIB;
      const scale = Math.max(total, largest);
      bars.replaceChildren(bar(parts, scale, null));
      const fits = data.cards.filter((card) => total <= card * GIB);
      for (const card of data.cards) {
        const row = bar(parts, scale, card);
        const ok = total <= card * GIB;
        row.classList.add(ok ? "memory-fits" : "memory-full");
        row.append(element("span", "memory-word", ok ? "fits" : "does not fit"));
        bars.append(row);
      }
      verdict.textContent = fits.length
        ? `${gib(total)} GiB on each device: fits on ${fits[0]} GiB.`
        : `${gib(total)} GiB on each device: fits on none of these.`;
      table.replaceChildren();
      parts.forEach((n, i) => table.append(line(KINDS[i], n, i)));
      table.append(line("together", total, null));
      box.dataset.total = String(total);
    }

    function line(label, n, kind) {
      const row = element("tr");
      const name = element("td");
      if (kind !== null) name.append(element("span", `memory-swatch memory-kind-${kind}`));
      name.append(label);
      const value = element("td", "memory-number", `${gib(n)} GiB`);
      value.dataset.bytes = String(n);
      row.append(name, value);
      return row;
    }

    draw();
  }

  window.addEventListener("DOMContentLoaded", () => {
    const box = document.getElementById("memory-explorer");
    const source = document.getElementById("memory-data");
    if (box && source) build(box, JSON.parse(source.textContent));
  });
})();
