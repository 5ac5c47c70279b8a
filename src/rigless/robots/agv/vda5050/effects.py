"""The effects of actions on the robot: loads, charging, pose, maps and zone sets."""

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from rigless.robots.agv import params as p
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.params import sentence
from rigless.robots.agv.state import Job
from rigless.robots.agv.vda5050.core_functions import CoreFunctions
from rigless.robots.agv.vda5050.zones import Zones
from rigless.robots.agv.vda5050_model import messages as m
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.catalogue import Kind
from rigless.robots.agv.vda5050_model.dialect import Dialect
from rigless.robots.agv.vda5050_model.errors import Rejected
from rigless.robots.agv.vda5050_model.state import FINAL, ActionRecord, VdaState

ENABLED, DISABLED = "ENABLED", "DISABLED"
FARTHEST_M = 1e6
SHA256_DIGITS = 64  # the standard names no kind of hash: others than SHA-256 are not compared
NO_SERVER = "no file server: this run has no transport"


class Failed(Exception):  # noqa: N818  # a result, not a failure of the program
    """The reason why an action has failed."""


class Effects:
    def __init__(
        self,
        state: VdaState,
        machine: Machine,
        core: CoreFunctions,
        zones: Zones,
        dialect: Dialect,
        weight_kg: float,
    ):
        self._state, self._machine, self._core, self._zones = state, machine, core, zones
        self._dialect, self._weight_kg = dialect, weight_kg

    def check(self, kind: Kind, given: Mapping[str, Any]) -> None:
        """Raise ValueError if the parameters of an action cannot be used."""
        if kind.name in ("initPosition", "initializePosition"):
            for key in ("x", "y", "theta"):
                _number(key, given[key])
            if all(entry[0] != str(given["mapId"]) for entry in self._state.maps.values()):
                raise ValueError(f"map {given['mapId']} is unknown")
        elif kind.name == "enableMap":
            if map_key(given) not in self._state.maps:
                raise ValueError(f"map {given['mapId']} {given['mapVersion']} is unknown")
        elif kind.name == "deleteMap":
            found = self._state.maps.get(map_key(given))
            if found is None:
                raise ValueError(f"map {given['mapId']} {given['mapVersion']} is unknown")
            if found[0] == self._machine.state.map_id and found[2] == ENABLED:
                raise ValueError(f"map {given['mapId']} is in use")
        elif kind.name in ("enableZoneSet", "deleteZoneSet"):
            self._zones.check(str(given["zoneSetId"]), kind.name == "deleteZoneSet")

    def finish(self, kind: Kind, record: ActionRecord, done: Job | None) -> str | None:
        """Apply an action whose time is over. Return its result, or None if it still runs.

        `done` is the job of the core that carried it out. Raises Failed.
        """
        given, state = record.action.parameters, self._state
        if done is not None and done.kind in p.AT_PLACES:
            return ", ".join(str(value) for value in (done.result or {}).values())
        match kind.name:
            case "waitForTrigger":
                return None  # until it is triggered
            case "pick":
                place = str(given.get("lhd", "")) or None
                full = next((one for one in state.loads if one.loadPosition == place), None)
                if full is not None:
                    raise Failed(f"the load handling device {_at(place)}holds {full.loadId}")
                load = m.Load(
                    loadId=str(given.get("loadId") or record.action.actionId),
                    loadType=str(given.get("loadType") or "load"),
                    loadPosition=place,
                    weight=self._weight_kg,
                )
                state.loads = [*state.loads, load]
                return f"picked {load.loadId}"
            case "drop":
                named, place = (str(given.get(key) or "") for key in ("loadId", "lhd"))
                for one in state.loads:
                    if named in ("", one.loadId) and place in ("", one.loadPosition):
                        state.loads = [other for other in state.loads if other is not one]
                        return f"dropped {one.loadId}"
                raise Failed("the robot has no such load")
            case "startCharging" | "stopCharging":
                on = kind.name == "startCharging"
                if self._core.charging != on:
                    self._core.charge(on)
                    return None
            case "initPosition" | "initializePosition":
                x, y, theta = (_number(key, given[key]) for key in ("x", "y", "theta"))
                self._machine.drive.place(x, y, theta, str(given["mapId"]))
                state.order.sent, state.order.marks = 0, []  # it drives on from there
                state.order.last_node = str(given.get("lastNodeId", state.order.last_node))
                self.use_map(str(given["mapId"]))
            case "enableMap":
                self.use_map(str(given["mapId"]), str(given["mapVersion"]))
            case "downloadMap":
                name, version = str(given["mapId"]), str(given["mapVersion"])
                result = _verified(record.file, given.get("mapHash"))
                state.maps[map_key(given)] = [name, version, DISABLED]
                return result
            case "downloadZoneSet":
                result = _verified(record.file, given.get("zoneSetHash"))
                self._take_zone_set(str(given["zoneSetId"]), record.file)
                return result
            case "deleteMap":
                state.maps.pop(map_key(given), None)
            case "enableZoneSet":
                self._zones.enable(str(given["zoneSetId"]))
            case "deleteZoneSet":
                self._zones.delete(str(given["zoneSetId"]))
            case "clearInstantActions":
                kept = {key: one for key, one in state.instant.items() if one.status not in FINAL}
                state.instant = kept
            case "clearZoneActions":
                kept = {key: state.zone_actions[key] for key in state.zone_queue}
                state.zone_actions = kept
            case "logReport":
                return f"log-{record.action.actionId}"
        return ""

    def _take_zone_set(self, name: str, file: r.Downloaded | None) -> None:
        """Keep the zone set of a downloaded file. Raises Failed."""
        if file is None:
            raise Failed(NO_SERVER)
        try:
            plain = msgspec.json.decode(file.text)
            whole = plain if isinstance(plain, dict) and "zoneSet" in plain else {"zoneSet": plain}
            found = msgspec.convert(self._dialect.from_wire("zoneSet", whole), r.ZoneSetFile)
            if found.zoneSet.zoneSetId != name:
                raise Failed(f"the file has the zone set {found.zoneSet.zoneSetId[:60]!r}")
            self._zones.receive(found.zoneSet)
        except (msgspec.DecodeError, RecursionError) as error:
            raise Failed(f"the file is no zone set: {sentence(str(error))}") from None
        except Rejected as rejected:
            raise Failed(rejected.what) from None

    def use_map(self, name: str, version: str = "") -> None:
        """Enable one version of a map; the others of it are disabled.

        Without a version the enabled one stays, or the latest one is enabled.
        """
        versions = [entry for entry in self._state.maps.values() if entry[0] == name]
        if not version and all(entry[2] == DISABLED for entry in versions):
            version = versions[-1][1] if versions else ""
        for entry in versions:
            if version:
                entry[2] = ENABLED if entry[1] == version else DISABLED


def _at(place: str | None) -> str:
    return "" if place is None else f"{place} "


def map_key(given: Mapping[str, Any]) -> str:
    return f"{given['mapId']}\n{given['mapVersion']}"


def _verified(file: r.Downloaded | None, wanted: Any) -> str:
    """Return a description of a downloaded file. Raises Failed if its hash is not the wanted one.

    Without a transport there is no file.
    """
    if file is None:
        return NO_SERVER
    if file.why:
        raise Failed(file.why)
    if isinstance(wanted, str) and wanted:
        bare = wanted.lower().removeprefix("sha256:").removeprefix("sha-256:")
        if len(bare) == SHA256_DIGITS and bare != file.sha256:
            raise Failed(f"the file has the SHA-256 {file.sha256}, not {bare}")
    return f"{file.size} bytes, SHA-256 {file.sha256}"


def _number(key: str, value: Any) -> float:
    """Return a coordinate; some masters send it as text."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{key} is not a number") from None
    if not (math.isfinite(number) and abs(number) <= FARTHEST_M):
        raise ValueError(f"{key} is out of range")
    return number
