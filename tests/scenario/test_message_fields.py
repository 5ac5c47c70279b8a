from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

import msgspec
import pytest

from rigless.kernel.problems import InputError
from rigless.scenario.expect.message_fields import check_field


class Colour(Enum):
    RED = "red"


@dataclass
class Pose:
    map: str
    x: float


class Report(msgspec.Struct):
    status: Literal["IDLE", "DONE"]
    count: int
    on: bool
    pose: Pose | None
    code: Literal[1, 2] | None
    colour: Colour
    data: Any
    ranges: list[float]
    unknown: "NotHere"  # noqa: F821


class Stamp(msgspec.Struct):
    time_s: float | None = None
    kind: int | str = 0


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("status", "DONE"),
        ("count", 3),
        ("count", 3.0),
        ("on", True),
        ("pose.map", "hall"),
        ("pose.x", 1),
        ("code", 2.0),
        ("data.anything.below", 1),
        ("ranges.3", "free"),
    ],
)
def test_fields_and_values_that_can_be(path, wanted):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "NotHere", int)
        check_field(Report, path, wanted)


@pytest.mark.parametrize(
    ("path", "wanted", "says"),
    [
        ("statsu", "DONE", "unknown field of Report 'statsu' (did you mean 'status'?)"),
        ("status", "DON", "where: Report.status is never 'DON' (did you mean 'DONE'?)"),
        ("status", 1, "where: Report.status is never 1 (choose from: DONE, IDLE)"),
        ("count", "3", "where: Report.count is never '3' (it is int)"),
        ("count", 2.5, "where: Report.count is never 2.5 (it is int)"),
        ("on", "yes", "where: Report.on is never 'yes' (it is bool)"),
        ("pose.mapp", 1, "unknown field of Report 'mapp' (did you mean 'map'?)"),
        ("pose.map.x", 1, "unknown field of Report 'x' (there are none to choose from)"),
        ("code", 3, "where: Report.code is never 3 (choose from: 1, 2)"),
        ("colour", "red", "where: Report.colour is never 'red' (choose from: Colour.RED)"),
    ],
)
def test_fields_and_values_that_cannot_be(path, wanted, says):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(globals(), "NotHere", int)
        with pytest.raises(InputError) as caught:
            check_field(Report, path, wanted)
    assert str(caught.value) == says


def test_types_that_cannot_be_found_out_accept_everything():
    check_field(Report, "status", "DON")
    with pytest.raises(InputError):
        check_field(Report, "statsu", "DON")


def test_a_union_accepts_what_one_of_its_types_accepts():
    check_field(Stamp, "time_s", 1.5)
    check_field(Stamp, "kind", "x")
    with pytest.raises(InputError, match="it is int or str"):
        check_field(Stamp, "kind", 1.5)
