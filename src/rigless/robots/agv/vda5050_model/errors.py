"""Errors of the standard: their types and levels in both major versions, and their references.

2.x names few types; for the others it uses those that masters match. An entry is None where a
version does not report the case.
"""

from collections.abc import Mapping

from rigless.robots.agv.vda5050_model import messages as m
from rigless.robots.agv.vda5050_model.dialect import in_words_of

W, U, C, F = "WARNING", "URGENT", "CRITICAL", "FATAL"

# case: (type and level in 2.x, type and level in 3.0)
CASES: dict[str, tuple[tuple[str, str] | None, tuple[str, str]]] = {
    "invalid": (("validationError", W), ("VALIDATION_FAILURE", W)),
    "unsupported": (("orderError", W), ("UNSUPPORTED_PARAMETER", C)),
    "action": (("orderError", W), ("INVALID_ORDER_ACTION", W)),
    "outdated": (("orderUpdateError", W), ("OUTDATED_ORDER_UPDATE", W)),
    "same": (None, ("SAME_ORDER_UPDATE_ID", W)),
    "stitch": (("orderUpdateError", W), ("INVALID_ORDER_UPDATE", W)),
    "cancelled": (("orderUpdateError", W), ("ORDER_UPDATE_FOLLOWING_CANCEL", W)),
    "active": (("orderError", W), ("OTHER_ORDER_ACTIVE", W)),
    "start": (("noRouteError", W), ("START_NODE_OUT_OF_RANGE", W)),
    "route": (("noRouteError", W), ("NO_ROUTE_TO_TARGET", W)),
    "mode": (("orderError", W), ("MOBILE_ROBOT_NOT_AVAILABLE", W)),
    "map": (("orderError", W), ("UNKNOWN_MAP_ID", W)),
    "large": (("orderError", W), ("INSUFFICIENT_MEMORY", U)),
    "nothing": (("noOrderToCancel", W), ("NO_ORDER_TO_CANCEL", W)),
    "instant": (("instantActionError", W), ("INVALID_INSTANT_ACTION", W)),
    "map_twice": (("duplicateMapError", W), ("DUPLICATE_MAP", W)),
    "zone_set_twice": (None, ("DUPLICATE_ZONE_SET", W)),
    "corridor": (("outsideOfCorridor", F), ("OUTSIDE_OF_CORRIDOR", C)),
    "blocked_zone": (None, ("BLOCKED_ZONE_VIOLATION", C)),
    "release_lost": (None, ("RELEASE_LOST", C)),
    "replanning_lost": (None, ("REPLANNING_LOST", W)),
    "localization": (("localizationError", F), ("LOCALIZATION_ERROR", F)),
    "failed": (("actionError", W), ("ACTION_FAILED", W)),
    "unreachable": (("nodeUnreachable", F), ("NODE_UNREACHABLE", C)),
}
LEVELS = {"WARNING": (W, W), "ERROR": (W, C), "FATAL": (F, F)}  # of the core's conditions


class Rejected(Exception):  # noqa: N818  # a reply, not a failure
    """A refusal of a message or an action: its case, a sentence, and further references."""

    def __init__(self, case: str, what: str, **references: str):
        super().__init__(what)
        self.case, self.what, self.references = case, what[:400], references


def error(
    major: int, case: str, what: str, references: Mapping[str, str], hint: str = ""
) -> m.Error | None:
    """Return the error of a case in a version, or None if that version does not report it."""
    found = CASES[case][0 if major == 2 else 1]
    if found is None:
        return None
    return m.Error(
        errorType=found[0],
        errorLevel=found[1],
        errorReferences=[
            m.Reference(in_words_of(major, key), value) for key, value in references.items()
        ],
        errorDescription=in_words_of(major, what)[:400],
        errorHint=hint or None,
    )
