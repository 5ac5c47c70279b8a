"""Plain data to bytes and back without pickle: dataclasses, numbers, text, containers and numpy arrays, as msgpack."""

from typing import Any

import msgspec
import numpy as np

ARRAY = 1  # msgpack extension code of a numpy array


def _encode(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        head = (value.dtype.str, value.shape)
        return msgspec.msgpack.Ext(ARRAY, msgspec.msgpack.encode((*head, value.tobytes())))
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not plain data; keep numbers, text, containers, dataclasses and arrays")


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


def pack(value: Any) -> bytes:
    return msgspec.msgpack.encode(value, enc_hook=_encode)


def unpack(data: bytes, kind: Any = Any) -> Any:
    return msgspec.msgpack.decode(data, type=kind, dec_hook=_decode, ext_hook=_extension)


def _json_hook(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "model_dump"):
        return value.model_dump()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def to_json(value: Any) -> bytes:
    return msgspec.json.encode(value, enc_hook=_json_hook)


def to_builtins(value: Any) -> Any:
    """Dictionaries, lists, numbers and text: what JSON can say, for reports, expectations and the control API."""
    return msgspec.to_builtins(value, enc_hook=_json_hook, str_keys=True)
