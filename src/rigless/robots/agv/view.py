"""The robot's page in the panel: map, status, task, commands, motors, axes, I/O and messages.

Actions on the page are sent as commands, as a backend sends them.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigless.kernel.drawing import (
    Action,
    Alarm,
    Colour,
    Compose,
    Gauge,
    Lamp,
    Lines,
    Listing,
    Part,
    Plot,
    Slider,
    Summary,
    Switch,
    View,
    Word,
)
from rigless.kernel.inputs import AnyInput, Send
from rigless.robots.agv import messages as m
from rigless.robots.agv.config import Motor, RobotConfig
from rigless.robots.agv.drawn import GAP, Stocks, drawn, outline_of
from rigless.robots.agv.link.publisher import PORT
from rigless.robots.agv.modules.core import errors_of
from rigless.robots.agv.profile import SimulationProfile
from rigless.robots.agv.state import Ended, Step, Task

STATUSES: tuple[tuple[str, Colour], ...] = (
    ("RUNNING", "ok"),
    ("WARNING", "warn"),
    ("PAUSED", "warn"),
    ("ERROR", "bad"),
    ("OFFLINE", "bad"),
)
MOTOR_STATES: tuple[tuple[str, Colour], ...] = (
    ("idle", "plain"),
    ("running", "ok"),
    ("ERROR", "bad"),
    ("disabled", "warn"),
    ("DISCONNECTED", "bad"),
)
STATE_OF = {"IDLE": 0.0, "RUNNING": 1.0, "ERROR": 2.0, "DISABLED": 3.0}
COMMANDS = {
    "STOP": "Stop",
    "PAUSE": "Pause",
    "RESUME": "Resume",
    "HOME": "Home axes",
    "CLEAR_FAULT": "Clear faults",
}
ACKNOWLEDGE = ("CLEAR_FAULT", "RESUME")  # RESUME also ends a manual hold
RATES = ("heartbeat", "state", "telemetry", "traffic.state", "events", "command.ack")
INPUTS = {
    "obstacle_m": "Obstacle ahead, m (−1: none)",
    "remote_estop": "Remote e-stop",
    "charging": "Charging",
}
UNIT = {"mps": "m/s", "mmps": "mm/s", "radps": "rad/s", "degps": "°/s", "deg": "°"}
SENT = (
    m.CommandRequest.__name__,
    m.TaskAssign.__name__,
    m.TaskCancel.__name__,
    m.TrafficControl.__name__,
)
SHOWN = 12  # commands and reasons
ENDED_SHOWN = 5  # tasks
LONGEST_END = 160  # characters of the outcome of a task
LONGEST_WHY = 72  # characters of a reason
WINDOW_NS = 1_000_000_000


class AgvView(View):
    def __init__(self, robot: Any):
        super().__init__(robot)
        config: RobotConfig = robot.config
        self._axes = [motor for motor in config.motors if motor.role == "FUNCTIONAL"]
        self._sliders = {motor.motorId: motor for motor in self._axes if _span(motor) is not None}
        self._counted: tuple[int, dict[str, int], dict[str, float]] = (-1, {}, {})
        self._made: tuple[Part, ...] = ()
        self._stocks = Stocks()

    @property
    def parts(self) -> tuple[Part, ...]:  # type: ignore[override]
        """The parts, made when they are first asked for: a fleet has thousands of views."""
        self._made = self._made or tuple(self._parts(self.robot.config))
        return self._made

    def _parts(self, config: RobotConfig) -> Iterator[Part]:
        yield from drawn(config)
        yield Word("status", "Status", STATUSES, group="Status")
        yield Listing("reasons", "Why", "no reasons", wrap=True, group="Status")
        yield Gauge("speed", "Speed", "m/s", group="Status")
        yield Gauge("battery", "Battery", "%", low=20.0, digits=1, group="Status")
        yield Gauge("stop_distance", "Stops within", "m", group="Status")
        yield Gauge("distance", "Driven", "m", digits=1, group="Status")
        yield Listing("task", "Task", "no task yet", wrap=True, group="Task")
        yield Gauge("waiting", "Waiting tasks", digits=0, group="Task")
        yield Listing("tasks", "Tasks", "no task yet", wrap=True, group="Task")
        yield Compose("send", "Send", PORT, SENT, group="Send")
        yield Listing("commands", "Last commands", "no command yet", wrap=True, group="Commands")
        for command, name in COMMANDS.items():
            yield Action(command, name, "bad" if command == "STOP" else "plain", group="Commands")
        for motor in config.motors:
            yield Word(
                f"state {motor.motorId}",
                motor.functionKey or motor.motorId,
                MOTOR_STATES,
                group="Motors",
            )
        for motor in self._axes:
            low, high = _span(motor) or (0.0, 0.0)
            if motor.motorId in self._sliders:
                yield Slider(
                    motor.motorId,
                    _name(motor),
                    _unit(motor),
                    low,
                    high,
                    _step(low, high),
                    group="Axes",
                )
            else:
                yield Gauge(motor.motorId, _name(motor), _unit(motor), group="Axes")
        yield from _io(self.robot, config)
        yield Lamp("connected", "Connected", group="Messages")
        yield Gauge("outbox", "Outbox", "waiting", high=0.5, digits=0, group="Messages")
        for kind in RATES:
            yield Gauge(f"rate {kind}", kind, "/s", digits=1, group="Messages")
        yield Plot("speed plot", "Speed", (("speed", "m/s"), ("omega", "rad/s")), "m/s")
        for motor in self._axes:
            yield Plot(
                f"plot {motor.motorId}",
                _name(motor),
                ((motor.motorId, _unit(motor)),),
                _unit(motor),
            )
        yield Plot(
            "power plot",
            "Motor current",
            tuple((f"current {e.motorId}", e.motorId) for e in config.motors),
            "A",
        )

    # Pictures

    def draw(self) -> Mapping[str, ArrayLike]:
        robot, state = self.robot, self.robot.state
        machine = robot.machine
        x, y, theta = machine.drive.pose
        path = [(x, y), *state.machine.path[machine.drive.reached :, :2].tolist()]
        tone = {"WARNING": 1.0, "PAUSED": 1.0, "ERROR": 2.0, "OFFLINE": 2.0}.get(
            state.core.status, 0.0
        )
        return {
            "body": (x, y, theta, tone),
            "route": path if len(path) > 1 else (),
            "horizon": self._horizon(),
            "stocks": self._stocks.rows(robot.world),
            "zones": _outlines(state.traffic.zones.values()),
            "obstacles": [
                (at_x, at_y, 0.0, radius, radius)
                for at_x, at_y, radius in state.machine.placed.tolist()
            ],
            "load": outline_of(state.machine.load_size_m, (x, y, theta)),
            "ahead": self._ahead(x, y, theta),
        }

    def draw_static(self) -> Mapping[str, ArrayLike]:
        profile = self.robot.config.runtime.simulationProfile or SimulationProfile()
        return {"markers": [(marker.x, marker.y) for marker in profile.markers]}

    def trace(self) -> Mapping[str, tuple[float, ...]]:
        return {"trail": self.robot.machine.drive.pose[:2]}

    def _horizon(self) -> ArrayLike:
        """Return the part of the route that is not released yet."""
        following = self.robot.state.route.following
        nodes = following.route.nodes if following is not None else []
        first = next((index for index, node in enumerate(nodes) if not node.released), 0)
        return [(node.x, node.y) for node in nodes[first - 1 :]] if first else ()

    def _ahead(self, x: float, y: float, theta: float) -> ArrayLike:
        """Return the obstacle ahead, if its place is not drawn otherwise."""
        state, machine = self.robot.state.machine, self.robot.machine
        distance = machine.obstacle_m
        if not distance < math.inf or len(state.placed):
            return ()
        way = (machine.protection.front_m + distance) * (-1.0 if machine.drive.backwards else 1.0)
        return (x + way * math.cos(theta), y + way * math.sin(theta))

    # Numbers

    def measure(self) -> Mapping[str, float]:
        robot, state, machine = self.robot, self.robot.state, self.robot.machine
        v, omega = machine.drive.velocity
        soc, _ = machine.battery
        found = {
            "status": float(
                next(n for n, (word, _) in enumerate(STATUSES) if word == state.core.status)
            ),
            "speed": v,
            "omega": omega,
            "battery": 100.0 * soc,
            "stop_distance": machine.drive.stop_distance_m,
            "distance": machine.drive.odometer_m,
            "waiting": float(len(state.task.queue)),
            "connected": float(robot.publisher.connected),
            "outbox": float(state.link.outbox_depth + len(state.link.pending)),
        }
        for health in machine.motors.healths():
            found[f"state {health.motorId}"] = STATE_OF[health.state] if health.connected else 4.0
            if health.position is not None:
                found[health.motorId] = health.position
        for reading in machine.motors.readings():
            found[f"current {reading.motorId}"] = reading.currentA
        found |= {f"out {name}": float(on) for name, on in machine.outputs().items()}
        found |= {f"in {name}": float(on) for name, on in machine.inputs().items()}
        return found | {f"rate {kind}": rate for kind, rate in self._rates().items()}

    def _rates(self) -> dict[str, float]:
        """Return messages per second of each type, over the last second or more of viewing."""
        now_ns, seqs = self.robot.now_ns, self.robot.state.link.seqs
        then_ns, before, rates = self._counted
        if then_ns < 0 or now_ns < then_ns:
            self._counted = (now_ns, dict(seqs), dict.fromkeys(RATES, 0.0))
        elif now_ns - then_ns >= WINDOW_NS:
            rates = {
                kind: 1e9 * (seqs.get(kind, 0) - before.get(kind, 0)) / (now_ns - then_ns)
                for kind in RATES
            }
            self._counted = (
                now_ns,
                dict(seqs),
                {kind: max(rate, 0.0) for kind, rate in rates.items()},
            )
        return self._counted[2]

    # Lists

    def lines(self) -> Mapping[str, Lines]:
        return {
            "reasons": self._reasons(),
            "task": self._task(),
            "tasks": self._tasks(),
            "commands": self._commands(),
        }

    @property
    def alarm(self) -> Alarm | None:
        core = self.robot.state.core
        if core.status not in ("ERROR", "OFFLINE"):
            return None
        hints = dict.fromkeys(error.hint for error in errors_of(core.reasons) if error.hint)
        return Alarm(f"{core.status}: {', '.join(self._reason_texts())}", "; ".join(hints))

    def _reason_texts(self) -> tuple[str, ...]:
        reasons = self.robot.state.core.reasons[:SHOWN]
        return tuple(reason.replace("_", " ").replace(":", ": ").lower() for reason in reasons)

    def _reasons(self) -> Lines:
        texts = self._reason_texts()
        return Lines(texts=texts, current=len(texts) + 1, read=len(texts))

    def _task(self) -> Lines:
        task = self.robot.state.task.active
        if task is None:
            return self._last_task()
        first = max(0, task.index - SHOWN // 2)
        texts = tuple(map(_step_told, task.steps[first : first + SHOWN]))
        return Lines(first + 1, texts, task.index + 1, len(task.steps))

    def _tasks(self) -> Lines:
        """Return the last tasks that ended, the active one, and those that wait in their order."""
        state = self.robot.state.task
        ended = list(state.finished.values())[-ENDED_SHOWN:]
        active = [] if state.active is None else [state.active]
        texts = [
            *map(_end_told, ended),
            *(f"ACTIVE {_step_of(task)}" for task in active),
            *(f"WAITING {task.taskId[:40]} · {len(task.steps)} steps" for task in state.queue),
        ]
        wrong = (n for n, one in enumerate(ended, 1) if one.type == "task.failed")
        begun = len(ended) + len(active)
        current = begun if active else len(ended) + 1
        return Lines(1, tuple(texts[: ENDED_SHOWN + SHOWN]), current, len(texts), tuple(wrong))

    def _last_task(self) -> Lines:
        """Return the steps of the last task that were begun, if they are known, and its outcome."""
        state = self.robot.state.task
        ended = next(reversed(state.finished.values()), None)
        if ended is None:
            return Lines()
        last = (
            state.last
            if state.last is not None and state.last.taskId == ended.payload["taskId"]
            else None
        )
        steps = last.steps[: last.index + 1] if last is not None and last.started_ns >= 0 else []
        texts = [*map(_step_told, steps), _end_told(ended)]
        count, first = len(texts), max(0, len(texts) - SHOWN)
        failed = ended.type == "task.failed"
        wrong = (*([count - 1] if steps else []), count) if failed else ()
        return Lines(first + 1, tuple(texts[first:]), count + 1, count, wrong)

    def _commands(self) -> Lines:
        """Return the last commands with their acknowledgements; running ones come last."""
        commands = self.robot.state.commands
        last = list(commands.ledger.values())[-SHOWN:]
        kinds = commands.types
        texts = tuple(_answer(ack, kinds.get(ack.commandId, "")) for ack in last)
        number = len(commands.ledger) - len(last) + 1
        wrong = tuple(
            number + n
            for n, ack in enumerate(last)
            if ack.status in ("REJECTED", "FAILED", "EXPIRED")
        )
        current = next(
            (number + n for n, ack in enumerate(last) if ack.status not in m.FINAL),
            number + len(last),
        )
        return Lines(number, texts, current, number + len(last) - 1, wrong)

    # Actions

    def place(self) -> tuple[float, float, float]:
        pose: tuple[float, float, float] = self.robot.machine.drive.pose
        return pose

    def summary(self) -> Summary:
        machine, task = self.robot.machine, self.robot.state.task.active
        v, _ = machine.drive.velocity
        soc, charging = machine.battery
        text = _step_of(task) if task is not None else "charging" if charging else ""
        return Summary(abs(v), 100.0 * soc, text)

    def stop(self, on: bool) -> list[AnyInput]:
        """Press the emergency stop, or release and acknowledge it, as at the robot itself."""
        supported = self.robot.config.capabilities.supportedCommands
        known = [name for name in ACKNOWLEDGE if supported is None or name in supported]
        held = not on and self.robot.machine.estop != "NONE"
        return [*super().stop(on), *(self._command(name, {}) for name in known[:held])]

    @property
    def stopped(self) -> bool | None:
        return bool(super().stopped) or self.robot.machine.estop_released

    def act(self, name: str) -> list[AnyInput]:
        if name not in COMMANDS:
            raise ValueError(f"unknown action {name!r}")
        return [self._command(name, {})]

    def slide(self, name: str, value: float) -> list[AnyInput]:
        limits = self._sliders[name].limits
        assert limits.positionMin is not None
        target = {"unit": limits.positionMin.unit, "value": value}
        return [self._command("MOVE_AXIS", {"motorId": name, "target": target})]

    def _command(self, kind: str, params: dict[str, Any]) -> AnyInput:
        name = "-".join(
            (
                "panel",
                kind,
                *([params["motorId"]] if "motorId" in params else []),
                str(self.robot.now_ns),
            )
        )
        fields = {"commandId": name, "commandType": kind, "params": params}
        return Send(self.robot.name, PORT, m.CommandRequest.__name__, fields)


def _io(robot: Any, config: RobotConfig) -> Iterator[Part]:
    names = {
        entry.ioId: entry.type.replace("_", " ").capitalize() for entry in config.io.digitalInputs
    }
    for name, given in robot.inputs.items():
        if not given.by_host:
            label = (
                f"{name} · {names[name].lower()}"
                if name in names
                else INPUTS.get(name, name.replace("_", " "))
            )
            yield Switch(name, label, group="Inputs")
    for entry in config.io.digitalInputs:
        yield Lamp(
            f"in {entry.ioId}",
            entry.ioId,
            "warn" if "ESTOP" in entry.type else "accent",
            group="Inputs as read",
        )
    for out in config.io.digitalOutputs:
        yield Lamp(
            f"out {out.ioId}",
            f"{out.ioId} · {out.type.replace('_', ' ').lower()}",
            "accent",
            group="Outputs",
        )


def _outlines(zones: Any) -> ArrayLike:
    rows: list[tuple[float, float]] = []
    for zone in zones:
        rows += [*_corners(zone), GAP]
    return rows


def _corners(zone: Any) -> list[tuple[float, float]]:
    if zone.circle is None:
        return [*zone.corners, zone.corners[0]]
    x, y, radius = zone.circle
    turns: NDArray[np.float64] = np.linspace(0.0, 2 * math.pi, 49)
    return [(x + radius * math.cos(turn), y + radius * math.sin(turn)) for turn in turns.tolist()]


def _answer(ack: m.CommandAck, kind: str) -> str:
    """Return an acknowledgement as text.

    The commandId comes last, because ids are long and alike.
    """
    why = ": ".join(word for word in (ack.code, ack.message) if word)
    why = why if len(why) <= LONGEST_WHY else f"{why[:LONGEST_WHY]}…"
    return " ".join(word for word in (ack.status, kind, why, f"· {ack.commandId[:13]}") if word)


def _told(params: Mapping[str, Any]) -> str:
    return " ".join(f"{key} {_value_told(value)}" for key, value in params.items())[:60]


def _value_told(value: Any) -> str:
    """Return a parameter as text; a quantity as its number and unit."""
    match value:
        case {"unit": unit, "value": float(number) | int(number)}:
            return f"{number:g} {unit}"
        case Mapping():
            return _told(value)
        case list() | tuple():
            return ", ".join(map(_value_told, value))
        case bool() | None:
            return str(value).lower()
        case float():
            return f"{value:g}"
    return str(value)


def _step_told(step: Step) -> str:
    return f"{step.type} {_told(step.params)}"


def _step_of(task: Task) -> str:
    """Return a task with its progress."""
    step = task.steps[task.index].type if task.index < len(task.steps) else "end"
    return f"{task.taskId[:40]} · step {task.index + 1} of {len(task.steps)}: {step}"


def _end_told(ended: Ended) -> str:
    told, name = ended.payload, ended.payload["taskId"][:40]
    if ended.type == "task.failed":
        return f"FAILED {name}: {told['code']}: {told['message']}"[:LONGEST_END]
    metrics = told["metrics"]
    took = [f"in {metrics['durationS']:.1f} s"] if "durationS" in metrics else []
    drove = [f"{metrics['distanceM']:.2f} m"] if "distanceM" in metrics else []
    return f"DONE {name} {', '.join(took + drove)}".rstrip()


def _name(motor: Motor) -> str:
    return (motor.functionKey or motor.motorId).replace("_", " ").capitalize()


def _span(motor: Motor) -> tuple[float, float] | None:
    low, high = motor.limits.positionMin, motor.limits.positionMax
    return (
        (low.value, high.value)
        if low is not None and high is not None and low.unit == high.unit
        else None
    )


def _unit(motor: Motor) -> str:
    unit = motor.limits.positionMin.unit if motor.limits.positionMin is not None else ""
    return UNIT.get(unit, unit)


def _step(low: float, high: float) -> float:
    """Return a round step size for about two hundred steps."""
    return float(10.0 ** math.floor(math.log10(max(high - low, 1e-9) / 100.0)))
