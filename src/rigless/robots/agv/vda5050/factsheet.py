"""The factsheet: what the robot is and can do, from its config. dialect.py gives it its names."""

import math
from typing import Any

from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.motion import drive as d
from rigless.robots.agv.vda5050.wire import LONGEST
from rigless.robots.agv.vda5050.zones import SUPPORTED
from rigless.robots.agv.vda5050_model.catalogue import Kind
from rigless.robots.agv.vda5050_model.dialect import RENAMED
from rigless.robots.agv.vda5050_model.received import LONGEST_ID, MOST

# Optional fields of an order that the robot obeys; it rejects an order with any other.
OPTIONAL = (
    ("order.nodes.nodePosition", "REQUIRED", "the robot is not line-guided"),
    ("order.nodes.nodePosition.theta", "SUPPORTED", ""),
    ("order.nodes.nodePosition.allowedDeviationXY", "SUPPORTED", "at the first node"),
    ("order.nodes.nodePosition.allowedDeviationTheta", "SUPPORTED", ""),
    ("order.edges.maxSpeed", "SUPPORTED", ""),
    ("order.edges.maxRotationSpeed", "SUPPORTED", ""),
    ("order.edges.orientation", "SUPPORTED", "forwards and backwards"),
    ("order.edges.orientationType", "SUPPORTED", "GLOBAL on straight edges only"),
    ("order.edges.rotationAllowed", "SUPPORTED", "the robot turns at nodes"),
    ("order.edges.length", "SUPPORTED", "information: the length follows from the positions"),
    ("order.edges.maxHeight", "SUPPORTED", "an order that is too low is rejected"),
    ("order.edges.trajectory", "SUPPORTED", "NURBS"),
    ("order.edges.corridor", "SUPPORTED", "the robot stays on the edge; leaving it is an error"),
    ("order.edges.corridor.corridorRefPoint", "SUPPORTED", ""),
)
OPTIONAL_3 = (
    ("order.edges.corridor.releaseRequired", "SUPPORTED", "requested before the edge is entered"),
    ("order.edges.corridor.releaseLossBehavior", "SUPPORTED", ""),
    ("order.nodes.actions.retriable", "SUPPORTED", ""),
    ("order.edges.actions.retriable", "SUPPORTED", ""),
)
RENAMED_3 = {
    **RENAMED["order"],
    "maxRotationSpeed": "maximumRotationSpeed",
    "rotationAllowed": "reachOrientationBeforeEntering",
}


def sections(config: RobotConfig, machine: Machine, kinds: dict[str, Kind]) -> dict[str, Any]:
    """Return the sections of the factsheet with the names of the internal model."""
    given, size, const = config.vda5050, config.dimensions, machine.const
    assert given is not None
    three = given.major == 3
    length, width = size.lengthMm / 1000, size.widthMm / 1000
    payload = size.payloadMaxKg or 0.0
    half = 0.5 * float(const[d.BASE])
    turns = float(const[d.TOP_OMEGA]) if const[d.MODEL] == d.DIFFERENTIAL else 0.0
    outline = machine.protection.footprint
    about = {
        "seriesName": config.identity.model or config.identity.name,
        "seriesDescription": config.identity.name,
        "agvKinematic": "DIFF",
        "agvClass": "CARRIER",
        "maxLoadMass": payload,
        "localizationTypes": ["NATURAL"],
        "navigationTypes": ["VIRTUAL_LINE_GUIDED"],
    }
    if three:
        about |= {"supportedZones": list(SUPPORTED)}
    wheels = [
        {
            "type": "DRIVE",
            "isActiveDriven": True,
            "isActiveSteered": False,
            "position": {"x": 0.0, "y": side * half},
            "diameter": _diameter(config),
            "width": 0.05,
            "centerDisplacement": 0.0,
        }
        for side in (1.0, -1.0)
    ]
    return {
        "typeSpecification": about,
        "physicalParameters": {
            "speedMin": 0.0,
            "speedMax": _round(const[d.TOP_V]),
            "angularSpeedMin": 0.0,
            "angularSpeedMax": _round(turns),
            "accelerationMax": _round(const[d.ACC_V]),
            "decelerationMax": _round(const[d.DEC_V]),
            "heightMin": size.heightMm / 1000,
            "heightMax": size.heightMm / 1000,
            "width": width,
            "length": length,
        },
        "protocolLimits": {
            "maxStringLens": {
                "msgLen": LONGEST,
                "topicSerialLen": 128,
                "topicElemLen": 128,
                "idLen": LONGEST_ID,
                "idNumericalOnly": False,
                "loadIdLen": LONGEST_ID,
            },
            "maxArrayLens": {
                "order.nodes": MOST,
                "order.edges": MOST - 1,
                "node.actions": MOST,
                "edge.actions": MOST,
                "actions.actionsParameters": MOST,
                "instantActions": MOST,
                "trajectory.knotVector": 2 * MOST,
                "trajectory.controlPoints": MOST,
                **({"zoneSet.zones": MOST} if three else {}),
            },
            "timing": {
                "minOrderInterval": 0.0,
                "minStateInterval": 1.0 / config.runtime.tickHz,
                "defaultStateInterval": given.stateIntervalS,
                **(
                    {"visualizationInterval": 1.0 / given.visualizationHz}
                    if given.visualizationHz
                    else {}
                ),
            },
        },
        "protocolFeatures": {
            "optionalParameters": [
                {"parameter": _named(name, three), "support": support, "description": text}
                for name, support, text in (*OPTIONAL, *(OPTIONAL_3 if three else ()))
                if not (given.version == "2.0.0" and "corridor" in name)
            ],
            "agvActions": [_action(kind, three) for kind in kinds.values()],
        },
        "agvGeometry": {
            "wheelDefinitions": wheels,
            "envelopes2d": [
                {"set": "body", "polygonPoints": [{"x": x, "y": y} for x, y in outline]}
            ],
        },
        "loadSpecification": {
            "loadSets": [{"setName": "default", "loadType": "load", "maxWeight": payload}]
        },
        "vehicleConfig": {
            "versions": [{"key": "firmware", "value": config.identity.firmwareVersion or "0"}]
        },
    }


def _action(kind: Kind, three: bool) -> dict[str, Any]:
    types = {"FLOAT": "NUMBER"} if three else {}
    found: dict[str, Any] = {
        "actionType": kind.name,
        "actionDescription": kind.description,
        "actionScopes": list(kind.scopes),
        "actionParameters": [
            {
                "key": key,
                "valueDataType": types.get(data, data),
                "isOptional": key not in kind.required,
            }
            for key, data in kind.parameters.items()
        ],
        "blockingTypes": _blocking(kind, three),
    }
    if kind.result:
        found["resultDescription"] = kind.result
    if three:
        found |= {"pauseAllowed": True, "cancelAllowed": kind.cancels}
    return found


def _blocking(kind: Kind, three: bool) -> list[str]:
    """Return the blocking types of an action; instant actions of 3.0 are always NONE."""
    if three and kind.scopes == ("INSTANT",):
        return ["NONE"]
    return list(kind.blocking)


def _named(name: str, three: bool) -> str:
    head, _, last = name.rpartition(".")
    return f"{head}.{RENAMED_3.get(last, last)}" if three else name


def _diameter(config: RobotConfig) -> float:
    found = [motor.metadata.get("wheelDiameterMm") for motor in config.motors]
    return next((float(mm) / 1000 for mm in found if isinstance(mm, int | float)), 0.2)


def _round(value: float) -> float:
    return round(float(value), 6) if math.isfinite(value) else 0.0
