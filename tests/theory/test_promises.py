"""End-to-end promises beside what needs no theorem. Caught: bounds that gradient ascent keeps too."""

import re

import numpy as np
import pytest

from minilib.theory.ledger import ProofError
from minilib.theory.promises import HEADS, Promises

BITES = {"measured": 0.1, "promised": 0.5, "start": 1.0, "trivial": np.inf, "ascent": 2.0}


def test_a_promise_that_bites_and_one_that_does_not_stand_in_the_table(capsys, left):
    promises = Promises("SGD", "average |grad f|^2")
    promises.add("T = 1000", **BITES)
    promises.add("T = 10", **BITES | {"promised": 3.0}, says_from="T = 60")
    promises.table()
    title, heads, yes, no = capsys.readouterr().out.splitlines()
    assert title == "SGD: average |grad f|^2"
    assert heads.split()[-2:] == ["says", "more"]
    assert yes.split()[-6:] == ["0.1", "0.5", "1", "inf", "2", "yes"]
    assert no.endswith("from T = 60")
    (media, table), *others = left
    assert (media, others) == ("application/vnd.minilib.promises+json", [])
    assert (table["proof"], table["what"]) == ("SGD", "average |grad f|^2")
    assert [re.split("  +", line) for line in (heads, yes, no)] == [
        list(HEADS),
        *(list(row.values()) for row in table["rows"]),
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"measured": 0.6}, "measured 0.6, but 0.5 was promised"),
        ({"ascent": 0.4}, "gradient ascent, 0.4, keeps the promise 0.5"),
        ({"promised": 1.5}, "says nothing: give says_from"),
        ({"trivial": 0.4}, "says nothing: give says_from"),
        ({"says_from": "T = 60"}, "says_from must be empty"),
        ({"start": np.nan}, "a number is nan"),
    ],
)
def test_a_row_that_claims_too_much_is_refused(change, message):
    with pytest.raises(ProofError, match=message):
        Promises("SGD", "average |grad f|^2").add("T = 1000", **BITES | change)


def test_an_empty_table_is_refused():
    with pytest.raises(ProofError, match="no promise was looked at"):
        Promises("SGD", "average |grad f|^2").table()
