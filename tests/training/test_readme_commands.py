"""The commands of README's "Train a language model" are read by their own programs, and the options it names exist."""

import importlib
import re
import shlex
import sys
from pathlib import Path

import pytest
from torch.distributed.run import parse_args

from minilib.training import config

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTION = README.partition("## Train a language model")[2].partition("\n## ")[0]
COMMANDS = re.search(r"```\n(.*?)```", SECTION, re.S)[1].splitlines()
PROSE = re.sub(r"```.*?```", "", SECTION, flags=re.S)
PROGRAMS = ["minilib.training.__main__"]
PROGRAMS += [f"minilib.training.{name}" for name in ("generate", "evaluate", "export", "finetune")]
LAUNCHED = {"help", "shutdown-timeout", "toy", "device"}  # options of all programs, of torchrun, and of `make gpu`


class ReadSettings(Exception):
    """What a program would begin with."""


@pytest.fixture
def settings_of(monkeypatch):
    """`settings_of(module, words)`: what the program makes of a command line, before it does anything."""
    check = config.Settings.__post_init__

    def stop(settings):
        check(settings)
        raise ReadSettings(settings)

    def read(module: str, words: list[str]):
        with monkeypatch.context() as patched:
            patched.setattr(config.Settings, "__post_init__", stop)
            patched.setattr(sys, "argv", [module, *words])
            with pytest.raises(ReadSettings) as found:
                importlib.import_module(module).main()
        return found.value.args[0]

    return read


def launched(command: str) -> tuple[str, list[str]]:
    """The module that a command of the README starts, and the words that it gets."""
    program, *words = shlex.split(command, comments=True)
    if Path(program).name == "torchrun":
        asked = parse_args(words)
        assert asked.module
        name, words = asked.training_script, asked.training_script_args
    else:
        assert [Path(program).name, words[0]] == ["python", "-m"]
        _, name, *words = words
    return "minilib.training.__main__" if name == "minilib.training" else name, words


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_is_read_by_its_own_program(command, settings_of):
    module, words = launched(command)
    settings = settings_of(module, words)
    for name in re.findall(r"--([\w-]+)", " ".join(words)):
        assert hasattr(settings, name.replace("-", "_"))


def test_the_commands_start_every_program_and_one_is_for_torchrun():
    assert {launched(command)[0] for command in COMMANDS} == set(PROGRAMS)
    assert "torchrun" in COMMANDS[-1]


def test_what_is_exported_there_is_what_is_asked_there(settings_of):
    read = {module: settings_of(module, words) for module, words in map(launched, COMMANDS)}  # the last of each program
    assert read["minilib.training.generate"].run == read["minilib.training.export"].out
    trained = settings_of("minilib.training.__main__", ["--no-recipe"])
    assert str(trained.folder) == settings_of("minilib.training.evaluate", []).run


def test_every_option_that_the_section_names_is_one(program):
    helps = "".join(program(importlib.import_module(module), "--help")[1] for module in PROGRAMS)
    named = {name for code in re.findall(r"`([^`]+)`", PROSE) for name in re.findall(r"--([\w-]+)", code)}
    assert len(named) > 8
    assert named <= LAUNCHED | set(re.findall(r"--([\w-]+)", helps))
