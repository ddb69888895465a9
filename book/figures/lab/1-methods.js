// The laboratory's optimizers: the steps of minilib.optim, number for number (tests/site/test_lab.py).
//
// A parameter is { shape, data }; a method is update(x, g, s, lr), which changes the numbers x.data in place, given the
// gradient g, as long as them, and the state s of this one parameter, where s.step counts from 1. Deliberately absent:
// options. Every method has the defaults of its class, and no weight decay; only AdamW keeps its 0.01, which is all
// that parts it from Adam.
"use strict";

Live.lab = {};
Live.lab.methods = (() => {
  // As a.map(f) and the sum of all f(v), for arrays of numbers; browsers do these five times as fast.
  function map(a, f) {
    const made = new Float64Array(a.length);
    for (let k = 0; k < a.length; k++) made[k] = f(a[k], k);
    return made;
  }
  function sum(a, f = (v) => v) {
    let total = 0;
    for (let k = 0; k < a.length; k++) total += f(a[k]);
    return total;
  }
  const root = (v) => Math.sqrt(Math.max(v, 2.2250738585072014e-308));
  const norm = (a) => Math.sqrt(sum(a, (v) => v * v));
  const rms = (a) => norm(a) / Math.sqrt(a.length);
  function subtract({ data }, u, rate) {
    for (let k = 0; k < u.length; k++) data[k] -= rate * u[k];
  }

  // The moving average s[name] <- beta s[name] + (1 - beta) value, from zero, in place.
  function ema(s, name, value, beta) {
    const average = (s[name] ??= new Float64Array(value.length));
    for (let k = 0; k < value.length; k++) average[k] = beta * average[k] + (1 - beta) * value[k];
    return average;
  }

  // m <- momentum m + g; Nesterov's direction is g + momentum m.
  function momentum(g, s, beta, nesterov) {
    const m = (s.m ??= new Float64Array(g.length));
    for (let k = 0; k < g.length; k++) m[k] = beta * m[k] + g[k];
    return nesterov ? map(g, (v, k) => v + beta * m[k]) : m;
  }

  // Adam's direction with both averages corrected for their start at zero.
  function direction(g, s, eps) {
    const m = ema(s, "m", g, 0.9), v = ema(s, "v", map(g, (b) => b * b), 0.999);
    const one = 1 - Exact.power(0.9, s.step), two = 1 - Exact.power(0.999, s.step);
    return map(g, (_, k) => m[k] / one / (Math.sqrt(v[k] / two) + eps));
  }

  // phi(|x|) / |u|, or 1 where one of the two is zero.
  function trustRatio(x, u) {
    const size = norm(x), length = norm(u);
    return size > 0 && length > 0 ? size / length : 1;
  }

  // u / sqrt(r c / mean(r)) for the moving averages r and c of the row and column means of g2.
  function factored(u, g2, [rows, columns], s, names, beta) {
    const r = new Float64Array(rows), c = new Float64Array(columns);
    for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) {
      r[i] += g2[i * columns + j] / columns;
      c[j] += g2[i * columns + j] / rows;
    }
    const R = ema(s, names[0], r, beta), C = ema(s, names[1], c, beta);
    const mean = Math.sqrt(sum(R) / rows), across = map(R, (v) => mean / root(v)), down = map(C, root);
    return map(u, (v, k) => (v * across[Math.floor(k / columns)]) / down[k % columns]);
  }

  // Adafactor's direction, scaled down to a root mean square of 1; a vector keeps its whole second moment.
  function clipped(x, g, s, beta2) {
    const g2 = map(g, (v) => v * v + 1e-30);
    const whole = () => { const v = ema(s, "v", g2, beta2); return map(g, (b, k) => b / root(v[k])); };
    const u = x.shape.length > 1 ? factored(g, g2, x.shape, s, ["r", "c"], beta2) : whole();
    const size = Math.max(1, rms(u));
    return map(u, (v) => v / size);
  }

  // An n x m matrix with its columns as rows.
  function turned(A, n, m) {
    const made = new Float64Array(n * m);
    for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) made[j * n + i] = A[i * m + j];
    return made;
  }

  // P Q for an n x k and a k x m matrix, row by row; with `across`, P Q' for an m x k matrix Q.
  function times(P, Q, n, k, m, across = false) {
    const made = new Float64Array(n * m), R = across ? turned(Q, m, k) : Q, k4 = k - (k % 4);
    for (let i = 0; i < n; i++) {
      for (let l = 0, at = i * k, r = 0; l < k4; l += 4, at += 4, r += 4 * m) {
        const a = P[at], b = P[at + 1], c = P[at + 2], d = P[at + 3];
        if (a === 0 && b === 0 && c === 0 && d === 0) continue;
        for (let j = 0, to = i * m; j < m; j++, to++) {
          made[to] = made[to] + a * R[r + j] + b * R[r + m + j] + c * R[r + 2 * m + j] + d * R[r + 3 * m + j];
        }
      }
      for (let l = k4; l < k; l++) for (let j = 0; j < m; j++) made[i * m + j] += P[i * k + l] * R[l * m + j];
    }
    return made;
  }

  // Five rounds of Muon's polynomial: the singular vectors of M, and singular values near 1.
  function orthogonal(M, [rows, columns]) {
    const tall = rows > columns, n = Math.min(rows, columns), m = Math.max(rows, columns), size = Math.max(norm(M), 1e-7);
    let X = map(M, (v) => v / size);
    if (tall) X = turned(X, rows, columns);
    for (let k = 0; k < 5; k++) {
      const A = times(X, X, n, m, n, true), A2 = times(A, A, n, n, n);
      const Y = times(map(A, (v, l) => -4.775 * v + 2.0315 * A2[l]), X, n, n, m);
      X = map(X, (v, l) => 3.4445 * v + Y[l]);
    }
    return tall ? turned(X, n, m) : X;
  }

  const updates = {
    SGD: (x, g, s, lr) => subtract(x, g, lr),
    Momentum: (x, g, s, lr) => subtract(x, momentum(g, s, 0.9), lr),
    Nesterov: (x, g, s, lr) => subtract(x, momentum(g, s, 0.9, true), lr),
    Adam: (x, g, s, lr) => subtract(x, direction(g, s, 1e-8), lr),
    AdamW: (x, g, s, lr) => {
      subtract(x, x.data, lr * 0.01);
      subtract(x, direction(g, s, 1e-8), lr);
    },
    LARS: (x, g, s, lr) => {
      const size = norm(x.data), length = norm(g), ratio = size > 0 && length > 0 ? (0.001 * size) / length : 1;
      subtract(x, momentum(map(g, (v) => lr * ratio * v), s, 0.9), 1);
    },
    LAMB: (x, g, s, lr) => {
      const u = direction(g, s, 1e-6);
      subtract(x, u, lr * trustRatio(x.data, u));
    },
    Adafactor: (x, g, s, lr) => subtract(x, clipped(x, g, s, 1 - Exact.power(s.step, -0.8)), lr),
    CAME: (x, g, s, lr) => {
      const u = clipped(x, g, s, 0.999), m = ema(s, "m", u, 0.9);
      if (x.shape.length < 2) return subtract(x, m, lr);
      const unstable = map(u, (v, k) => Exact.square(v - m[k]) + 1e-16);
      return subtract(x, factored(m, unstable, x.shape, s, ["R", "C"], 0.9999), lr);
    },
    Lion: (x, g, s, lr) => {
      const m = (s.m ??= new Float64Array(g.length));
      subtract(x, map(g, (v, k) => Math.sign(0.9 * m[k] + (1 - 0.9) * v)), lr);
      ema(s, "m", g, 0.99);
    },
    Muon: (x, g, s, lr) => {
      const k = Math.sqrt(Math.max(1, x.shape[0] / x.shape[1]));
      subtract(x, orthogonal(momentum(g, s, 0.95, true), x.shape), lr * k);
    },
  };

  // An optimizer of these parameters: step(gradients, lr) changes them.
  function optimizer(name, parameters) {
    const states = parameters.map(() => ({ step: 0 }));
    return (gradients, lr) => parameters.forEach((x, i) => {
      states[i].step += 1;
      updates[name](x, gradients[i], states[i], lr);
    });
  }

  // What a method makes of one parameter by these gradients: its numbers after each step (for the tests).
  function path(name, shape, start, gradients, lr) {
    const x = { shape, data: Float64Array.from(start) }, step = optimizer(name, [x]);
    return gradients.map((g) => { step([Float64Array.from(g)], lr); return [...x.data]; });
  }

  return { names: Object.keys(updates), matricesOnly: ["Muon"], optimizer, path, map, sum, times, turned };
})();
