// What the laboratory's optimizers have to solve: five problems, each with a start and batches that a seed draws.
//
// A problem: { says, most, unit, start(seed), gradients(parameters, batch, draw), tuned(parameters),
// judged(parameters) }. `most` is its largest batch, 0 where the gradient is exact. `draw` gives uniform numbers; the
// same seed gives every method the same start and the same batches. `tuned` and `judged` are what a run is scored by:
// the logarithm (base 10) of the loss at the end, or, on the digits, the loss in nats on digits that training never saw:
// one part of them tunes, another judges. Deliberately absent: a choice of the problems' constants.
"use strict";

Live.lab.problems = (() => {
  const { times, turned } = Live.lab.methods;
  const sum = (a) => a.reduce((all, v) => all + v, 0);
  const least = 1e-16; // below it a loss is as good as 0
  const log = (loss) => Exact.log10(Math.max(loss, least));
  const curvatures = (n, most) => Float64Array.from({ length: n }, (_, i) => Exact.power(most, 1 - i / (n - 1)));

  // A normal number from two uniform ones.
  const normal = (draw) => Math.sqrt(-2 * Exact.log(1 - draw())) * Exact.cos(2 * Math.PI * draw());
  const normals = (draw, count) => Float64Array.from({ length: count }, () => normal(draw));

  // An orthogonal matrix that mixes axis i with axis n - 1 - i by 45 degrees: the steepest with the flattest.
  function rotation(n) {
    const h = Math.SQRT1_2;
    return Float64Array.from({ length: n * n }, (_, k) => {
      const i = Math.floor(k / n), j = k % n;
      return i === j ? h : i + j === n - 1 ? (i < j ? -h : h) : 0;
    });
  }
  const symmetric = (h) => { // with these eigenvalues, on turned axes
    const n = h.length, Q = rotation(n);
    return times(Q.map((v, k) => v * h[k % n]), Q, n, n, n, true);
  };

  // Half <x - 1, H (x - 1)> in 8 dimensions; every entry of a batch's gradient has noise of this size / sqrt(batch).
  function bowl(says, H, noise) {
    const n = Math.sqrt(H.length), gradient = (x) => times(H, x.map((v) => v - 1), n, n, 1);
    const loss = ([x]) => log(0.5 * sum(gradient(x.data).map((g, k) => g * (x.data[k] - 1))));
    return {
      says, most: noise ? Infinity : 0, unit: "log", tuned: loss, judged: loss,
      start: (seed) => {
        const draw = Live.uniforms(1000 + seed);
        return [{ shape: [n], data: normals(draw, n).map((v) => 1 + 2 * v) }];
      },
      gradients: ([x], batch, draw) => {
        const g = gradient(x.data);
        return [noise ? g.map((v) => v + (noise * normal(draw)) / Math.sqrt(batch)) : g];
      },
    };
  }
  const steep = curvatures(8, 100), diagonal = new Float64Array(64);
  steep.forEach((h, i) => { diagonal[9 * i] = h; });

  // Half <X - 1, A (X - 1) B> for a matrix of 8 x 6 weights: as in a layer, its rows pull on each other a little, and
  // its columns, the directions of correlated inputs, very much.
  const rows = 8, columns = 6, A = symmetric(curvatures(rows, 10)), B = symmetric(curvatures(columns, 1000));
  const pull = (x) => times(times(A, x.map((v) => v - 1), rows, rows, columns), B, rows, columns, columns);
  const misfit = ([x]) => log(0.5 * sum(pull(x.data).map((g, k) => g * (x.data[k] - 1))));
  const matrix = {
    says: "a matrix of 8 × 6 weights", most: 0, unit: "log", tuned: misfit, judged: misfit,
    start: (seed) => {
      const draw = Live.uniforms(1000 + seed);
      return [{ shape: [rows, columns], data: normals(draw, rows * columns).map((v) => 1 + v) }];
    },
    gradients: ([x]) => [pull(x.data)],
  };

  // Scanned digits, 8 x 8 pixels: a network of layers 64, 32, 32, 10 with ReLU and no biases. As in the book, every fifth
  // of the images sorted by label is left out of training: these judge. Of the others every fourth tunes.
  const widths = [64, 32, 32, 10];
  let images = null;
  function digits() {
    if (images) return images;
    const { pixels, labels } = Live.lab.digits, places = Array.from(labels, (_, k) => k);
    const left = new Set([...places].sort((a, b) => labels[a] - labels[b] || a - b).filter((_, k) => k % 5 === 0));
    const image = (k) => ({ label: Number(labels[k]),
      x: Float64Array.from(pixels.slice(64 * k, 64 * k + 64), (c) => (c.charCodeAt(0) - 97) / 16) });
    const others = places.filter((k) => !left.has(k));
    images = { test: [...left].sort((a, b) => a - b).map(image), tune: others.filter((_, k) => k % 4 === 3).map(image),
      train: others.filter((_, k) => k % 4 !== 3).map(image) };
    return images;
  }
  // The layers' outputs for some digits, and the probabilities at the end.
  function forward(parameters, some) {
    const n = some.length, outputs = [new Float64Array(64 * n)];
    some.forEach(({ x }, i) => outputs[0].set(x, 64 * i));
    parameters.forEach((w, l) => {
      const z = times(outputs[l], w.data, n, widths[l], widths[l + 1]);
      outputs.push(l < 2 ? z.map((v) => Math.max(v, 0)) : z);
    });
    const logits = outputs[3], chances = new Float64Array(logits.length);
    let loss = 0;
    for (let i = 0; i < n; i++) {
      const row = logits.subarray(10 * i, 10 * i + 10), top = Math.max(...row);
      const total = sum(row.map((v) => Exact.exp(v - top)));
      loss += (top + Exact.log(total) - row[some[i].label]) / n;
      row.forEach((v, j) => { chances[10 * i + j] = Exact.exp(v - top) / total; });
    }
    return { outputs, chances, loss };
  }
  function backward(parameters, some) {
    const { outputs, chances, loss } = forward(parameters, some), n = some.length, gradients = [];
    let back = chances.map((v, k) => (v - (k % 10 === some[Math.floor(k / 10)].label ? 1 : 0)) / n);
    for (let l = 2; l >= 0; l--) {
      gradients[l] = times(turned(outputs[l], n, widths[l]), back, widths[l], n, widths[l + 1]);
      if (!l) break;
      back = times(back, parameters[l].data, n, widths[l + 1], widths[l], true).map((v, k) => (outputs[l][k] > 0 ? v : 0));
    }
    return { gradients, loss };
  }
  // `count` of the training digits, none twice.
  function sample(count, draw) {
    const places = digits().train.map((_, k) => k);
    for (let k = 0; k < count; k++) {
      const other = k + Math.floor(draw() * (places.length - k));
      [places[k], places[other]] = [places[other], places[k]];
    }
    return places.slice(0, count).map((k) => digits().train[k]);
  }
  const network = {
    says: "a network on scanned digits", most: 1024, unit: "nats",
    start: (seed) => {
      const draw = Live.uniforms(1000 + seed);
      return [0, 1, 2].map((l) => ({ shape: [widths[l], widths[l + 1]],
        data: normals(draw, widths[l] * widths[l + 1]).map((v) => v / Math.sqrt(widths[l])) }));
    },
    gradients: (parameters, batch, draw) => backward(parameters, sample(batch, draw)).gradients,
    tuned: (parameters) => forward(parameters, digits().tune).loss,
    judged: (parameters) => forward(parameters, digits().test).loss,
  };

  const problems = {
    bowl: bowl("a bowl in 8 dimensions, curvatures 1 to 100", diagonal, 0),
    valley: bowl("the same bowl with its axes turned by 45°", symmetric(steep), 0),
    "noisy bowl": bowl("the bowl with noise in each gradient", diagonal, 30),
    matrix,
    digits: network,
  };

  // For the tests: the loss of given layers on given digits, and its gradients.
  function digitsGradient(layers, places) {
    const parameters = layers.map((data, l) => ({ shape: [widths[l], widths[l + 1]], data: Float64Array.from(data) }));
    const { gradients, loss } = backward(parameters, places.map((k) => digits().train[k]));
    return { gradients: gradients.map((g) => [...g]), loss };
  }
  // And the gradient of a problem without noise at given weights.
  const exact = (name, x) => [...problems[name].gradients([{ data: Float64Array.from(x) }], 1e300, () => 0)[0]];
  // And the images of each part with their labels at the end.
  const listed = (all) => all.map(({ x, label }) => [...x, label]);
  const parts = () => Object.fromEntries(Object.entries(digits()).map(([part, all]) => [part, listed(all)]));

  return { problems, digitsGradient, exact, parts };
})();
