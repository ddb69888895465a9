"""Machines without a compiler: the question has an answer and a reason, and who asks for compiled kernels is told."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from minilib import torch_optim
from minilib.torch_optim import LAMB, buckets, compiler, execute
from minilib.torch_optim.phases import Sizes

ROOT = Path(__file__).resolve().parents[2]
REASON = "torch.compile does not work here: no compiler"


@pytest.fixture
def compile_with(monkeypatch):
    """Puts a function in the place of the compiler. What was compiled or tried is forgotten, now and afterwards."""

    def forget():
        for made_once in (compiler.cannot_compile, execute.compiled, buckets.arranged):
            made_once.cache_clear()

    def put(stand_in):
        monkeypatch.setattr(compiler, "build", lambda f, tensors, options: (stand_in(f, **options), lambda _: True))
        forget()

    yield put
    forget()


@pytest.fixture
def without(compile_with):
    """A machine on which nothing can be compiled."""

    def fails(function, **options):
        raise RuntimeError("no compiler")

    compile_with(fails)


def tensors():
    torch.manual_seed(0)
    params = [torch.nn.Parameter(torch.randn(160, 160)), torch.nn.Parameter(torch.randn(3))]  # large, small
    for p in params:
        p.grad = torch.randn_like(p)
    return params


ERRORS = {
    "backend='inductor' raised:\nNone: No working C++ compiler\n\nSet LOGS": "None: No working C++ compiler",
    "C++ compile error\n\ng++ -o /a\n\ng++: fatal error: no\nmore": "C++ compile error (g++: fatal error: no)",
    "": "RuntimeError",
}


@pytest.mark.parametrize(("error", "reason"), ERRORS.items())
def test_the_reason_is_what_the_error_says_in_one_line(error, reason):
    assert compiler.short(RuntimeError(error)) == reason


@pytest.mark.parametrize(
    ("path", "answer"),
    [(os.environ["PATH"], "it works$"), ("nowhere", r"torch.compile does not work here: .*No working C\+\+ compiler")],
    ids=["compiler", "none"],
)
def test_a_machine_is_told_in_one_line_whether_it_has_a_compiler(path, answer):
    code = "from minilib.torch_optim import cannot_compile; print(cannot_compile() or 'it works')"
    environment = {"PYTHONPATH": str(ROOT), "PATH": path} | ({"CXX": "no-such-compiler"} if path == "nowhere" else {})
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    (line,) = run.stdout.splitlines()
    assert re.match(answer, line)


def test_wrong_numbers_are_a_reason_too(compile_with):
    compile_with(lambda f, **options: lambda x: f(x) + 1)
    assert "wrong numbers here: 9.0 for 8" in torch_optim.cannot_compile()


def test_a_compiled_step_without_a_compiler_is_refused_and_the_run_goes_on_as_if_nothing_had_happened(without):
    ours, theirs = tensors(), tensors()
    refused, plain = LAMB(ours, lr=0.01), LAMB(theirs, lr=0.01)
    for _ in range(2):
        refused.param_groups[0]["compile"] = True
        with pytest.raises(RuntimeError, match=f"compile=True: {REASON}. Without it the same steps are taken"):
            refused.step()
        assert all(torch.equal(p, q) for p, q in zip(ours, theirs, strict=True))
        assert len(refused.state) == len(plain.state)
        refused.param_groups[0]["compile"] = None
        refused.step()
        plain.step()
    assert all(torch.equal(p, q) for p, q in zip(ours, theirs, strict=True))


def test_what_is_small_is_not_compiled_and_nobody_asks(compile_with):
    compile_with(lambda f, **options: pytest.fail("asked"))
    LAMB(tensors(), lr=0.01).step()


LARGE = Sizes(call=1000, compile=1000)  # with these sizes the parameters here are large


def test_what_is_large_is_compiled_by_default_and_the_log_says_so_once(caplog, compile_with):
    calls = []

    def counted(function, **options):
        def call(*arguments):
            calls.append(function.__name__)
            return function(*arguments)

        return call

    compile_with(counted)
    opt = LAMB(tensors(), lr=0.01)
    opt.sizes = LARGE
    opt.step()
    opt.step()
    assert calls == ["norm", *["moments", "length_descend"] * 2]  # what is asked, then two calls a step: the large one
    assert caplog.messages == ["LAMB is compiled: the first step takes some seconds (compile=False does not)"]


def test_without_a_compiler_what_is_large_runs_uncompiled_and_the_log_says_why(without, caplog):
    opt = LAMB(tensors(), lr=0.01)
    opt.sizes = LARGE
    opt.step()
    opt.step()
    assert caplog.messages == [f"LAMB is not compiled: {REASON}"]
    LAMB(tensors(), lr=0.01, compile=False).step()
    assert len(caplog.messages) == 1
