// A chapter whose cells run on its page: a button, and after it the cells, their outputs and what went wrong.
//
// Until the reader presses the button nothing is loaded. Then come the chapter's cells and the book's files from beside
// the page, and Pyodide: from the pack beside the page where `make browser` has put one, else from its own address, each
// file with its checksum. All runs in a worker (worker.js), which "Stop" ends. A page that was opened from a file does
// the same: whatever lies beside it comes as a script.
// Deliberately absent: saving what a reader has changed.
"use strict";

const BookRun = (() => {
  const here = document.currentScript, name = here.dataset.chapter, files = {}, results = {};
  let chapter = null, running = null, waiting = null, stopped = false, opened = false;

  // ---- pure functions: the tests call them -------------------------------------------------------------------------

  const trimmed = (text) => text.split("\n").map((line) => line.trimEnd()).join("\n").trim();

  // What is said of an output beside the stored one.
  function said({ cell, edited, text, error }) {
    if (error) return "It ended with an error.";
    if (edited) return "Your output, of the code that you changed:";
    if (!cell.text && !text) return cell.pictures ? "Your figure:" : "It ran, and prints nothing.";
    if (trimmed(text) === trimmed(cell.text)) return "Your output is the same as ours.";
    return cell.varies ? "Your output; this one differs from machine to machine:" : "Your output differs from ours:";
  }

  // The cells that a button runs: none, all, those up to one that have not run as they stand and that one, or one alone.
  function order(numbers, which, number, done) {
    if (which === "none") return [];
    if (which === "all") return numbers;
    if (which === "one") return [number];
    return numbers.filter((k) => k === number || (k < number && !done.includes(k)));
  }

  const bytes = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer;

  // ---- loading -----------------------------------------------------------------------------------------------------

  function script(address) {
    return new Promise((resolve, reject) => {
      const made = document.createElement("script");
      made.src = new URL(address, here.src);
      made.onload = () => { made.remove(); resolve(); };
      made.onerror = () => { made.remove(); reject(new Error(`${address} is missing`)); };
      document.head.append(made);
    });
  }

  async function online(file) {
    const integrity = `sha256-${btoa(String.fromCharCode(...chapter.sums[file].match(/../g).map((h) => parseInt(h, 16))))}`;
    let answer;
    try {
      answer = await fetch(chapter.address + file, { integrity });
    } catch {
      throw new Error(`${chapter.address}${file} cannot be loaded, or is not what it should be. Is there a network? ` +
        "Without one, the pages run from a pack: make browser.");
    }
    if (!answer.ok) throw new Error(`${chapter.address}${file} cannot be loaded: ${answer.status}`);
    return answer.arrayBuffer();
  }

  async function load(tell) {
    await script("worker.js");
    await script(`cells/${name}.js`);
    await script("book.js");
    if (chapter.prose) await script("prose.js");
    const packed = await script("pack/pack.js").then(() => true, () => false);
    const wanted = Object.keys(chapter.sums);
    for (const [k, file] of wanted.entries()) {
      tell(`Loading ${k + 1} of ${wanted.length} files${packed ? "" : ` from ${new URL(chapter.address).host}`}: ${file}`);
      if (!(file in files)) {
        if (packed) await script(`pack/${file}.js`); else files[file] = await online(file);
      }
    }
  }

  function start() {
    const source = URL.createObjectURL(new Blob([`(${self.BookRun.worker})()`], { type: "text/javascript" }));
    running = new Worker(source);
    return new Promise((resolve, reject) => {
      running.onmessage = ({ data }) => {
        if (data.ready) return resolve();
        if (data.failed && !waiting) return reject(new Error(data.failed));
        const answer = waiting;
        waiting = null;
        const nothing = { text: "", said: "", pictures: [], error: data.failed, seconds: 0 };
        return answer?.(data.failed ? nothing : data);
      };
      running.onerror = (event) => reject(new Error(event.message || "the worker did not start"));
      running.postMessage({ files, packages: chapter.packages });
    });
  }

  const ask = (number, source) => new Promise((resolve) => {
    waiting = resolve;
    running.postMessage({ number, source });
  });

  // ---- the page ----------------------------------------------------------------------------------------------------

  function el(tag, attributes, parent, text = "") {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(text);
    parent?.append(made);
    return made;
  }
  function button(parent, label, action, name_ = label) {
    const made = el("button", { type: "button", ...(name_ === label ? {} : { "aria-label": name_ }) }, parent, label);
    made.addEventListener("click", action);
    return made;
  }

  const bar = el("section", { class: "run-bar", "aria-label": "Run this chapter" }), places = {};
  const go = button(bar, "▶ Run this chapter here", () => run(opened ? "all" : "none"));
  const stop = button(bar, "Stop", halt);
  const state = el("p", { role: "status" }, bar);
  const clock = el("span", { class: "run-clock", "aria-hidden": "true" }, bar);
  stop.hidden = true;
  const tell = (words) => { state.textContent = words; };
  const { size, minutes } = here.dataset;
  const idle = `Its cells can be changed and run on this page, in Python that is loaded at the click: ${size} MB, once. ` +
    (minutes ? `All cells together take about ${minutes === "1" ? "a minute" : `${minutes} minutes`}.` : "");

  // The text of code that a reader may have changed: browsers write a new line as "\n", as <br> or as a block.
  function written(code) {
    const copy = code.cloneNode(true);
    for (const line of copy.querySelectorAll("br")) line.replaceWith("\n");
    for (const block of copy.querySelectorAll("div, p")) if (block.previousSibling) block.before("\n");
    return copy.textContent.replace(/\n$/, "").replaceAll("\u00a0", " ");
  }
  const editor = (number) => places[number]?.querySelector(".cell_input pre");
  function source(cell) {
    const code = editor(cell.number), text = code && written(code);
    return code && text !== places[cell.number].dataset.code ? text : cell.source;
  }

  // Makes the cells on the page ones that can be changed, each with its buttons and a place for what comes out.
  function open() {
    for (const cell of chapter.cells) {
      const place = document.querySelector(`.run-${cell.number}`), code = place?.querySelector(".cell_input pre");
      if (!code) continue;
      places[cell.number] = place;
      place.dataset.code = written(code);
      const more = { contenteditable: "plaintext-only", role: "textbox", "aria-multiline": "true", spellcheck: "false" };
      for (const [key, value] of Object.entries(more)) code.setAttribute(key, value);
      code.setAttribute("aria-label", `Code of cell ${cell.number}`);
      if (code.contentEditable !== "plaintext-only") code.contentEditable = "true";
      code.addEventListener("keydown", (event) => {
        event.stopPropagation(); // no shortcut of the page
        if (event.key === "Enter" && event.shiftKey) { event.preventDefault(); run("one", cell.number); }
      });
      const row = el("div", { class: "run-cell" }, place);
      button(row, "Run", () => run("one", cell.number), `Run cell ${cell.number}`);
      button(row, "Run to here", () => run("here", cell.number), `Run to cell ${cell.number}`);
      el("div", { class: "run-output" }, place);
    }
    opened = true;
    go.textContent = "▶ Run all";
    document.body.classList.add("run-opened");
  }

  function show(cell, ran, done) {
    const words = said({ cell, edited: ran !== cell.source, ...done }), drawn = cell.pictures;
    results[cell.number] = { ...done, source: ran, pictures: done.pictures.length, drawn, said: words, expected: cell.text };
    const place = places[cell.number]?.querySelector(".run-output");
    if (!place) return;
    place.replaceChildren();
    el("p", { class: done.error ? "run-error" : "" }, place, `${words} (${done.seconds.toFixed(1)} s)`);
    if (done.text && !words.endsWith("ours.")) el("pre", { tabindex: "0" }, place, done.text);
    if (done.said) el("pre", { tabindex: "0" }, place, done.said);
    if (done.error) el("pre", { class: "run-error", tabindex: "0" }, place, done.error);
    done.pictures.forEach((svg, k) => {
      const src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
      el("img", { alt: `Your figure ${k + 1} of cell ${cell.number}`, src }, place);
    });
  }

  let seconds = null;
  function busy(on) {
    stop.hidden = !on;
    for (const made of document.querySelectorAll(".run-bar button, .run-cell button")) if (made !== stop) made.disabled = on;
    clearInterval(seconds);
    clock.textContent = "";
    if (on) {
      const begin = Date.now();
      seconds = setInterval(() => { clock.textContent = `${Math.round((Date.now() - begin) / 1000)} s`; }, 1000);
    }
  }

  function halt() {
    stopped = true;
    running?.terminate();
    running = null;
    for (const key of Object.keys(results)) delete results[key];
    const answer = waiting;
    waiting = null;
    answer?.(null);
    busy(false);
    tell("Stopped. What the cells had defined is gone; the next run begins anew.");
  }

  async function run(which, number) {
    stopped = false;
    busy(true);
    try {
      if (!opened) {
        await load(tell);
        if (stopped) return;
        open();
      }
      if (!running) {
        tell("Python is starting.");
        await start();
      }
      const cells = Object.fromEntries(chapter.cells.map((cell) => [cell.number, cell]));
      const fresh = (k) => !results[k].error && results[k].source === source(cells[k]); // has run as it stands
      const done = Object.keys(results).map(Number).filter(fresh);
      const todo = order(chapter.cells.map((cell) => cell.number), which, number, done);
      for (const [k, next] of todo.entries()) {
        tell(`Cell ${next} is running: ${k + 1} of ${todo.length}.`);
        const ran = source(cells[next]), answer = await ask(next, ran);
        if (!answer) return;
        show(cells[next], ran, answer);
        if (answer.error) {
          const unseen = places[next] ? "" : ` The page does not show this cell: ${answer.error.split("\n").pop()}`;
          tell(`Cell ${next} ended with an error.${unseen}`);
          return;
        }
      }
      const count = (end) => Object.values(results).filter((r) => r.said.endsWith(end)).length;
      const same = `${count("same as ours.")} are the same as ours and ${count("differs from ours:")} differ`;
      tell(which === "none" ? "Python is here. Change what you like, and press Run all, or Run to here below a cell."
        : which === "one" ? `Cell ${number} has run.` : `${todo.length} cells have run. Of all outputs ${same}.`);
    } catch (error) {
      if (stopped) return;
      running?.terminate();
      running = null;
      tell(`It cannot run: ${error.message}`);
    } finally {
      if (!stopped) busy(false);
    }
  }

  const top = document.querySelector("article h1");
  top?.after(bar);
  tell(idle);

  return {
    give: (made) => { chapter = made; },
    put: (file, base64) => { files[file] = bytes(base64); },
    results, pure: { said, order, trimmed },
  };
})();
self.BookRun = BookRun; // the scripts that come later find it
