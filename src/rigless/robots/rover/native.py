"""Read a ROS 2 parameter file unchanged.

Nodes are named by name, path or wildcard, keys are nested or dotted, scalars are read as rcl reads
them. If a file has several nodes, the rover's is the one with the rover's keys. `transforms` may be
inside `ros__parameters`, next to it, or next to the nodes.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator

from rigless.kernel.documents import Document, parse_yaml
from rigless.kernel.key_path import KeyPath
from rigless.kernel.problems import InputError, Problem
from rigless.robots.rover.config import (
    Gps,
    Latitude,
    Longitude,
    Mount,
    Number,
    RoverConfig,
    Vn300,
)

PARAMETERS = "ros__parameters"
NODE = RoverConfig().node_name
OF_EVERY_NODE = ("qos_overrides", "start_type_description_service")  # rclcpp's own; ignored
# Keys that no other node has. Frames, for example, are keys of many nodes.
OWN_KEYS = {"enc_vel", "imu", "gps", "high_rate_update_period_s", "low_rate_update_period_s"}
OWN_KEYS |= {"vn300", "datum", "update_period_s", "initial_yaw_rad", "imu_frame_id"}
OWN_KEYS |= {"gps_frame_id", "ground_truth_topics", "cmd_vel_timeout_s"}
TRUE, FALSE = {"y", "yes", "true", "on"}, {"n", "no", "false", "off"}
INTEGER = re.compile(r"[+-]?\d{1,18}\Z")
INS_KEYS = {"vn300", "datum", "update_period_s"}  # of the node with a VN-300
SET_BY_VN300 = {"noise_std_m", "drift_std_m", "drift_time_constant_s", "yaw_noise_std_rad"}
SET_BY_VN300 |= {"origin_latitude_deg", "origin_longitude_deg", "wz_noise_std_radps"}
SET_BY_VN300 |= {"initial_yaw_rad", "magnetic_declination_rad"}
MAX_VALUES = 20_000  # against aliases of aliases


class NativeGps(Gps):
    """Keys of the receiver in a file, where the origin of the map is required."""

    origin_latitude_deg: float = Field(ge=-90, le=90, strict=True)
    origin_longitude_deg: float = Field(ge=-180, le=180, strict=True)


class NativeConfig(RoverConfig):
    """The keys of a file. Without transforms, the rover waits for tf_static."""

    gps: NativeGps
    transforms: tuple[Mount, ...] = ()


class NativeInsConfig(RoverConfig):
    """The keys of a file for the node with a VN-300, which sets the errors of gps and imu."""

    vn300: Vn300 = Vn300()
    datum: tuple[Latitude, Longitude, Number]
    transforms: tuple[Mount, ...] = ()

    @field_validator("gps", "imu", mode="before")
    @classmethod
    def set_by_vn300(cls, given: Any) -> Any:
        keys = sorted(given.keys() & SET_BY_VN300) if isinstance(given, dict) else []
        if keys:
            raise ValueError(f"{', '.join(keys)}: the vn300 block and datum set it in this node")
        return given


@dataclass
class Block:
    """The parameters of one node or wildcard."""

    path: str
    values: dict[str, Any]
    at: KeyPath

    @property
    def wild(self) -> bool:
        return "*" in self.path


def read_native(path: Path) -> Document | None:
    """Return the parameters in the file, or None if it has no ROS parameters.

    They are validated when settings were applied, so that a setting can give a required key.
    Raises InputError if the file is not for a rover or cannot be parsed.
    """
    if path.suffix not in (".yaml", ".yml"):
        return None
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError):
        return None
    document = parse_yaml(text, str(path), _scalar, max_values=MAX_VALUES)
    raw, lines = document.data, document.lines
    if raw is None and document.problems:
        if PARAMETERS not in text:
            return None
        raise InputError(document.problems)
    blocks = list(_blocks(raw, ()))
    if not blocks:
        return None
    if "transforms" in raw:
        blocks.append(Block("/**", {"transforms": raw["transforms"]}, ()))
    if document.problems:
        raise InputError(document.problems)
    return _parameters(path, _node_of(blocks, str(path)), blocks, lines)


def _node_of(blocks: list[Block], file: str) -> str:
    """Return the path of the rover's node; empty if the file has only wildcards."""
    named = [block for block in blocks if not block.wild]
    nodes = {block.path for block in named if block.values.keys() & OWN_KEYS} or {
        block.path for block in named if _name(block.path) == NODE
    }
    if not nodes and named and not any(block.values.keys() & OWN_KEYS for block in blocks):
        others = ", ".join(sorted(block.path.strip("/") for block in named))
        what = f"no {NODE} node in this file; it has {others}"
        raise InputError(Problem("", what, "give the parameters of the sensor simulator", file))
    nodes = nodes or {block.path for block in named}
    if len(nodes) > 1:
        nodes = {path for path in nodes if _name(path) == NODE} or nodes
    if len(nodes) > 1:
        what = f"the file is for several nodes: {', '.join(sorted(nodes))}"
        raise InputError(Problem("", what, "keep the parameters of one rover in it", file))
    return next(iter(nodes), "")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _parameters(path: Path, node: str, blocks: list[Block], lines: dict[KeyPath, int]) -> Document:
    """Return the node's parameters, over those of the wildcards that match it."""
    found: dict[str, Any] = {}
    where: dict[KeyPath, int] = {}
    shared = any(not block.wild and block.path != node for block in blocks)
    for block in sorted(blocks, key=lambda block: not block.wild):
        if block.path != node and not (block.wild and (not node or _matches(block.path, node))):
            continue
        known = {key: value for key, value in block.values.items() if key not in OF_EVERY_NODE}
        if block.wild and shared:  # an unknown key may be another node's
            known = {key: value for key, value in known.items() if key in RoverConfig.model_fields}
        _merge(found, known)
        for place, line in lines.items():
            if place[: len(block.at)] == block.at:
                short = tuple(
                    str(part) if isinstance(part, str) else part for part in place[len(block.at) :]
                )
                where[_undotted(short)] = line
    namespace, _, name = node.rpartition("/")
    named = {"namespace": namespace or "/", "node_name": name} if node else {}
    data = {"transforms": [], **named, **found}
    if found.keys() & INS_KEYS:
        data.setdefault("vn300", {})
        return Document(data, str(path), where, model=NativeInsConfig)
    data.setdefault("gps", {})  # so that its required keys are named one by one
    return Document(data, str(path), where, model=NativeConfig)


def _blocks(value: Any, at: KeyPath) -> Iterator[Block]:
    """Yield the parameters of every node, at any depth."""
    if not isinstance(value, dict):
        return
    if PARAMETERS in value:
        inside = value[PARAMETERS]
        if isinstance(inside, dict):
            values = _nested(inside)
            if "transforms" in value:
                values.setdefault("transforms", value["transforms"])
            path = "/" + "/".join(str(part).strip("/") for part in at if str(part).strip("/"))
            yield Block(path if path != "/" else "/**", values, (*at, PARAMETERS))
        return
    for key, inner in value.items():
        yield from _blocks(inner, (*at, key))


def _matches(pattern: str, node: str) -> bool:
    """Return True if a wildcard matches a node: * is one part of its path, ** any number."""
    parts = [
        ".*" if part == "**" else "[^/]+" if part == "*" else re.escape(part)
        for part in pattern.strip("/").split("/")
    ]
    return (
        re.fullmatch(
            "/" + "/".join(parts).replace("/.*", "(?:/.*)?").replace(".*/", "(?:.*/)?"), node
        )
        is not None
    )


def _nested(values: dict[str, Any]) -> dict[str, Any]:
    """Return dotted keys as tables: gps.noise_std_m is noise_std_m in gps."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        inner = _nested(value) if isinstance(value, dict) else value
        for part in reversed(str(key).split(".")[1:]):
            inner = {part: inner}
        _merge(found, {str(key).split(".")[0]: inner})
    return found


def _merge(into: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


def _undotted(path: KeyPath) -> KeyPath:
    return tuple(
        piece for part in path for piece in (part.split(".") if isinstance(part, str) else (part,))
    )


def _scalar(node: Any) -> Any:
    """Return a scalar as rcl reads it: 1e-3 is a number, which PyYAML takes for text."""
    text = node.value
    if node.style is not None or (node.tag == "tag:yaml.org,2002:str" and _is_word(text)):
        return text
    if text in ("", "~", "null"):
        return None
    if text.lower() in TRUE | FALSE:
        return text.lower() in TRUE
    if INTEGER.match(text):
        return int(text)
    try:
        return float(text.replace("_", "x"))
    except ValueError:
        return text


def _is_word(text: str) -> bool:
    return not re.match(r"[+-]?[.\d]", text) and text.lower() not in TRUE | FALSE
