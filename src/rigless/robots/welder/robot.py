"""A six-axis welding arm on a grblHAL controller.

The robot is the board: ports, inputs, timers and memory. The controller is in controller/, the
G-code it reads in gcode/, the welding process in process/, the arm in arm/, numbers in config.py.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.drawing import View
from rigless.kernel.faults import Cleared, Injected
from rigless.kernel.inputs import SetInput
from rigless.kernel.ports import Connected, Disconnected, Link, Port
from rigless.kernel.robot import Defaults, Robot, VirtualInput, every, on
from rigless.kernel.world import World
from rigless.motion import planner as p
from rigless.robots.welder import pins
from rigless.robots.welder.arm.guard import make_checker
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.arm_description import describe
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.controller import storage
from rigless.robots.welder.controller.controller import Controller
from rigless.robots.welder.controller.reports import first_schedule, greeting
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import AXES
from rigless.robots.welder.native import read_native
from rigless.robots.welder.process import welding
from rigless.robots.welder.process.stickout import Stickout
from rigless.robots.welder.process.weld_process import GAS, WIRE
from rigless.robots.welder.state import NO_CLIENT, Arrival, Truth, WelderState
from rigless.robots.welder.warm_up import warm_up
from rigless.robots.welder.wire import (
    BITS_PER_BYTE,
    GrblCodec,
    Line,
    RealTime,
    StoreCodec,
    Stored,
    Text,
)
from rigless.worlds.bundled import find_cell
from rigless.worlds.cells.cell_world import CellWorld

if TYPE_CHECKING:
    from rigless.motion.arm.continuous_collision import MotionChecker
    from rigless.robots.welder.arm.dynamics import Dynamics
    from rigless.worlds.cells.cell import Cell

JOG_LINE = "rigless send {robot} grbl '$X' '$J=G91X20F1800' '?'"  # the first axis by 20°
# [ours] A board's telnet port is 23, which needs privileges here: --set ports.grbl=23
ADDRESS = "127.0.0.1:10300"
MAX_WAITING = 1 << 20  # bytes of received lines; then the connection is closed
LINE_COSTS = 16  # bytes that a line counts for at least


class Welder(Robot):
    Config = WelderConfig
    State = WelderState
    config: WelderConfig
    controller: Controller
    inputs = {
        "estop": VirtualInput(False, "the emergency stop is pressed"),
        "door": VirtualInput(False, "the safety door is open"),
        "probe": VirtualInput(False, "the probe is in contact"),
        "stickout_mm": VirtualInput(
            0.0, "stick-out: wire from the tip to the work; 0: from the cell, or 15 without one"
        ),
        **pins.declared(),
    }
    sensors = ("arc_current", "arc_voltage")
    own_faults = {
        "arc": ("arc_lost", "no_start", "wire_stick", "burn_back"),
        GAS: ("no_gas",),
        WIRE: ("no_wire",),
        "power_source": ("over_current", "over_voltage", "thermal", "communication"),
        "motor": ("motor_fault",),
    }
    random_streams = ("weld",)
    event_codes = (
        "client-connected", "client-gone", "client-rejected", "sender-cut-off", "settings-line",
        "pendant", "alarm", "homed", "soft-limit", "unreachable", "collision",
        "self-collision-pairs", "collisions-not-watched", "weld-phase", "weld-fault", "no-gas",
        "urdf-parts",
    )  # fmt: skip
    metric_names = ("gcode_lines", "errors", "alarms", "collisions", "weld_faults", "distance_mm")
    _state: WelderState
    _started = False

    @property
    def ports(self) -> tuple[Port, ...]:  # type: ignore[override]
        serial = (
            Port(
                "grbl",
                GrblCodec,
                "tcp",
                ADDRESS,
                example=JOG_LINE,
                example_label="jog joint 1",
                emits=(Text,),
                answers=True,
            ),
            Port("pty", GrblCodec, "pty", "/dev/pts/", emits=(Text,), answers=True),
        )
        file = self.config.settings_file
        if not file:
            return serial
        path = file if "/" in file else f"./{file}"
        return (
            *serial,
            Port("settings", StoreCodec, "file", path, kind="datagram", emits=(Stored,)),
        )

    @classmethod
    def read_file(cls, path: Path) -> Mapping[str, Any] | None:
        return read_native(path)

    def defaults(self) -> Defaults:
        speed = self.config.default_time_scale
        if not self.config.cell:
            return Defaults(World(), speed, world_name="open cell")  # not in another robot's world
        path = find_cell(self.config.cell)
        return Defaults(CellWorld.load(path), speed, world_name=str(path.resolve()))

    @property
    def state(self) -> WelderState:  # type: ignore[override]
        return self._state

    @state.setter
    def state(self, state: WelderState) -> None:
        self._state = state
        if self._started:  # a snapshot was restored
            self._make_controller()

    def start(self) -> None:
        config, state = self.config, self.state
        self.on_collision: str = config.collision.on_collision
        self.on_limit = "alarm"
        self.arm = Arm(config)
        self.dynamics = self._make_dynamics()
        self.settings_table = s.table(config)
        state.settings = s.defaults(self.settings_table)
        state.schedule = first_schedule(state)
        state.blocks = p.new_queue(config.planner_blocks)
        state.run = p.new_run(np.array(config.start_deg))
        state.counted_deg = list(config.start_deg)
        for link in config.virtual_io.links:
            pins.link(state.outputs, link.output, link.input, link.delay_ms)
        state.noise_key = self.noise_key("weld")
        self.cell: Cell | None = None
        self.checker: MotionChecker | None = None
        self.stickout: Stickout | None = None
        self.preview = np.empty((0, 4), np.float32)  # a path that the panel shows; not state
        self._make_controller()
        self._started = True
        self.controller.motion.sync()
        self.set_cell(self.world.cell if isinstance(self.world, CellWorld) else None)
        if config.urdf and (notes := describe(config.urdf, config.tcp_link).notes):
            text = f"{len(notes)} parts of the URDF are not used; the first: {notes[0]}"
            self.event("urdf-parts", text)
        if config.homing.required:
            state.mode, state.alarm = "Alarm", codes.ALARM_HOMING_REQUIRED
        warm_up(self.controller)

    def _make_controller(self) -> None:
        self.controller = Controller(
            self.state, self.config, self, self.arm, self.checker, self.stickout
        )

    def _make_dynamics(self) -> "Dynamics | None":
        if not self.config.enable_dynamics:
            return None
        from rigless.robots.welder.arm.dynamics import Dynamics  # needs pinocchio

        return Dynamics(self.config)

    def set_cell(self, cell: "Cell | None") -> None:
        """Set the cell around the arm."""
        self.cell = cell
        self.checker = make_checker(self.config, cell, self.event)
        has_things = cell is not None and bool(cell.things)
        self.stickout = Stickout(cell, self.config.torch.wire_mm) if cell and has_things else None
        self.controller.process.stickout = self.stickout
        self.controller.guard.checker = self.checker
        self.controller.guard.start()

    @every(lambda config: config.update_rate_hz, fast_forward="update_many")
    def update(self) -> None:
        self.controller.tick()

    def update_many(self, times: int) -> int:
        return self.controller.fast_forward.run(times)

    # Received bytes

    @on(Line, RealTime)
    def receive(self, message: Line | RealTime, link: Link) -> None:
        """Queue a line or realtime byte: it takes effect after the command delay.

        With `baud`, lines also arrive at the pace of the serial line.
        """
        state, delay_ns = self.state, round(self.config.command_delay_ms * 1e6)
        pendant = link.codec is None  # from the panel or a script, not over the wire
        if not pendant and state.client != NO_CLIENT and (link.port, link.id) != state.client:
            return
        due_ns = self.now_ns + delay_ns
        if isinstance(message, RealTime):
            arrival = Arrival(due_ns, message.code, pendant=pendant)
        else:
            if self.config.baud and not pendant:  # the panel is not on the serial line
                bits = message.size * BITS_PER_BYTE
                due_ns = max(due_ns, state.paced_ns) + bits * 10**9 // self.config.baud
                state.paced_ns = due_ns
            arrival = Arrival(
                due_ns, -1, message.text, message.size, message.overflow, pendant=pendant
            )
        if state.waiting > MAX_WAITING:
            text = "the client sends lines without waiting for replies; its connection is closed"
            self.event("sender-cut-off", text, "warning")
            self.close(link)
            return
        state.arriving.append(arrival)
        state.waiting += max(arrival.size, LINE_COSTS)
        if due_ns > self.now_ns:
            self.after((due_ns - self.now_ns) * 1e-9, self.process_arrivals)
        else:
            self.process_arrivals()

    def process_arrivals(self) -> None:
        """Move due lines into the receive buffer, and execute due realtime commands."""
        state, main_loop = self.state, self.controller.main_loop
        due = [arrival for arrival in state.arriving if arrival.due_ns <= self.now_ns]
        if not due:
            return
        state.arriving = [arrival for arrival in state.arriving if arrival.due_ns > self.now_ns]
        for arrival in due:
            if arrival.code < 0:
                state.rx.append(arrival)
                continue
            main_loop.work(more=True)
            self.controller.realtime.execute(arrival.code, arrival.pendant)
        main_loop.work()

    # Clients

    @on(Connected)
    def accept(self, message: Connected, link: Link) -> None:
        """Accept one client at a time, as on a serial line."""
        if link.port == "settings":
            return
        if self.state.client != NO_CLIENT and self.config.client_policy == "reject":
            text = f"{message.peer}: rejected, another client is connected"
            self.event("client-rejected", text, "warning")
            self.close(link)
            return
        old, self.state.client = self.state.client, (link.port, link.id)
        for other in self.links(old[0]) if old != NO_CLIENT else ():
            if other.id == old[1]:
                self.close(other)
        self.state.program.ended = True
        self.event("client-connected", f"{message.peer}: connected")
        self.send_text(greeting(self.config.compat))
        if self.state.mode == "Alarm":
            self.send_text(self.controller.alarms.unlock_hint())

    @on(Disconnected)
    def leave(self, message: Disconnected, link: Link) -> None:
        """Motion continues, as on a board whose cable is pulled."""
        if (link.port, link.id) == self.state.client:
            self.state.client = NO_CLIENT
            self.event("client-gone", f"{message.peer}: disconnected")

    @on(Stored)
    def load(self, message: Stored, link: Link) -> None:
        for number, row in storage.load(self.state, self.settings_table, message.text):
            text = f"line {number} of the settings file is ignored, it is not valid: {row[:60]!r}"
            self.event("settings-line", text, "warning")
        self.controller.setup.apply()
        self.start_periodic_reports()

    def store(self) -> None:
        if self.config.settings_file:
            self.emit("settings", Stored(storage.to_text(self.state, self.settings_table)))

    # Inputs and faults

    @on(SetInput)
    def input_set(self, given: SetInput, link: Link) -> None:
        controller = self.controller
        if given.name == "estop":
            if self.input["estop"]:
                self.state.last_signals = "E"
                controller.main_loop.stop_at_once(codes.ALARM_ESTOP)
            else:
                welding.release(self.state.weld)
        elif given.name == "door" and self.input["door"]:
            self.state.last_signals = "D"
            controller.realtime.open_door()
        if self.state.probe.mode:
            controller.alarms.raise_alarm(controller.motion.watch())
        controller.main_loop.work()

    @on(Injected)
    def fault_began(self, fault: Injected, link: Link) -> None:
        if fault.target == "motor":
            self.controller.main_loop.stop_at_once(codes.ALARM_MOTOR_FAULT)

    @on(Cleared)
    def fault_ended(self, fault: Cleared, link: Link) -> None:
        if fault.target == "motor" and not self.input["estop"]:
            welding.release(self.state.weld)

    def set_input(self, name: str, value: bool) -> None:
        """Switch an input that the machine drives: the arc detector, or one linked to an output."""
        if self.input[name] != value:
            self.input[name] = value
            self.controller.main_loop.work()

    def set_input_after(self, seconds: float, name: str, value: bool) -> None:
        self.after(seconds, self.set_input, name, value)

    # Timers

    def wake_after(self, seconds: float) -> None:
        self.after(seconds, self.wake)

    def wake(self) -> None:
        """Run the main loop: a dwell or wait may be over."""
        self.controller.main_loop.work()

    def start_periodic_reports(self) -> None:
        """Start the status reports of $481, if it is set and they do not run yet."""
        state = self.state
        state.switches.reporting = state.settings[s.REPORT_INTERVAL] > 0
        if state.switches.reporting and not state.reports_due:
            state.reports_due = True
            self.after(state.settings[s.REPORT_INTERVAL] / 1000, self.report_periodically)

    def report_periodically(self) -> None:
        state = self.state
        state.reports_due = state.settings[s.REPORT_INTERVAL] > 0
        if state.reports_due:
            if state.switches.reporting and state.client != NO_CLIENT:
                self.send_text(self.controller.reports.status())
            self.after(state.settings[s.REPORT_INTERVAL] / 1000, self.report_periodically)

    # Sent text

    def send_text(self, text: str) -> None:
        """Send text to the client after the feedback delay."""
        delay_ms = self.config.feedback_delay_ms
        if delay_ms == 0.0:
            self._transmit(text)
            return
        self.state.outgoing.append((self.now_ns + round(delay_ms * 1e6), text))
        if len(self.state.outgoing) == 1:
            self.after(delay_ms / 1000, self.send_due)

    def send_due(self) -> None:
        state = self.state
        due = [text for due_ns, text in state.outgoing if due_ns <= self.now_ns]
        state.outgoing = state.outgoing[len(due) :]
        if due:
            self._transmit("".join(due))
        if state.outgoing:
            self.after((state.outgoing[0][0] - self.now_ns) * 1e-9, self.send_due)

    def _transmit(self, text: str) -> None:
        port, number = self.state.client
        links = self.links(port) if port else []
        link = next((link for link in links if link.id == number), None)
        self.emit(port or "grbl", Text(text), to=link)

    # Ground truth and view

    def why_no_collisions(self) -> str:
        if self.checker is None:
            return "collisions are not checked (config: collision, or the event that says why)"
        if self.cell is not None and not self.config.collision.check_environment:
            return "collision.check_environment = false leaves out the cell"
        return ""

    def status(self) -> str:
        status = super().status()
        return "alarm" if status != "e-stop" and self.state.mode == "Alarm" else status

    def view(self) -> View:
        from rigless.robots.welder.view import WelderView

        return WelderView(self)

    def torques_nm(self, rows: NDArray[np.float64]) -> list[float]:
        """Return the joint torques for rows of the planner; zeros without dynamics."""
        if self.dynamics is None:
            return [0.0] * AXES
        return self.dynamics.torques_nm(rows[p.AT], rows[p.VELOCITY], rows[p.ACCELERATING])

    def truth(self) -> Truth:
        state, motion = self.state, self.controller.motion
        rows, _, tag = motion.peek()
        x, y, z = (1000 * value for value in motion.torch_m())
        return Truth(
            mode=state.mode,
            alarm=state.alarm,
            joints_deg=tuple(rows[p.AT].tolist()),
            velocities_degps=tuple(rows[p.VELOCITY].tolist()),
            accelerations_degps2=tuple(rows[p.ACCELERATING].tolist()),
            torques_nm=tuple(self.torques_nm(rows)),
            torch_mm=(x, y, z),
            line=state.lines.get(tag, 0),
            queued_blocks=int(state.run[p.COUNT]),
            digital_outputs=state.outputs.digital,
            digital_inputs=pins.bits([self.input[f"di{pin}"] for pin in range(pins.DIGITAL)]),
            analog_outputs=tuple(state.outputs.analog),
            analog_inputs=tuple(float(self.input[f"ai{n}"]) for n in range(pins.ANALOG)),
            homed=state.homed == (1 << AXES) - 1,
            weld=replace(state.weld),
        )
