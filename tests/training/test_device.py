"""What differs between devices is decided by what they do, not by their names."""

import re
from types import SimpleNamespace

import pytest
import torch

from minilib.training import device, trainer
from minilib.training.config import Config, parse

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("kind", "bf16", "fp16", "expected"),
    [
        ("cpu", 2.0, 1.0, "bf16"),
        ("cpu", 1.2, 1.0, "fp32"),
        ("cpu", 0.3, 4.0, "fp32"),
        ("cuda", 0.3, 4.0, "fp16"),  # a card of the T4's time
        ("cuda", 2.0, 4.0, "bf16"),
    ],
)
def test_half_precision_is_taken_where_it_is_clearly_faster(monkeypatch, kind, bf16, fp16, expected):
    rates = {torch.float32: 1.0, torch.bfloat16: bf16, torch.float16: fp16}
    monkeypatch.setattr(device, "matmul_rate", lambda place, dtype: rates[dtype])
    assert device.precision.__wrapped__(torch.device(kind)) == expected


def test_the_rate_of_a_product_is_one_that_a_processor_can_have():
    assert 1e8 < device.matmul_rate(CPU, torch.float32, 256) < 1e15


def test_measuring_the_rate_leaves_the_random_numbers_of_a_run_alone():
    """Caught: the first fine-tuning of a process, which measures, ended elsewhere than the second with its seed."""
    torch.manual_seed(3)
    wanted = torch.rand(4)
    torch.manual_seed(3)
    device.matmul_rate.__wrapped__(CPU, torch.float32, 8)
    assert torch.equal(torch.rand(4), wanted)


def test_an_unknown_device_is_refused_by_name():
    with pytest.raises(ValueError, match="device 'tpu9' is not to be had here"):
        device.pick("tpu9")


def test_a_slow_product_is_not_timed_for_long(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(device, "perf_counter", lambda: next(clock))
    assert device.matmul_rate.__wrapped__(CPU, torch.float32, 8) == 2 * 8**3  # a second each
    assert next(clock) == 4  # two products, a clock read before and after each


@pytest.mark.parametrize(
    ("tpu", "package", "program", "cuda", "line"),
    [
        (True, None, None, None, r"a TPU: pip install torch_tpu \(torch_tpu serves a TPU, .* torch 2\.11 to 2\.15\)$"),
        (True, "there", None, None, "a TPU: torch_tpu finds none that it can use$"),
        (False, None, "nvidia-smi", None, r"an NVIDIA card: torch \S+ is built without CUDA$"),
        (False, None, "nvidia-smi", "13.0", r"an NVIDIA card: torch \S+ is built for CUDA 13.0, and finds .* older\?$"),
        (False, None, None, "13.0", "$"),
    ],
)
def test_a_device_that_lies_idle_is_named_in_one_line_with_what_it_lacks(
    monkeypatch, caplog, tpu, package, program, cuda, line
):
    monkeypatch.setattr(device, "has_tpu", lambda: tpu)
    monkeypatch.setattr(device, "find_spec", lambda name: package)
    monkeypatch.setattr(device.shutil, "which", lambda name: program)
    monkeypatch.setattr(torch.version, "cuda", cuda)
    device.say_unused.cache_clear()
    for number in (None, 0, 1):
        assert device.pick(None, number) == CPU
    assert device.pick("cpu") == CPU
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == (line != "$")  # once in a process, by the first of its machine, and not where "cpu" was named
    assert re.match("on the processor, although this machine has " * len(said) + line, "".join(said))


@pytest.mark.parametrize(("kind", "fast", "model"), [("cpu", "bf16", "bert-tiny"), ("mps", "fp32", "bert-mini")])
def test_a_recipe_fits_the_device_and_is_a_configuration(monkeypatch, kind, fast, model):
    monkeypatch.setattr(device, "precision", lambda place: fast)
    config = Config(**device.recipe(torch.device(kind)))
    assert config.model == model
    assert (config == Config()) == (kind == "cpu")


@pytest.mark.parametrize(("gib", "model", "batch"), [(140, "bert-base", 1024), (79, "bert-base", 1024),
                                                     (23, "bert-base", 512), (15, "bert-small", 256)])  # fmt: skip
def test_the_memory_of_a_card_decides_its_recipe(monkeypatch, gib, model, batch):
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: SimpleNamespace(total_memory=gib * 2**30))
    monkeypatch.setattr(device, "cannot_compile", lambda kind: "")
    config = Config(**device.recipe(torch.device("cuda")))
    assert (config.model, config.batch_size) == (model, batch)
    assert config.batch_size % config.micro_batch == 0
    assert config.compile


@pytest.mark.parametrize(
    ("words", "used"),
    [
        ("", False),  # a large model would read the small default corpus a hundred times
        ("--corpus novels", True),
        ("--corpus novels --lr 1", True),
        ("--corpus novels --model gpt2", False),
        ("--corpus novels --no-recipe", False),
        ("--corpus novels --init-from there", False),
        ("--recipe --model gpt2", True),
    ],
)
def test_a_recipe_is_taken_where_a_corpus_and_no_model_is_named_or_it_is_asked_for(words, used):
    asked, fields = [], {"steps": 7, "lr": 3.0}
    config = parse([*words.split(), "--device", "cuda"], recipe=lambda name: asked.append(name) or fields)
    assert (config.steps == 7) == used
    assert asked == ["cuda"] * used
    assert config.lr == (1.0 if "--lr" in words else 3.0 if used else Config().lr)
    assert config.model == ("gpt2" if "--model" in words else Config().model)


class Entries(list):
    """Stands for a tokenizer."""

    kind = "bert"


CARD = {"model": "bert-base", "length": 128, "batch_size": 1024, "steps": 2_000}


@pytest.mark.parametrize(
    ("kind", "fields", "said"),
    [
        ("cpu", {}, ""),
        ("cpu", {"tokens": 8_100_000}, r"warning    4\.0 passes over 2,000,000 tokens: after 4 a pass teaches less"),
        ("cuda", {}, "notice     this is the small run; what suits the device wants more text: --corpus c4-sample"),
        ("cuda", {"corpus": "novels"}, ""),
        ("cuda", CARD, r"warning    131\.1 passes over .* Give more text \(--corpus c4-sample .* smaller model"),
    ],
)
def test_a_run_that_has_too_little_text_says_so_before_its_first_step(monkeypatch, kind, fields, said):
    monkeypatch.setattr(trainer, "describe", lambda place: "a device")
    config, heard = Config(**fields), []
    data = SimpleNamespace(tokenizer=Entries(), sampled=None, sizes=(2_000_000, 100_000), how="the last")
    run = SimpleNamespace(
        config=config, data=data, plan=config.plan, total=9, parameters=9, tables=4, row_flops=[1], peak=1
    )
    run.env, run.device = SimpleNamespace(world_size=1), torch.device(kind)
    run.precision, run.say = "fp32", heard.append
    trainer.Run.log_summary(run)
    assert re.match(said or "$", "".join(heard[1:]))


def test_each_process_keeps_to_its_own_card(monkeypatch):
    chosen = []
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    monkeypatch.setattr(torch, "empty", lambda *_, device: chosen.append(device))
    for name, number, index in (("cuda", 2, 2), ("cuda", None, 0), ("cuda:3", None, 3), ("cuda:3", 1, 1)):
        assert device.pick(name, number) == torch.device("cuda", index)
        assert chosen == [torch.device("cuda", index)] * 2  # nothing is put anywhere before the card is chosen
        chosen.clear()
    with pytest.raises(ValueError, match="device 'cuda:4' is not to be had here: this machine has 4 card"):
        device.pick("cuda:4")
    assert chosen == []
