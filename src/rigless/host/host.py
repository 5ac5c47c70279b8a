"""Runs a simulation on the network: opens ports, stamps inputs with simulated time, and paces it.

Everything happens on one event loop, so there are no locks. Before an input is applied, the
simulation is advanced to the present, so that its time stamp is true. Peers that do not read lose
messages, which are counted; they never delay the simulation.
"""

import asyncio
import errno
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast

from rigless.host import sessions
from rigless.host.environment import Environment, state_folder
from rigless.host.host_inputs import HostInputs
from rigless.host.outcome_models import OutcomeStatus
from rigless.host.port_inbox import PortInbox, open_links, reconcile
from rigless.host.shards.exchange import Exchange
from rigless.host.storage.last_poses import LastPoses, with_saved_state
from rigless.host.storage.recording_file import FLUSH_WALL_NS, RecordingFile
from rigless.host.storage.recordings_folder import RecordingsFolder
from rigless.host.timing.pace import Pace
from rigless.host.timing.precise_timer import PreciseTimer
from rigless.host.yielder import Yielder
from rigless.kernel.events import Event, Severity
from rigless.kernel.inputs import AnyInput, Disconnect
from rigless.kernel.loop.listeners import Output
from rigless.kernel.ports import Link, Port
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.simulation import RobotError
from rigless.kernel.snapshot import Snapshot
from rigless.kernel.snapshot import check as check_snapshot
from rigless.kernel.timing.rate import to_ns
from rigless.scenario.build import Built
from rigless.transports.capabilities import capabilities
from rigless.transports.transport import Dialer, RestartObserver, Transport, make

SLICE_WALL_NS = 5_000_000  # computing time before sockets are served
NEVER_NS = 1 << 62
RATE_WINDOW_NS = 1_000_000_000
LOST_WALL_NS = 500_000_000  # further behind than this, time is skipped


State = Literal["failed", "stopped", "paused", "lockstep", "running"]


class Host:
    """A simulation on the network, with its ports, pace, recording and snapshots."""

    def __init__(
        self,
        built: Built,
        speed: float | str | None = None,
        duration_s: float | None = None,
        environment: Environment | None = None,
        recordings: Path | None = None,
    ):
        self.pace = Pace.of(built.speed if speed is None else speed)
        self.environment = environment or Environment()
        self.built = with_saved_state(built, self.environment, self.pace.mode == "fast")
        self.sim = self.built.simulation
        self.begun = self.paused = self.halted = False
        self.failure = ""
        self.epoch = 0  # grows when time jumps
        self.end_ns = None if duration_s is None else to_ns(duration_s)
        self.at_end: Callable[[], None] | None = None  # None: the end of the duration ends the run
        self.outcome: OutcomeStatus | None = None
        self.dropped: dict[str, int] = {}
        self.lost_ns = 0  # wall time that was given up, in all
        self.worst_lag_ns = 0  # the most at one time
        self.live: dict[int, tuple[str, str, str, str]] = {}  # link → robot, port, peer, local
        self.recording_file = RecordingFile(self.sim)
        self.recordings = RecordingsFolder(recordings or state_folder() / "recordings")
        self.host_inputs, self.last_poses = HostInputs(self), LastPoses(self)
        self.transports: dict[tuple[str, str], Transport] = {}
        self.urls: dict[tuple[str, str], str] = {}
        self.snapshots: dict[str, Snapshot] = {}
        self.before_connect: list[Callable[[str, str, str], None]] = []
        self.yielders: list[Yielder] = []  # programs that drive robots while nothing else does
        self.finished = asyncio.Event()
        self.started_ns = 0
        self.exchange = Exchange(self) if self.sim.core.membership.shard is not None else None
        self._next_link = 0
        self._slice_sim_ns = 1_000_000
        self._spent_ns = 0  # spent on catching up for inputs in this turn of the loop
        self._timer: PreciseTimer | None = None
        self._awaited_ns = 0  # the event that the timer is set for; an earlier one wakes it
        self._rate_marks = ((0, 0), (0, 0))  # (wall, simulated) time of the last two requests
        self._ran_ns = 0  # wall time of running, up to the last change of state
        self._ran_since_ns = 0
        self.sim.core.listeners.output.append(self._output)
        self.sim.core.listeners.link.append(self._link)

    # Open and close

    async def open(self) -> None:
        """Open all ports. If one fails, close the others and raise InputError."""
        self._check_pace(self.pace)
        self._timer = PreciseTimer()
        try:
            if self.exchange is not None:
                await self.exchange.open()
            self.host_inputs.boot()
            for robot in self.sim.core.stepped:
                for port in robot.ports:
                    await self._open_port(robot.name, port)
            if self.exchange is not None:
                await self.exchange.agree()
        except BaseException:
            await self.close()
            raise
        self.started_ns = self._ran_since_ns = time.monotonic_ns()
        self._mark_rate()
        self.pace.anchor(self.started_ns, self.sim.now_ns)

    async def _open_port(self, robot: str, port: Port) -> None:
        if not self.environment.is_live(port, self.pace.mode == "fast"):
            port = replace(port, transport="memory")
        transport = make(
            self.environment.prepare(port, self._log), PortInbox(self, robot, port.name)
        )
        self.transports[robot, port.name] = transport
        address = self.built.addresses[robot, port.name]
        try:
            self.urls[robot, port.name] = await transport.open(address)
        except (OSError, UnicodeError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            fix = f"use another: --set {robot}.ports.{port.name}=0"
            if getattr(error, "errno", None) == errno.EADDRINUSE:
                reason = "the port is in use"
                fix = f"{sessions.who_runs() or 'end the program that has it'}, or {fix}"
            what = f"cannot bind {address}: {reason}"
            raise InputError(Problem(f"{robot}/{port.name}", what, fix)) from None
        open_links(self, robot, port.name)

    async def run(self) -> None:
        """Advance until stopped or until the duration is over."""
        assert self._timer is not None, "open the host first"
        self.begun = True
        self._ran_since_ns = time.monotonic_ns()
        self._reanchor()  # time starts now, after ports and panel were opened
        if self.exchange is not None:
            self.exchange.begin()
        self.host_inputs.set_date()
        while not self.finished.is_set():
            if self._has_ended() and self.at_end is None:
                break
            if self.paused or self.failure or self.pace.mode == "lockstep":
                self.recording_file.flush_if_due()
                await self._timer.wait(
                    time.monotonic_ns() + FLUSH_WALL_NS if self.recording_file.path else None
                )
            elif self.pace.mode == "fast":
                self._run_slice(self.sim.now_ns + 60_000_000_000)
                await asyncio.sleep(0)
            else:
                self._measure()
                self.catch_up()
                self.host_inputs.correct_date()
                self.last_poses.save_if_due()
                self._spent_ns = 0
                await self._timer.wait(self._next_wake_ns())
        self.finished.set()

    def _log(self, text: str, severity: Severity) -> None:
        """Log an event of the environment, such as an embedded server."""
        self.sim.core.log(Event(self.sim.now_ns, "", "surroundings", severity, text, {}))

    async def close(self) -> None:
        """Finish the recording and close every port; safe to call twice."""
        self.finished.set()
        self.recording_file.stop()
        self.last_poses.save()
        if self.exchange is not None:
            await self.exchange.close()
        for transport in self.transports.values():
            await transport.close()
        await self.environment.close()
        self.transports.clear()
        self.live.clear()
        if self._timer is not None:
            self._timer.close()
            self._timer = None

    def stop(self) -> None:
        self.finished.set()
        self._wake()

    # Time

    def catch_up(self) -> None:
        """Advance to the time that the wall clock demands, for at most one slice of computing."""
        if not self.begun or self.paused or self.failure or self.pace.mode != "real":
            return  # time stays zero until `run`
        wall_ns = time.monotonic_ns()
        target_ns = self._until_end(self.pace.sim_at(wall_ns))
        behind_ns = wall_ns - self.pace.wall_at(self.sim.now_ns)
        if behind_ns > LOST_WALL_NS:
            self._lose_time(behind_ns, wall_ns)
            return
        if target_ns > self.sim.now_ns:
            step_ns, spent_ns = int(4 * SLICE_WALL_NS * self.pace.speed), 0
            while self.sim.now_ns < target_ns and not self.failure and spent_ns < SLICE_WALL_NS:
                self._advance(min(target_ns, self.sim.now_ns + step_ns))
                spent_ns = time.monotonic_ns() - wall_ns
            self._spent_ns += spent_ns

    def _measure(self) -> None:
        """Measure how late the host handles the awaited event."""
        wall_ns = time.monotonic_ns()
        due_ns = self.pace.wall_at(min(self._awaited_ns, NEVER_NS // 2))
        if self.sim.now_ns < self._awaited_ns and due_ns <= wall_ns:
            self.host_inputs.lateness.note(wall_ns - due_ns)
        self.host_inputs.set_lateness(wall_ns)

    def _lose_time(self, behind_ns: int, wall_ns: int) -> None:
        self.lost_ns += behind_ns
        self.worst_lag_ns = max(self.worst_lag_ns, behind_ns)
        self.pace.anchor(wall_ns, self.sim.now_ns)
        self.host_inputs.set_lost(self.lost_ns)
        self.host_inputs.check_date()
        text = (
            f"the machine cannot hold {self.pace}: {behind_ns / 1e9:.2f} s of wall time lost; "
            "use a lower --speed"
        )
        self.sim.core.log(
            Event(self.sim.now_ns, "", "pace-lost", "warning", text, {"behind_s": behind_ns / 1e9})
        )

    def _run_slice(self, limit_ns: int) -> None:
        """Run one slice as fast as possible; adapt its length to the last one's duration."""
        begin_ns = time.monotonic_ns()
        self._advance(self._until_end(min(limit_ns, self.sim.now_ns + self._slice_sim_ns)))
        took_ns = max(time.monotonic_ns() - begin_ns, 1)
        factor = min(max(SLICE_WALL_NS / took_ns, 0.2), 2.0)
        self._slice_sim_ns = min(max(int(self._slice_sim_ns * factor), 1_000), 60_000_000_000)

    def _advance(self, target_ns: int) -> None:
        try:
            self.sim.run_until(target_ns)
        except RobotError as error:
            self._fail(error)
        if self.pace.mode != "fast":  # flush a fast run by size alone, so that two files are equal
            self.recording_file.flush_if_due()

    def _fail(self, error: RobotError) -> None:
        """Stop time after a robot's own code raised. Ports and the API stay open."""
        self._ran_ns = self._ran()
        self.failure = str(error)
        trace = "".join(traceback.format_exception(error))
        self.sim.core.log(
            Event(self.sim.now_ns, "", "robot-failed", "critical", str(error), {"traceback": trace})
        )

    def _until_end(self, time_ns: int) -> int:
        return time_ns if self.end_ns is None or self.outcome else min(time_ns, self.end_ns)

    def _has_ended(self) -> bool:
        """True if the duration is over. `at_end` is called once, and again after a jump back."""
        ended = self.end_ns is not None and self.sim.now_ns >= self.end_ns
        if not ended:
            self.outcome = None
        elif self.at_end is not None and self.outcome is None:
            self.at_end()
        return ended

    def _next_wake_ns(self) -> int:
        due_ns = self.sim.core.agenda.next_due_ns()
        self._awaited_ns = NEVER_NS if due_ns is None else due_ns
        longest_ns = time.monotonic_ns() + 50_000_000  # advance the clock even if nothing is due
        return min(self.pace.wall_at(self._until_end(self._awaited_ns)), longest_ns)

    def pause(self) -> None:
        if self.exchange is not None:
            self.exchange.refuse("pause")
        self.catch_up()
        self._ran_ns, self._ran_since_ns = self._ran(), time.monotonic_ns()
        self.paused = True

    def halt(self) -> None:
        """Pause and finish the recording. `resume` continues from this instant."""
        self.pause()
        self.halted = True
        self.recording_file.stop()

    def resume(self) -> None:
        if self.paused:
            self.paused = self.halted = False
            self._mark_rate()
            self._ran_since_ns = time.monotonic_ns()
            self._reanchor()
            self.host_inputs.check_date()

    def _ran(self) -> int:
        return self._ran_ns + (
            0 if self.paused or self.failure else time.monotonic_ns() - self._ran_since_ns
        )

    @property
    def wall_s(self) -> float:
        """Wall time of running since the start or the last jump in time."""
        return self._ran() / 1e9

    def set_speed(self, speed: float | str) -> None:
        new = Pace.of(speed)
        if self.exchange is not None:
            self.exchange.refuse("change its speed")
        self._check_pace(new)
        self.catch_up()
        self.pace = new
        self._reanchor()
        self.host_inputs.check_date()

    def _check_pace(self, pace: Pace) -> None:
        real = [
            robot.name
            for robot in self.sim.core.stepped
            for port in robot.ports
            if capabilities(port.transport).needs_real_time
        ]
        if real and (pace.mode != "real" or pace.speed != 1.0):
            what = f"{real[0]} drives real hardware, which cannot run at the pace {pace}"
            raise InputError(
                Problem(
                    "speed", what, "real time: --speed 1, or simulate them: --set runtime.mode=MOCK"
                )
            )

    async def step(self, ms: float) -> None:
        """Advance by this many milliseconds. Except in lockstep, this also pauses."""
        if self.pace.mode != "lockstep":
            self.pause()
        self.halted = False
        if self.failure:
            raise InputError(
                Problem(
                    "step",
                    f"the simulation has failed: {self.failure}",
                    "reset it: rigless ctl reset",
                )
            )
        end_ns = self._until_end(self.sim.now_ns + round(ms * 1e6))
        while self.sim.now_ns < end_ns and not self.failure and not self.finished.is_set():
            self._run_slice(end_ns)
            await asyncio.sleep(0)
        self._wake()

    def _reanchor(self) -> None:
        self.pace.anchor(time.monotonic_ns(), self.sim.now_ns)
        self._wake()

    def _wake(self) -> None:
        if self._timer is not None:
            self._timer.wake()

    @property
    def state(self) -> State:
        if self.failure:
            return "failed"
        if self.finished.is_set() or self.halted:
            return "stopped"
        return (
            "paused" if self.paused else "lockstep" if self.pace.mode == "lockstep" else "running"
        )

    def _mark_rate(self) -> None:
        self._rate_marks = ((time.monotonic_ns(), self.sim.now_ns),) * 2

    def real_time_factor(self) -> float:
        """Return simulated seconds per wall second, over the last one or two seconds."""
        now = (time.monotonic_ns(), self.sim.now_ns)
        if self.state in ("paused", "stopped", "failed"):
            self._mark_rate()
            return 0.0
        if now[0] - self._rate_marks[1][0] > RATE_WINDOW_NS:
            self._rate_marks = (self._rate_marks[1], now)
        wall_ns, sim_ns = self._rate_marks[0]
        return (now[1] - sim_ns) / max(now[0] - wall_ns, 1)

    # Inputs and outputs

    def apply(self, given: AnyInput) -> None:
        """Stamp an input with the present and apply it. Raises InputError if that is impossible."""
        if self.exchange is not None and self.exchange.forward(given):
            return
        self._advance_for_input()
        if self.failure:
            self.sim.core.check(given)
        else:
            self._act(lambda: self.sim.apply(given))

    def send(self, robot: str, port: str, message: Any) -> None:
        """Deliver a message to a robot now, as `Simulation.send` does."""
        self._advance_for_input()
        if not self.failure:
            self._act(lambda: self.sim.send(robot, port, message))

    def _advance_for_input(self) -> None:
        """Advance to the present, unless earlier inputs of this turn of the loop took a slice.

        If the simulation is behind, many inputs at once would each take a slice to catch up, and no
        socket would be served meanwhile. Later ones are stamped with the time that was reached.
        """
        if self._spent_ns < SLICE_WALL_NS:
            self.catch_up()
        else:
            self._wake()

    def _act(self, change: Callable[[], None]) -> None:
        try:
            change()
        except RobotError as error:
            self._fail(error)
        self.recording_file.flush_if_due()
        due_ns = self.sim.core.agenda.next_due_ns()
        if due_ns is not None and due_ns < self._awaited_ns:
            self._wake()

    def disconnect(self, link: int) -> None:
        """Close a link from this side, as if its client had left."""
        robot, port, _, _ = self.live.pop(link)
        self.transports[robot, port].close_link(link)
        self.apply(Disconnect(robot, port, link))

    def new_link(self) -> int:
        self._next_link += 1
        return self._next_link

    def _output(self, time_ns: int, output: Output) -> None:
        transport = self.transports.get((output.robot, output.port))
        if transport is not None:
            transport.send(output.link, output.data, output.subject)

    def _link(self, time_ns: int, robot: str, port: str, link: Link, opened: bool) -> None:
        transport = self.transports.get((robot, port))
        if transport is None:
            return
        if opened:
            cast(Dialer, transport).open_link(link.id, link.peer)
        else:
            self.live.pop(link.id, None)
            transport.close_link(link.id)

    def address(self, robot: str, port: str) -> str:
        """Return the URL of a port."""
        self.sim.core.links.port(self.sim.robot(robot), port)
        return self.urls[robot, port]

    # Snapshots, reset, recording

    def reset(self) -> None:
        """Go back to time zero. Peers stay connected; a recording continues in a new file."""
        self._rewind(self.sim.reset)

    def take_snapshot(self, name: str = "") -> str:
        self.catch_up()
        name = name or f"{len(self.snapshots) + 1}-at-{self.sim.now_s:.3f}s"
        self.snapshots[name] = self.sim.snapshot()
        return name

    def restore(self, saved: Snapshot | str) -> None:
        """Go to a snapshot, or to one kept under a name.

        Peers stay connected; a recording continues in a new file.
        """
        if isinstance(saved, str):
            if saved not in self.snapshots:
                raise unknown("snapshot", saved, self.snapshots)
            saved = self.snapshots[saved]
        check_snapshot(self.sim.core, saved)  # before the recording is finished
        self._rewind(lambda: self.sim.restore(saved))

    def _rewind(self, rewind: Any) -> None:
        if self.exchange is not None:
            self.exchange.refuse("go back in time")
        links = {
            link.id: link
            for links in self.sim.core.links.by_port.values()
            for link in links.values()
        }
        path = self.recording_file.path
        self.recording_file.stop()
        rewind()
        self.epoch += 1
        self.failure = ""
        self._ran_ns, self._ran_since_ns = 0, time.monotonic_ns()
        self.host_inputs.boot()
        reconcile(self, links)
        if path is not None:
            self.recording_file.start_next_part(path)
        self._mark_rate()
        self._reanchor()
        self.host_inputs.set_date()
        for transport in self.transports.values():
            if isinstance(transport, RestartObserver):
                transport.restarted()
