// What a deck does with the figures that move: it opens them at their setting, undecided, keeps their words readable from the last
// row, and lets their keys work on them and not on the deck. Keys of a clicker (Page Up, Page Down) always turn the page.
"use strict";

(() => {
  const LEAST = 20; // px of a slide of 1280 x 720

  const clean = (text) => text.replace(/\s+/g, " ").trim();

  // A button, or one of a choice, by what is written on it.
  function press(box, label) {
    const button = [...box.querySelectorAll(".live-controls button")].find((b) => clean(b.textContent) === label);
    if (button) return button.click();
    const option = [...box.querySelectorAll(".live-controls option")].find((o) => clean(o.textContent) === label);
    if (!option) {
      const known = [...box.querySelectorAll(".live-controls button, .live-controls option")].map((b) => clean(b.textContent));
      throw new Error(`the figure ${box.dataset.figure} has no button ${label}; it has ${known.join(", ")}`);
    }
    const choice = option.parentElement;
    choice.value = option.value;
    choice.dispatchEvent(new Event("change", { bubbles: true }));
    return undefined;
  }

  function missing(wanted, count, name, what = "panels") {
    if (wanted.some((k) => k > count)) throw new Error(`${name} has ${count} ${what}, and not ${Math.max(...wanted)}`);
  }

  // Of the panels of a drawn picture those that are wanted, with their scales of colours: a scale is a thin panel filled
  // by an image, and belongs to the panel nearest to it.
  function chosen(panels, wanted) {
    const area = (panel) => panel.querySelector("[id^=patch_]")?.getBBox() ?? panel.getBBox();
    const isScale = (panel) => {
      const { width, height } = area(panel);
      return panel.querySelector("image") && Math.max(width / height, height / width) > 8;
    };
    const apart = (one, other) => {
      const [a, b] = [area(one), area(other)];
      return Math.hypot(Math.max(0, a.x - b.x - b.width, b.x - a.x - a.width), Math.max(0, a.y - b.y - b.height, b.y - a.y - a.height));
    };
    const whole = panels.filter((panel) => !isScale(panel));
    const owner = (scale) => whole.reduce((near, panel) => (apart(panel, scale) < apart(near, scale) ? panel : near));
    return panels.filter((panel, k) => wanted.includes(k + 1) || (isScale(panel) && wanted.includes(panels.indexOf(owner(panel)) + 1)));
  }

  // Moves a legend beside the frame or above it, where the picture becomes larger; the corners of where it is then.
  function attach(svg, legend, [left, top, right, bottom]) {
    const { x, y, width, height } = legend.getBBox(), gap = 8;
    const drawn = (w, h) => Math.min(svg.clientWidth / w, svg.clientHeight / h);
    const beside = drawn(right - left + gap + width, Math.max(bottom - top, height));
    const above = drawn(Math.max(right - left, width), bottom - top + gap + height);
    const at = beside > above ? [right + gap, (top + bottom - height) / 2] : [(left + right - width) / 2, top - gap - height];
    legend.setAttribute("transform", `translate(${at[0] - x} ${at[1] - y})`);
    svg.append(legend);
    return [at, [at[0] + width, at[1] + height]];
  }

  const around = (corners, margin) => [
    ...[0, 1].map((k) => Math.min(...corners.map((corner) => corner[k])) - margin),
    ...[0, 1].map((k) => Math.max(...corners.map((corner) => corner[k])) + margin),
  ];

  // Of a picture that Matplotlib drew: the panels that the deck names, or all, without the margin, as large as there is
  // room. Curves do not count for the size of a panel, for they may reach beyond it and be cut. The legends that stand
  // elsewhere come along, or those that the deck names.
  function cut(svg) {
    if (svg.dataset.cut) return;
    const [wanted, named] = [svg.dataset.panels, svg.dataset.legend].map((words) => words.split(" ").filter(Boolean).map(Number));
    const panels = [...svg.querySelectorAll("[id^=axes_]")], name = svg.getAttribute("aria-label");
    missing(wanted, panels.length, name);
    const shown = wanted.length ? chosen(panels, wanted) : panels;
    const fixed = wanted.length ? [] : [...svg.querySelectorAll("[id^=figure_] > :is([id^=text], [id^=legend])")];
    for (const panel of shown) {
      // without axes there is no frame either, and its patches are all that has a size
      const counted = panel.querySelector("[id^=matplotlib]") ? /^(matplotlib|legend|text)/ : /^(patch|legend|text)/;
      fixed.push(...[...panel.children].filter((g, n) => n === 0 || counted.test(g.id)));
    }
    const corners = fixed.map((g) => g.getBBox()).filter((box) => box.width > 0)
      .flatMap(({ x, y, width, height }) => [[x, y], [x + width, y + height]]);
    const legends = wanted.length ? [...svg.querySelectorAll("[id^=legend_]")].filter((legend) => !shown.includes(legend.closest("[id^=axes_]"))) : [];
    missing(named, legends.length, name, "legends");
    legends.forEach((legend, k) => {
      if (!named.length || named.includes(k + 1)) corners.push(...attach(svg, legend, around(corners, 0)));
      else legend.style.display = "none";
    });
    for (const panel of panels) if (!shown.includes(panel)) panel.style.display = "none";
    const [left, top, right, bottom] = around(corners, 3);
    svg.setAttribute("viewBox", [left, top, right - left, bottom - top].join(" "));
    svg.dataset.cut = true;
  }

  function prepare(box) {
    box.querySelector(".live-foot")?.remove(); // the figure is alone already
    const setting = box.closest("figure").querySelector(".setting")?.dataset ?? {};
    const verdict = box.querySelector(".verdict"), first = verdict.textContent;
    for (const label of (setting.press ?? "").split(";").map(clean).filter(Boolean)) press(box, label);
    box.classList.add("unmoved", "unmarked"); // the hall has not moved anything yet
    verdict.textContent = first;
    const wanted = (setting.panels ?? "").split(" ").filter(Boolean).map(Number);
    const panels = [...box.querySelectorAll(".panels > svg")];
    missing(wanted, panels.length, box.dataset.figure);
    new ResizeObserver(readable).observe(box.querySelector(".panels")); // a longer sentence below leaves less room
    if (wanted.length) panels.forEach((svg, k) => { if (!wanted.includes(k + 1)) svg.style.display = "none"; });
    box.addEventListener("keydown", (event) => {
      if (event.key === "PageDown" || event.key === "PageUp") {
        event.preventDefault();
        event.target.blur();
      } else if (event.key === "Escape") {
        event.target.blur();
        event.stopPropagation();
      } else if (["Enter", " "].includes(event.key) || !event.target.matches("button")) {
        event.stopPropagation(); // a slider takes the arrows, a button leaves them to the deck
      }
    });
  }

  // A formula fits on its line, and leaves room for its number.
  function fit(line) {
    const formula = line.querySelector("mjx-math"), number = line.querySelector(".eqno");
    const room = line.clientWidth - (number ? 2 * (number.offsetWidth + 16) : 0), share = room / formula?.offsetWidth;
    if (share < 1) formula.style.fontSize = `${Math.floor(99 * share)}%`;
  }

  // The points of a chapter are as large as there is room.
  function shrink(points) {
    const every = points.closest("section").querySelectorAll(".points"), last = [...every].pop();
    for (let size = 30; size > LEAST && last.offsetTop + last.offsetHeight > 670; size -= 1) {
      every.forEach((one) => { one.style.fontSize = `${size - 1}px`; });
    }
  }

  // The word at an axis keeps clear of its numbers: it moves to the left, and the picture widens with it.
  function clear(svg) {
    const label = svg.querySelector("text[transform*='rotate(-90)']"), at = label?.getAttribute("transform").match(/[\d.-]+/g);
    const ticks = [...svg.querySelectorAll(".tick[text-anchor=end]")].map((tick) => tick.getBBox().x);
    const words = parseFloat(getComputedStyle(svg).getPropertyValue("--words")), x = Math.min(...ticks) - 0.35 * words;
    if (!label || !ticks.length || x >= Number(at[0])) return;
    label.setAttribute("transform", `translate(${x} ${at[1]}) rotate(-90)`);
    const { width, height } = svg.viewBox.baseVal, left = Math.min(0, x - words);
    svg.setAttribute("viewBox", [left, 0, width - left, height].join(" "));
  }

  // Words grow where a picture is drawn small.
  function grow(svg) {
    const { width, height } = svg.viewBox.baseVal;
    const drawn = Math.min(svg.clientWidth / width, svg.clientHeight / height);
    svg.style.setProperty("--words", `${Math.max(13, LEAST / drawn).toFixed(2)}px`);
  }

  function readable() {
    document.querySelectorAll("section.present svg.picture").forEach(cut);
    document.querySelectorAll("section.present div.math").forEach(fit);
    document.querySelectorAll("section.present .points").forEach(shrink);
    for (const svg of document.querySelectorAll("section.present .live .panels > svg")) {
      if (!svg.clientWidth) continue;
      grow(svg);
      clear(svg);
      grow(svg);
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    Reveal.on("slidechanged", () => {
      document.activeElement?.blur();
      readable();
    });
    document.querySelectorAll(".live").forEach(prepare);
  });

  // The speaker's view is another page, without MathJax: the formulas of the notes are set by the browser itself.
  window.addEventListener("load", () => MathJax.startup.promise.then(() => {
    readable();
    for (const formula of document.querySelectorAll("aside.notes mjx-container")) {
      formula.replaceWith(formula.querySelector("mjx-assistive-mml > math"));
    }
  }));
})();
