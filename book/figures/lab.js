// Which method is better here, and who says so? The reader sets up a comparison, and the rule for ties judges it.
// What the laboratory computes stands in the folder lab/, each part by itself; this is its bench.
"use strict";
(() => {
  const { experiment, whole, middle, able, names } = Live.lab.experiment, { problems } = Live.lab.problems;
  const { path } = Live.lab.methods, { gradient, exact, parts, pairs, odds } = Live.lab.problems;
  const { reach, compare, family, seen } = Live.lab.judge;

  // About `count` round numbers between two others.
  function ticks(low, high, count = 5) {
    const rough = (high - low) / count, size = Exact.power(10, Math.floor(Exact.log10(rough)));
    const step = size * [1, 2, 5, 10].find((k) => k * size >= rough);
    const first = Math.ceil(low / step), many = Math.floor(high / step) - first + 1;
    return Array.from({ length: many }, (_, k) => Number(((first + k) * step).toPrecision(12)));
  }

  // A setting, and the address that holds what differs from the usual one: "#lab&problem=words&of=SGD.Adam&Adam=-1", where
  // a method's own number moves the middle of its grid by octaves. What an address says wrongly is left out.
  const usual = { problem: "bowl", ours: "Adam", kind: "lower", margin: 0.1, trials: 7, seeds: 10, batch: 16, steps: 100, draw: 0 };
  const limits = { margin: [0.01, 1], trials: [1, 13], seeds: [2, 20], batch: [1, 4096], steps: [50, 400], draw: [0, 99] };
  const lists = { problem: Object.keys(problems), ours: names, kind: ["lower", "more", "equal"] };
  const begin = { ...usual, of: ["SGD", "Momentum", "Nesterov", "Adam", "LAMB"], octaves: {} }, shifts = [-7, 7];
  function written({ methods, octaves, ...setting }) {
    const told = Object.keys(usual).filter((key) => setting[key] !== usual[key]).map((key) => [key, setting[key]]);
    const moved = names.filter((name) => octaves[name]).map((name) => [name, octaves[name]]);
    return `#lab&${new URLSearchParams([["of", methods.join(".")], ...told, ...moved])}`;
  }
  function read(address) {
    if (!address.startsWith("#lab&")) return null;
    const made = { ...begin, octaves: {} };
    const inside = (text, [low, high]) => Math.max(low, Math.min(high, Number(text) || 0));
    for (const [key, text] of new URLSearchParams(address.slice(5))) {
      if (key === "of") made.of = names.filter((name) => text.split(".").includes(name));
      else if (names.includes(key)) made.octaves[key] = Math.round(inside(text, shifts));
      else if (key === "margin") made.margin = Number(inside(text, limits.margin).toPrecision(2));
      else if (Object.hasOwn(limits, key)) made[key] = Math.round(inside(text, limits[key]));
      else if (Object.hasOwn(lists, key) && lists[key].includes(text)) made[key] = text;
    }
    return made;
  }

  const pure = {
    names: () => names, path, reach, compare, family, seen, gradient, exact, parts, pairs, odds, ticks, written, read,
    experiment: (setting) => whole(experiment({ octaves: {}, draw: 0, ...setting })),
  };

  Live.figure("lab", pure, (ui) => {
    const state = { ...usual }, chosen = new Set(begin.of), octaves = {}, past = [], judges = {};
    const colors = { confirmed: "var(--c)", contradicted: "var(--b)", "not resolved": "var(--soft)" };
    const methods = () => names.filter((name) => chosen.has(name) && able(name, state.problem));
    const nats = ({ problem }) => problems[problem].unit === "nats", short = (v) => Live.number(v, 3);
    const join = (list) => [list.slice(0, -1).join(", "), ...list.slice(-1)].filter(Boolean).join(" and ");

    // What is claimed: a range of differences, and its words.
    function claimed({ kind, margin }) {
      const m = Live.number(margin);
      if (kind === "equal") return { range: [-margin, margin], words: `ends equal to each of the others within ${m}` };
      if (kind === "more") return { range: [margin, Infinity], words: `ends lower by more than ${m} than each of the others` };
      return { range: [0, Infinity], words: "ends lower than each of the others" };
    }
    // The setting, without what does nothing in it.
    function setting() {
      const batch = problems[state.problem].most ? state.batch : usual.batch;
      const margin = state.kind === "lower" ? usual.margin : state.margin;
      return { ...state, batch, margin, methods: methods(), claim: claimed(state).range, octaves: { ...octaves } };
    }
    const judging = ({ draw, seeds }) => `seeds ${20 * draw + 1} to ${20 * draw + seeds}`;
    // Whether these seeds have judged this problem in another setting. Asked first with `now`, they do from now on.
    function reused(one, now = false) {
      const task = [one.problem, one.batch, one.steps, one.draw].join(), address = written(one);
      if (now) judges[task] ??= address;
      return (judges[task] ?? address) !== address;
    }

    // ---- the pictures ------------------------------------------------------------------------------------------------

    let drawn = [];
    const size = { width: 350, height: 280 };
    const room = (values, share) => {
      const low = Math.min(...values), high = Math.max(...values), length = high - low || 1;
      return [low - share * length, high + 0.06 * length];
    };

    function tuning(all) { // the score over the rate, a line for each method
      const lines = all.flatMap(({ results, setting: { problem }, opacity }) => Object.entries(results).map(([name, r]) => {
        const points = r.tried.map(([rate, score]) => [Exact.log2(rate / middle(problem, name)), score]);
        return { name, points, best: r.tried.findIndex(([rate]) => rate === r.rate), opacity };
      }));
      const tried = lines.length ? lines.flatMap(({ points }) => points) : [[-1, 0], [1, 1]];
      const places = tried.map(([k]) => k), far = [Math.min(...places) - 0.5, Math.max(...places) + 0.5];
      const y = room(tried.map(([, score]) => score), 0.06);
      const format = (k) => (k < 0 ? `1/${Exact.power(2, -k)}` : `${Exact.power(2, k)}`);
      const panel = ui.panel({ ...size, title: "Tuning: one seed, equally many rates",
        x: { range: far, ticks: ticks(...far, 6).filter(Number.isInteger), label: "rate / usual rate", format },
        y: { range: y, ticks: ticks(...y), label: nats(state) ? "loss (nats)" : "loss, power of ten" } });
      for (const { name, points, best, opacity } of lines) {
        panel.line(points, { ...Live.optimizer(name), opacity });
        points.forEach(([k, score], i) => panel.dot(k, score, { r: i === best ? 5 : 2, fill: `var(--${name})`, opacity }));
      }
      return panel;
    }

    function judgement(all) { // the differences, a row for each other method; the run before below the new one
      const same = all.filter(({ setting: { ours } }) => ours === state.ours);
      const bars = same.flatMap(({ comparisons, results, opacity }) => Object.entries(comparisons).map(([name, c]) => {
        const dots = results[name].losses.map((v, k) => v - results[state.ours].losses[k]);
        return { ...c, name, dots, opacity, below: opacity < 1 && all.length > 1 ? 0.3 : 0 };
      }));
      const rows = bars.length ? [...new Set([state.ours, ...bars.map(({ name }) => name)])] : [];
      const ends = bars.flatMap(({ dots, low, high }) => [...dots, low, high]).filter(Number.isFinite);
      const places = rows.length ? [...ends, 0] : [-1, 1], bottom = rows.length + 0.5, top = 0.4;
      const x = rows.length ? room(places, 0.6) : places, [least, most] = room(places, 0.06);
      const inside = (v) => Math.max(least, Math.min(most, v)), [from, to] = claimed(state).range.map(inside);
      const panel = ui.panel({ ...size, title: `${state.seeds} fresh seeds: theirs − ${state.ours}`,
        x: { range: x, ticks: ticks(least, most), label: `difference (${nats(state) ? "nats" : "powers of ten"})` },
        y: { range: [bottom, top], ticks: [], label: "" } });
      if (rows.length) panel.area([[from, top], [to, top], [to, bottom], [from, bottom]], {}, panel.back);
      panel.line([[0, top], [0, bottom]], { stroke: "var(--ink)", "stroke-width": 1.2 }, panel.back);
      rows.forEach((name, k) => { // with its line, as in the other picture
        const [from, to, word] = [0.01, 0.08, 0.1].map((share) => x[0] + share * (x[1] - x[0]));
        panel.line([[from, k + 1], [to, k + 1]], Live.optimizer(name));
        panel.text(word, k + 1, name, { dy: "0.35em" });
      });
      for (const { name, low, high, difference, verdict, dots, opacity, below } of bars) {
        const stroke = colors[verdict], y = rows.indexOf(name) + 1 + below;
        panel.line([[inside(low), y], [inside(high), y]], { stroke, "stroke-width": 4, opacity });
        for (const d of dots) panel.dot(d, y, { r: 2.4, fill: "var(--ink)", "fill-opacity": 0.55, opacity });
        panel.dot(difference, y, { r: 5, fill: stroke, opacity });
      }
      return panel;
    }

    // A result, and faintly the one before it, where its losses are in the same unit.
    function pictures(found, before) {
      for (const panel of drawn) panel.svg.remove();
      const faint = before && nats(before.setting) === nats(state) ? [{ ...before, opacity: 0.35 }] : [];
      const all = [...faint, ...(found ? [{ ...found, opacity: 1 }] : [])];
      drawn = [tuning(all), judgement(all)];
      earlier.replaceChildren();
      if (!before) return;
      const link = Live.el("a", { href: written(before.setting) }, earlier, found ? "The run before" : "The last run");
      link.after(`${faint.length ? ", faint" : ""}, on ${before.setting.problem}, ${judging(before.setting)}: `);
      Live.el("span", {}, earlier).innerHTML = outcome(before);
    }

    // ---- the outcome, in words and in a table ------------------------------------------------------------------------

    function outcome({ comparisons, setting }) {
      const rows = Object.entries(comparisons), of = (verdict) => rows.filter(([, c]) => c.verdict === verdict);
      const verdicts = Object.keys(colors).filter((verdict) => of(verdict).length)
        .map((verdict) => `<b>${verdict}</b> against ${join(of(verdict).map(([name]) => name))}`);
      return `${setting.ours} ${claimed(setting).words}: ${verdicts.join("; ")}.`;
    }
    function tell(found) {
      const { results, comparisons, setting } = found, rows = Object.entries(comparisons);
      const of = (verdict) => rows.filter(([, c]) => c.verdict === verdict);
      const hidden = of("not resolved").map(([, c]) => seen(c)).filter(Number.isFinite).sort((a, b) => a - b);
      const [least, most] = [hidden[0], hidden.at(-1)].map((v) => Live.number(v ?? 0));
      const listed = (test) => join(Object.keys(results).filter((name) => test(results[name])));
      const edge = listed((r) => r.edge), failed = listed((r) => r.failed), said = [];
      if (hidden.length) {
        const which = setting.kind === "equal" ? "margin" : "gap";
        said.push(`Not resolved is not equal: a ${which} of ${least === most ? least : `${least} to ${most}`} could have been seen.`);
      }
      if (edge) said.push(`The best rate of ${edge} lies at the edge of its grid, so a better one may lie outside.`);
      if (failed) said.push(`Some runs of ${failed} ended no lower than they began.`);
      if (reused(setting, true)) {
        said.push("These seeds judged here before you changed the setting. If you chose the change by what they said, you now " +
          "judge by seeds that you have tuned on: press New seeds.");
      }
      ui.verdict([outcome(found), ...said].join(" "));

      const heads = ["verdict", "theirs − ours", "interval", "can see", "no lower than its start"];
      ui.table(["method", "rate", nats(setting) ? "mean loss" : "geometric mean", ...heads], Object.entries(results).map(([name, r]) => {
        const c = comparisons[name], mean = r.losses.reduce((a, v) => a + v, 0) / r.losses.length;
        const known = c?.df ? [`${short(c.low)} to ${short(c.high)}`, short(seen(c))] : ["none", "none"];
        const judged = c ? [c.verdict, short(c.difference), ...known] : ["", "", "", ""];
        const rate = `${short(r.rate)}${r.edge ? " (edge)" : ""}`;
        return [name, rate, short(nats(setting) ? mean : Exact.power(10, mean)), ...judged, `${r.failed} of ${r.losses.length}`];
      }));
    }

    // ---- running, a few milliseconds at a time, so that the page stays alive -------------------------------------------

    let job = null;
    function stop() {
      job = null;
      progress.style.visibility = "hidden";
      run.textContent = "Run";
    }
    function wait() { // a setting has changed: what was shown belongs to another one
      stop();
      pictures(null, past.at(-1));
      ui.table([], []);
      const { problem, ours, kind, trials, seeds, steps } = state, many = methods(), { says, most } = problems[problem];
      for (const [control, does] of [["batch", most > 0], ["margin", kind !== "lower"]]) {
        controls[control].input.closest("label").hidden = !does;
      }
      const batch = most ? `Batches of ${Math.min(most, state.batch)}.` : "Its gradient is exact: there is no batch.";
      const matrix = able(ours, problem) ? "" : ", on a problem whose weights are matrices";
      const wrong = !many.includes(ours) ? `Choose ${ours} among the methods${matrix}.`
        : many.length < 2 ? "Choose two methods or more." : "";
      const work = `${many.length} methods × (${trials} ${trials > 1 ? "rates" : "rate"} + ${seeds} fresh seeds) × ${steps} steps`;
      const known = reused(setting()) ? ` They have judged here before, in another setting: ${judging(state)}.` : "";
      ui.verdict(`Claim: <b>${ours} ${claimed(state).words}</b>, on ${says}. ${batch} ${wrong || `Press Run: ${work}.${known}`}`);
      run.disabled = wrong !== "";
    }
    function show(found) {
      stop();
      pictures(found, past.at(-1));
      tell(found);
      past.push(found);
    }
    async function start() {
      if (job) return wait();
      const mine = experiment(setting());
      job = mine;
      run.textContent = "Stop";
      progress.style.visibility = "visible";
      keep();
      if (phone.matches) fold.open = false;
      ui.verdict("Running.");
      for (let now = mine.next(); ; ) {
        for (const until = performance.now() + 24; !now.done && performance.now() < until; ) now = mine.next();
        if (now.done) return show(now.value);
        progress.value = now.value;
        await new Promise((done) => setTimeout(done));
        if (job !== mine) return undefined;
      }
    }

    // ---- controls ------------------------------------------------------------------------------------------------------

    const run = ui.button("Run", start), bench = run.parentElement.parentElement;
    ui.button("New seeds", () => {
      state.draw = (state.draw + 1) % (limits.draw[1] + 1);
      wait();
      if (!run.disabled) start();
    });
    // The address of the setting, to be sent: in the address bar from Run on, and on the clipboard where it may be.
    const address = () => new URL(written(setting()), location.href).href;
    function keep() { history.replaceState(null, "", address()); }
    const copy = ui.button("Copy link", async () => {
      keep();
      copy.textContent = await navigator.clipboard?.writeText(address()).then(() => "Copied", () => null) ?? "It is in the address bar";
      setTimeout(() => { copy.textContent = "Copy link"; }, 2000);
    });
    const progress = Live.el("progress", { max: 1, value: 0, "aria-label": "how much is done" }, run.parentElement);
    run.classList.add("go");

    const set = (key) => (v) => { state[key] = v; wait(); }, round = (key) => (v) => set(key)(Math.round(v));
    const count = (v) => Live.number(Math.round(v), 4), named = (list) => list.map((name) => [name, name]);
    const moved = () => rate.set(octaves[state.ours] ?? 0);
    const controls = { draw: { set: set("draw") } };
    controls.problem = ui.choice({ label: "problem", value: state.problem, options: named(lists.problem),
      change: (v) => { state.problem = v; toggles.able((name) => able(name, v)); moved(); } });
    controls.ours = ui.choice({ label: "ours", value: state.ours, options: named(names),
      change: (v) => { state.ours = v; toggles.set(v, true); moved(); } });
    const rate = ui.slider({ label: "rate of ours, middle", range: shifts, steps: 14, value: 0,
      format: (k) => Live.number(middle(state.problem, state.ours, Math.round(k))),
      change: (k) => { octaves[state.ours] = Math.round(k); wait(); } });
    controls.kind = ui.choice({ label: "claim", value: state.kind, change: set("kind"), options: [["lower", "ends lower"],
      ["more", "ends lower by more than the margin"], ["equal", "ends equal within the margin"]] });
    controls.margin = ui.slider({ label: "margin", range: limits.margin, log: true, steps: 20, value: state.margin,
      change: (v) => set("margin")(Number(v.toPrecision(2))) });
    const slider = (key, label, steps, log) =>
      ui.slider({ label, range: limits[key], steps, log, value: state[key], format: count, change: round(key) });
    controls.trials = slider("trials", "rates tried, each method", 6);
    controls.seeds = slider("seeds", "fresh seeds", 18);
    controls.batch = slider("batch", "batch", 12, true);
    controls.steps = slider("steps", "steps", 7);
    const toggles = ui.toggles({ label: "methods", options: names, value: chosen,
      change: (name, on) => { chosen[on ? "add" : "delete"](name); wait(); } });

    // On a phone the settings are folded, so that the pictures are next to Run.
    const phone = matchMedia("(max-width: 600px)"), fold = Live.el("details", phone.matches ? {} : { open: "" });
    Live.el("summary", {}, fold, "Settings");
    Live.el("div", { class: "live-controls" }, fold).append(...bench.querySelectorAll("label, [role=group]"));
    bench.append(fold);
    const earlier = Live.el("p", { class: "earlier" });
    bench.parentElement.querySelector(".verdict").after(earlier);
    bench.parentElement.querySelector("table").tabIndex = 0; // it scrolls on a phone

    function setUp(made) {
      for (const name of names) octaves[name] = made.octaves[name] ?? 0;
      for (const key of Object.keys(usual)) controls[key].set(made[key]);
      for (const name of names) toggles.set(name, made.of.includes(name));
    }
    const question = (number, differs) => ui.button(`Question ${number}`, () => setUp({ ...begin, ...differs }));
    const axes = { ours: "Adafactor", of: ["SGD", "Nesterov", "Adam", "Adafactor"] };
    question(1, axes);
    question(2, { problem: "noisy bowl", ours: "Nesterov", batch: 1, of: ["SGD", "Nesterov"] });
    question(3, { problem: "digits", ours: "SGD", trials: 1, of: ["SGD", "AdamW"], octaves: { AdamW: 5 } });
    question(4, { problem: "digits", ours: "LARS", of: ["SGD", "Nesterov", "Adam", "LARS"] });
    question(5, { problem: "words", of: ["SGD", "Adam"] });

    // A setting that was sent says what it claims at once.
    function open() {
      const made = read(location.hash);
      if (!made) return;
      bench.parentElement.classList.remove("unmoved", "unmarked");
      setUp(made);
      bench.scrollIntoView();
    }
    addEventListener("hashchange", open);

    ui.still(() => { setUp({ ...begin, ...axes, problem: "valley" }); show(whole(experiment(setting()))); });
    ui.first("Press Run");
    toggles.able((name) => able(name, state.problem));
    wait();
    queueMicrotask(open); // after the figure has said what to press
  });
})();
