"""Wrong input to several processes: all end with exit code 2, and one of them says why, in one line."""

import sys

import pytest

from tests.forked import torchrun
from tests.training.runs import main


def takes_turns() -> int:
    """Five times: work that fails in no process, in the first, in the second, in both, and in none again."""
    from minilib.training import distributed

    here, did = distributed.init("cpu"), []

    def work(bad):
        did.append(bad)
        if here.rank in bad:
            raise (OSError if here.rank else ValueError)(f"trouble {here.rank}")
        return here.rank

    for bad in ([], [0], [1], [0, 1], []):
        try:
            print(distributed.rank0_first(lambda bad=bad: work(bad), here), end=" ")
        except ValueError as error:
            print(error, end=" ")
    print(len(did))
    distributed.shutdown()
    return 0


def two(folder, function, *arguments):
    """The exit codes, standard outputs and errors of two processes."""
    started = torchrun(folder, 2, function, *arguments)
    return [(process.wait(), process.stdout.read(), process.stderr.read()) for process in started]


def test_a_missing_corpus_is_said_once_and_all_exit_with_two(tmp_path):
    out = tmp_path / "run"
    first, second = two(tmp_path, main, "--corpus", "no/such/folder", "--out", str(out))
    assert first[0] == second[0] == 2
    assert first[2].startswith("error: corpus = 'no/such/folder'")
    assert first[2].count("\n") == 1
    assert second[1:] == ("", "")
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "message"), [("--lr -1", "lr must be at least 0.0"), ("--speed 9", "there is no option --speed")]
)
def test_a_wrong_argument_is_said_by_the_first_process_of_a_machine(monkeypatch, capsys, words, message):
    from minilib.training.__main__ import main

    monkeypatch.setattr(sys, "argv", ["pretrain", *words.split()])
    for rank in "01":
        monkeypatch.setenv("LOCAL_RANK", rank)
        try:
            code = main()
        except SystemExit as stop:
            code = stop.code
        assert code == 2
        assert (message in capsys.readouterr().err) == (rank == "0")


def test_where_one_cannot_none_goes_on(tmp_path):
    first, second = two(tmp_path, takes_turns)
    assert first[:2] == (0, "0 trouble 0 process 1: trouble 1 trouble 0 0 5\n")
    # process 1 does not begin where process 0 has failed
    assert second[:2] == (0, "1 trouble 0 process 1: trouble 1 trouble 0 1 3\n")
