"""What an option of other programs is called here, and what to say of one that does not exist here."""

import difflib
import re

# What users of nanoGPT, transformers' Trainer and torchtitan type -> what it is called here. A name with dots is looked
# up whole first, then without all before its last dot.
ELSEWHERE = {
    # the model
    "model.name": "model",
    "model.flavor": "model",
    "model-type": "model",
    "config-name": "model",
    "n-layer": "layers",
    "n-layers": "layers",
    "num-layers": "layers",
    "num-hidden-layers": "layers",
    "n-embd": "width",
    "hidden-size": "width",
    "d-model": "width",
    "dim": "width",
    "n-head": "heads",
    "n-heads": "heads",
    "num-heads": "heads",
    "num-attention-heads": "heads",
    "block-size": "length",
    "seq-len": "length",
    "max-length": "length",
    "max-seq-length": "length",
    "n-positions": "length",
    "max-position-embeddings": "length",
    "hidden-dropout-prob": "dropout",
    "attention-probs-dropout-prob": "dropout",
    "model-name-or-path": "init-from",
    "tokenizer-name": "init-from",
    "tokenizer-path": "init-from",
    "hf-assets-path": "init-from",
    # the text
    "dataset": "corpus",
    "dataset-name": "corpus",
    "dataset-path": "corpus",
    "dataset-config-name": "corpus",
    "data": "corpus",
    "data-dir": "corpus",
    "train-file": "corpus",
    "validation-file": "validation",
    "text-column": "field",
    "vocab-size": "vocabulary",
    "mlm-probability": "mask-rate",
    # the steps
    "max-steps": "steps",
    "max-iters": "steps",
    "iters": "steps",
    "max-tokens": "tokens",
    "num-epochs": "epochs",  # of fine-tuning
    "num-train-epochs": "epochs",
    "global-batch-size": "batch-size",
    "train-batch-size": "batch-size",
    "local-batch-size": "micro-batch",
    "per-device-train-batch-size": "micro-batch",
    "per-device-eval-batch-size": "micro-batch",
    "gradient-accumulation-steps": "micro-batch",
    "data-seed": "seed",
    # the optimizer and its rate
    "optimizer.name": "optimizer",
    "optim": "optimizer",
    "adam-beta1": "beta1",
    "adam-beta2": "beta2",
    "betas": "beta1",
    "adam-epsilon": "eps",
    "epsilon": "eps",
    "grad-clip": "clip",
    "max-grad-norm": "clip",
    "max-norm": "clip",
    "learning-rate": "lr",
    "lr-scheduler-type": "schedule",
    "decay-lr": "schedule",
    "decay-type": "schedule",
    "warmup-steps": "warmup",
    "warmup-iters": "warmup",
    "warmup-ratio": "warmup",
    "min-learning-rate": "min-lr",
    "min-lr-factor": "min-lr",
    "lr-min": "min-lr",
    # the machine
    "use-cpu": "device",
    "no-cuda": "device",
    "dtype": "precision",
    "bf16": "precision",
    "fp16": "precision",
    "torch-dtype": "precision",
    "mixed-precision": "precision",
    "mixed-precision-param": "precision",
    "torch-compile": "compile",
    "compile.enable": "compile",
    "gradient-checkpointing": "recompute",
    "activation-checkpoint.mode": "recompute",
    "fsdp": "parallel",
    "ddp": "parallel",
    "deepspeed": "parallel",
    "data-parallel-shard-degree": "parallel",
    "data-parallel-replicate-degree": "parallel",
    # what is kept
    "output-dir": "out",
    "out-dir": "out",
    "logging-dir": "out",
    "run-name": "out",
    "overwrite-output-dir": "out",
    "resume": "out",
    "resume-from-checkpoint": "out",
    "job.dump-folder": "out",
    "checkpoint.folder": "out",
    "logging-steps": "log-every",
    "log-interval": "log-every",
    "log-freq": "log-every",
    "eval-steps": "evaluate-every",
    "eval-interval": "evaluate-every",
    "eval-strategy": "evaluate-every",
    "evaluation-strategy": "evaluate-every",
    "validation.freq": "evaluate-every",
    "validation.steps": "evaluate-rows",
    "eval-iters": "evaluate-rows",
    "max-eval-samples": "evaluate-rows",
    "save-steps": "save-every",
    "save-strategy": "save-every",
    "always-save-checkpoint": "save-every",
    "checkpoint.interval": "save-every",
    "save-total-limit": "keep",
    "keep-latest-k": "keep",
    "load-best-model-at-end": "keep-best",
    "metric-for-best-model": "keep-best",
    "early-stopping-patience": "patience",
    "early-stopping": "patience",
}

# What they type and what does not exist here -> why, or what to do. An answer that names options is for programs that
# have them.
_WIDTH = "the feed-forward part is always 4 times as wide as --width"
_EPOCHS = "a run is measured in steps: give --steps or --tokens"
_KEPT = "each run keeps curve.csv and TensorBoard's file in --out, and reports to nobody"
_ONE_WAY = "a layer is worked through on one device: --parallel is ddp or fsdp, and no other way"
ABSENT = {
    "epochs": _EPOCHS,
    "num-epochs": _EPOCHS,
    "num-train-epochs": _EPOCHS,
    "lr-decay-iters": "the rate falls until the last of the --steps, in the way of --schedule, to --min-lr",
    "decay-ratio": "the rate falls from the end of the --warmup until the last of the --steps",
    "intermediate-size": _WIDTH,
    "feed-forward": _WIDTH,
    "ffn-dim": _WIDTH,
    "d-ff": _WIDTH,
    "n-inner": _WIDTH,
    "activation": "each --model has its published one: GELU in BERT and GPT-2, ReLU in T5",
    "hidden-act": "each --model has its published one: GELU in BERT and GPT-2, ReLU in T5",
    "bias": "each --model has its published ones: BERT and GPT-2 have biases, T5 has none",
    "attn-implementation": "attention is PyTorch's scaled_dot_product_attention, which chooses a kernel itself",
    "tf32": "float32 is multiplied as TF32 on every card that can",
    "tensor-parallel": _ONE_WAY,
    "tensor-parallel-degree": _ONE_WAY,
    "pipeline-parallel": _ONE_WAY,
    "pipeline-parallel-degree": _ONE_WAY,
    "context-parallel-degree": _ONE_WAY,
    "expert-parallel-degree": _ONE_WAY,
    "backend": "processes speak over NCCL on cards, and over Gloo elsewhere",
    "nproc-per-node": "torchrun starts the processes, and this option is its own",
    "num-workers": "rows are tokenised once and then read from a file, which needs no further process",
    "dataloader-num-workers": "rows are tokenised once and then read from a file, which needs no further process",
    "report-to": _KEPT,
    "wandb": _KEPT,
    "wandb-log": _KEPT,
    "wandb-project": _KEPT,
    "wandb-run-name": _KEPT,
    "enable-wandb": _KEPT,
    "enable-tensorboard": _KEPT,
    "label-smoothing": "the loss is the cross-entropy of the true tokens alone",
    "label-smoothing-factor": "the loss is the cross-entropy of the true tokens alone",
    "lora": "all weights are trained",
    "use-peft": "all weights are trained",
    "load-in-8bit": "weights are float32; --precision says in what they are multiplied",
    "push-to-hub": "nothing is uploaded: python -m minilib.training.export writes a folder of transformers",
    "do-train": "python -m minilib.training trains and validates, python -m minilib.training.evaluate only evaluates",
    "do-eval": "python -m minilib.training trains and validates, python -m minilib.training.evaluate only evaluates",
    "eval-only": "python -m minilib.training trains and validates, python -m minilib.training.evaluate only evaluates",
}


def not_an_option(word: str, options: set[str]) -> str:
    """What to say of an argument that is none: what it is called here, why there is none, or what it resembles.

    Args:
        word: as it was typed, with or without dashes and "=value".
        options: the names that the program has, without dashes.
    """
    name = word.split("=")[0].removeprefix("--").replace("_", "-")
    last = name.rsplit(".")[-1].removeprefix("no-")
    for own in (name, last):
        if (here := own if own in options else ELSEWHERE.get(own)) in options:
            return f"there is no option {word}: here it is --{here}"
        if own in ABSENT and options.issuperset(re.findall(r"--([\w-]+)", ABSENT[own])):
            return f"there is no option {word}: {ABSENT[own]}"
    if near := difflib.get_close_matches(last, options, n=1):
        return f"there is no option {word}: did you mean --{near[0]}?"
    return f"unrecognized argument {word}"
