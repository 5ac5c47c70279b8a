"""Plain data as msgpack, without pickle: dataclasses, numbers, text, containers, numpy arrays."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np

MAX_DEPTH = 32  # of nested values from outside
ARRAY = 1  # msgpack extension code of a numpy array


def _encode(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject or value.dtype.names:
            raise TypeError(f"an array of {value.dtype} is not plain data; keep arrays of numbers")
        return msgspec.msgpack.Ext(
            ARRAY, msgspec.msgpack.encode((value.dtype.str, value.shape, value.tobytes()))
        )
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(
        f"{type(value).__name__} is not plain data; "
        "keep numbers, text, containers, dataclasses and arrays"
    )


def _extension(code: int, data: memoryview) -> Any:
    if code != ARRAY:
        raise ValueError(f"unknown extension {code}")
    dtype, shape, raw = msgspec.msgpack.decode(data)
    if np.dtype(dtype).hasobject:
        raise ValueError("arrays of objects are not plain data")
    return np.frombuffer(raw, dtype=dtype).reshape(shape).copy()


def _decode(kind: Any, value: Any) -> Any:
    wanted = getattr(kind, "__origin__", kind)
    if isinstance(value, wanted):
        return value
    raise ValueError(f"expected {wanted.__name__}, found {type(value).__name__}")


def why_not_plain(value: Any, depth: int = MAX_DEPTH) -> str:
    """Return why a value cannot be recorded or put in a snapshot; empty if it can."""
    if value is None or isinstance(value, bool | bytes):
        return ""
    if isinstance(value, int | np.integer):
        return "" if -(2**63) <= value < 2**63 else "an integer needs more than 64 bits"
    if isinstance(value, float | np.floating):
        return "" if math.isfinite(value) else f"{value} is not a finite number"
    if isinstance(value, str):
        return (
            ""
            if value.isascii() or not any("\ud800" <= c <= "\udfff" for c in value)
            else "text holds half a character"
        )
    if depth == 0:
        return f"nested more than {MAX_DEPTH} deep"
    if isinstance(value, dict):
        return next(
            (
                reason
                for pair in value.items()
                for item in pair
                if (reason := why_not_plain(item, depth - 1))
            ),
            "",
        )
    if isinstance(value, list | tuple):
        return next((reason for item in value if (reason := why_not_plain(item, depth - 1))), "")
    return f"{type(value).__name__} is not plain data"


def pack(value: Any) -> bytes:
    """Return plain data as msgpack."""
    return msgspec.msgpack.encode(value, enc_hook=_encode)


def unpack(data: bytes, kind: Any = Any) -> Any:
    """Return the data in msgpack as this type. Raises msgspec.DecodeError or ValueError."""
    return msgspec.msgpack.decode(data, type=kind, dec_hook=_decode, ext_hook=_extension)


def _json_hook(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "model_dump"):
        return value.model_dump()
    raise TypeError(f"{type(value).__name__} has no JSON form")


_json = msgspec.json.Encoder(enc_hook=_json_hook)


def to_json(value: Any) -> bytes:
    """Return plain data as JSON; arrays become lists."""
    return _json.encode(value)


def to_builtins(value: Any) -> Any:
    """Return plain data as dictionaries, lists, numbers and text, as JSON has them."""
    return msgspec.to_builtins(value, enc_hook=_json_hook, str_keys=True)


def numbers_in(
    value: Any, name: str = "", longest: int = 6
) -> Iterator[tuple[str, bool | int | float]]:
    """Yield every number in plain data with its key, such as `velocity.0`; None becomes NaN.

    Lists with more than `longest` elements are left out.
    """
    if value is None:
        yield name, math.nan
    elif isinstance(value, bool | int | float):
        yield name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from numbers_in(inner, f"{name}.{key}" if name else str(key), longest)
    elif isinstance(value, list | tuple) and len(value) <= longest:
        for index, inner in enumerate(value):
            yield from numbers_in(inner, f"{name}.{index}" if name else str(index), longest)
