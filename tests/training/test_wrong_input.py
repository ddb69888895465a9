"""Wrong input to several processes: all end with exit code 2, and one of them says why, in one line."""

import pytest

from minilib.training import __main__ as pretraining
from tests.training.runs import ended, main


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


def test_a_missing_corpus_is_said_once_and_all_exit_with_two(tmp_path):
    first, second = ended(tmp_path, 2, main, "--corpus", "no/such/folder", "--out", str(tmp_path / "run"))
    assert first[0] == 2
    assert first[2].startswith("error: corpus = 'no/such/folder'")
    assert first[2].count("\n") == 1
    assert second == (2, "", "")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "message"), [("--lr -1", "lr must be at least 0.0"), ("--speed 9", "there is no option --speed")]
)
def test_a_wrong_argument_is_said_by_the_first_process_of_a_machine(monkeypatch, program, words, message):
    for rank in "01":
        monkeypatch.setenv("LOCAL_RANK", rank)
        code, _, error = program(pretraining, *words.split())
        assert code == 2
        assert (message in error) == (rank == "0")


def test_where_one_cannot_none_goes_on(tmp_path):
    first, second = ended(tmp_path, 2, takes_turns)
    assert first[:2] == (0, "0 trouble 0 process 1: trouble 1 trouble 0 0 5\n")
    # process 1 does not begin where process 0 has failed
    assert second[:2] == (0, "1 trouble 0 process 1: trouble 1 trouble 0 1 3\n")
