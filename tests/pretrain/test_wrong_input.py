"""Wrong input to several processes: all end with exit code 2, and one of them says why, in one line."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IN_TURN = """
from minilib.pretrain import parallel
team, did = parallel.start("cpu"), []
def work(bad):
    did.append(bad)
    if team.rank in bad:
        raise (OSError if team.rank else ValueError)(f"trouble {team.rank}")
    return team.rank
for bad in ([], [0], [1], [0, 1], []):
    try:
        print(parallel.in_turn(lambda: work(bad), team), end=" ")
    except ValueError as error:
        print(error, end=" ")
print(len(did))
parallel.stop()
"""


def two(*words):
    """The exit codes, standard outputs and errors of two processes that are started as torchrun starts them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        meet = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1]), "WORLD_SIZE": "2"}
    there = os.environ | meet | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    started = [
        subprocess.Popen(
            [sys.executable, *words], env=there | {"RANK": rank, "LOCAL_RANK": rank}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for rank in "01"
    ]  # fmt: skip
    texts = [process.communicate() for process in started]
    return [(process.returncode, *text) for process, text in zip(started, texts, strict=True)]


def test_a_missing_corpus_is_said_once_and_all_exit_with_two(tmp_path):
    out = tmp_path / "run"
    first, second = two("-m", "minilib.pretrain", "--corpus", "no/such/folder", "--out", str(out))
    assert first[0] == second[0] == 2
    assert first[2].startswith("error: corpus = 'no/such/folder'")
    assert first[2].count("\n") == 1
    assert second[1:] == ("", "")
    assert not out.exists()


@pytest.mark.parametrize(("words", "message"), [("--lr -1", "lr must be at least 0.0"), ("--speed 9", "unrecognized")])
def test_a_wrong_argument_is_said_by_the_first_process_of_a_machine(monkeypatch, capsys, words, message):
    from minilib.pretrain.__main__ import main

    monkeypatch.setattr(sys, "argv", ["pretrain", *words.split()])
    for rank in "01":
        monkeypatch.setenv("LOCAL_RANK", rank)
        try:
            code = main()
        except SystemExit as stop:
            code = stop.code
        assert code == 2
        assert (message in capsys.readouterr().err) == (rank == "0")


def test_where_one_cannot_none_goes_on():
    first, second = two("-c", IN_TURN)
    assert first[:2] == (0, "0 trouble 0 process 1: trouble 1 trouble 0 0 5\n")
    # process 1 does not begin where process 0 has failed
    assert second[:2] == (0, "1 trouble 0 process 1: trouble 1 trouble 0 1 3\n")
