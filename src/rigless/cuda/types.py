"""The types of translated functions: scalars, arrays and tuples, with their C++ names."""

from typing import Any, NamedTuple

import numpy as np

F64, F32, I64, I32, U8, U32, U64, BOOL, VOID = (
    "double",
    "float",
    "i64",
    "i32",
    "u8",
    "u32",
    "u64",
    "bool",
    "void",
)
DTYPES = {
    "float64": F64, "float32": F32, "int64": I64, "int32": I32, "uint8": U8, "uint32": U32,
    "uint64": U64, "bool": BOOL,
}  # fmt: skip
# The wider type of two.
RANK = {BOOL: 0, U8: 1, I32: 2, U32: 3, I64: 4, U64: 5, F32: 6, F64: 7}


class ArrayType(NamedTuple):
    """A contiguous array of numbers."""

    dtype: str
    ndim: int

    @property
    def cpp(self) -> str:
        return f"Array<{self.dtype}, {self.ndim}>"


class TupleType(NamedTuple):
    """A tuple; `names` are those of a NamedTuple, or empty."""

    items: tuple[Any, ...]
    names: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """True if all items have one type, so that an index may be computed."""
        return len(set(self.items)) == 1

    @property
    def cpp(self) -> str:
        words = "_".join(cpp(item) for item in self.items)
        return "T_" + "".join(letter if letter.isalnum() else "_" for letter in words)

    def field(self, index: int) -> str:
        return f"a[{index}]" if self.same else f"a{index}"


Type = str | ArrayType | TupleType


def cpp(kind: Type) -> str:
    """Return the name of a type in C++."""
    return kind if isinstance(kind, str) else kind.cpp


def join(one: Type | None, two: Type) -> Type:
    """Return the type that holds both."""
    if one is None or one == two:
        return two
    if isinstance(one, TupleType) and isinstance(two, TupleType):
        if len(one.items) == len(two.items):
            items = tuple(join(a, b) for a, b in zip(one.items, two.items, strict=True))
            return TupleType(items, one.names or two.names)
    elif isinstance(one, str) and isinstance(two, str) and VOID not in (one, two):
        if {one, two} == {F32, I64}:
            return F64
        if {one, two} == {I32, U32}:
            return I64
        return max(one, two, key=RANK.__getitem__)
    raise TypeError(f"{cpp(one)} and {cpp(two)} have no common type")


def type_of(value: Any) -> Type:
    """Return the type of a value of Python: a number, an array, or a tuple of them."""
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError("an array must be contiguous")
        return ArrayType(DTYPES[value.dtype.name], value.ndim)
    if isinstance(value, tuple):
        return TupleType(tuple(map(type_of, value)), getattr(type(value), "_fields", ()))
    if isinstance(value, np.generic):
        return DTYPES[value.dtype.name]
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return I64
    if isinstance(value, float):
        return F64
    if hasattr(value, "dtype") and hasattr(value, "ndim"):  # an array on a graphics processor
        return ArrayType(DTYPES[np.dtype(value.dtype).name], value.ndim)
    raise TypeError(f"{type(value).__name__} is not translated")
