"""The parameter services of a ROS node (rcl_interfaces): list, get, describe, types and set.

All parameters are read-only, since a config is frozen. A reply depends on the request only, so the
transport answers it, and the simulation does not take part.
"""

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from msgspec import Struct

from rigless.ros.topics import Node
from rigless.ros.topics import ParameterValue as Value

UInt8 = Annotated[int, "uint8"]
Int64 = Annotated[int, "int64"]
UInt64 = Annotated[int, "uint64"]
Float64 = Annotated[float, "float64"]
NOT_SET, BOOL, INTEGER, DOUBLE, STRING = range(5)
DOUBLES, STRINGS = 8, 9


class ParameterValue(Struct, frozen=True):
    type: UInt8 = NOT_SET
    bool_value: bool = False
    integer_value: Int64 = 0
    double_value: Float64 = 0.0
    string_value: str = ""
    byte_array_value: Annotated[tuple[int, ...], "uint8[]"] = ()
    bool_array_value: Annotated[tuple[bool, ...], "bool[]"] = ()
    integer_array_value: Annotated[tuple[int, ...], "int64[]"] = ()
    double_array_value: Annotated[tuple[float, ...], "float64[]"] = ()
    string_array_value: tuple[str, ...] = ()


class Parameter(Struct, frozen=True):
    name: str = ""
    value: ParameterValue = ParameterValue()


class FloatingPointRange(Struct, frozen=True):
    from_value: Float64 = 0.0
    to_value: Float64 = 0.0
    step: Float64 = 0.0


class IntegerRange(Struct, frozen=True):
    from_value: Int64 = 0
    to_value: Int64 = 0
    step: UInt64 = 0


class ParameterDescriptor(Struct, frozen=True):
    name: str = ""
    type: UInt8 = NOT_SET
    description: str = ""
    additional_constraints: str = ""
    read_only: bool = True
    dynamic_typing: bool = False
    floating_point_range: tuple[FloatingPointRange, ...] = ()
    integer_range: tuple[IntegerRange, ...] = ()


class ListParametersResult(Struct, frozen=True):
    names: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()


class SetParametersResult(Struct, frozen=True):
    successful: bool = False
    reason: str = ""


class Names(Struct, frozen=True):
    """The request of several services."""

    names: tuple[str, ...] = ()


class ListRequest(Struct, frozen=True):
    prefixes: tuple[str, ...] = ()
    depth: UInt64 = 0


class ListResponse(Struct, frozen=True):
    result: ListParametersResult = ListParametersResult()


class Values(Struct, frozen=True):
    values: tuple[ParameterValue, ...] = ()


class Types(Struct, frozen=True):
    types: Annotated[tuple[int, ...], "uint8[]"] = ()


class Descriptors(Struct, frozen=True):
    descriptors: tuple[ParameterDescriptor, ...] = ()


class SetRequest(Struct, frozen=True):
    parameters: tuple[Parameter, ...] = ()


class SetResponse(Struct, frozen=True):
    results: tuple[SetParametersResult, ...] = ()


class SetAllResponse(Struct, frozen=True):
    result: SetParametersResult = SetParametersResult()


@dataclass(frozen=True)
class Service:
    """A service: its name, the name of its type, both message types, and the reply."""

    name: str
    type: str
    request: builtins.type
    response: builtins.type
    reply: Callable[[Node, Any], Any]


def value_message(value: Value | None) -> ParameterValue:
    match value:
        case bool():
            return ParameterValue(BOOL, bool_value=value)
        case int():
            return ParameterValue(INTEGER, integer_value=value)
        case float():
            return ParameterValue(DOUBLE, double_value=value)
        case str():
            return ParameterValue(STRING, string_value=value)
        case (str(), *_):
            return ParameterValue(STRINGS, string_array_value=tuple(map(str, value)))
        case tuple():
            return ParameterValue(DOUBLES, double_array_value=tuple(map(float, value)))
    return ParameterValue()


def list_parameters(node: Node, request: ListRequest) -> ListResponse:
    """Return the names below the prefixes, down to a depth; 0 is any depth."""
    found = [
        name
        for name in node.parameters
        if (not request.prefixes and _within(name, request.depth))
        or any(
            name == prefix
            or (name.startswith(f"{prefix}.") and _within(name[len(prefix) + 1 :], request.depth))
            for prefix in request.prefixes
        )
    ]
    tables = dict.fromkeys(name.rpartition(".")[0] for name in found if "." in name)
    return ListResponse(ListParametersResult(tuple(found), tuple(tables)))


def _within(name: str, depth: int) -> bool:
    return not depth or name.count(".") < depth


def get_parameters(node: Node, request: Names) -> Values:
    return Values(tuple(value_message(node.parameters.get(name)) for name in request.names))


def get_types(node: Node, request: Names) -> Types:
    return Types(tuple(value.type for value in get_parameters(node, request).values))


def describe(node: Node, request: Names) -> Descriptors:
    types = get_types(node, request).types
    named = zip(request.names, types, strict=True)
    return Descriptors(tuple(ParameterDescriptor(name, kind) for name, kind in named))


def set_parameters(node: Node, request: SetRequest) -> SetResponse:
    return SetResponse(tuple(_refusal(node, each.name) for each in request.parameters))


def set_all(node: Node, request: SetRequest) -> SetAllResponse:
    refusals = set_parameters(node, request).results
    return SetAllResponse(refusals[0] if refusals else SetParametersResult(True))


def _refusal(node: Node, name: str) -> SetParametersResult:
    known = name in node.parameters
    reason = "it is read-only; restart with --set" if known else "there is no such parameter"
    return SetParametersResult(False, f"{name[:80]}: {reason}")


SERVICES = (
    Service("list_parameters", "ListParameters", ListRequest, ListResponse, list_parameters),
    Service("get_parameters", "GetParameters", Names, Values, get_parameters),
    Service("get_parameter_types", "GetParameterTypes", Names, Types, get_types),
    Service("describe_parameters", "DescribeParameters", Names, Descriptors, describe),
    Service("set_parameters", "SetParameters", SetRequest, SetResponse, set_parameters),
    Service(
        "set_parameters_atomically", "SetParametersAtomically", SetRequest, SetAllResponse, set_all
    ),
)
