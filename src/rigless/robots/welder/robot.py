"""A six-axis welding arm on a grblHAL controller: what happens 1000 times a second, on each byte and line, and when a button is pressed.

What words mean is in meaning.py, how lines are done in lines.py and steps.py, motion in moves.py, the process in welding.py, numbers in config.py.
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
from rigless.motion import planner as p
from rigless.robots.welder import pins as virtual_io
from rigless.robots.welder.arm import guard
from rigless.robots.welder.arm.mechanism import Arm
from rigless.robots.welder.config import WelderConfig
from rigless.robots.welder.controller import alarms, moves, realtime, reports, storage
from rigless.robots.welder.controller import fast_forward as quiet
from rigless.robots.welder.controller import main_loop as lines
from rigless.robots.welder.controller import settings as s
from rigless.robots.welder.controller.axes import axes_of, profile_of, tip_of
from rigless.robots.welder.gcode import codes
from rigless.robots.welder.gcode.modal import AXES, Step
from rigless.robots.welder.native import read_native
from rigless.robots.welder.offline.cycle_time import BITS_PER_BYTE
from rigless.robots.welder.process import weld_process as process
from rigless.robots.welder.process import welding
from rigless.robots.welder.state import NOBODY, Arrival, Truth, WelderState
from rigless.robots.welder.warm_up import warm_up
from rigless.robots.welder.wire import GrblCodec, Line, RealTime, StoreCodec, Stored, Text
from rigless.sensors.noise import noise_key
from rigless.worlds.bundled import find_cell
from rigless.worlds.cell_world import CellWorld

if TYPE_CHECKING:
    from rigless.robots.welder.arm.dynamics import Dynamics
    from rigless.worlds.cell import Cell

JOG_LINE = r"printf '$X\n$J=G91X20F1800\n?' | nc -w 1 {host} {port}"  # the first axis by 20°
ADDRESS = "127.0.0.1:10300"  # [ours] a board's telnet port is 23, which takes privileges here: --set ports.grbl=23
WAITING_MOST = 1 << 20  # bytes of lines; a sender that does not wait for answers is cut off here
LINE_COSTS = 16  # bytes that a line counts for at least


class Welder(Robot):
    Config = WelderConfig
    State = WelderState
    config: WelderConfig
    state: WelderState
    inputs = {
        "estop": VirtualInput(False, "the emergency stop is pressed"),
        "door": VirtualInput(False, "the safety door is open"),
        "probe": VirtualInput(False, "the probe touches"),
        "stickout_mm": VirtualInput(15.0, "how far the wire sticks out of the tip to the work"),
        **virtual_io.declared(),
    }
    sensors = ("arc_current", "arc_voltage")
    conditions = {
        "arc": ("arc_lost", "no_start", "wire_stick", "burn_back"),
        process.GAS: ("no_gas",),
        process.WIRE: ("no_wire",),
        "power_source": ("over_current", "over_voltage", "thermal", "communication"),
        "motor": ("motor_fault",),
    }

    @property
    def ports(self) -> tuple[Port, ...]:  # type: ignore[override]
        line = (
            Port("grbl", GrblCodec, transport="tcp", address=ADDRESS, example=JOG_LINE),
            Port("pty", GrblCodec, transport="pty", address="/dev/pts/"),
        )
        if not self.config.settings_file:
            return line
        path = (
            self.config.settings_file
            if "/" in self.config.settings_file
            else f"./{self.config.settings_file}"
        )
        return (
            *line,
            Port("settings", StoreCodec, transport="file", address=path, kind="datagram"),
        )

    @classmethod
    def read_file(cls, path: Path) -> Mapping[str, Any] | None:
        return read_native(path)

    def defaults(self) -> Defaults:
        speed = self.config.default_time_scale
        if not self.config.cell:
            return Defaults(speed=speed)
        path = find_cell(self.config.cell)
        return Defaults(CellWorld.load(path), speed, world_name=str(path.resolve()))

    def start(self) -> None:
        config, state = self.config, self.state
        self.on_collision = config.collision.on_collision
        self.scratch = np.zeros(moves.DONE)
        self.arm = Arm(config)
        self.dynamics = self.make_dynamics()
        self.figures = welding.figures(config.welding, 1.0 / config.update_rate_hz)
        self.table = s.table(config)
        state.settings = s.defaults(self.table)
        state.blocks = p.new_queue(config.planner_blocks)
        state.run = p.new_run(np.array(config.start_deg))
        state.counted_deg = list(config.start_deg)
        for link in config.virtual_io.links:
            virtual_io.link(state.outputs, link.output, link.input, link.delay_ms)
        state.noise_key = noise_key(self.seed, f"{self.name}/weld")
        self.apply_settings()
        moves.sync(self)
        self.set_cell(self.world.cell if isinstance(self.world, CellWorld) else None)
        if config.homing.required:
            state.mode, state.alarm = "Alarm", codes.ALARM_HOMING_REQUIRED
        warm_up(self)

    def set_cell(self, cell: "Cell | None") -> None:
        """What stands around the arm, from now on."""
        self.cell = cell
        self.follower = guard.follower(self, cell)
        guard.start(self)

    def make_dynamics(self) -> "Dynamics | None":
        if not self.config.enable_dynamics:
            return None
        from rigless.robots.welder.arm.dynamics import Dynamics  # which takes pinocchio

        return Dynamics(self.config)

    def apply_settings(self) -> None:
        """What follows from the settings."""
        values, config = self.state.settings, self.config
        self._settled = values
        self.axes, self.profile = axes_of(values, config), profile_of(values, config)
        self.tip = tip_of(values, config, self.arm)

    # What happens 1000 times a second

    @every(lambda config: config.update_rate_hz, fast_forward="update_many")
    def update(self) -> None:
        state = self.state
        if self._settled is not state.settings:  # a snapshot was restored
            self.apply_settings()
        state.ticks += 1
        if state.run[p.COUNT]:
            moves.settle(self)
        if state.ahead.contacts:
            guard.watch(self)
        if state.cancelling or state.alarm_at_rest or state.legs or state.probe.mode:
            moves.watch(self)
        if not welding.at_rest(state.weld) or state.mist or state.flood:
            process.step(self)
        if state.line is not None or state.rx:
            lines.work(self)

    def update_many(self, times: int) -> int:
        return quiet.pass_over(self, times) if self._settled is self.state.settings else 0

    # Bytes

    @on(Line, RealTime)
    def arrive(self, message: Line | RealTime, link: Link) -> None:
        """Taken when the command delay is over; lines also at the pace of the serial line."""
        state, delay_ns = self.state, round(self.config.command_delay_ms * 1e6)
        pendant = link.codec is None  # from the panel or a script, not over the wire
        if not pendant and state.client != NOBODY and (link.port, link.id) != state.client:
            return
        due_ns = self.now_ns + delay_ns
        if isinstance(message, RealTime):
            one = Arrival(due_ns, message.code, pendant=pendant)
        else:
            if self.config.baud and not pendant:  # the panel is not on the serial line
                due_ns = (
                    max(due_ns, state.paced_ns)
                    + message.size * BITS_PER_BYTE * 10**9 // self.config.baud
                )
                state.paced_ns = due_ns
            one = Arrival(due_ns, -1, message.text, message.size, message.overflow, pendant=pendant)
        if state.waiting > WAITING_MOST:
            self.event(
                "sender-cut-off",
                "it sends lines without waiting for answers; its line is closed",
                "warning",
            )
            self.close(link)
            return
        state.arriving.append(one)
        state.waiting += max(one.size, LINE_COSTS)
        if due_ns > self.now_ns:
            self.after((due_ns - self.now_ns) * 1e-9, self.take_in)
        else:
            self.take_in()

    def take_in(self) -> None:
        state = self.state
        due = [one for one in state.arriving if one.due_ns <= self.now_ns]
        if not due:
            return
        state.arriving = [one for one in state.arriving if one.due_ns > self.now_ns]
        for one in due:
            if one.code < 0:
                state.rx.append(one)
                continue
            lines.work(self, more=True)
            realtime.act(self, one.code, one.pendant)
        lines.work(self)

    def rx_free(self) -> int:
        """Free bytes of the receive buffer; a sender that overfills it is held back by the transport, as TCP and USB do."""
        return max(0, self.config.rx_bytes - 1 - sum(one.size for one in self.state.rx))

    def report_by_itself(self) -> None:
        """Begin to report each $481 milliseconds, if that is not yet so."""
        state = self.state
        state.switches.reporting = state.settings[s.REPORT_INTERVAL] > 0
        if state.switches.reporting and not state.reports_due:
            state.reports_due = True
            self.after(state.settings[s.REPORT_INTERVAL] / 1000, self.report_again)

    def report_again(self) -> None:
        state = self.state
        state.reports_due = state.settings[s.REPORT_INTERVAL] > 0
        if state.reports_due:
            if state.switches.reporting and state.client != NOBODY:
                self.say(reports.status(self))
            self.after(state.settings[s.REPORT_INTERVAL] / 1000, self.report_again)

    def wake(self) -> None:
        """A dwell or wait may be over."""
        lines.work(self)

    def say(self, text: str) -> None:
        """To the client, when the feedback delay is over."""
        delay_ms = self.config.feedback_delay_ms
        if delay_ms == 0.0:
            self.utter(text)
            return
        self.state.saying.append((self.now_ns + round(delay_ms * 1e6), text))
        if len(self.state.saying) == 1:
            self.after(delay_ms / 1000, self.speak)

    def speak(self) -> None:
        state = self.state
        due = [text for due_ns, text in state.saying if due_ns <= self.now_ns]
        state.saying = state.saying[len(due) :]
        if due:
            self.utter("".join(due))
        if state.saying:
            self.after((state.saying[0][0] - self.now_ns) * 1e-9, self.speak)

    def utter(self, text: str) -> None:
        port, number = self.state.client
        link = (
            next((link for link in self.links(port) if link.id == number), None) if port else None
        )
        self.emit(port or "grbl", Text(text), to=link)

    # Who is on the line

    @on(Connected)
    def accept(self, message: Connected, link: Link) -> None:
        """A serial line has one program on it."""
        if link.port == "settings":
            return
        if self.state.client != NOBODY and self.config.client_policy == "reject":
            self.event(
                "client-rejected", f"{message.peer}: another program is on the line", "warning"
            )
            self.close(link)
            return
        old, self.state.client = self.state.client, (link.port, link.id)
        for other in self.links(old[0]) if old != NOBODY else ():
            if other.id == old[1]:
                self.close(other)
        self.state.program.ended = True
        self.event("client-connected", f"{message.peer} is on the line")
        self.say(reports.greeting(self.config.compat))
        if self.state.mode == "Alarm":
            self.say(alarms.lock_text(self))

    @on(Disconnected)
    def leave(self, message: Disconnected, link: Link) -> None:
        """Motion goes on, as on a board whose cable is pulled."""
        if (link.port, link.id) == self.state.client:
            self.state.client = NOBODY
            self.event("client-gone", f"{message.peer} is gone")

    @on(Stored)
    def load(self, message: Stored, link: Link) -> None:
        storage.load(self, message.text)
        self.report_by_itself()

    def store(self) -> None:
        if self.config.settings_file:
            self.emit("settings", Stored(storage.text(self)))

    # Inputs and faults

    @on(SetInput)
    def input_set(self, given: SetInput, link: Link) -> None:
        name = given.name
        if name == "estop":
            if self.input["estop"]:
                alarms.stop_at_once(self, codes.ALARM_ESTOP)
            else:
                welding.release(self.state.weld)
        elif name == "door" and self.input["door"]:
            realtime.open_door(self)
        if self.state.probe.mode:
            moves.watch(self)
        lines.work(self)

    @on(Injected)
    def fault_began(self, fault: Injected, link: Link) -> None:
        if fault.target == "motor":
            alarms.stop_at_once(self, codes.ALARM_MOTOR_FAULT)

    @on(Cleared)
    def fault_ended(self, fault: Cleared, link: Link) -> None:
        if fault.target == "motor" and not self.input["estop"]:
            welding.release(self.state.weld)

    def set_input(self, name: str, value: bool) -> None:
        """What the machine itself does to an input: the arc detector, a link."""
        if self.input[name] != value:
            self.input[name] = value
            lines.work(self)

    def analog_input(self, channel: int) -> float:
        return float(self.input[f"ai{channel}"])

    # Outputs

    def set_output(self, step: Step) -> None:
        kind, number, value = moves.as_output(step)
        if kind == "analog":
            virtual_io.drive(self.state.outputs, number, value)
        else:
            self.switch(number, bool(value))

    def switch(self, pin: int, on: bool) -> None:
        """A digital output, and the inputs that are linked to it."""
        if not virtual_io.switch(self.state.outputs, pin, on):
            return
        for output, linked, delay_ms in self.state.outputs.links:
            if output == pin:
                self.after(delay_ms / 1000, self.set_input, f"di{linked}", on)

    def set_spindle(self, code: int, speed: float) -> None:
        """M3 and M4 strike the arc, M5 ends it."""
        state = self.state
        if code != state.spindle:
            state.schedule.overrides = state.schedule.accessories = True
        state.spindle, state.spindle_speed = code, speed
        if state.weld.phase != welding.EMERGENCY_STOP:
            (welding.stop if code == 5 else welding.start)(state.weld)
        self.switch(self.config.welding.arc_output, code != 5)

    def set_coolant(self, mist: bool, flood: bool) -> None:
        """M7 and M8 open the gas, M9 closes it."""
        state = self.state
        if (mist, flood) != (state.mist, state.flood):
            state.schedule.overrides = state.schedule.accessories = True
        state.mist, state.flood = mist, flood
        self.switch(self.config.welding.gas_output, mist or flood)

    def set_overrides(self, feed: int, rapid: int, spindle: int) -> None:
        state = self.state
        if (feed, rapid, spindle) == (
            state.feed_percent,
            state.rapid_percent,
            state.spindle_percent,
        ):
            return
        state.feed_percent, state.rapid_percent, state.spindle_percent = feed, rapid, spindle
        state.schedule.overrides = True
        moves.replan(self)

    # What is true

    def view(self) -> View:
        from rigless.robots.welder.view import WelderView

        return WelderView(self)

    def place(self, joints_deg: list[float]) -> list[float]:
        """The axis values of joints: themselves, or in the Cartesian profile the tip's pose."""
        return (
            self.tip.pose(joints_deg, self.state.position) if self.tip is not None else joints_deg
        )

    def torch_m(self) -> list[float]:
        place: list[float] = self.arm.torch_place(moves.peek(self)[0][p.AT]).tolist()
        return place

    def torques_nm(self, rows: NDArray[np.float64]) -> list[float]:
        """What the joints give for a motion (the planner's rows); zeros without dynamics."""
        if self.dynamics is None:
            return [0.0] * AXES
        return self.dynamics.torques_nm(rows[p.AT], rows[p.VELOCITY], rows[p.ACCELERATING])

    def truth(self) -> Truth:
        state = self.state
        rows, _, tag = moves.peek(self)
        x, y, z = (1000 * value for value in self.torch_m())
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
            digital_inputs=virtual_io.bits(
                [self.input[f"di{pin}"] for pin in range(virtual_io.DIGITAL)]
            ),
            analog_outputs=tuple(state.outputs.analog),
            analog_inputs=tuple(self.analog_input(channel) for channel in range(virtual_io.ANALOG)),
            homed=state.homed == (1 << AXES) - 1,
            weld=replace(state.weld),
        )
