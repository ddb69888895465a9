// Which method notices that the axes of a problem are turned?
"use strict";
(() => {
  const ROWS = 6, COLUMNS = 4, STEPS = 200, SIZE = ROWS * COLUMNS;
  const curvatures = (n, decades) => Array.from({ length: n }, (_, i) => 10 ** ((-decades * i) / (n - 1)));
  const zeros = (n = SIZE) => new Float64Array(n);
  const start = zeros().map((_, k) => 1.5 * Math.cos(1 + 3 * Math.floor(k / COLUMNS) + 5 * (k % COLUMNS)));

  // P Q for an n x k and a k x m matrix, row by row in one array; with `across`, P Q' for an m x k matrix Q.
  function times(P, Q, n, k, m, across = false) {
    const made = zeros(n * m);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < m; j++) {
        let sum = 0;
        for (let l = 0; l < k; l++) sum += P[i * k + l] * (across ? Q[j * k + l] : Q[l * m + j]);
        made[i * m + j] = sum;
      }
    return made;
  }

  // Turns axis i towards axis n - 1 - i: the steepest is mixed with the flattest, and so on.
  function rotation(n, angle) {
    const c = Math.cos(angle), s = Math.sin(angle);
    return zeros(n * n).map((_, k) => {
      const i = Math.floor(k / n), j = k % n;
      return i === j ? c : i + j === n - 1 ? (i < j ? -s : s) : 0;
    });
  }

  // Five rounds of Muon's polynomial on a matrix that is taller than wide.
  function orthogonal(M) {
    const norm = Math.max(Math.sqrt(M.reduce((sum, v) => sum + v * v, 0)), 1e-7), c = COLUMNS;
    let X = zeros();
    for (let i = 0; i < ROWS; i++) for (let j = 0; j < c; j++) X[j * ROWS + i] = M[i * c + j] / norm;
    for (let k = 0; k < 5; k++) {
      const S = times(X, X, c, ROWS, c, true), T = times(S, S, c, c, c);
      const P = S.map((v, l) => -4.775 * v + 2.0315 * T[l]), Y = times(P, X, c, c, ROWS);
      X = X.map((v, l) => 3.4445 * v + Y[l]);
    }
    return zeros().map((_, k) => X[(k % c) * ROWS + Math.floor(k / c)]);
  }

  // method -> a function that turns a gradient into a step for the rate 1; it remembers.
  const METHODS = {
    Momentum: () => {
      let m = zeros();
      return (g) => { m = m.map((a, k) => 0.9 * a + g[k]); return m; };
    },
    Adam: () => {
      const m = zeros(), v = zeros();
      let t = 0;
      return (g) => {
        t += 1;
        const one = 1 - 0.9 ** t, two = 1 - 0.999 ** t;
        return g.map((b, k) => {
          m[k] = 0.9 * m[k] + (1 - 0.9) * b;
          v[k] = 0.999 * v[k] + (1 - 0.999) * b * b;
          return m[k] / one / (Math.sqrt(v[k] / two) + 1e-8);
        });
      };
    },
    Adafactor: () => {
      const r = zeros(ROWS), c = zeros(COLUMNS);
      let t = 0;
      return (g) => {
        t += 1;
        const beta = 1 - t ** -0.8, rows = zeros(ROWS), columns = zeros(COLUMNS);
        g.forEach((b, k) => {
          rows[Math.floor(k / COLUMNS)] += (b * b + 1e-30) / COLUMNS;
          columns[k % COLUMNS] += (b * b + 1e-30) / ROWS;
        });
        rows.forEach((b, i) => { r[i] = beta * r[i] + (1 - beta) * b; });
        columns.forEach((b, j) => { c[j] = beta * c[j] + (1 - beta) * b; });
        const mean = r.reduce((a, b) => a + b, 0) / ROWS;
        const u = g.map((b, k) => (b * Math.sqrt(mean / r[Math.floor(k / COLUMNS)])) / Math.sqrt(c[k % COLUMNS]));
        const size = Math.max(1, Math.sqrt(u.reduce((sum, b) => sum + b * b, 0) / SIZE));
        return u.map((b) => b / size);
      };
    },
    Muon: () => {
      let m = zeros();
      return (g) => {
        m = m.map((a, k) => 0.95 * a + g[k]);
        const k = Math.sqrt(ROWS / COLUMNS);
        return orthogonal(m.map((a, l) => g[l] + 0.95 * a)).map((v) => k * v);
      };
    },
  };

  // Losses on half <X, A X B> with both pairs of axes turned; the rate falls to zero along a line.
  function losses(method, lr, angle, steps = STEPS) {
    const L = rotation(ROWS, angle), R = rotation(COLUMNS, angle), found = [], step = METHODS[method]();
    const a = curvatures(ROWS, 2), b = curvatures(COLUMNS, 1.5);
    const H = times(L.map((v, k) => v * a[k % ROWS]), L, ROWS, ROWS, ROWS, true);
    const K = times(R.map((v, k) => v * b[k % COLUMNS]), R, COLUMNS, COLUMNS, COLUMNS, true);
    let X = times(times(L, start, ROWS, ROWS, COLUMNS), R, ROWS, COLUMNS, COLUMNS, true);
    for (let t = 0; t < steps; t++) {
      const g = times(times(H, X, ROWS, ROWS, COLUMNS), K, ROWS, COLUMNS, COLUMNS), rate = lr * (1 - t / steps);
      found.push(0.5 * X.reduce((sum, v, k) => sum + v * g[k], 0));
      if (!(found[t] < 1e9)) return found.concat(Array(steps - t - 1).fill(Infinity));
      const u = step(g);
      X = X.map((v, k) => v - rate * u[k]);
    }
    return found;
  }

  // The rate of eight, 2^-4 to 2^3, with the lowest last loss.
  const rates = Array.from({ length: 8 }, (_, k) => 2 ** (k - 4));
  function best(method, angle) {
    const ends = rates.map((lr) => losses(method, lr, angle).at(-1));
    const k = ends.indexOf(Math.min(...ends));
    return [rates[k], ends[k]];
  }

  Live.figure("turned-axes", { losses, best, rates: () => rates }, (ui) => {
    const names = Object.keys(METHODS), degrees = [0, 2, 5, 8, 10, 15, 20, 30, 45], cache = {};
    const shown = { Momentum: "momentum" }, said = (name) => shown[name] ?? name;
    const color = (name) => (name === "Muon" ? "var(--e)" : `var(--${name})`); // momentum is black, too
    const at = (a) => (cache[a] ??= Object.fromEntries(names.map((name) => [name, best(name, (a * Math.PI) / 180)])));
    const raised = (k) => [...`${k}`].map((d) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(d)]).join("");
    const short = (v) => {
      const [mantissa, power] = v.toExponential(1).split("e");
      return v >= 1e-3 ? Live.number(v) : `${mantissa} · 10${raised(Number(power))}`;
    };
    const format = (v) => (v === 1 ? "1" : `10${raised(Math.round(Math.log10(v)))}`);
    const y = { range: [1e-16, 30], log: true, ticks: [1, 1e-4, 1e-8, 1e-12, 1e-16], format };
    const left = ui.panel({
      title: "200 steps, each method at its best rate",
      x: { range: [0, STEPS], ticks: [0, 50, 100, 150, 200], label: "step" }, y: { ...y, label: "loss" },
    });
    const right = ui.panel({
      title: "The last loss over the angle",
      x: { range: [0, 45], ticks: [0, 15, 30, 45], label: "angle of the axes", format: (a) => `${a}°` },
      y: { ...y, label: "last loss" },
    });
    left.legend(names.map((name) => [said(name), color(name), `var(--${name}-dash)`]), [0.03, 0.6]);
    const floor = (v) => Math.max(v, 1.1e-16), look = (name) => ({ ...Live.optimizer(name), stroke: color(name) });

    function draw() {
      const a = Math.round(turn.value()), found = at(a);
      left.clear();
      right.clear();
      for (const name of names) {
        const path = losses(name, found[name][0], (a * Math.PI) / 180);
        left.line(path.map((v, t) => [t, floor(v)]), look(name));
        right.dot(a, floor(found[name][1]), { r: 5, fill: color(name) });
        if (curve) right.line(known().map((d) => [d, floor(cache[d][name][1])]), { ...look(name), class: "landmark" });
      }
      const change = (name) => Math.log10(floor(found[name][1]) / floor(at(0)[name][1]));
      const seen = names.filter((name) => Math.abs(change(name)) > Math.log10(5));
      const end = (name) => `${said(name)} ${short(found[name][1])}`;
      const lesson = a === 0 ? "The axes of the problem are those of the weights."
        : seen.length ? `Changed by more than a factor of 5: <b>${seen.map(said).join(" and ")}</b>.` : "None has changed by a factor of 5.";
      ui.verdict(`Axes turned by <b>${a}°</b>; the last losses: ${names.map(end).join(", ")}. ${lesson}`);
      if (curve) ui.table(["angle", ...names.map(said)], known().map((d) => [`${d}°`, ...names.map((n) => short(cache[d][n][1]))]));
    }
    // The curves over all angles take a moment: they begin with the first move, and grow angle by angle beside it.
    let curve = false;
    const known = () => degrees.filter((d) => cache[d]);
    function grow() {
      const next = degrees.find((d) => !cache[d]);
      if (next === undefined) return;
      at(next);
      draw();
      setTimeout(grow, 0);
    }
    function move() {
      if (!curve) setTimeout(grow, 0);
      curve = true;
      draw();
    }
    const turn = ui.slider({ label: "angle", range: [0, 45], value: 0, steps: 45, format: (a) => `${a.toFixed(0)}°`, change: move });
    for (const a of [0, 1, 10, 45]) ui.button(`${a}°`, () => turn.set(a));
    ui.still(() => { degrees.forEach(at); turn.set(45); });
    draw();
  });
})();
