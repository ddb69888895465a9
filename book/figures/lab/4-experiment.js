// One experiment of the laboratory: every method is tuned with equally many rates on one seed, then fresh seeds judge.
//
// Generators, so that whoever runs them can stop between two steps: they yield the share that is done. The learning
// rate falls to zero along a line in every run. A run that ends above its start, or nowhere, counts as its start: so it
// was decided before the runs. Deliberately absent: a search that looks at what it has found.
"use strict";

Live.lab.experiment = (() => {
  const { optimizer, names, matricesOnly } = Live.lab.methods, { problems } = Live.lab.problems;

  // The middle of each method's grid until the reader moves it: where a wide search by octaves found the best rate, so
  // that one trial is as kind to every method as a rate that somebody else has tuned.
  const usual = {
    bowl: { SGD: 0.04, Momentum: 0.01, Nesterov: 0.02, Adam: 0.5, AdamW: 0.5, LARS: 32, LAMB: 0.1, Adafactor: 0.5,
      CAME: 0.5, Lion: 0.25, Muon: 0.03 },
    matrix: { SGD: 0.0003, Momentum: 0.0003, Nesterov: 0.0002, Adam: 1, AdamW: 2, LARS: 64, LAMB: 0.2, Adafactor: 1,
      CAME: 0.02, Lion: 0.2, Muon: 1 },
    digits: { SGD: 0.5, Momentum: 0.1, Nesterov: 0.1, Adam: 0.03, AdamW: 0.03, LARS: 16, LAMB: 0.05, Adafactor: 0.03,
      CAME: 0.005, Lion: 0.01, Muon: 0.03 },
    "rescaled digits": { SGD: 0.12, Momentum: 0.025, Nesterov: 0.025, Adam: 0.03, AdamW: 0.03, LARS: 16, LAMB: 0.05,
      Adafactor: 0.03, CAME: 0.001, Lion: 0.01, Muon: 0.03 },
    words: { SGD: 4, Momentum: 0.8, Nesterov: 0.8, Adam: 0.06, AdamW: 0.06, LARS: 16, LAMB: 0.05, Adafactor: 0.06,
      CAME: 0.005, Lion: 0.02, Muon: 0.12 },
  };
  Object.assign(usual, { valley: usual.bowl, "noisy bowl": usual.bowl, "even words": usual.words });
  const middle = (problem, name, octaves = 0) => usual[problem][name] * Exact.power(2, octaves);
  const grid = (rate, trials) => Array.from({ length: trials }, (_, k) => rate * Exact.power(2, k - (trials - 1) / 2));
  const able = (name, problem) => !matricesOnly.includes(name) || problems[problem].matrices;

  // One run's score, no more than that of its start.
  function* run(problem, name, lr, { steps, batch }, seed, score) {
    const task = problems[problem], parameters = task.start(seed), draw = Live.uniforms(5000 + seed);
    const first = task[score](parameters), step = optimizer(name, parameters);
    for (let t = 0; t < steps; t++) {
      step(task.gradients(parameters, Math.min(batch, task.most), draw), lr * (1 - t / steps));
      yield;
    }
    const last = task[score](parameters);
    return last < first ? { score: last, failed: false } : { score: first, failed: true };
  }

  // setting: { problem, methods, ours, claim: [least, most], batch, steps, trials, seeds, draw, octaves: { method: shift } };
  // `draw` says which twenty seeds judge; the one that tunes is always 0.
  function* experiment(setting) {
    const { problem, methods, ours, claim, trials, seeds, draw, octaves } = setting, results = {};
    const whole = methods.length * (trials + seeds) * setting.steps;
    let done = 0;
    function* counted(name, lr, seed, score) {
      const running = run(problem, name, lr, setting, seed, score);
      let now = running.next();
      for (; !now.done; now = running.next()) yield (done += 1) / whole;
      return now.value;
    }
    for (const name of methods) {
      const tried = [], losses = [];
      let failed = 0;
      for (const rate of grid(middle(problem, name, octaves[name]), trials)) {
        tried.push([rate, (yield* counted(name, rate, 0, "tuned")).score]);
      }
      const best = tried.reduce((k, [, score], j) => (score < tried[k][1] ? j : k), 0);
      for (let k = 1; k <= seeds; k++) {
        const one = yield* counted(name, tried[best][0], 20 * draw + k, "judged");
        losses.push(one.score);
        failed += one.failed;
      }
      const edge = trials > 1 && (best === 0 || best === trials - 1);
      results[name] = { tried, rate: tried[best][0], edge, losses, failed };
    }
    const others = methods.filter((name) => name !== ours);
    const found = others.map((name) => Live.lab.judge.compare(results[ours].losses, results[name].losses, claim));
    const judged = Live.lab.judge.family(found);
    return { setting, results, comparisons: Object.fromEntries(others.map((name, k) => [name, judged[k]])) };
  }

  // All of a generator at once.
  function whole(running) {
    let now = running.next();
    while (!now.done) now = running.next();
    return now.value;
  }

  return { experiment, whole, middle, able, names };
})();
