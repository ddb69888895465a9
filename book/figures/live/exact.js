// exp, log, powers, sin, cos and atan that are the same to the last bit in every browser.
//
// The language leaves the last digits of Math.exp, Math.log and their like, and of **, to the browser, and a long run
// makes another result of one last digit. It does settle + - * / and Math.sqrt, and nothing else computes here. A number
// that needs more than 53 bits on the way is a pair [high, low], whose sum it is; low is below the last digit of high.
// Results are within two units in the last place of the true ones (tests/site/test_exact.py).
// Deliberately absent: what no figure asks for, such as sin of more than 100,000.
"use strict";

const Exact = (() => {
  // ---- pairs -------------------------------------------------------------------------------------------------------

  // a + b, and what its rounding loses (Knuth).
  function sum(a, b) {
    const s = a + b, part = s - a;
    return [s, a - (s - part) + (b - part)];
  }

  // The upper half of a number's digits (Veltkamp).
  function half(a) {
    const c = 134217729 * a; // 2^27 + 1
    return c - (c - a);
  }

  // a b, and what its rounding loses (Dekker).
  function product(a, b) {
    const p = a * b, A = half(a), B = half(b), a2 = a - A, b2 = b - B;
    return [p, a2 * b2 - (p - A * B - a2 * B - A * b2)];
  }

  // c[0] + c[1] z + c[2] z^2 + ...
  function polynomial(c, z) {
    let value = 0;
    for (let k = c.length - 1; k >= 0; k--) value = c[k] + z * value;
    return value;
  }

  // By the bits of a number: 2^k for a whole k from -1022 to 1023, and [k, m] with x = 2^k m, 1 <= m < 2.
  const view = new DataView(new ArrayBuffer(8));
  function two(k) {
    view.setInt32(0, (k + 1023) << 20);
    view.setInt32(4, 0);
    return view.getFloat64(0);
  }
  function parts(x) {
    view.setFloat64(0, x);
    const first = view.getInt32(0);
    view.setInt32(0, (first & 0xfffff) | 0x3ff00000);
    return [(first >>> 20) - 1023, view.getFloat64(0)];
  }

  // ---- log and its kin ---------------------------------------------------------------------------------------------

  // log 2: its first 40 digits, so that a multiple is exact, and the rest. And log(j / 16) for j = 11, ..., 23.
  const LN2 = [0.6931471805592082, 7.371002565167799e-13];
  const LOGS = [
    [-0.3746934494414107, 3.9243112288632396e-18], [-0.2876820724517809, -2.607160616442564e-17],
    [-0.2076393647782445, -1.2053243216686129e-17], [-0.13353139262452263, 3.664457663660085e-18],
    [-0.06453852113757118, 6.470486661692933e-18], [0, 0], [0.06062462181643484, 2.6424025938726934e-18],
    [0.11778303565638346, -1.1971685747593677e-18], [0.17185025692665923, -6.0224538210113705e-18],
    [0.22314355131420976, -9.091270597324799e-18], [0.27193371548364176, 7.83319637697442e-19],
    [0.3184537311185346, 2.7114779367326236e-17], [0.3629054936893685, -2.1492361455310972e-17],
  ];
  const ATANH = [1 / 3, 1 / 5, 1 / 7, 1 / 9, 1 / 11, 1 / 13];

  // log x of a positive x, as a pair. With x = 2^k m and c the sixteenth next to m, log x = k log 2 + log c + 2 atanh q
  // for q = (m - c) / (m + c), whose size is below 1 / 44.
  function logarithm(x) {
    if (!(x < Infinity)) return [x, 0];
    if (x < 1e-300) {
      const [high, low] = logarithm(x * two(60));
      return sum(high - 60 * LN2[0], low - 60 * LN2[1]);
    }
    let [k, m] = parts(x);
    if (m > Math.SQRT2) {
      m /= 2;
      k += 1;
    }
    const j = Math.round(16 * m), c = j / 16, [known, rest] = LOGS[j - 11], [s, lost] = sum(m, c);
    const q = (m - c) / s, [p, left] = product(q, s), q2 = (m - c - p - left - q * lost) / s, z = q * q;
    const [a, a2] = sum(k * LN2[0], known), [b, b2] = sum(a, 2 * q);
    return sum(b, a2 + b2 + rest + k * LN2[1] + 2 * q2 + 2 * q * z * polynomial(ATANH, z));
  }

  const ofPositive = (x, f) => (x > 0 ? f(x) : x === 0 ? -Infinity : NaN);
  const log = (x) => ofPositive(x, () => logarithm(x)[0]);

  // log(1 + x), to the last digit of a small x too.
  const log1p = (x) => ofPositive(1 + x, () => {
    const [s, lost] = sum(1, x), [high, low] = logarithm(s);
    return s < Infinity ? high + (low + lost / s) : s;
  });

  // The logarithm to another base, from 1 / log(base), a pair.
  const toBase = (inverse, rest) => (x) => ofPositive(x, () => {
    const [high, low] = logarithm(x), [p, left] = product(high, inverse);
    return high < Infinity ? p + (left + high * rest + low * inverse) : high;
  });
  const log10 = toBase(0.4342944819032518, 1.098319650216765e-17);
  const log2 = toBase(1.4426950408889634, 2.0355273740931033e-17);

  // ---- exp and powers ----------------------------------------------------------------------------------------------

  const factorials = (first, last, step) => {
    const inverse = [];
    for (let k = 1, f = 1; k <= last; k++) {
      f *= k;
      if (k >= first && (k - first) % step === 0) inverse.push(1 / f);
    }
    return inverse;
  };
  const EXP = factorials(2, 14, 1);

  // exp of the pair's sum: 2^k exp(r), with r between -0.35 and 0.35.
  function exponential(high, low) {
    if (high > 710) return Infinity;
    if (high < -746) return 0;
    const k = Math.round(high / LN2[0]), [r, rest] = sum(high - k * LN2[0], low - k * LN2[1]), [s, lost] = sum(1, r);
    const value = s + (lost + rest + r * r * polynomial(EXP, r));
    if (k > 1000) return value * two(1000) * two(k - 1000);
    return k < -1000 ? value * two(k + 100) * two(-100) : value * two(k);
  }
  const exp = (x) => exponential(x, 0);

  const square = (x) => x * x;

  // x to the power of y.
  function power(x, y) {
    if (y === 0 || x === 1) return 1;
    if (x === 0) return y > 0 ? 0 : Infinity;
    if (x < 0) return Number.isInteger(y) ? (y % 2 ? -1 : 1) * power(-x, y) : NaN;
    const [high, low] = logarithm(x), [p, left] = product(y, high);
    return exponential(p, left + y * low);
  }

  // ---- angles ------------------------------------------------------------------------------------------------------

  // A quarter of a turn, in three parts of which the first two have 33 digits, so that a multiple is exact.
  const QUARTER = [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21];
  const signed = (terms) => terms.map((v, k) => (k % 2 ? v : -v));
  const SIN = signed(factorials(3, 19, 2)), COS = factorials(4, 18, 2).map((v, k) => (k % 2 ? -v : v));

  function sine(r, rest) {
    const z = r * r;
    return r + (r * z * polynomial(SIN, z) + rest * (1 - z / 2));
  }
  function cosine(r, rest) {
    const z = r * r, w = 1 - z / 2;
    return w + (1 - w - z / 2 + (z * z * polynomial(COS, z) - r * rest));
  }

  // sin of x plus some quarters of a turn.
  function turned(x, quarters) {
    if (Math.abs(x) > 1e5) throw new RangeError(`the angle is ${x}; it may be up to 100000 either way`);
    const n = Math.round(x / (QUARTER[0] + QUARTER[1])), [r, rest] = sum(x - n * QUARTER[0], -n * QUARTER[1]);
    const side = (n + quarters) & 3, value = (side % 2 ? cosine : sine)(r, rest - n * QUARTER[2]);
    return side < 2 ? value : -value;
  }
  const sin = (x) => turned(x, 0), cos = (x) => turned(x, 1);

  // atan(j / 8) for j = 0, ..., 8, and a quarter of a turn.
  const ATANS = [
    [0, 0], [0.12435499454676144, -3.1253241424539383e-18], [0.24497866312686414, 1.0698755618734451e-17],
    [0.35877067027057225, -2.4623815582638635e-17], [0.4636476090008061, 2.2698777452961687e-17],
    [0.5585993153435624, -5.4556305485916264e-18], [0.6435011087932844, 1.5834785051444286e-17],
    [0.7188299996216245, -2.1478388444456983e-17], [0.7853981633974483, 3.061616997868383e-17],
  ];
  const ATAN = signed([1 / 3, 1 / 5, 1 / 7, 1 / 9, 1 / 11, 1 / 13, 1 / 15, 1 / 17]);

  // atan x = atan c + atan u for the eighth c next to x and u = (x - c) / (1 + c x); beyond 1, a quarter less atan(1 / x).
  function atan(x) {
    if (x < 0) return -atan(-x);
    if (x > 1e300) return Math.PI / 2;
    const steep = x > 1, j = Math.round(8 * (steep ? 1 / x : x)), c = j / 8, [known, rest] = ATANS[j] ?? [NaN, NaN];
    const u = steep ? (1 - c * x) / (x + c) : (x - c) / (1 + c * x), z = u * u;
    const small = u + (u * z * polynomial(ATAN, z) + rest);
    return steep ? Math.PI / 2 - known + (6.123233995736766e-17 - small) : known + small;
  }

  return { exp, log, log1p, log10, log2, square, power, sin, cos, atan };
})();
