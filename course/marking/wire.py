"""What passes between the examiner and a pupil: one JSON message a line, of data alone.

Numbers, strings, lists, tuples, dictionaries and NumPy arrays of numbers pass by value, a range as a list. A function
passes by name, as a `Remote` that the other side can call. Nothing else passes: so what an answer gives back cannot
bring along code, or an object that calls itself equal to everything. Deliberately absent: pickle, whose messages run
code.
"""

import base64
import json

import numpy as np

LONGEST = 64 * 2**20  # characters of a message


class Remote:
    """A function of the other side. `call(key, args, kwargs)` sends the call and waits for what it returns.

    `afresh()` gives the same function in a process that has seen no call, where the examiner can make one.
    """

    def __init__(self, key, call):
        self._key, self._call, self.afresh = key, call, lambda: self

    def __call__(self, *args, **kwargs):
        return self._call(self._key, args, kwargs)


def encode(value, keep) -> object:
    """`value` as JSON can write it; `keep(function)` gives the key under which a function stays on this side.

    TypeError: it is no data.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is complex:
        return {"is": "complex", "of": [value.real, value.imag]}
    if type(value) is range:
        value = list(value)
    if type(value) in (list, tuple):
        return {"is": type(value).__name__, "of": [encode(v, keep) for v in value]}
    if type(value) is dict:
        return {"is": "dict", "of": [[encode(k, keep), encode(v, keep)] for k, v in value.items()]}
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            raise TypeError(f"an array of {value.dtype} is not an array of numbers")
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
        return {"is": "array", "of": data, "type": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, Remote):
        return {"is": "yours", "of": value._key}
    if callable(value):
        return {"is": "mine", "of": keep(value)}
    raise TypeError(f"a {type(value).__name__} is not data: give numbers, lists or arrays")


def decode(value, call, kept) -> object:
    """What `encode` wrote; `call` is how functions of the other side are called, `kept` has those of this side."""
    if not isinstance(value, dict):
        return value
    kind, of = value["is"], value["of"]
    if kind in ("list", "tuple"):
        return {"list": list, "tuple": tuple}[kind](decode(v, call, kept) for v in of)
    if kind == "complex":
        return complex(*of)
    if kind == "dict":
        return {decode(k, call, kept): decode(v, call, kept) for k, v in of}
    if kind == "array":
        if (dtype := np.dtype(value["type"])).kind not in "biufc":
            raise TypeError(f"an array of {dtype} is not an array of numbers")
        flat = np.frombuffer(base64.b64decode(of), dtype=dtype)
        return flat.reshape(value["shape"]).copy()
    return Remote(of, call) if kind == "mine" else kept[of]


def line(message: dict) -> bytes:
    """A message as it is sent. ValueError: it is too long."""
    text = json.dumps(message)
    if len(text) > LONGEST:
        raise ValueError(f"more than {LONGEST // 2**20} million characters at once")
    return text.encode("ascii") + b"\n"
