"""Cyclone types of ROS messages.

Their fields only describe the type to peers; samples are bytes of our own CDR encoder.
"""

from functools import cache
from typing import Any, Self

from cyclonedds.idl import IdlStruct, make_idl_struct
from cyclonedds.idl import types as _types
from cyclonedds.idl.annotations import final

from rigless.ros.layout import Array, Number, Sequence, Shape, Struct, Text, shapes
from rigless.ros.types import dds_type_name

types: Any = _types


class Sample(IdlStruct):
    """A serialized message, which Cyclone sends and returns unchanged."""

    data: bytes
    sample_info: Any

    @classmethod
    def of(cls, data: bytes) -> Self:
        sample = cls.__new__(cls)
        sample.data = data
        return sample

    def serialize(self, *_: Any, **__: Any) -> bytes:
        return self.data

    @classmethod
    def deserialize(cls, data: bytes, *_: Any, **__: Any) -> Self:
        return cls.of(data)

    @classmethod
    def deserialize_key(cls, data: bytes, *_: Any, **__: Any) -> Self:
        return cls.of(data)


@cache
def sample_type(kind: type) -> type[Sample]:
    """Return the Cyclone type of a message type."""
    fields = {name: idl_type(shape) for name, shape in shapes(kind)}
    made: Any = final(
        make_idl_struct(kind.__name__, dds_type_name(kind), fields, dataclassify=False)
    )
    for name in ("of", "serialize", "deserialize", "deserialize_key"):
        setattr(made, name, Sample.__dict__[name])
    typed: type[Sample] = made
    return typed


def idl_type(shape: Shape) -> Any:
    """Return the Cyclone type of a field."""
    match shape:
        case Number("bool"):
            return bool
        case Number(name):
            return getattr(types, name)
        case Text():
            return str
        case Struct(kind):
            return sample_type(kind)
        case Array(item, length):
            return types.array[idl_type(item), length]
        case Sequence(item):
            return types.sequence[idl_type(item)]
