"""The commands of the manual and of the README are read by their own programs, and the options that it names exist."""

import importlib
import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest
from torch.distributed.run import parse_args

from minilib.training.config import Config, parse
from minilib.training.evaluate import Evaluation
from minilib.training.export import Export
from minilib.training.finetune import Finetuning
from minilib.training.generate import Question

ROOT = Path(__file__).resolve().parents[2]
MANUAL = (ROOT / "book" / "training.md").read_text(encoding="utf-8")
COMMANDS = re.search(r"```\n(.*?)```", MANUAL, re.S)[1].splitlines()
PROSE = re.sub(r"```.*?```", "", MANUAL, flags=re.S)
TRAINS = re.compile(r"^\S+ (?:.* )?-m minilib\.training.*$", re.M)
EVERY = {line for page in (MANUAL, (ROOT / "README.md").read_text(encoding="utf-8")) for line in TRAINS.findall(page)}
PROGRAMS = {"__main__": Config, "generate": Question, "evaluate": Evaluation, "export": Export, "finetune": Finetuning}
LAUNCHED = {"help", "shutdown-timeout", "toy", "device", "logdir"}  # of all programs, torchrun, `make gpu`, tensorboard


def launched(command: str) -> tuple[str, list[str]]:
    """The program that a command of these pages starts, and the words that it gets."""
    program, *words = shlex.split(command, comments=True)
    if Path(program).name == "torchrun":
        asked = parse_args(words)
        assert asked.module
        name, words = asked.training_script, asked.training_script_args
    else:
        assert [Path(program).name, words[0]] == ["python", "-m"]
        _, name, *words = words
    return "__main__" if name == "minilib.training" else name.removeprefix("minilib.training."), words


def asked_for(command: str):
    """The program, and what it reads."""
    name, words = launched(command)
    return name, parse(words, PROGRAMS[name])


@pytest.mark.parametrize("command", sorted(EVERY))
def test_a_command_is_read(command):
    asked_for(command)


def test_the_commands_start_every_program_and_one_is_for_torchrun():
    assert set(COMMANDS) < EVERY
    assert {launched(command)[0] for command in COMMANDS} == set(PROGRAMS)
    assert "torchrun" in COMMANDS[-1]


def test_what_is_exported_there_is_what_is_asked_there():
    read = dict(map(asked_for, COMMANDS))  # the last of each program
    assert read["generate"].run == read["export"].out
    assert str(Config().folder) == Evaluation().run


def test_every_program_has_its_options_and_those_that_the_manual_names(program):
    helps = ""
    for name, kind in PROGRAMS.items():
        helps += (said := program(importlib.import_module(f"minilib.training.{name}"), "--help")[1])
        assert all((f"--{f.name.replace('_', '-')}" in said) == (f.name != "phases") for f in fields(kind))
    named = {name for code in re.findall(r"`([^`]+)`", PROSE) for name in re.findall(r"--([\w-]+)", code)}
    assert len(named) > 8
    assert named <= LAUNCHED | set(re.findall(r"--([\w-]+)", helps))
