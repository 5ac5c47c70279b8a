"""JSON Schemas made from the field lists of the standard, closed against unknown fields.

A line of a list is a path, a type, and an enumeration or bounds. A `*` marks a required field.
2.0.0 is 2.1.0 without the fields that 2.1 added. In its states, positions of nodes need a heading
and control points a weight.
"""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

FIELDS = Path(__file__).parent / "fields"
LINE = re.compile(r"(?P<path>[^ *]+)(?P<required>\*?) (?P<type>\[.*?\]|\w+)(?P<rest>.*)")
BOUND = re.compile(r"(minimum|maximum|minItems)=([-0-9.]+)")
NEW_IN_2_1 = re.compile(
    r"maps|.*errorHint|.*corridor|.*blockingTypes|vehicleConfig|.*defaultStateInterval"
)
WHOLE = ("batteryState.batteryHealth", "batteryState.reach")  # integers to some masters of 2.0


@cache
def lines(version: str, name: str) -> list[re.Match[str]]:
    """Return the lines of the list of a message."""
    listed = "3.0.0" if version == "3.0.0" else "2.1.0"
    text = (FIELDS / f"{listed}.txt").read_text("utf-8")
    section = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section, f"no fields of {name}"
    found = [LINE.fullmatch(line.strip()) for line in section[1].splitlines()]
    known = [line for line in found if line is not None]
    assert len(known) == len(found), f"a line of {name} cannot be read"
    if version == "2.0.0":
        return [line for line in known if not NEW_IN_2_1.match(line["path"])]
    return known


@cache
def schema(version: str, name: str) -> dict[str, Any]:
    whole: dict[str, Any] = _object()
    for line in lines(version, name):
        _add(whole, _keys(line["path"]), line)
    if version == "2.0.0" and name == "state":
        node = whole["properties"]["nodeStates"]["items"]
        node["properties"]["nodePosition"]["required"].append("theta")
        edge = whole["properties"]["edgeStates"]["items"]["properties"]
        edge["trajectory"]["properties"]["controlPoints"]["items"]["required"].append("weight")
    return whole


def _object() -> dict[str, Any]:
    return {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def _keys(path: str) -> list[str]:
    """Split a path; the keys of maxArrayLens have dots themselves."""
    head, dot, last = re.match(r"(.*?(?:ArrayLens|ArrayLengths))(\.?)(.*)|()()(.*)", path).groups()[
        :3
    ]
    keys = (head or path).replace("[]", ".[]").split(".")
    return [*keys, last] if dot else keys


def _add(whole: dict[str, Any], keys: list[str], line: re.Match[str]) -> None:
    place = whole
    for key in keys[:-1]:
        place = place["items"] if key == "[]" else place["properties"][key]
    kind = ast.literal_eval(line["type"]) if line["type"].startswith("[") else line["type"]
    made: dict[str, Any] = _object() if kind == "object" else {"type": kind}
    if kind == "array":
        made["items"] = {}
    if kind == "object" and keys[-1] in ("allOf(7)", "data"):
        made = {}
    enum = re.search(r"enum=(\[.*?\])", line["rest"])
    if enum:
        values = ast.literal_eval(enum[1])
        values += ["PAUSED"] if keys[-1] == "actionStatus" and "PAUSED" not in values else []
        if kind == "array":
            made["items"] = {"enum": values}
        else:
            made["enum"] = values
    if "format=date-time" in line["rest"]:
        made["pattern"] = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{2,3}Z$"
    made |= {key: float(value) for key, value in BOUND.findall(line["rest"])}
    if keys[-1] == "[]":
        place["items"] = made
        return
    place["properties"][keys[-1]] = made
    if line["required"]:
        place["required"].append(keys[-1])


@cache
def validator(version: str, name: str) -> Draft202012Validator:
    return Draft202012Validator(schema(version, name), format_checker=FormatChecker())


def check(version: str, name: str, message: dict[str, Any]) -> None:
    """Assert that a message of the robot has exactly the fields of a version."""
    error = next(iter(validator(version, name).iter_errors(message)), None)
    assert error is None, f"{version} {name}: {error.json_path}: {error.message}"
    assert list(message)[:5] == [
        "headerId",
        "timestamp",
        "version",
        "manufacturer",
        "serialNumber",
    ]
    assert message["version"] == version
