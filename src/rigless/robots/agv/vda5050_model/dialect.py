"""Dialects: the names and values of each version of VDA 5050, as tables.

The internal model has the names of 2.1. For each kind of message, RENAMED has the names of 3.0, by
key, and DROPPED the keys that a version does not know. "errorReferences" and the like have the same
names in all versions. VALUES are enumerations with other spellings in 3.0.
"""

import re
from collections.abc import Mapping
from typing import Any

RENAMED: dict[str, dict[str, str]] = {
    "state": {
        "agvPosition": "mobileRobotPosition",
        "positionInitialized": "localized",
        "nodeDescription": "nodeDescriptor",
        "edgeDescription": "edgeDescriptor",
        "actionDescription": "actionDescriptor",
        "mapDescription": "mapDescriptor",
        "infoDescription": "infoDescriptor",
        "resultDescription": "actionResult",
        "batteryState": "powerSupply",
        "batteryCharge": "stateOfCharge",
        "reach": "range",
        "eStop": "activeEmergencyStop",
    },
    "visualization": {"agvPosition": "mobileRobotPosition", "positionInitialized": "localized"},
    "connection": {},
    "order": {
        "nodeDescription": "nodeDescriptor",
        "edgeDescription": "edgeDescriptor",
        "actionDescription": "actionDescriptor",
        "corridorRefPoint": "corridorReferencePoint",
        "maxSpeed": "maximumSpeed",
        "maxHeight": "maximumMobileRobotHeight",
        "minHeight": "minimumLoadHandlingDeviceHeight",
    },
    "instantActions": {"actionDescription": "actionDescriptor"},
    "zoneSet": {},
    "responses": {},
    "factsheet": {
        "agvKinematic": "mobileRobotKinematics",
        "agvClass": "mobileRobotClass",
        "maxLoadMass": "maximumLoadMass",
        "speedMin": "minimumSpeed",
        "speedMax": "maximumSpeed",
        "angularSpeedMin": "minimumAngularSpeed",
        "angularSpeedMax": "maximumAngularSpeed",
        "accelerationMax": "maximumAcceleration",
        "decelerationMax": "maximumDeceleration",
        "heightMin": "minimumHeight",
        "heightMax": "maximumHeight",
        "maxStringLens": "maximumStringLengths",
        "msgLen": "maximumMessageLength",
        "topicSerialLen": "maximumTopicSerialLength",
        "topicElemLen": "maximumTopicElementLength",
        "idLen": "maximumIdLength",
        "loadIdLen": "maximumLoadIdLength",
        "maxArrayLens": "maximumArrayLengths",
        "minOrderInterval": "minimumOrderInterval",
        "minStateInterval": "minimumStateInterval",
        "agvActions": "mobileRobotActions",
        "resultDescription": "actionResult",
        "agvGeometry": "mobileRobotGeometry",
        "set": "envelope2dId",
        "polygonPoints": "vertices",
        "maxWeight": "maximumWeight",
        "vehicleConfig": "mobileRobotConfiguration",
    },
}
ALIASES = {  # spellings of some masters and of the schemas of the standard
    "order": {
        "allowedDeviationXy": "allowedDeviationXY",
        "maximumRotationSpeed": "maxRotationSpeed",
    },
    "instantActions": {"instantActions": "actions", "actionName": "actionType"},
    "responses": {"responseType": "grantType"},
}
ONLY_3 = {  # keys that 2.1 does not know
    "state": ("zoneSets", "instantActionStates", "zoneActionStates", "zoneRequests",
              "edgeRequests"),
    "visualization": ("referenceStateHeaderId",),
    "factsheet": ("supportedZones", "angularSpeedMin", "angularSpeedMax", "pauseAllowed",
                  "cancelAllowed", "zoneSet.zones", "state.instantActionStates",
                  "state.zoneActionStates"),
}  # fmt: skip
ONLY_2 = {  # keys that 3.0 does not know
    "factsheet": ("enumLen", "constraints"),
}
ONLY_2_1 = {  # keys that 2.0 does not know either
    "state": ("maps", "errorHint"),
    "factsheet": ("blockingTypes", "vehicleConfig", "defaultStateInterval"),
}
VALUES = {
    "CONNECTIONBROKEN": "CONNECTION_BROKEN",
    "TEACHIN": "TEACH_IN",
    "KINEMATICCENTER": "KINEMATIC_CENTER",
    "AUTOACK": "MANUAL",
    "DIFF": "DIFFERENTIAL",
    "FLOAT": "NUMBER",
}
CHANGED = {  # keys whose values are spelled otherwise
    "connectionState", "operatingMode", "corridorRefPoint", "eStop", "valueDataType",
    "agvKinematic",
}  # fmt: skip
WHOLE = ("headerId", "orderUpdateId", "sequenceId", "degree")  # 2.0 is an integer to a JSON Schema
WORD = re.compile(r"\w+")
GONE = ""  # the new name of a key that is dropped


def in_words_of(major: int, text: str) -> str:
    """Return a sentence or a name with the fields of an order as a version names them."""
    names = RENAMED["order"]
    return text if major == 2 else WORD.sub(lambda word: names.get(word[0], word[0]), text)


class Dialect:
    """One version of the standard."""

    def __init__(self, version: str):
        self.version, self.major = version, int(version[0])
        self._out: dict[str, dict[str, str]] = {}
        self._in: dict[str, dict[str, str]] = {}
        for kind, names in RENAMED.items():
            table = dict(names) if self.major == 3 else {}
            dropped = ONLY_2 if self.major == 3 else ONLY_3
            table |= dict.fromkeys(dropped.get(kind, ()), GONE)
            if version == "2.0.0":
                table |= dict.fromkeys(ONLY_2_1.get(kind, ()), GONE)
            self._out[kind] = table
            back = {new: old for old, new in table.items() if new}
            self._in[kind] = back | ALIASES.get(kind, {})
        self._values = VALUES if self.major == 3 else {}
        self._meant = {new: old for old, new in self._values.items() if old != "AUTOACK"}

    def to_wire(self, kind: str, plain: Any) -> Any:
        """Return a message of the internal model with the names of this version."""
        table = self._out[kind]
        return _renamed(plain, table, self._values, CHANGED) if table or self._values else plain

    def from_wire(self, kind: str, plain: Any) -> Any:
        """Return a received message with the names of the internal model."""
        changed = {*CHANGED, *RENAMED["order"].values()}
        return _renamed(plain, self._in[kind], self._meant, changed)


def _renamed(
    value: Any, names: Mapping[str, str], values: Mapping[str, str], changed: set[str]
) -> Any:
    if isinstance(value, list):
        return [_renamed(entry, names, values, changed) for entry in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for key, inner in value.items():
        new = names.get(key, key)
        if new is GONE:
            continue
        if isinstance(inner, str):
            found[new] = values.get(inner, inner) if key in changed else inner
        elif isinstance(inner, float) and key in WHOLE and inner.is_integer():
            found[new] = int(inner)
        elif isinstance(inner, dict | list) and key != "value":
            found[new] = _renamed(inner, names, values, changed)
        else:
            found[new] = inner
    return found
