"""DTensor parameters: steps equal those on whole tensors, in all layouts, whatever a process holds of a tensor.

The cases run in processes, see `sharded_worker.py`; here is what must hold of the numbers that they return.
"""

import re

import pytest

from tests.torch_optim.sharded_training import RATES, load
from tests.torch_optim.sharded_worker import BOTH, METHODS, of_kind

# Calls of all_reduce in a step with vectors and matrices: where rows are cut, and where rows and columns are. On the
# grid each call is two, one for each dimension of the mesh, but for the mean of all row means, which only one of them
# cuts. The first call tells whether the gradients are finite.
CONVERSATIONS = {"LARS": (2, 4), "LARS2020": (2, 4), "LAMB": (2, 4), "Adafactor": (3, 7), "CAME": (4, 10)}


def assert_close(rows, tolerance):
    """The same tolerance for all processes."""
    assert all(row["difference"] <= tolerance for row in rows), rows


# in float32 they differ by rounding only; compiled phases serve uneven and empty parts
@pytest.mark.parametrize("case", [*of_kind(4, "compare"), *of_kind(2, "compare"), *of_kind(2, "compiled")])
def test_ten_sharded_steps_equal_those_on_whole_tensors(case, four, two):
    assert_close((four | two)[case], 1e-6 if "float32" in case else 1e-12)


@pytest.mark.parametrize("case", of_kind(4, "gradient"))
def test_a_gradient_that_lies_otherwise_is_brought_to_its_parameter(case, four):
    assert_close(four[case], 1e-12)


@pytest.mark.parametrize("case", of_kind(4, "bad gradient"))
def test_a_bad_entry_on_one_process_stops_the_step_on_all(case, four):
    raises = "raise" in case or "clipped" in case
    message = r"step 2: the gradient of uneven, .* \(group 0\) is nan, infinite, or too large to be squared"
    for row in four[case]:  # in each list first the sharded run, then that on whole tensors
        assert len(row["raised"]) == (2 if raises else 0)
        assert all(re.fullmatch(message, said) for said in row["raised"])
        assert row["changed"] == [False, False]
        assert row["skipped"] == ([0, 0] if raises else [1, 1])
    assert_close(four[case], 1e-12)  # after a further step


@pytest.mark.parametrize("case", of_kind(4, "bytes"))
def test_codes_of_a_sharded_parameter_are_refused_and_nothing_changes(case, four):
    message = "state_dtype of a sharded parameter must be None or torch.bfloat16, got torch.uint8"
    for row in four[case]:
        assert row["raised"] == [message, message]  # by a step, and by what is loaded
        assert row["same"] == [True, True]


@pytest.mark.parametrize("method", METHODS)
def test_processes_talk_as_often_for_many_parameters_as_for_few(method, four):
    for layout, expected in zip(BOTH, CONVERSATIONS[METHODS[method][0]], strict=True):
        for copies in (1, 5):
            for row in four[f"conversations: {method}, {layout}, {copies}"]:
                assert row["counts"] == [expected, expected], (layout, copies)


@pytest.mark.parametrize("case", [*of_kind(2, "training"), *of_kind(4, "training")])
def test_a_sharded_network_learns_as_a_whole_one_does(case, two, four):
    found = (two | four)[case]
    assert_close(found, 1e-6 if "float32" in case else 1e-12)
    for row in found:  # on the grid it is tensor parallel as well
        assert "_StridedShard" in row["placements"] if "grid" in case else row["placements"] == ["Shard"]


@pytest.mark.parametrize("method", RATES)
def test_two_processes_go_on_where_four_have_stopped(method, two):
    assert_close(two[f"load: {method}"], 1e-12)


@pytest.mark.parametrize("method", RATES)
@pytest.mark.filterwarnings("ignore:torch.distributed is disabled:UserWarning")
def test_a_single_process_without_sharding_goes_on_too(method, folder, four):
    assert load(method, None, folder)["difference"] <= 1e-12
