"""What readers type into the search, and the sections that answer it: chapter (or page) and heading, without numbers.

Written down before the search was; a section stands here because a reader who opens it has the answer on the screen.
"""

# A query | a section | another one; a line that is indented goes on with sections.
TABLE = """\
LAMB trust ratio | lamb: The trust ratios of a network | lamb: Build: one change to Adam
warmup | carrying_a_rate: What a warm-up buys
why bias correction | adam: Bias correction, derived | adam: Adam: momentum, and a corrected start
critical batch size | big_batches: Measure: could you have known? | big_batches: From one step to a run
    big_batches: Prove: steps against examples | big_batches: Measure: the hyperbola on digits
    big_batches: For a stretch of a run
bf16 | memory: Weights in sixteen bits | memory: Sixteen bytes or eighteen
    torch: Sixteen bits: an average that cannot fall
Adafactor memory | adafactor: What it remembers | memory: State: shapes, and types
    memory: When factoring pays
gradient accumulation | bert_in_76_minutes: Prove: accumulation is a big batch
noise scale | big_batches: Build: a ruler for noise | big_batches: Build: what one step is worth
    big_batches: The noise scale depends on the way | big_batches: The noise scale of a language model comes free
weight decay | adam: AdamW: take the decay out of the quotient
linear scaling rule | carrying_a_rate: Why there can be a rule at all
    carrying_a_rate: Measure: which rule carries
learning rate too large | sgd: Build: how long may a step be?
Adam does not converge | adam: When Adam walks to the worst point | adam: Prove: Adam can walk to the worst point
nesterov accelerated gradient | momentum: Nesterov brakes where the loss is steep
    momentum: Prove: Nesterov is a ball with friction | optimizers_at_a_glance: Momentum and Nesterov
heavy ball condition number | momentum: Prove: the best ball | momentum: Prove: the spectrum of heavy ball
descent lemma | toolbox: The descent lemma | sgd: Prove: what SGD promises without convexity
check a gradient numerically | loss_and_gradient: Measure: checking a gradient
    loss_and_gradient: Five ways the check misleads | loss_and_gradient: The best step, measured
backpropagation | loss_and_gradient: Build: the gradient of any program
    loss_and_gradient: Prove: backward sums over all paths | loss_and_gradient: The machine
lr decay | sgd: A falling rate removes the floor
mini-batch variance without replacement | sgd: Build: a gradient with an error bar
    sgd: The variance, checked on every batch | toolbox: The noise of a mini-batch
edge of stability | sgd: A network finds the edge by itself
saddle point | loss_and_gradient: Factorised: a saddle
epsilon in Adam | adam: Exercises
amsgrad | adam: AMSGrad: never forget the largest | optimizers_at_a_glance: AMSGrad
generalization gap | carrying_a_rate: Does a large batch generalise worse?
    carrying_a_rate: The generalisation gap at equal training loss
LARS biases and norms | lars: Zero norms, biases, norms
activation checkpointing | memory: Prove: the square root of recomputation
ZeRO sharded optimizer state | memory: Shares of the state | torch: One parameter on several machines
    many_machines: Build: LAMB in pieces
factored second moment | adafactor: Build: a row times a column | adafactor: Do second moments factor?
    memory: When factoring pays
CAME confidence | came: CAME: the surprise, kept as a row and a column | came: Rank one twice is rank one
    came: Instability is the speed of the average
muon newton-schulz | norms: Muon: orthogonal by products alone | landscape: Muon: momentum, orthogonalised
    optimizers_at_a_glance: Muon
tokenizer | bert: Build: tokens
masked language model | bert: Build: the mask | bert: Build: the loss
allreduce | many_machines: Build: a sum for everybody | many_machines: Prove: no all-reduce sends less
network latency and bandwidth | many_machines: The price of a message
resume after a crash | many_machines: A worker is killed | many_machines: What is kept on the disk
quantization | train_large_compress: Build: fewer bits
compute optimal model size | train_large_compress: Prove: where the minimum lies
    train_large_compress: Build: the price of a token | train_large_compress: Seconds instead of operations
how many seeds | reality_check: How many runs, decided before | reality_check: Measure: the search, repeated
    the_rule_for_ties: The rule for ties | the_rule_for_ties: “Not resolved” is not “equal”
timm LAMB | which_lamb: Ask your optimizer | which_lamb: What to do | lamb: Which LAMB is your LAMB?
report a mistake | index: Report an error
"""

# Twenty more, written before the search knew Greek letters, slips of the keyboard and other endings of a word.
MORE = """\
what is φ in LAMB | lamb: Build: one change to Adam | lars: The 2020 form: normalise the momentum
    lars: The trust ratio, derived as far as it goes
phi trust ratio | lamb: Build: one change to Adam | lars: The 2020 form: normalise the momentum
    lars: The trust ratio, derived as far as it goes | lamb: The trust ratios of a network
β2 too small | adam: When Adam walks to the worst point | bert_in_76_minutes: A shorter memory
    bert: Five settings for each | adam: Prove: Adam can walk to the worst point
warmpu | carrying_a_rate: What a warm-up buys
learning rate explodes | sgd: Build: how long may a step be?
nesterov pytorch difference | momentum: Three ways to write it, and when they agree
memory of activations | memory: What the backward pass keeps | memory: A block, tensor by tensor
    memory: Prove: the square root of recomputation
adafcator convergence | adafactor: Does it converge?
λ inside or outside the ratio | lamb: Which of LAMB’s settings matter? | which_lamb: How much each choice matters
    which_lamb: What one step shows
σ of the gradient noise | sgd: Build: a gradient with an error bar | sgd: The noise of a network’s gradient
    toolbox: The noise of a mini-batch | big_batches: Build: a ruler for noise
κ condition number | momentum: Prove: the best ball | momentum: Prove: the spectrum of heavy ball
    loss_and_gradient: Quadratic: a bowl | momentum: Build: one buffer
huggingface trainer | own_trainer: Trainer of transformers
stochastic roundng | torch: Rounding at random | memory: Weights in sixteen bits
    memory: What the four roundings keep
how many gpus for bert | many_machines: The planner | many_machines: Do 76 minutes come out?
is lamb better than adamw | lamb: Measure: does the rate carry over? | lamb: On digits
    bert_in_76_minutes: Measure: loss against batch | verdicts: One question, one answer
    reality_check: The verdicts, with the search counted | bert_in_76_minutes: What remains of the claim
proving nesterov | momentum: Prove: Nesterov is a ball with friction
    momentum: Prove: a growing momentum, without a smallest curvature
gradent clipping | lamb: Gradient clipping: what it turns | lamb: Pitfalls met in practice
    adafactor: A second reason to clip: an average that is out of date | adafactor: Build: Adafactor in four changes
pruned weights | train_large_compress: Build: fewer weights | train_large_compress: Does a large model bear more?
significance of a difference | the_rule_for_ties: Build: the interval | the_rule_for_ties: Three verdicts
    reality_check: How many runs, decided before | the_rule_for_ties: “Not resolved” is not “equal”
quantised optimiser state | memory: State in eight bits, and in four | torch: State in fewer bits
    torch: One byte a number
"""


def table(text: str) -> dict[str, list[str]]:
    """{query: sections}."""
    rows = [row.split(" | ") for row in text.replace("\n    ", " | ").splitlines()]
    return {query: sections for query, *sections in rows}


SEARCHES, MORE_SEARCHES = table(TABLE), table(MORE)
