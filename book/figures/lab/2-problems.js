// What the laboratory's optimizers have to solve: five problems, each with a start and batches that a seed draws.
//
// A problem: { says, most, unit, start(seed), gradients(parameters, batch, draw), tuned(parameters),
// judged(parameters) }. `most` is its largest batch, 0 where the gradient is exact. `draw` gives uniform numbers; the
// same seed gives every method the same start and the same batches. `tuned` and `judged` are what a run is scored by:
// the logarithm (base 10) of the loss at the end, or, on the digits, the loss in nats on digits that training never saw:
// one part of them tunes, another judges. Deliberately absent: a choice of the problems' constants.
"use strict";

Live.lab.problems = (() => {
  const { map, sum, times, turned } = Live.lab.methods;
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
    says: "a matrix of 8 × 6 weights", most: 0, unit: "log", matrices: true, tuned: misfit, judged: misfit,
    start: (seed) => {
      const draw = Live.uniforms(1000 + seed);
      return [{ shape: [rows, columns], data: normals(draw, rows * columns).map((v) => 1 + v) }];
    },
    gradients: ([x]) => [pull(x.data)],
  };

  // A network of layers with ReLU between them and no biases. An example is { x, label }; `aims` are the weights of the
  // classes, a row for each example: without them, of all examples alike, each its label.
  function labels(some, classes) {
    const aims = new Float64Array(some.length * classes);
    some.forEach(({ label }, i) => { aims[classes * i + label] = 1 / some.length; });
    return aims;
  }
  function forward(parameters, some, aims = labels(some, parameters.at(-1).shape[1])) {
    const n = some.length, outputs = [new Float64Array(some[0].x.length * n)], classes = aims.length / n;
    some.forEach(({ x }, i) => outputs[0].set(x, x.length * i));
    parameters.forEach(({ shape, data }, l) => {
      const z = times(outputs[l], data, n, ...shape);
      outputs.push(l < parameters.length - 1 ? map(z, (v) => Math.max(v, 0)) : z);
    });
    const logits = outputs.at(-1), back = new Float64Array(logits.length);
    let loss = 0;
    for (let at = 0; at < logits.length; at += classes) {
      const row = logits.subarray(at, at + classes), aim = aims.subarray(at, at + classes);
      let top = row[0];
      for (let j = 1; j < classes; j++) top = Math.max(top, row[j]);
      const powers = map(row, (v) => Exact.exp(v - top)), total = sum(powers), weight = sum(aim);
      loss += weight * (top + Exact.log(total));
      for (let j = 0; j < classes; j++) {
        loss -= aim[j] * row[j];
        back[at + j] = (weight * powers[j]) / total - aim[j];
      }
    }
    return { outputs, back, loss };
  }
  function backward(parameters, some) {
    let { outputs, back, loss } = forward(parameters, some);
    const n = some.length, gradients = [];
    for (let l = parameters.length - 1; l >= 0; l--) {
      const { shape: [rows, columns], data } = parameters[l];
      gradients[l] = times(turned(outputs[l], n, rows), back, rows, n, columns);
      if (l) back = map(times(back, data, n, columns, rows, true), (v, k) => (outputs[l][k] > 0 ? v : 0));
    }
    return { gradients, loss };
  }
  // Layers of these widths; layer l starts with variance 1 / width, times the square of scales[l].
  function network(widths, scales, seed) {
    const draw = Live.uniforms(1000 + seed);
    return scales.map((scale, l) => ({ shape: [widths[l], widths[l + 1]],
      data: map(normals(draw, widths[l] * widths[l + 1]), (v) => (scale * v) / Math.sqrt(widths[l])) }));
  }

  // Scanned digits, 8 x 8 pixels. As in the book, every fifth of the images sorted by label is left out of training:
  // these judge. Of the others every fourth tunes.
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
  // `count` of the training digits, none twice.
  function sample(count, draw) {
    const { train } = digits(), places = train.map((_, k) => k);
    for (let k = 0; k < count; k++) {
      const other = k + Math.floor(draw() * (places.length - k));
      [places[k], places[other]] = [places[other], places[k]];
    }
    return places.slice(0, count).map((k) => train[k]);
  }
  const reading = (says, scales) => ({
    says, most: 1024, unit: "nats", matrices: true,
    start: (seed) => network([64, 32, 32, 10], scales, seed),
    gradients: (parameters, batch, draw) => backward(parameters, sample(batch, draw)).gradients,
    tuned: (parameters) => forward(parameters, digits().tune).loss,
    judged: (parameters) => forward(parameters, digits().test).loss,
  });

  // The next of 48 words, by a network of widths 48, 16, 48. Words come by their rank, the second half as often as the
  // first, the third a third as often; or all alike. A word's partner follows it half of the time (2 after 1, 1 after 2,
  // 4 after 3), else any word. The loss is the mean over all pairs of words, each weighted by how often it comes.
  const WORDS = 48;
  function language(says, rare) {
    const odds = Float64Array.from({ length: WORDS }, (_, k) => 1 / (rare ? k + 1 : 1)), all = sum(odds);
    const chances = map(odds, (v) => v / all), numbers = [...chances.keys()];
    const words = numbers.map((k) => Float64Array.from(numbers, (j) => Number(j === k)));
    const aims = Float64Array.from({ length: WORDS * WORDS }, (_, i) => {
      const k = Math.floor(i / WORDS), label = i % WORDS;
      return chances[k] * (chances[label] / 2 + (label === (k ^ 1) ? 0.5 : 0));
    });
    const loss = (parameters) => forward(parameters, words.map((x) => ({ x })), aims).loss;
    function word(draw) {
      let k = 0;
      for (let rest = draw() - chances[0]; rest >= 0 && k < WORDS - 1; rest -= chances[k]) k += 1;
      return k;
    }
    const sample = (count, draw) => Array.from({ length: count }, () => {
      const k = word(draw), other = word(draw);
      return { x: words[k], label: draw() < 0.5 ? other : k ^ 1 };
    });
    return {
      says, most: 4096, unit: "nats", matrices: true, tuned: loss, judged: loss, aims, sample,
      start: (seed) => network([WORDS, 16, WORDS], [2, 1], seed),
      gradients: (parameters, batch, draw) => backward(parameters, sample(batch, draw)).gradients,
    };
  }

  const problems = {
    bowl: bowl("a bowl in 8 dimensions, curvatures 1 to 100", diagonal, 0),
    valley: bowl("the same bowl with its axes turned by 45°", symmetric(steep), 0),
    "noisy bowl": bowl("the bowl with noise in each gradient", diagonal, 30),
    matrix,
    digits: reading("a network on scanned digits", [1, 1, 1]),
    "rescaled digits": reading("the network on scanned digits, its layers on other scales", [16, 1, 1 / 16]),
    words: language("a network that guesses the next word, where many words are rare", true),
    "even words": language("a network that guesses the next word, where all words are equally frequent", false),
  };

  // For the tests: the loss of given layers on given examples, and its gradients.
  function gradient(layers, shapes, examples) {
    const parameters = layers.map((data, l) => ({ shape: shapes[l], data: Float64Array.from(data) }));
    const { gradients, loss } = backward(parameters, examples.map(([x, label]) => ({ x, label })));
    return { gradients: gradients.map((g) => [...g]), loss };
  }
  // And the gradient of a problem without noise at given weights.
  const exact = (name, x) => [...problems[name].gradients([{ data: Float64Array.from(x) }], 1e300, () => 0)[0]];
  // And the images of each part with their labels at the end.
  const listed = (all) => all.map(({ x, label }) => [...x, label]);
  const parts = () => Object.fromEntries(Object.entries(digits()).map(([part, all]) => [part, listed(all)]));

  // And some pairs of words, as a batch draws them, and how often each pair comes.
  const numbered = ({ x, label }) => [x.indexOf(1), label];
  const pairs = (name, count, seed) => problems[name].sample(count, Live.uniforms(seed)).map(numbered);
  const odds = (name) => [...problems[name].aims];

  return { problems, gradient, exact, parts, pairs, odds };
})();
