// The laboratory's judge: the book's rule for ties, as in minilib.experiments.verdicts (tests/site/test_lab.py).
//
// Paired differences, Student's interval, a claimed range, three verdicts, Holm's correction for a family, and the
// difference that could have been seen. Deliberately absent: unpaired runs and test examples.
"use strict";

Live.lab.judge = (() => {
  const sum = (a) => a.reduce((all, v) => all + v, 0);

  // Where an increasing f passes the height: halved until no number lies between.
  function solve(f, height, low, high) {
    for (let k = 0; k < 200 && high - low > Math.abs(high) * 1e-15; k++) {
      const middle = (low + high) / 2;
      if (f(middle) < height) low = middle; else high = middle;
    }
    return (low + high) / 2;
  }

  // P(|T| < x) for Student's T with a whole number of degrees of freedom.
  function within(x, df) {
    const angle = Exact.atan(x / Math.sqrt(df)), s = Exact.sin(angle), c = Exact.cos(angle), odd = df % 2;
    let total = 0;
    for (let k = odd, term = odd ? c : 1; k < df - 1; k += 2) {
      total += term;
      term *= ((k + 1) / (k + 2)) * c * c;
    }
    return odd ? (2 / Math.PI) * (angle + s * total) : s * total;
  }

  // How many standard errors an interval of this level reaches to each side.
  const reach = (level, df) => solve((x) => within(x, df), level, 0, 1e5);

  // P(X < x) for a sum X of df squares of normal numbers.
  function squares(x, df) {
    let tail = df % 2 ? 2 * Live.normalTail(Math.sqrt(x)) : Exact.exp(-x / 2);
    const first = df % 2 ? Math.sqrt((2 * x) / Math.PI) * Exact.exp(-x / 2) : (x / 2) * Exact.exp(-x / 2);
    for (let k = df % 2 ? 3 : 4, term = first; k <= df; k += 2) {
      tail += term;
      term *= x / k;
    }
    return 1 - tail;
  }

  // 2,000 evenly likely ratios of the estimated to the true scatter.
  const known = {};
  const scatters = (df) => (known[df] ??= Array.from({ length: 2000 }, (_, k) =>
    Math.sqrt(solve((x) => squares(x, df), (k + 0.5) / 2000, 0, 60 + 4 * df) / df)));

  // Which difference could have been seen in 80 % of such comparisons; of "equal within", the smallest margin.
  function seen({ error, df, level, claim }) {
    if (!df) return Infinity;
    const edges = claim.filter(Number.isFinite).length, far = reach(level, df);
    const power = (shift) =>
      sum(scatters(df).map((s) => Math.max(0, 1 - edges * Live.normalTail(shift - far * s)))) / 2000;
    let low = 0, high = 10 + 10 * far;
    while (high - low > 1e-10 * high) {
      const middle = (low + high) / 2;
      if (power(middle) < 0.8) low = middle; else high = middle;
    }
    return (error * (low + high)) / 2;
  }

  // A comparison with its interval and its verdict at a level.
  function at(level, { difference, error, df, claim, seeds }) {
    const half = df ? error * reach(level, df) : Infinity, low = difference - half, high = difference + half;
    const verdict = claim[0] < low && high < claim[1] ? "confirmed"
      : high < claim[0] || claim[1] < low ? "contradicted" : "not resolved";
    return { difference, error, df, claim, seeds, level, low, high, verdict };
  }

  // Theirs minus ours, seed by seed. `claim` is the claimed range of differences, such as [0, Infinity].
  function compare(ours, theirs, claim, level = 0.95) {
    const n = ours.length, d = theirs.map((v, k) => v - ours[k]), difference = sum(d) / n;
    const variance = n > 1 ? sum(d.map((v) => Exact.square(v - difference))) / (n - 1) / n : 0;
    const scatters = variance > Exact.square(1e-12 * Math.max(...d.map(Math.abs)));
    return at(level, { difference, error: Math.sqrt(variance), df: scatters ? n - 1 : 0, claim, seeds: n });
  }

  // Holm's correction; all comparisons have the same seeds, so the clearest is the one most standard errors from an edge.
  function family(comparisons) {
    const clear = ({ difference, error, df, claim }) =>
      (df ? Math.min(...claim.filter(Number.isFinite).map((edge) => Math.abs(difference - edge) / error)) : 0);
    const order = comparisons.map((_, k) => k).sort((a, b) => clear(comparisons[b]) - clear(comparisons[a]));
    const corrected = [];
    let stands = true, level;
    order.forEach((k, done) => {
      if (stands) level = 1 - (1 - comparisons[k].level) / (comparisons.length - done);
      corrected[k] = at(level, comparisons[k]);
      stands = stands && corrected[k].verdict !== "not resolved";
    });
    return corrected;
  }

  return { reach, compare, family, seen };
})();
