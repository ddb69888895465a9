// Which method is better here, and who says so? The reader sets up a comparison, and the rule for ties judges it.
// What the laboratory computes stands in the folder lab/, each part by itself; this is its bench.
"use strict";
(() => {
  const { experiment, whole, middle, able, names } = Live.lab.experiment, { problems } = Live.lab.problems;
  const { path } = Live.lab.methods, { digitsGradient, exact, parts } = Live.lab.problems;
  const { reach, compare, family, seen } = Live.lab.judge;

  // About `count` round numbers between two others.
  function ticks(low, high, count = 5) {
    const rough = (high - low) / count, size = Exact.power(10, Math.floor(Exact.log10(rough)));
    const step = size * [1, 2, 5, 10].find((k) => k * size >= rough);
    const first = Math.ceil(low / step), many = Math.floor(high / step) - first + 1;
    return Array.from({ length: many }, (_, k) => Number(((first + k) * step).toPrecision(12)));
  }

  const pure = {
    names: () => names, path, reach, compare, family, seen, digitsGradient, exact, parts, ticks,
    experiment: (setting) => whole(experiment({ octaves: {}, ...setting })),
  };

  Live.figure("lab", pure, (ui) => {
    const state = { problem: "bowl", ours: "Adam", kind: "lower", margin: 0.1, trials: 5, seeds: 8, batch: 16, steps: 100 };
    const chosen = new Set(["SGD", "Momentum", "Nesterov", "Adam", "LAMB"]), octaves = {};
    const colors = { confirmed: "var(--c)", contradicted: "var(--b)", "not resolved": "var(--soft)" };
    const methods = () => names.filter((name) => chosen.has(name) && able(name, state.problem));
    const nats = () => problems[state.problem].unit === "nats", short = (v) => Live.number(v, 3);
    const join = (list) => [list.slice(0, -1).join(", "), ...list.slice(-1)].filter(Boolean).join(" and ");

    // What is claimed: a range of differences, and its words.
    function claimed() {
      const { kind, margin } = state, m = Live.number(margin);
      if (kind === "equal") return { range: [-margin, margin], words: `ends equal to each of the others within ${m}` };
      if (kind === "more") return { range: [margin, Infinity], words: `ends lower by more than ${m} than each of the others` };
      return { range: [0, Infinity], words: "ends lower than each of the others" };
    }

    // ---- the pictures ------------------------------------------------------------------------------------------------

    let drawn = [];
    const size = { width: 350, height: 280 };
    const room = (values, share) => {
      const low = Math.min(...values), high = Math.max(...values), length = high - low || 1;
      return [low - share * length, high + 0.06 * length];
    };

    function tuning(results) { // the score over the rate, a line for each method
      const tried = Object.values(results).flatMap((r) => r.tried.map(([, score]) => score));
      const y = room(tried.length ? tried : [0, 1], 0.06), far = Math.max(1, (state.trials - 1) / 2) + 0.5;
      const format = (k) => (k < 0 ? `1/${Exact.power(2, -k)}` : `${Exact.power(2, k)}`), octave = ticks(-far, far, 6).filter(Number.isInteger);
      const panel = ui.panel({ ...size, title: "Tuning: one seed, equally many rates",
        x: { range: [-far, far], ticks: octave, label: "rate / middle of the grid", format },
        y: { range: y, ticks: ticks(...y), label: nats() ? "loss (nats)" : "loss, power of ten" } });
      for (const [name, { tried: all, rate }] of Object.entries(results)) {
        const half = (all.length - 1) / 2;
        panel.line(all.map(([, score], k) => [k - half, score]), Live.optimizer(name));
        all.forEach(([lr, score], k) => panel.dot(k - half, score, { r: lr === rate ? 5 : 2, fill: `var(--${name})` }));
      }
      return panel;
    }

    function judgement({ comparisons, results }) { // the differences, a row for each other method
      const rows = Object.entries(comparisons), bottom = rows.length + 0.5, top = 0.4;
      const dots = (name) => results[name].losses.map((v, k) => v - results[state.ours].losses[k]);
      const ends = rows.flatMap(([name, { low, high }]) => [...dots(name), low, high]).filter(Number.isFinite);
      const all = rows.length ? [...ends, 0] : [-1, 1], x = room(all, 0.45), [least, most] = room(all, 0.06);
      const inside = (v) => Math.max(least, Math.min(most, v)), [from, to] = claimed().range.map(inside);
      const panel = ui.panel({ ...size, title: `${state.seeds} fresh seeds: theirs − ${state.ours}`,
        x: { range: x, ticks: ticks(least, most), label: `difference (${nats() ? "nats" : "powers of ten"})` },
        y: { range: [bottom, top], ticks: [], label: "" } });
      if (rows.length) panel.area([[from, top], [to, top], [to, bottom], [from, bottom]], {}, panel.back);
      panel.line([[0, top], [0, bottom]], { stroke: "var(--ink)", "stroke-width": 1.2 }, panel.back);
      rows.forEach(([name, { low, high, difference, verdict }], k) => {
        const stroke = colors[verdict];
        panel.text(x[0] + 0.01 * (x[1] - x[0]), k + 1.12, name);
        panel.line([[inside(low), k + 1], [inside(high), k + 1]], { stroke, "stroke-width": 4 });
        for (const d of dots(name)) panel.dot(d, k + 1, { r: 2.4, fill: "var(--ink)", "fill-opacity": 0.55 });
        panel.dot(difference, k + 1, { r: 5, fill: stroke });
      });
      return panel;
    }

    function pictures(found) {
      for (const panel of drawn) panel.svg.remove();
      drawn = [tuning(found.results), judgement(found)];
    }

    // ---- the outcome, in words and in a table ------------------------------------------------------------------------

    function tell({ results, comparisons }) {
      const rows = Object.entries(comparisons), of = (verdict) => rows.filter(([, c]) => c.verdict === verdict);
      const verdicts = Object.keys(colors).filter((verdict) => of(verdict).length)
        .map((verdict) => `<b>${verdict}</b> against ${join(of(verdict).map(([name]) => name))}`);
      const hidden = of("not resolved").map(([, c]) => seen(c)).filter(Number.isFinite).sort((a, b) => a - b);
      const [least, most] = [hidden[0], hidden.at(-1)].map((v) => Live.number(v ?? 0));
      const listed = (test) => join(Object.keys(results).filter((name) => test(results[name])));
      const edge = listed((r) => r.edge), failed = listed((r) => r.failed), said = [];
      if (hidden.length) {
        const which = state.kind === "equal" ? "margin" : "gap";
        said.push(`Not resolved is not equal: a ${which} of ${least === most ? least : `${least} to ${most}`} could have been seen.`);
      }
      if (edge) said.push(`The best rate of ${edge} lies at the edge of its grid, so a better one may lie outside.`);
      if (failed) said.push(`Some runs of ${failed} ended no lower than they began.`);
      ui.verdict([`${state.ours} ${claimed().words}: ${verdicts.join("; ")}.`, ...said].join(" "));

      const heads = ["verdict", "theirs − ours", "interval", "can see", "no lower than its start"];
      ui.table(["method", "rate", nats() ? "mean loss" : "geometric mean", ...heads], Object.entries(results).map(([name, r]) => {
        const c = comparisons[name], mean = r.losses.reduce((a, v) => a + v, 0) / r.losses.length;
        const known = c?.df ? [`${short(c.low)} to ${short(c.high)}`, short(seen(c))] : ["none", "none"];
        const judged = c ? [c.verdict, short(c.difference), ...known] : ["", "", "", ""];
        const rate = `${short(r.rate)}${r.edge ? " (edge)" : ""}`;
        return [name, rate, short(nats() ? mean : Exact.power(10, mean)), ...judged, `${r.failed} of ${r.losses.length}`];
      }));
    }

    // ---- running, a few milliseconds at a time, so that the page stays alive -------------------------------------------

    let job = null;
    const setting = () => ({ ...state, methods: methods(), claim: claimed().range, octaves });
    function stop() {
      job = null;
      progress.hidden = true;
      run.textContent = "Run";
    }
    function wait() { // a setting has changed: what was shown would belong to another one
      stop();
      pictures({ results: {}, comparisons: {} });
      ui.table([], []);
      const { problem, ours, trials, seeds, steps } = state, many = methods(), { says, most } = problems[problem];
      const batch = most ? `Batches of ${Math.min(most, state.batch)}.` : "Its gradient is exact: there is no batch.";
      const matrix = able(ours, problem) ? "" : ", on a problem whose weights are a matrix";
      const wrong = !many.includes(ours) ? `Choose ${ours} among the methods${matrix}.`
        : many.length < 2 ? "Choose two methods or more." : "";
      const work = `${many.length} methods × (${trials} ${trials > 1 ? "rates" : "rate"} + ${seeds} fresh seeds) × ${steps} steps`;
      ui.verdict(`Claim: <b>${ours} ${claimed().words}</b>, on ${says}. ${batch} ${wrong || `Press Run: ${work}.`}`);
      run.disabled = wrong !== "";
    }
    function show(found) {
      stop();
      pictures(found);
      tell(found);
    }
    async function start() {
      if (job) return wait();
      const mine = experiment(setting());
      job = mine;
      run.textContent = "Stop";
      progress.hidden = false;
      ui.verdict("Running.");
      for (let now = mine.next(); ; ) {
        for (const until = performance.now() + 14; !now.done && performance.now() < until; ) now = mine.next();
        if (now.done) return show(now.value);
        progress.value = now.value;
        await new Promise((done) => setTimeout(done));
        if (job !== mine) return undefined;
      }
    }

    // ---- controls ------------------------------------------------------------------------------------------------------

    const set = (key) => (v) => { state[key] = v; wait(); }, round = (key) => (v) => set(key)(Math.round(v));
    const count = (v) => Live.number(Math.round(v), 4), named = (list) => list.map((name) => [name, name]);
    const moved = () => rate.set(octaves[state.ours] ?? 0);
    const controls = {
      problem: ui.choice({ label: "problem", value: state.problem, options: named(Object.keys(problems)),
        change: (v) => { state.problem = v; toggles.able((name) => able(name, v)); moved(); } }),
      ours: ui.choice({ label: "ours", value: state.ours, options: named(names),
        change: (v) => { state.ours = v; toggles.set(v, true); moved(); } }),
      kind: ui.choice({ label: "claim", value: state.kind, change: set("kind"), options: [["lower", "ends lower"],
        ["more", "ends lower by more than the margin"], ["equal", "ends equal within the margin"]] }),
      margin: ui.slider({ label: "margin", range: [0.01, 1], log: true, steps: 20, value: state.margin,
        change: (v) => set("margin")(Number(v.toPrecision(2))) }),
    };
    const rate = ui.slider({ label: "rate of ours, middle", range: [-7, 7], steps: 14, value: 0,
      format: (k) => Live.number(middle(state.problem, state.ours, Math.round(k))),
      change: (k) => { octaves[state.ours] = Math.round(k); wait(); } });
    const slider = (key, label, range, steps, log) =>
      ui.slider({ label, range, steps, log, value: state[key], format: count, change: round(key) });
    controls.trials = slider("trials", "rates tried, each method", [1, 13], 6);
    controls.seeds = slider("seeds", "fresh seeds", [2, 20], 18);
    controls.batch = slider("batch", "batch", [1, 4096], 12, true);
    controls.steps = slider("steps", "steps", [50, 400], 7);
    const toggles = ui.toggles({ label: "methods", options: names, value: chosen,
      change: (name, on) => { chosen[on ? "add" : "delete"](name); wait(); } });
    const run = ui.button("Run", start);
    const progress = Live.el("progress", { max: 1, value: 0, "aria-label": "how much is done" }, run.parentElement);

    // A question's setting: the methods `of`, the middles `shifted` by octaves, and what differs from the usual.
    function setUp({ of, shifted = {}, ...differs }) {
      const usual = { problem: "bowl", ours: "Adam", kind: "lower", margin: 0.1, trials: 7, seeds: 10, batch: 16, steps: 100 };
      for (const name of names) octaves[name] = shifted[name] ?? 0;
      for (const [key, value] of Object.entries({ ...usual, ...differs })) controls[key].set(value);
      for (const name of names) toggles.set(name, of.includes(name));
    }
    const axes = { problem: "bowl", ours: "Adafactor", of: ["SGD", "Nesterov", "Adam", "Adafactor"] };
    ui.button("Question 1", () => setUp(axes));
    ui.button("Question 2", () => setUp({ problem: "noisy bowl", ours: "Nesterov", batch: 1, of: ["SGD", "Nesterov"] }));
    ui.button("Question 3", () => setUp({ problem: "digits", ours: "SGD", trials: 1, of: ["SGD", "AdamW"], shifted: { AdamW: 5 } }));
    ui.still(() => { setUp({ ...axes, problem: "valley" }); show(whole(experiment(setting()))); });
    ui.first("Press Run");
    toggles.able((name) => able(name, state.problem));
    wait();
  });
})();
