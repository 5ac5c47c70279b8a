"""The functions of the robot's core that VDA 5050 actions use: the seam between both.

Charging, picking and dropping are commands of the core where the layout has a charger or a station,
as on its other front end. Elsewhere a gripper and the input `charging` are used, if there are any.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from rigless.robots.agv import params as p
from rigless.robots.agv.machine.machine import Machine
from rigless.robots.agv.modules.jobs import Jobs
from rigless.robots.agv.modules.plans import Plans
from rigless.robots.agv.params import Refused
from rigless.robots.agv.site.place_work import PlaceWork
from rigless.robots.agv.state import CoreState, Job
from rigless.robots.agv.vda5050_model.catalogue import Kind

HANDLING = {"pick": "GRIP", "drop": "RELEASE"}  # the command of the core, if it has a gripper
OWNER = "vda5050"
PLACES = {  # parameters of the core's commands, and the keys that actions have for them
    "pick": {"stationId": "stationName", "loadId": "loadId", "loadType": "loadType"},
    "drop": {"stationId": "stationName"},
}


class Inputs(Protocol):
    input: dict[str, Any]


class CoreFunctions:
    def __init__(
        self,
        services: Inputs,
        core: CoreState,
        machine: Machine,
        plans: Plans,
        jobs: Jobs,
        work: PlaceWork,
    ):
        self._services, self._core, self._work = services, core, work
        self._machine, self._plans, self._jobs = machine, plans, jobs
        self._grips = any("GRIP" in (one.functionKey or "") for one in plans.functional.values())

    def command_of(self, kind: Kind) -> tuple[str, dict[str, Any]] | None:
        """Return the command that carries out an action, or None if it only lasts a time."""
        if kind.command:
            return kind.command, kind.params
        if kind.name in HANDLING and self._grips:
            return HANDLING[kind.name], {}
        return None

    def check(self, kind: Kind) -> None:
        """Raise Refused if the core cannot carry out an action at all."""
        command = self.command_of(kind)
        if command is not None:
            self._plans.plan(*command, OWNER, p.ACTIONS)

    def begin(self, kind: Kind) -> int:
        """Start the command of an action, and return the number of its job. Raises Refused."""
        command = self.command_of(kind)
        return 0 if command is None else self._begin(*command)

    def _begin(self, name: str, params: dict[str, Any]) -> int:
        job = self._plans.plan(name, params, OWNER, p.STEPS if name == "DOCK" else p.ACTIONS)
        self._plans.check(job)
        return self._jobs.begin(job).id

    # At chargers and stations

    def at_place(
        self, kind: Kind, given: Mapping[str, Any], carries: bool
    ) -> tuple[str, dict[str, Any]] | None:
        """Return the command that carries out an action at this place, or None.

        `carries`: the robot has a load that it did not pick at a station.
        """
        held, wanted = self._machine.state.load_id, str(given.get("stationName", ""))
        station = self._work.station_here() is not None or self._work.is_station(wanted)
        params = (
            {
                ours: str(given[theirs])
                for ours, theirs in PLACES[kind.name].items()
                if given.get(theirs) not in (None, "")
            }
            if kind.name in PLACES
            else {}
        )
        match kind.name:
            case "pick" if held or station:
                return "PICK", params
            case "drop" if held or (station and not carries):
                return "DROP", params
            case "startCharging" if self._work.charger_here() is not None:
                return "START_CHARGING", {}
            case "startCharging" if self._work.charger_near() is not None:
                return "DOCK", {}
            case "stopCharging" if self._machine.state.charger:
                return "STOP_CHARGING", {}
        return None

    def begin_at_place(self, command: tuple[str, dict[str, Any]]) -> int:
        """Start a command of `at_place`. Raises Refused."""
        return self._begin(*command)

    def docked(self, job: Job) -> int:
        """Charge after a DOCK; return the number of that job, or 0. Raises Refused."""
        return self._begin("START_CHARGING", {}) if job.kind == "DOCK" else 0

    def ended(self, number: int) -> Job | None:
        """Return a job that has ended, once."""
        return self._jobs.take(number)

    def cancel(self, number: int) -> None:
        self._jobs.cancel(number)
        self._jobs.take(number)

    def acknowledge(self) -> int:
        """Acknowledge a released e-stop and a collision, and reset motors. Return the job, or 0."""
        try:
            return self._begin("CLEAR_FAULT", {})
        except Refused:  # the robot has no such command
            self._machine.acknowledge()
            return 0

    # The drive

    def hold_drive(self, number: int) -> int:
        """Return the job that holds the drive for the order, or 0 if another one has it."""
        job = self._jobs.get(number)
        if job is not None and job.state == "RUNNING":
            return number
        self._jobs.take(number)
        if self._jobs.drive_job or self._core.status == "ERROR":
            return 0
        return self._jobs.begin(Job("ORDER", OWNER, {}, drives=True)).id

    def holds_drive(self, number: int) -> bool:
        job = self._jobs.get(number)
        return job is not None and job.state == "RUNNING"

    def release_drive(self, number: int) -> None:
        job = self._jobs.get(number)
        if job is not None and job.state == "RUNNING":
            self._jobs.end(job)
        self._jobs.take(number)

    # Power and pause

    def charge(self, on: bool) -> None:
        if not on and self._machine.state.charger:
            self._work.unplug()
        self._services.input["charging"] = on
        self._machine.resample()

    @property
    def charging(self) -> bool:
        return self._machine.state.charging

    def pause(self, on: bool) -> None:
        self._core.paused = on

    @property
    def paused(self) -> bool:
        return self._core.paused

    def holds(self, kind: Kind) -> bool:
        """Return True if a pause or an emergency stop keeps an action from going on."""
        return self._core.paused or (kind.moves and self._machine.estop != "NONE")


__all__ = ["CoreFunctions", "Refused"]
