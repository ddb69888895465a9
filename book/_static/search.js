// Ranks the sections of the book (search-index.js, made by tools/pages/search_index.py) for what a reader asks: BM25 over the
// stems of words, where a title counts several times, and words that stand side by side count together. One question
// may have several spellings: warmup is warm-up, and lr is learning rate.

// Ways to say the same; each line may be asked in any of its forms.
const SAME = [
  ["lr", "learning rate", "step size", "eta"], ["lr decay", "learning rate decay", "falling rate", "lr schedule", "annealing"],
  ["too large", "too high", "too big", "too long", "how long", "diverge", "explode", "blow up"], ["memory", "remember"],
  ["wd", "weight decay", "lambda"], ["kappa", "condition number"], ["gd", "gradient descent"],
  ["sgd", "stochastic gradient descent"], ["bf16", "bfloat16"], ["fp16", "float16", "half precision"],
  ["fp32", "float32", "single precision"], ["backprop", "backpropagation", "backward pass", "reverse mode"],
  ["autodiff", "autograd", "automatic differentiation"], ["checkpointing", "recomputation", "rematerialisation"],
  ["lm", "language model"], ["mlm", "masked language model"], ["std", "standard deviation"], ["nn", "neural network"],
  ["hyperparameter", "setting"], ["oom", "out of memory"], ["error", "mistake", "typo"], ["crash", "killed", "failure"],
  ["quantised", "quantized", "eight bits", "fewer bits", "int8", "8 bit"], ["optimizer state", "state"],
  ["activations", "the backward pass keeps"], ["significance", "significant", "p value", "resolved", "verdict"],
  ["gpu", "card", "accelerator", "machine"], ["many gpus", "planner"], ["better than", "against", "versus", "vs"],
  ["speed", "throughput"], ["multi gpu", "distributed", "several machines"],
  ["zero", "sharding"], ["pytorch", "torch"], ["ci", "confidence interval"], ["snr", "signal to noise"], ["ema", "moving average"],
];
// A letter alone tells less than a word.
const LETTER = 0.5;
const TITLE = 5, MARKED = 3, CHAPTER = 2, TOGETHER = 0.5, K1 = 1.2, B = 0.6, SHORT = 80, SNIPPET = 210, SHOWN = 20;
// Words that a question has and no answer needs.
const ASKING = new Set("can do does from how i my should than we what when where which who why you".split(" "));
// What speaks about an answer rather than giving it comes after sections that say the same.
const ABOUT = [
  [/^(Exercise|Further reading|Summary|What you will be able to do|The question|Beside the paper|Pitfalls)/, 0.6],
  [/^(book\/(api|theorems|verdicts|status|bibliography|notation|teaching|lectures|goals)|studies|course)/, 0.6],
  [/^book\/errata/, 0.4],
];

const stemmer = new Stemmer(), stems = new Map();

function stem(word) {
  if (!stems.has(word)) {
    const spelt = word.replace(/is(e|es|ed|er|ers|ing|ation|ations)$/, "iz$1").replace(/(\w{3})our/, "$1or");
    stems.set(word, stemmer.stemWord(spelt));
  }
  return stems.get(word);
}

// A Greek letter is its name, for whoever cannot type it; two in a row are two words.
const GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon phi chi psi omega".split(" ");
const named = (text) => text.normalize("NFKC").replace(/[α-ω]/gu, (letter) => ` ${GREEK[letter.charCodeAt(0) - 0x3b1]}`);
const words = (text) => named(text.toLowerCase()).replace(/['’]s\b/g, "").match(/[\p{L}\p{N}_]+/gu) ?? [];
const compounds = new Map(); // warmup, since the book has warm-up
for (const [, entries] of PAGES)
  for (const entry of entries)
    for (const found of `${entry[2]} ${entry[3]}`.toLowerCase().match(/[\p{L}\p{N}]+(-[\p{L}\p{N}]+)+/gu) ?? [])
      compounds.set(found.replaceAll("-", ""), found.split("-"));

// Everything that can be found: page, anchor, number, title, text, chapter, and all its words.
const ALL = PAGES.flatMap(([page, entries]) => entries.map(([anchor, number, title, text, marks], k) => {
  const chapter = entries[0][2], tokens = [title, marks, text, k ? chapter : ""].map((said) => words(said).map(stem));
  return {
    page, anchor: k ? anchor : "", number, title, text, marks, chapter, chapterNumber: entries[0][1],
    fields: [[TITLE, tokens[0]], [MARKED, tokens[1]], [1, tokens[2]], [CHAPTER, tokens[3]]],
    length: Math.max(SHORT, tokens[0].length + tokens[2].length),
    worth: ABOUT.reduce((worth, [about, less]) => worth * (about.test(title) || about.test(page) ? less : 1), 1),
  };
}));
const WORDS = ALL.filter((entry) => entry.page === "book/glossary" && entry.anchor.startsWith("term-"));
const SECTIONS = ALL.filter((entry) => !WORDS.includes(entry));
const MEAN = SECTIONS.reduce((sum, section) => sum + section.length, 0) / SECTIONS.length;

// The words of the book, and how often each stands in it: a word that is asked and is none of them was mistyped.
const SPELT = new Map();
for (const word of [...ALL.flatMap((entry) => words(`${entry.title} ${entry.text} ${entry.marks}`)), ...compounds.keys(), ...SAME.flat().flatMap(words)])
  SPELT.set(word, (SPELT.get(word) ?? 0) + 1);
const KNOWN = new Set([...SPELT.keys()].map(stem));

// Do two words differ by one letter that is wrong, missing, too many, or by two that have changed places?
function oneSlip(a, b) {
  if (Math.abs(a.length - b.length) > 1) return false;
  let k = 0, end = 0;
  while (k < a.length && a[k] === b[k]) k++;
  while (end < Math.min(a.length, b.length) - k && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(k, a.length - end), b.slice(k, b.length - end)];
  return (left.length < 2 && right.length < 2) || (left.length === 2 && left === [...right].reverse().join(""));
}

// The word as the book spells it; as it is where the book has it, or nothing near.
function spelling(word) {
  if (word.length < 4 || KNOWN.has(stem(word)) || STOP.has(word)) return word;
  const near = [...SPELT].filter(([other]) => oneSlip(word, other));
  return near.reduce((best, one) => (one[1] > best[1] ? one : best), [word, 0])[0];
}

// How often one of the phrases stands in a section.
const count = (section, phrases) => section.fields.reduce((sum, [weight, tokens]) => sum + weight * phrases.reduce(
  (found, phrase) => found + tokens.filter((_, k) => phrase.every((word, j) => tokens[k + j] === word)).length, 0), 0);

// The forms of the words from k on, as many words as SAME knows together, and how many they are.
function forms(asked, k) {
  let best = [[[asked[k]], compounds.get(asked[k]) ?? []].filter((form) => form.length), 0];
  for (const same of SAME.map((line) => line.map(words)))
    for (const form of same)
      if (form.length > best[1] && form.every((word, j) => asked[k + j] && stem(asked[k + j]) === stem(word)))
        best = [same, form.length];
  return [best[0], best[1] || 1];
}

// What is asked: groups of phrases that mean the same, and neighbours that should stand side by side.
function parse(query) {
  let asked = words(query.replace(/[\p{L}\p{N}]+(-[\p{L}\p{N}]+)+/gu, (found) => {
    const joined = found.toLowerCase().replaceAll("-", "");
    return compounds.has(joined) ? joined : found;
  }));
  asked = asked.map(spelling);
  const telling = asked.filter((word) => !STOP.has(word) && !ASKING.has(word));
  if (telling.length) asked = telling;
  const groups = [];
  for (let k = 0; k < asked.length;) {
    const [phrases, used] = forms(asked, k);
    const letter = GREEK.includes(asked[k].replace(/\d+$/, "")) || asked[k].length === 1;
    groups.push({ weight: letter ? LETTER : 1, phrases: phrases.map((phrase) => phrase.map(stem)) });
    k += used;
  }
  const pairs = groups.slice(1).map((group, k) => ({
    weight: TOGETHER, phrases: groups[k].phrases.flatMap((left) => group.phrases.map((right) => [...left, ...right])),
  }));
  return [...groups, ...pairs];
}

// The sections for a question, best first.
function find(query) {
  const scores = new Array(SECTIONS.length).fill(0);
  for (const { weight, phrases } of parse(query)) {
    const counts = SECTIONS.map((section) => count(section, phrases));
    const having = counts.filter(Boolean).length;
    const rare = Math.log(1 + (SECTIONS.length - having + 0.5) / (having + 0.5));
    counts.forEach((n, k) => {
      const { length, worth } = SECTIONS[k];
      scores[k] += worth * weight * rare * n * (K1 + 1) / (n + K1 * (1 - B + B * length / MEAN));
    });
  }
  const order = SECTIONS.map((section, k) => ({ ...section, score: scores[k] })).filter((found) => found.score > 0);
  return order.sort((a, b) => b.score - a.score);
}

// The part of a text with most of what is asked, as nodes in which it is marked.
function snippet(text, query) {
  const wanted = new Set(parse(query).flatMap(({ phrases }) => phrases.flat()));
  const parts = text.split(/([\p{L}\p{N}_]+)/u); // words at odd places
  const hit = parts.map((part, k) => k % 2 === 1 && words(part).some((word) => wanted.has(stem(word))));
  let best = 0, most = -1;
  const sentences = parts.map((part, k) => k === 0 || /[.?!:] /.test(part) ? k : -1).filter((k) => k >= 0);
  for (const start of sentences) {
    const seen = new Set();
    for (let k = start, room = SNIPPET; k < parts.length && room > 0; room -= parts[k++].length)
      if (hit[k]) words(parts[k]).forEach((word) => seen.add(stem(word)));
    if (seen.size > most) [best, most] = [start, seen.size];
  }
  const line = document.createElement("p");
  let room = SNIPPET, k = best;
  if (best > 0) line.append("… ");
  for (; k < parts.length && room > 0; room -= parts[k++].length) {
    const part = k === best && best > 0 ? parts[k].replace(/^.*?[.?!:] /, "") : parts[k];
    if (hit[k]) line.append(Object.assign(document.createElement("mark"), { textContent: part }));
    else line.append(part);
  }
  if (k < parts.length) line.append(" …");
  return line;
}

function make(tag, text, className = "") {
  return Object.assign(document.createElement(tag), { textContent: text, className });
}

// "Run (20 minutes)" says nothing without the lab's name.
const ofLab = ({ page, anchor, chapter }) => (page.startsWith("course/labs/") && anchor ? `${chapter}: ` : "");

function linkTo(entry) {
  const { page, anchor, number, title } = entry;
  return Object.assign(make("a", `${number} ${ofLab(entry)}${title}`.trim()), { href: `${page}.html${anchor && `#${anchor}`}` });
}

// The word of the glossary that is asked for, whole and nothing else.
function definition(query) {
  const asked = new Set(parse(query).flatMap(({ phrases }) => phrases.map((phrase) => phrase.join(" "))));
  const word = WORDS.find(({ title }) => asked.has(words(title).map(stem).join(" ")));
  if (!word || words(query).length > words(word.title).length + 1) return [];
  const line = make("p", "", "word");
  line.append(linkTo(word), `: ${word.text}`);
  return [line];
}

function show(query) {
  const found = words(query).length ? find(query) : [], most = found.length > SHOWN ? `, the best ${SHOWN} of them here` : "";
  document.querySelector("#search ol").replaceChildren(...found.slice(0, SHOWN).map((section) => {
    const item = document.createElement("li"), chapter = section.chapterNumber && `Chapter ${section.chapterNumber}: `;
    item.append(linkTo(section), make("p", chapter + section.chapter, "where"), snippet(section.text, query));
    return item;
  }));
  document.querySelector("#search-word").replaceChildren(...definition(query));
  document.querySelector("#search [role=status]").textContent = !words(query).length ? ""
    : found.length ? `${found.length} sections${most}.` : `Nothing was found for “${query}”.`;
}

const field = document.querySelector("#search input");
field.value = new URLSearchParams(location.search).get("q") ?? "";
field.addEventListener("input", () => show(field.value));
show(field.value);
field.focus();
