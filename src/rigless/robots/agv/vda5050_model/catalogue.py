"""The action types that the robot supports, with scopes and parameters, as the factsheet has them.

The standard's types are constants here; types of your own come from the config.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from rigless.robots.agv.vda5050_model.settings import OwnAction, Vda5050

ALL = ("NONE", "SOFT", "HARD")


@dataclass(frozen=True)
class Kind:
    """One action type. `parameters` maps keys to their data type; `required` must be given."""

    name: str
    scopes: tuple[str, ...]
    description: str = ""
    parameters: dict[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    blocking: tuple[str, ...] = ALL
    seconds: float = 0.0
    cancels: bool = True  # it stops when the order is cancelled
    moves: bool = False  # it moves the robot or its load, and pauses in an emergency stop
    since: str = "2.0.0"
    until: str = "9"
    command: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    result: str = ""
    link: str = ""  # the parameter with the address of a file that it downloads


INSTANT, NODE, EDGE = ("INSTANT",), ("NODE",), ("NODE", "EDGE")
BOTH = ("INSTANT", "NODE")
POSE = {"x": "FLOAT", "y": "FLOAT", "theta": "FLOAT", "mapId": "STRING", "lastNodeId": "STRING"}
MAP = {"mapId": "STRING", "mapVersion": "STRING"}
STATION = {"stationType": "STRING", "stationName": "STRING"}
LOAD = {
    "lhd": "STRING",
    **STATION,
    "loadType": "STRING",
    "loadId": "STRING",
    "height": "FLOAT",
    "depth": "FLOAT",
    "side": "STRING",
}
ZONES = {"zoneSetId": "STRING"}
ID = {"actionId": "STRING"}
WAKE = {"wakeUpTime": "STRING"}
NOW = ("NONE", "SOFT", "HARD")

STANDARD = (
    Kind("startPause", INSTANT, "stop and stay", blocking=NOW),
    Kind("stopPause", INSTANT, "go on", blocking=NOW),
    Kind("startCharging", BOTH, "charge where the robot stands", seconds=0.5),
    Kind("stopCharging", BOTH, "end charging", seconds=0.5),
    Kind("initPosition", BOTH, "set the pose", POSE, ("x", "y", "theta", "mapId"), until="3"),
    Kind("initializePosition", BOTH, "set the pose", POSE, ("x", "y", "theta", "mapId"), since="3"),
    Kind("enableMap", BOTH, "use a map", MAP, ("mapId", "mapVersion"), since="2.1"),
    Kind(
        "downloadMap",
        INSTANT,
        "download a map and verify its hash",
        {**MAP, "mapDownloadLink": "STRING", "mapHash": "STRING"},
        ("mapId", "mapVersion", "mapDownloadLink"),
        seconds=0.5,
        since="2.1",
        link="mapDownloadLink",
    ),
    Kind("deleteMap", INSTANT, "remove a map", MAP, ("mapId", "mapVersion"), since="2.1"),
    Kind("stateRequest", INSTANT, "publish a state"),
    Kind("factsheetRequest", INSTANT, "publish the factsheet"),
    Kind("logReport", INSTANT, "name a log", {"reason": "STRING"}, seconds=0.2),
    Kind("pick", EDGE, "take a load", LOAD, seconds=3.0, cancels=False, moves=True),
    Kind("drop", EDGE, "put a load down", LOAD, seconds=3.0, cancels=False, moves=True),
    Kind("detectObject", EDGE, "look for an object", {"objectType": "STRING"}, seconds=1.0),
    Kind("finePositioning", EDGE, "align with a station", STATION, seconds=2.0, moves=True),
    Kind("waitForTrigger", NODE, "wait for a trigger", {"triggerType": "STRING"}, until="3"),
    Kind("waitForTrigger", NODE, "wait for a trigger", {"triggerType": "ARRAY"}, since="3"),
    Kind("cancelOrder", INSTANT, "end the order", {"orderId": "STRING"}),
    Kind("trigger", INSTANT, "trigger a waiting action", ID, since="3"),
    Kind("retry", INSTANT, "carry out an action again", ID, ("actionId",), since="3"),
    Kind("skipRetry", INSTANT, "let a failed action fail", ID, ("actionId",), since="3"),
    Kind("startHibernation", INSTANT, "stay connected and silent", WAKE, since="3"),
    Kind("stopHibernation", INSTANT, "wake up", since="3"),
    Kind("shutdown", INSTANT, "leave the broker, if idle", since="3"),
    Kind("clearInstantActions", BOTH, "forget instant actions that ended", since="3"),
    Kind("clearZoneActions", BOTH, "forget actions of zones that ended", since="3"),
    Kind(
        "downloadZoneSet",
        INSTANT,
        "download a zone set and verify its hash",
        {**ZONES, "zoneSetDownloadLink": "STRING", "zoneSetHash": "STRING"},
        ("zoneSetId", "zoneSetDownloadLink"),
        seconds=0.5,
        since="3",
        link="zoneSetDownloadLink",
    ),
    Kind("enableZoneSet", BOTH, "use a zone set", ZONES, ("zoneSetId",), since="3"),
    Kind("deleteZoneSet", INSTANT, "remove a zone set", ZONES, ("zoneSetId",), since="3"),
)

IN_ZONES = ("detectObject", "finePositioning", "waitForTrigger")
NOT_SUPPORTED = {  # actions of the standard, with the reason why the robot does not have them
    "updateCertificate": "certificates are files that its config names",
}


def catalogue(given: Vda5050) -> dict[str, Kind]:
    """Return the action types of a robot by name."""
    found = {
        kind.name: kind
        for kind in STANDARD
        if kind.since <= given.version and given.version < kind.until
    }
    if given.major == 3:
        found |= {
            name: replace(found[name], scopes=(*found[name].scopes, "ZONE")) for name in IN_ZONES
        }
    found |= {entry.actionType: _own(entry) for entry in given.actions}
    major = given.major
    return {name: replace(one, blocking=_blocking(one, major)) for name, one in found.items()}


def _blocking(kind: Kind, major: int) -> tuple[str, ...]:
    """Return the blocking types of an action type in a version; SINGLE is new in 3.0."""
    if major == 2:
        return tuple(name for name in kind.blocking if name != "SINGLE")
    return (*ALL, "SINGLE") if kind.blocking == ALL else kind.blocking


def _own(entry: OwnAction) -> Kind:
    return Kind(
        entry.actionType,
        entry.scopes,
        entry.description or "an action of this site",
        dict.fromkeys(entry.parameters, "STRING"),
        (),
        tuple(entry.blockingTypes),
        entry.seconds,
        command=entry.command or "",
        params=dict(entry.params),
        result=entry.result or "",
    )
