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

  function missing(wanted, count, name) {
    if (wanted.some((k) => k > count)) throw new Error(`${name} has ${count} panels, and not ${Math.max(...wanted)}`);
  }

  // Of a picture that Matplotlib drew: the panels that the deck names, or all, without the margin, as large as there is
  // room. Curves do not count for the size of a panel, for they may reach beyond it and be cut.
  function cut(svg) {
    if (svg.dataset.cut) return;
    const wanted = svg.dataset.panels.split(" ").filter(Boolean).map(Number);
    const panels = [...svg.querySelectorAll("[id^=axes_]")];
    missing(wanted, panels.length, svg.getAttribute("aria-label"));
    const outside = wanted.length ? [] : [...svg.querySelectorAll("[id^=figure_] > :is([id^=text], [id^=legend])")];
    const fixed = [...outside];
    panels.forEach((panel, k) => {
      if (wanted.length && !wanted.includes(k + 1)) panel.style.display = "none";
      else {
        // without axes there is no frame either, and its patches are all that has a size
        const counted = panel.querySelector("[id^=matplotlib]") ? /^(matplotlib|legend|text)/ : /^(patch|legend|text)/;
        fixed.push(...[...panel.children].filter((g, n) => n === 0 || counted.test(g.id)));
      }
    });
    const corners = fixed.map((g) => g.getBBox()).filter((box) => box.width > 0)
      .flatMap(({ x, y, width, height }) => [[x, y], [x + width, y + height]]);
    const [left, top] = [0, 1].map((k) => Math.min(...corners.map((corner) => corner[k])) - 3);
    const [right, bottom] = [0, 1].map((k) => Math.max(...corners.map((corner) => corner[k])) + 3);
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
