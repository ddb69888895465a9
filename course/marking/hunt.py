"""A student's check of a method, on trial: it must let the right method pass and catch the wrong ones.

The methods come in an order that the moment draws, and each meets the check in a process of its own (`Pupil`), which
has seen no other. So a check knows nothing but the method that it has before it, the order changes no mark, and one
that compares with the first method it met catches nothing.
"""

import secrets


def hunt(check, right, wrong: dict) -> None:
    """Try `check` on the method `right` and on those that are `wrong`, by what is wrong about them.

    AssertionError: it complains about the right method, or lets a wrong one pass; the first in the order given here.
    """
    complaints = {}
    order = [(None, right), *wrong.items()]
    secrets.SystemRandom().shuffle(order)
    for flaw, method in order:
        try:
            getattr(check, "afresh", lambda: check)()(method)
        except AssertionError as error:
            complaints[flaw] = error
    if None in complaints:
        raise AssertionError(f"your check complains about the right method: {complaints[None]}")
    for flaw in wrong:
        if flaw not in complaints:
            raise AssertionError(f"your check lets this through: {flaw}")
