// Which method is better here, and who says so? The laboratory: the reader sets up a comparison, the rule for ties judges.
// What it computes stands in the folder lab/, each part by itself.
"use strict";
(() => {
  const { experiment, whole, middle, able, names } = Live.lab.experiment, { problems } = Live.lab.problems;
  const { seen } = Live.lab.judge;

  // About `count` round numbers between two others.
  function ticks(low, high, count = 5) {
    const rough = (high - low) / count, size = 10 ** Math.floor(Math.log10(rough));
    const step = size * [1, 2, 5, 10].find((k) => k * size >= rough);
    const first = Math.ceil(low / step), many = Math.floor(high / step) - first + 1;
    return Array.from({ length: many }, (_, k) => Number(((first + k) * step).toPrecision(12)));
  }

  const pure = {
    path: Live.lab.methods.path, reach: Live.lab.judge.reach, compare: Live.lab.judge.compare, family: Live.lab.judge.family,
    seen, digitsGradient: Live.lab.problems.digitsGradient, exact: Live.lab.problems.exact, parts: Live.lab.problems.parts,
    names: () => names, ticks,
    experiment: (setting) => whole(experiment({ octaves: {}, ...setting })),
  };

  Live.figure("lab", pure, (ui) => {
    const state = { problem: "bowl", batch: 16, steps: 100, trials: 5, seeds: 8, margin: 0.1, ours: "Adam", kind: "lower" };
    const chosen = new Set(["SGD", "Momentum", "Nesterov", "Adam", "LAMB"]), octaves = {};
    const colors = { confirmed: "var(--c)", "not resolved": "var(--soft)", contradicted: "var(--b)" };
    const count = (v) => `${Math.round(v)}`, join = (list) => (list.length > 1 ? `${list.slice(0, -1).join(", ")} and ${list.at(-1)}` : list.join());
    const methods = () => names.filter((name) => chosen.has(name) && able(name, state.problem));
    const nats = () => problems[state.problem].unit === "nats";
    const claim = () => ({ lower: [0, Infinity], more: [state.margin, Infinity], equal: [-state.margin, state.margin] })[state.kind];
    const said = () => ({ lower: "ends lower than each of the others", more: `ends lower by more than ${Live.number(state.margin)} than each of the others`,
      equal: `ends equal to each of the others within ${Live.number(state.margin)}` })[state.kind];

    // ---- the pictures ----
    let drawn = [];
    function pictures(found) {
      for (const panel of drawn) panel.svg.remove();
      const size = { width: 350, height: 280 }, loss = nats() ? "loss (nats)" : "loss, power of ten";
      const tried = found ? Object.values(found.results).flatMap((r) => r.tried.map(([, score]) => score)) : [0, 1];
      const room = (low, high) => [low - 0.06 * (high - low || 1), high + 0.06 * (high - low || 1)];
      const y = room(Math.min(...tried), Math.max(...tried)), far = Math.max(1, (state.trials - 1) / 2) + 0.5;
      const left = ui.panel({ ...size, title: "Tuning: one seed, equally many rates",
        x: { range: [-far, far], ticks: ticks(-far, far, 6).filter(Number.isInteger), label: "rate / middle of the grid", format: (k) => (k < 0 ? `1/${2 ** -k}` : `${2 ** k}`) },
        y: { range: y, ticks: ticks(...y), label: loss } });
      const rows = found ? Object.entries(found.comparisons) : [], ours = found?.results[found.setting.ours];
      const dots = (name) => found.results[name].losses.map((v, k) => v - ours.losses[k]);
      const ends = found ? rows.flatMap(([name, c]) => [...dots(name), ...[c.low, c.high].filter(Number.isFinite)]).concat(0) : [-1, 1];
      const [least, most] = room(Math.min(...ends), Math.max(...ends)), x = [least - 0.36 * (most - least), most];
      const right = ui.panel({ ...size, title: found ? `${state.seeds} fresh seeds: theirs − ${state.ours}` : "Fresh seeds: theirs − ours",
        x: { range: x, ticks: ticks(least, most), label: nats() ? "difference of the losses (nats)" : "difference, powers of ten" },
        y: { range: [rows.length + 0.5, 0.4], ticks: [], label: "" } });
      drawn = [left, right];
      if (!found) return;
      for (const [name, r] of Object.entries(found.results)) {
        const half = (r.tried.length - 1) / 2;
        left.line(r.tried.map(([, score], k) => [k - half, score]), Live.optimizer(name));
        r.tried.forEach(([rate, score], k) => left.dot(k - half, score, { r: rate === r.rate ? 5 : 2, fill: `var(--${name})` }));
      }
      const inside = (v) => Math.max(least, Math.min(most, v)), [from, to] = found.setting.claim;
      right.area([[inside(from), 0.4], [inside(to), 0.4], [inside(to), rows.length + 0.5], [inside(from), rows.length + 0.5]], {}, right.back);
      right.line([[0, 0.4], [0, rows.length + 0.5]], { stroke: "var(--ink)", "stroke-width": 1.2 }, right.back);
      rows.forEach(([name, c], k) => {
        right.text(x[0] + 0.01 * (x[1] - x[0]), k + 1.12, name);
        right.line([[inside(c.low), k + 1], [inside(c.high), k + 1]], { stroke: colors[c.verdict], "stroke-width": 4 });
        dots(name).forEach((d) => right.dot(d, k + 1, { r: 2.4, fill: "var(--ink)", "fill-opacity": 0.55 }));
        right.dot(c.difference, k + 1, { r: 5, fill: colors[c.verdict] });
      });
    }

    // ---- the outcome, in words and in a table ----
    function tell(found) {
      const rows = Object.entries(found.comparisons), of = (verdict) => rows.filter(([, c]) => c.verdict === verdict);
      const parts = ["confirmed", "contradicted", "not resolved"].filter((verdict) => of(verdict).length)
        .map((verdict) => `<b>${verdict}</b> against ${join(of(verdict).map(([name]) => name))}`);
      const unknown = of("not resolved").map(([, c]) => seen(c)).filter(Number.isFinite);
      const power = unknown.length ? ` What is not resolved is not equal: ${unknown.length > 1 ? "gaps" : "a gap"} of ${[...new Set([Math.min(...unknown), Math.max(...unknown)].map((v) => Live.number(v)))].join(" to ")} could have been seen.` : "";
      const listed = (test) => Object.keys(found.results).filter((name) => test(found.results[name]));
      const edge = listed((r) => r.edge), failed = listed((r) => r.failed);
      const edges = edge.length ? ` The best rate of ${join(edge)} lies at the edge of its grid, so a better one may lie outside.` : "";
      const fails = failed.length ? ` Some runs of ${join(failed)} ended no lower than they began.` : "";
      ui.verdict(`${found.setting.ours} ${said()}: ${parts.join("; ")}.${power}${edges}${fails}`);
      ui.table(["method", "rate", nats() ? "mean loss" : "geometric mean", "verdict", "theirs − ours", "interval", "can see", "no lower than its start"],
        Object.entries(found.results).map(([name, r]) => {
          const c = found.comparisons[name], short = (v) => Live.number(v, 3), mean = r.losses.reduce((a, v) => a + v, 0) / r.losses.length;
          const judged = c ? [c.verdict, short(c.difference), c.df ? `${short(c.low)} to ${short(c.high)}` : "none", c.df ? short(seen(c)) : "none"] : ["", "", "", ""];
          return [name, `${short(r.rate)}${r.edge ? " (edge)" : ""}`, short(nats() ? mean : 10 ** mean), ...judged, `${r.failed} of ${r.losses.length}`];
        }));
    }

    // ---- running, a few milliseconds at a time, so that the page stays alive ----
    let job = null;
    function setting() {
      return { ...state, methods: methods(), claim: claim(), octaves };
    }
    function stop() {
      job = null;
      progress.hidden = true;
      run.textContent = "Run";
    }
    function wait() { // a setting has changed: what is shown would belong to another one
      stop();
      pictures(null);
      ui.table([], []);
      const many = methods(), task = problems[state.problem];
      const batch = task.batched ? ` Batches of ${state.problem === "digits" ? Math.min(1024, state.batch) : state.batch}.` : " Its gradient is exact: there is no batch.";
      const ready = !many.includes(state.ours) ? `Choose ${state.ours} among the methods${able(state.ours, state.problem) ? "" : ", on a problem whose weights are a matrix"}.`
        : many.length < 2 ? "Choose two methods or more."
        : `Press Run: ${many.length} methods × (${state.trials} ${state.trials > 1 ? "rates" : "rate"} + ${state.seeds} fresh seeds) × ${state.steps} steps.`;
      ui.verdict(`Claim: <b>${state.ours} ${said()}</b>, on ${task.says}.${batch} ${ready}`);
      run.disabled = !ready.startsWith("Press");
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

    // ---- controls ----
    const set = (key) => (v) => { state[key] = v; wait(); };
    const rounded = (key) => (v) => { state[key] = Math.round(v); wait(); };
    const problem = ui.choice({ label: "problem", value: state.problem, change: (v) => { state.problem = v; toggles.able((name) => able(name, v)); rate.set(octaves[state.ours] ?? 0); },
      options: Object.keys(problems).map((name) => [name, name]) });
    const ours = ui.choice({ label: "ours", value: state.ours, change: (v) => { state.ours = v; toggles.set(v, true); rate.set(octaves[v] ?? 0); },
      options: names.map((name) => [name, name]) });
    const kind = ui.choice({ label: "claim", value: state.kind, change: set("kind"),
      options: [["lower", "ends lower"], ["more", "ends lower by more than the margin"], ["equal", "ends equal within the margin"]] });
    const margin = ui.slider({ label: "margin", range: [0.01, 1], log: true, steps: 20, value: state.margin, change: (v) => { state.margin = Number(v.toPrecision(2)); wait(); } });
    const rate = ui.slider({ label: "rate of ours, middle", range: [-7, 7], steps: 14, value: 0,
      format: (k) => Live.number(middle(state.problem, state.ours, Math.round(k))), change: (k) => { octaves[state.ours] = Math.round(k); wait(); } });
    const trials = ui.slider({ label: "rates tried, each method", range: [1, 13], steps: 6, value: state.trials, format: count, change: rounded("trials") });
    const seeds = ui.slider({ label: "fresh seeds", range: [2, 20], steps: 18, value: state.seeds, format: count, change: rounded("seeds") });
    const batch = ui.slider({ label: "batch", range: [1, 4096], log: true, steps: 12, value: state.batch, format: (b) => Live.number(Math.round(b), 4), change: rounded("batch") });
    const steps = ui.slider({ label: "steps", range: [50, 400], steps: 7, value: state.steps, format: count, change: rounded("steps") });
    const toggles = ui.toggles({ label: "methods", options: names, value: chosen,
      change: (name, on) => { chosen[on ? "add" : "delete"](name); wait(); } });
    const run = ui.button("Run", start);
    const progress = Live.el("progress", { max: 1, value: 0, "aria-label": "how much is done" }, run.parentElement);

    function setUp({ of = names, moved = {}, ...values }) {
      const all = { problem: "bowl", ours: "Adam", kind: "lower", margin: 0.1, trials: 7, seeds: 10, batch: 16, steps: 100, ...values };
      for (const name of names) { octaves[name] = moved[name] ?? 0; toggles.set(name, of.includes(name)); }
      Object.entries({ problem, ours, kind, margin, trials, seeds, batch, steps }).forEach(([key, control]) => control.set(all[key]));
    }
    const one = { problem: "bowl", ours: "Adafactor", of: ["SGD", "Nesterov", "Adam", "Adafactor"] };
    ui.button("Question 1", () => setUp(one));
    ui.button("Question 2", () => setUp({ problem: "noisy bowl", ours: "Nesterov", batch: 1, of: ["SGD", "Nesterov"] }));
    ui.button("Question 3", () => setUp({ problem: "digits", ours: "SGD", trials: 1, of: ["SGD", "AdamW"], moved: { AdamW: 5 } }));
    toggles.able((name) => able(name, state.problem));
    ui.still(() => { setUp({ ...one, problem: "valley" }); show(whole(experiment(setting()))); });
    ui.first("Press Run");
    wait();
  });
})();
