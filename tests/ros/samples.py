"""Random messages of any type, for hypothesis."""

import dataclasses

from hypothesis import strategies as st

from rigless.ros.layout import Array, Number, Sequence, Struct, Text, shapes

_INTEGERS = {
    "int8": (-(2**7), 2**7 - 1),
    "uint8": (0, 2**8 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}


def numbers(name):
    if name == "bool":
        return st.booleans()
    if name in _INTEGERS:
        return st.integers(*_INTEGERS[name])
    return st.floats(width=32 if name == "float32" else 64, allow_nan=False)


def values(shape):
    match shape:
        case Number(name):
            return numbers(name)
        case Text():
            return st.text(
                st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12
            )
        case Struct(kind):
            return messages(kind)
        case Array(Number("uint8"), length):
            return st.binary(min_size=length, max_size=length)
        case Array(Number(name), length):
            return st.lists(numbers(name), min_size=length, max_size=length).map(tuple)
        case Sequence(item):
            return st.lists(values(item), max_size=5).map(tuple)


def messages(kind):
    return st.builds(kind, *(values(shape) for _, shape in shapes(kind)))


def plain(value):
    """Return a message of ours or of another library as nested lists, to compare."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "__struct_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if dataclasses.is_dataclass(value):
        names = [
            field.name
            for field in dataclasses.fields(value)
            if not field.name.isupper() and not field.name.startswith("__")
        ]
        return {name: plain(getattr(value, name)) for name in names}
    return value
