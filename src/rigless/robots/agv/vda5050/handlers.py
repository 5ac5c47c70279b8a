"""The handlers of the robot for its VDA 5050 port, and what the front end declares.

robot.py has one class; this is the part of it that belongs to VDA 5050.
"""

from collections.abc import Mapping
from typing import Any

from rigless.kernel.faults import Param, Params
from rigless.kernel.ports import Link
from rigless.kernel.robot import VirtualInput, every, on
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.vda5050.front import MODES, Front
from rigless.robots.agv.vda5050_model import received as r
from rigless.robots.agv.vda5050_model.catalogue import catalogue

OwnFaults = Mapping[str, tuple[str, ...] | Mapping[str, Params]]
SECONDS = Param(5.0, 0.0, 3.6e6)
FACTOR = Param(5.0, 1.0, 1e6)


def _visualization_hz(config: RobotConfig) -> float:
    return config.vda5050.visualizationHz if config.vda5050 is not None else 0.0


def inputs(config: RobotConfig) -> dict[str, VirtualInput]:
    """Return the inputs that the front end adds."""
    if config.vda5050 is None:
        return {}
    return {
        "operating_mode": VirtualInput(
            "AUTOMATIC", f"operating mode: {', '.join(MODES)}", choices=MODES
        ),
        "trigger": VirtualInput(False, "the button that waitForTrigger waits for"),
        "acknowledge": VirtualInput(
            False, "the button that acknowledges a released e-stop, a collision and motor errors"
        ),
        "switch_on": VirtualInput(False, "the button that switches it on after shutdown"),
    }


def own_faults(config: RobotConfig) -> OwnFaults:
    """Return the faults that the front end adds."""
    if config.vda5050 is None:
        return {}
    kinds = [kind for kind in catalogue(config.vda5050).values() if kind.scopes != ("INSTANT",)]
    acting: Mapping[str, Params] = {"fail": {}, "blocked": {}, "slow": {"factor": FACTOR}}
    return {
        "session": {
            "cut": {},
            "takeover": {},
            "broker_restart": {},
            "stale_order": {},
            "late_will": {},
            "stale_online": {"seconds": SECONDS},
        },
        "clock": {"behind": {"seconds": SECONDS}},
        "localization": ("lost",),
        **{kind.name: acting for kind in kinds},
    }


class Vda5050Handlers:
    """Mixed into the robot. `vda` is None if its config has no `vda5050`."""

    vda: Front | None = None

    @every(_visualization_hz)
    def publish_visualization(self) -> None:
        if self.vda is not None:
            self.vda.publish_visualization()

    @on(r.SessionReport)
    def session_reported(self, message: r.SessionReport, link: Link) -> None:
        if self.vda is not None:
            self.vda.reported(message)

    @on(r.Order)
    def ordered(self, message: r.Order, link: Link) -> None:
        if self.vda is not None:
            self.vda.ordered(message)

    @on(r.InstantActions)
    def instant_actions(self, message: r.InstantActions, link: Link) -> None:
        if self.vda is not None:
            self.vda.act(message)

    @on(r.ZoneSets)
    def zone_set_received(self, message: r.ZoneSets, link: Link) -> None:
        if self.vda is not None:
            self.vda.zone_set(message)

    @on(r.Responses)
    def responses_received(self, message: r.Responses, link: Link) -> None:
        if self.vda is not None:
            self.vda.answered(message)

    @on(r.Downloaded)
    def file_downloaded(self, message: r.Downloaded, link: Link) -> None:
        if self.vda is not None:
            self.vda.downloaded(message)

    @on(r.Unreadable)
    def unreadable(self, message: r.Unreadable, link: Link) -> None:
        if self.vda is not None:
            self.vda.unreadable(message)

    def _make_vda(self, robot: Any) -> Front | None:
        """Return the front end for the present state of the robot."""
        if robot.config.vda5050 is None:
            return None
        return Front(
            robot,
            robot.state.vda,
            robot.config,
            robot.state.core,
            robot.machine,
            robot.publisher,
            robot.plans,
            robot.jobs,
            robot.site.work,
        )
