// What the figures that move have in common: panels with labelled axes, sliders, buttons, a sentence for the outcome and
// a table behind it. Plain SVG and the browser's own inputs: no library and no request, so a page works from a file too.
//
// A figure is one file:  Live.figure("noise-cloud", { pure functions }, (ui) => { build it with ui.panel, ui.slider ... });
// The pure functions stand in Live.pure["noise-cloud"], where tests compare them with minilib; what runs recorded for a
// figure is in Live.records, by its name (tools/pages/figure_records.py).
//
// A figure opens undecided: until the reader's first move it says only what to move. What would give the answer away
// has the class "landmark" and is not seen before the first move of something other than the steps of a player.
// Buttons name settings. The key f, and a button, show the figure alone at the size of the window.
"use strict";

const Live = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const pure = {}, records = {};
  const stills = new WeakMap(); // the setting of a figure that paper and notebooks show
  let clips = 0;

  // ---- numbers -----------------------------------------------------------------------------------------------------

  // Uniform numbers in [0, 1) from a seed (mulberry32).
  function uniforms(seed) {
    return () => {
      seed = (seed + 0x6d2b79f5) | 0;
      let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }

  // `count` normal numbers from a seed (Box and Muller).
  function normals(count, seed) {
    const uniform = uniforms(seed);
    return Array.from({ length: count }, () => {
      const radius = Math.sqrt(-2 * Exact.log(1 - uniform()));
      return radius * Exact.cos(2 * Math.PI * uniform());
    });
  }

  // 1 - Phi(x), by Marsaglia's series where it is short and a continued fraction in the tail.
  function normalTail(x) {
    if (x < 0) return 1 - normalTail(-x);
    const density = Exact.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
    if (x > 4) {
      let fraction = x;
      for (let k = 80; k > 0; k--) fraction = x + k / fraction;
      return density / fraction;
    }
    let sum = x;
    for (let k = 1, term = x; term > 1e-18; k++) sum += term *= (x * x) / (2 * k + 1);
    return 0.5 - density * sum;
  }

  // The bfloat16 nearest to x, halves to the even one: the upper half of a float32. With `add`, a whole number below
  // 65,536 that is drawn evenly, the one below or above x at random, and right in the mean. x is finite.
  const single = new Float32Array(1), bits = new Uint32Array(single.buffer);
  function bfloat16(x, add) {
    single[0] = x;
    bits[0] = (bits[0] + (add ?? 0x7fff + ((bits[0] >>> 16) & 1))) & 0xffff0000;
    return single[0];
  }

  // A number for people: `digits` that count, thousands apart, a real minus sign.
  function number(x, digits = 2) {
    if (!Number.isFinite(x)) return x > 0 ? "∞" : x < 0 ? "−∞" : "not a number";
    const size = Math.abs(x);
    const [mantissa, power] = x.toExponential(digits - 1).split("e");
    const text = size !== 0 && (size >= 1e6 || size < 1e-4) ? `${mantissa} · 10${[...String(+power)].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻").join("")}`
      : Number(x.toPrecision(digits)).toLocaleString("en", { maximumFractionDigits: 10 });
    return text.replaceAll("-", "−");
  }

  // ---- drawing -----------------------------------------------------------------------------------------------------

  function el(tag, attributes = {}, parent, text) {
    const drawn = tag === "svg" || (parent && parent.namespaceURI === SVG);
    const made = drawn ? document.createElementNS(SVG, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.append(made);
    return made;
  }

  // From data to the picture and back. `axis` is { range: [low, high], log }.
  function scale(axis, from, to) {
    const f = axis.log ? Exact.log10 : (v) => v;
    const [low, high] = axis.range.map(f);
    const there = (v) => from + ((f(v) - low) / (high - low)) * (to - from);
    there.back = (pixel) => {
      const v = low + ((pixel - from) / (to - from)) * (high - low);
      return axis.log ? Exact.power(10, v) : v;
    };
    return there;
  }

  // A panel: { title, x, y, width, height, axes }. x and y are { range, log, ticks, label, format }; axes: false leaves
  // the axes out (a landscape). Draw into it with the functions that it returns, in the units of the data.
  function panel(parent, { title, x, y, width = 360, height = 270, axes = true }) {
    const svg = el("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title }, parent);
    const box = axes ? { left: 58, right: width - 22, top: 30, bottom: height - 46 }
      : { left: 6, right: width - 6, top: 30, bottom: height - 6 };
    const X = scale(x, box.left, box.right), Y = scale(y, box.bottom, box.top);
    el("text", { x: axes ? box.left : 10, y: 19, class: "title" }, svg, title);
    if (axes) {
      if (!x.ticks || !y.ticks) throw Error(`the panel "${title}" needs ticks: for x and for y, or axes: false`);
      for (const t of x.ticks) {
        el("line", { x1: X(t), x2: X(t), y1: box.top, y2: box.bottom, class: "axis" }, svg);
        const at = { x: X(t), y: box.bottom + 17, "text-anchor": "middle", class: "tick" };
        el("text", at, svg, x.format ? x.format(t) : number(t, 4));
      }
      for (const t of y.ticks) {
        el("line", { x1: box.left, x2: box.right, y1: Y(t), y2: Y(t), class: "axis" }, svg);
        const at = { x: box.left - 7, y: Y(t) + 4, "text-anchor": "end", class: "tick" };
        el("text", at, svg, y.format ? y.format(t) : number(t, 4));
      }
      el("text", { x: (box.left + box.right) / 2, y: height - 9, "text-anchor": "middle" }, svg, x.label);
      const turned = `translate(14 ${(box.top + box.bottom) / 2}) rotate(-90)`;
      el("text", { transform: turned, "text-anchor": "middle" }, svg, y.label);
    }
    const id = `live-clip-${clips++}`;
    const clip = el("clipPath", { id }, el("defs", {}, svg));
    el("rect", { x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top }, clip);
    const back = el("g", { "clip-path": `url(#${id})` }, svg); // what stays
    const front = el("g", { "clip-path": `url(#${id})` }, svg); // what `clear` takes away
    const far = 1e5; // a path that explodes leaves the picture; browsers draw no longer lines well
    const place = ([u, v]) => [X(u), Y(v)].map((p) => Math.max(-far, Math.min(far, p)).toFixed(2)).join(",");
    const self = {
      svg, X, Y, box, back, front,
      clear: () => front.replaceChildren(),
      line: (points, attributes = {}, where = front) =>
        el("polyline", { points: points.map(place).join(" "), fill: "none", "stroke-width": 2, ...attributes }, where),
      area: (points, attributes = {}, where = front) =>
        el("polygon", { points: points.map(place).join(" "), fill: "var(--shade)", ...attributes }, where),
      dot: (u, v, attributes = {}, where = front) => {
        const [cx, cy] = place([u, v]).split(",");
        return el("circle", { cx, cy, r: 2.2, fill: "var(--a)", ...attributes }, where);
      },
      text: (u, v, words, attributes = {}, where = front) => {
        const [px, py] = place([u, v]).split(",");
        return el("text", { x: px, y: py, ...attributes }, where, words);
      },
      arrow: (from, to, attributes = {}, where = front, head = 8) => {
        const [x1, y1, x2, y2] = [...place(from).split(","), ...place(to).split(",")].map(Number);
        const [u, v] = [x2 - x1, y2 - y1], long = Math.sqrt(u * u + v * v);
        const along = long ? (0.9 * head) / long : 0, across = 0.483 * along; // wings at 26 degrees
        const wing = (way) => `${(x2 - along * u + way * across * v).toFixed(2)},${(y2 - along * v - way * across * u).toFixed(2)}`;
        const d = `M${x1},${y1}L${x2},${y2}M${wing(1)}L${x2},${y2}L${wing(-1)}`;
        const round = { "stroke-linecap": "round", "stroke-linejoin": "round" };
        return el("path", { d, fill: "none", stroke: "var(--ink)", "stroke-width": 2, ...round, ...attributes }, where);
      },
      // Names of colours, in a corner: [["cost", "var(--b)"], ...]. `at` is the upper left corner, as shares of the box.
      legend: (entries, at = [0.03, 0.02]) => {
        entries.forEach(([name, color, dash], k) => {
          const left = box.left + at[0] * (box.right - box.left);
          const top = box.top + at[1] * (box.bottom - box.top) + 11 + 17 * k;
          const line = { x1: left, x2: left + 20, y1: top - 4, y2: top - 4, stroke: color, "stroke-width": 2.5 };
          el("line", dash ? { ...line, "stroke-dasharray": dash } : line, svg);
          el("text", { x: left + 26, y: top }, svg, name);
        });
      },
      // `moved(u, v)` while a reader drags in the panel. Give the same by sliders, for those without a pointer.
      drag: (moved) => {
        svg.classList.add("draggable");
        const tell = (event) => {
          const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
          const inside = (v, low, high) => Math.max(low, Math.min(high, v));
          moved(X.back(inside(p.x, box.left, box.right)), Y.back(inside(p.y, box.top, box.bottom)));
        };
        svg.addEventListener("pointerdown", (event) => {
          svg.setPointerCapture(event.pointerId);
          tell(event);
        });
        svg.addEventListener("pointermove", (event) => event.buttons & 1 && tell(event));
      },
    };
    return self;
  }

  // ---- controls ----------------------------------------------------------------------------------------------------

  // The look of an optimizer's line; its colour and dashes come from minilib.plots (tools/pages/line_styles.py).
  const optimizer = (name) => ({ stroke: `var(--${name})`, "stroke-dasharray": `var(--${name}-dash)` });

  // A slider: { label, range, value, log, steps, format, change }. Arrow keys work as everywhere. `value` is where it
  // starts; `change` is called with each new value. Returns { value(), set(value) }.
  function slider(parent, { label, range, value, log = false, steps = 100, format = number, change }) {
    const row = el("label", {}, parent);
    row.append(label);
    const input = el("input", { type: "range", min: 0, max: steps, step: 1 }, row);
    const output = el("output", {}, row);
    const at = scale({ range, log }, 0, steps);
    const place = (v) => { input.value = Math.round(at(v)); };
    let asked; // by a button: kept as it is, though the slider has a step beside it
    const read = () => asked ?? at.back(Number(input.value));
    const say = () => {
      output.textContent = format(read());
      input.setAttribute("aria-valuetext", output.textContent);
    };
    input.addEventListener("input", () => { asked = undefined; say(); change(read()); });
    place(value);
    say();
    return { value: read, set: (v) => { asked = v; place(v); say(); change(read()); }, input };
  }

  function button(parent, label, action) {
    const made = el("button", { type: "button" }, parent, label);
    made.addEventListener("click", action);
    return made;
  }

  // One of several: { label, options: [[value, name], ...], value, change }. Returns { value(), set(value) }.
  function choice(parent, { label, options, value, change }) {
    const row = el("label", {}, parent);
    row.append(label);
    const select = el("select", {}, row);
    for (const [key, name] of options) el("option", { value: key }, select, name);
    select.value = value;
    select.addEventListener("change", () => change(select.value));
    return { value: () => select.value, set: (v) => { select.value = v; change(v); } };
  }

  // Some of several optimizers: { label, options, value (a set), change(option, on) }, as buttons that stay pressed and
  // show each one's line. Returns { set(option, on), able(test) }: those that fail the test cannot be pressed.
  function toggles(parent, { label, options, value, change }) {
    const row = el("div", { class: "live-buttons", role: "group", "aria-label": label }, parent), made = {};
    const press = (option, on) => { made[option].setAttribute("aria-pressed", on); change(option, on); };
    for (const option of options) {
      made[option] = button(row, option, () => press(option, made[option].getAttribute("aria-pressed") !== "true"));
      made[option].setAttribute("aria-pressed", value.has(option));
      const line = el("svg", { viewBox: "0 0 24 8", width: 24, height: 8, "aria-hidden": "true" });
      el("line", { x1: 0, x2: 20, y1: 4, y2: 4, "stroke-width": 3, ...optimizer(option) }, line);
      made[option].prepend(line);
    }
    return { set: press, able: (test) => options.forEach((option) => { made[option].disabled = !test(option); }) };
  }

  // Steps in time: a slider from 0 to `steps`, buttons to step and to play. `change(step)` draws. A reader who asked the
  // system for less motion gets the end at once. Returns { value(), set(step), stop() }.
  function player(controls, { label = "step", steps, value = 0, delay = 120, change, format = (t) => `${Math.round(t)}` }) {
    let timer = null;
    const parent = el("div", { class: "live-player" }, controls), row = el("div", { class: "live-buttons" });
    const bar = slider(parent, { label, range: [0, steps], steps, value, format, change: (t) => change(Math.round(t)) });
    const now = () => Math.round(bar.value());
    const stop = () => {
      clearInterval(timer);
      timer = null;
      play.textContent = "▶ play";
    };
    parent.append(row);
    button(row, "one back", () => { stop(); bar.set(Math.max(0, now() - 1)); });
    button(row, "one step", () => { stop(); bar.set(Math.min(steps, now() + 1)); });
    const play = button(row, "▶ play", () => {
      if (timer !== null) return stop();
      if (now() === steps) bar.set(0);
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return bar.set(steps);
      play.textContent = "❚❚ pause";
      timer = setInterval(() => {
        bar.set(now() + 1);
        if (now() >= steps) stop();
      }, delay);
      return undefined;
    });
    bar.input.addEventListener("input", stop);
    return { value: now, set: (t) => { stop(); bar.set(t); }, stop };
  }

  // ---- a figure ----------------------------------------------------------------------------------------------------

  function frame(box) {
    const still = box.querySelector("img"); // for paper, as long as nobody has moved anything
    box.replaceChildren();
    box.classList.add("unmoved", "unmarked");
    const controls = el("div", { class: "live-controls" }, box), panels = el("div", { class: "panels" }, box);
    const verdict = el("p", { class: "verdict", role: "status", "aria-live": "polite" }, box);
    const foot = el("div", { class: "live-foot" }, box), details = el("details", {}, foot);
    el("summary", {}, details, "The numbers");
    const table = el("table", {}, details);
    button(foot, "Show alone (f)", () => alone(box)).setAttribute("aria-keyshortcuts", "f");
    if (still) {
      still.className = "still";
      box.append(still);
    }

    let said = "", presets = null, players = 0, begin = "";
    function moved(event) {
      const made = event.target.closest(event.type === "click" ? ".live-controls button" : event.type === "pointerdown"
        ? "svg.draggable" : ".live-controls *");
      if (!made) return;
      if (!made.closest(".live-player")) box.classList.remove("unmarked");
      box.classList.remove("unmoved");
      verdict.innerHTML = said;
    }
    for (const kind of ["input", "change", "click", "pointerdown"]) box.addEventListener(kind, moved, true);

    function preset(label, action) {
      presets ??= el("div", { class: "live-buttons" }, controls);
      const made = button(presets, label, action);
      presets.insertBefore(made, presets.querySelector(".landmark")); // those that nobody sees yet stand last
      return made;
    }
    return {
      panel: (settings) => panel(panels, settings),
      slider: (settings) => slider(controls, settings),
      button: preset,
      // A button whose very existence is a hint.
      landmark: (label, action) => preset(label, action).classList.add("landmark"),
      choice: (settings) => choice(controls, settings),
      toggles: (settings) => toggles(controls, settings),
      player: (settings) => { players += 1; return player(controls, settings); },
      // The figure plays by itself when it comes into view.
      plays: () => playInView(box),
      // What a figure asks for at first, where that is neither a slider nor a player.
      first: (words) => { begin = words; },
      verdict: (html) => {
        said = html;
        if (!box.classList.contains("unmoved")) verdict.innerHTML = html;
      },
      // The setting that paper and notebooks show, where it is not the first: a function that sets it.
      still: (set) => stills.set(box, set),
      open: () => {
        const slide = controls.querySelectorAll("input").length > 1 ? "Move a slider" : "Move the slider";
        const first = begin || (players ? "Press play" : slide);
        verdict.textContent = `${first}${panels.querySelector(".draggable") ? ", or drag in a picture" : ""}.`;
      },
      // The numbers behind the picture: a header and rows of words.
      table: (header, rows) => {
        table.replaceChildren();
        const line = (cells, tag) => {
          const row = el("tr", {}, table);
          for (const cell of cells) el(tag, tag === "th" ? { scope: "col" } : {}, row, cell);
        };
        line(header, "th");
        for (const row of rows) line(row, "td");
      },
    };
  }

  // Once, when half of it is in view and nobody has touched it: presses play, or moves the first slider to its other end
  // and back, in four seconds. Whoever touches the figure ends that. Never for readers who asked for less motion, nor
  // on slides.
  function playInView(box) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches || document.querySelector(".reveal")) return;
    const begin = () => {
      const play = box.querySelector(".live-player .live-buttons button:last-child"), input = box.querySelector("input");
      if (!box.classList.contains("unmoved")) return;
      if (play) return play.click();
      const start = Number(input.value), most = Number(input.max), far = start > most / 2 ? 0 : most, began = performance.now();
      let touched = false;
      for (const kind of ["pointerdown", "keydown"]) box.addEventListener(kind, () => { touched = true; }, { once: true });
      const move = (now) => {
        const share = Math.min(1, (now - began) / 4000), place = Math.round(start + (far - start) * (1 - Math.abs(1 - 2 * share)));
        if (touched) return;
        if (Number(input.value) !== place) {
          input.value = place;
          input.dispatchEvent(new Event("input", { bubbles: true }));
        }
        if (share < 1) requestAnimationFrame(move);
      };
      requestAnimationFrame(move);
    };
    const watch = new IntersectionObserver((seen) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      watch.disconnect();
      setTimeout(begin, 1500); // for the sentence above it
    }, { threshold: 0.5 });
    watch.observe(box.querySelector(".panels"));
  }

  function figure(name, functions, build) {
    pure[name] = functions;
    for (const box of document.querySelectorAll(`[data-figure="${name}"]`)) {
      const ui = frame(box);
      build(ui);
      ui.open();
    }
  }

  // The figure as a still picture shows it: decided, in the setting that it was given for that.
  function still(box) {
    box.classList.remove("unmoved", "unmarked");
    stills.get(box)?.();
  }

  // One figure at the size of the window, and back: the dialog of the browser keeps the focus inside and knows Escape.
  function alone(box) {
    if (box.parentElement.matches("dialog")) return box.parentElement.close();
    const focused = box.contains(document.activeElement) ? document.activeElement : box.querySelector(".live-foot button");
    let last = focused; // where a reader is; closing the dialog loses it
    const number = box.closest("figure")?.querySelector(".caption-number")?.textContent.trim() ?? "The figure";
    const dialog = el("dialog", { class: "live-alone", "aria-label": `${number}, alone` }, document.body);
    const place = el("div", { style: `height: ${box.offsetHeight}px` }), back = box.querySelector(".live-foot button");
    box.replaceWith(place);
    dialog.append(box);
    back.textContent = "Back to the page (Esc)";
    dialog.addEventListener("focusin", (event) => { last = event.target; });
    dialog.addEventListener("close", () => {
      back.textContent = "Show alone (f)";
      place.replaceWith(box);
      dialog.remove();
      last.focus();
    });
    dialog.showModal();
    focused.focus();
    return undefined;
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "f" || event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input:not([type=range])")) return;
    const box = document.activeElement.closest(".live") ?? document.querySelector(".live:hover");
    if (!box?.querySelector(".live-foot")) return;
    event.preventDefault(); // a list would look for an entry that begins so
    alone(box);
  });

  return { figure, still, optimizer, pure, records, uniforms, normals, normalTail, bfloat16, number, el };
})();
