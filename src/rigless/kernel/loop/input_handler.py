"""Inputs: each is checked, passed to the listeners and carried out. Faults begin and end here."""

from collections.abc import Callable
from typing import Any, Protocol

from rigless.kernel import inputs as inp
from rigless.kernel.faults import Cleared, Fault, Injected
from rigless.kernel.fleet.shard import Membership, follow
from rigless.kernel.loop.behaviour import Behaviour
from rigless.kernel.loop.links import Links, LinkServices
from rigless.kernel.loop.placing import Placed, Placing, PlacingServices
from rigless.kernel.plain import why_not_plain
from rigless.kernel.ports import Link
from rigless.kernel.problems import InputError, Problem, unknown
from rigless.kernel.robot import Robot, VirtualInput
from rigless.kernel.timing.agenda import TIMER

NO_LINK = Link("", inp.LOCAL)


class InputServices(LinkServices, PlacingServices, Protocol):
    """The parts of a simulation that inputs act on."""

    links: Links
    behaviours: dict[str, Behaviour]
    membership: Membership


class InputHandler:
    """Checks the inputs of one simulation and carries them out."""

    def __init__(self, core: InputServices):
        self._core = core
        self.next_fault = 1
        self.placing = Placing(core)

    def check(self, given: inp.AnyInput, now: bool) -> None:
        """Raise InputError if this input cannot be applied.

        An input for later (`now` is False) may depend on where robots are then.
        """
        if isinstance(given, inp.Follow):
            self._core.membership.check(given.shard, given.poses)
            return
        if isinstance(given, inp.Share):
            self._core.membership.check_shard(given.shard)
            if reason := why_not_plain(given.content):
                raise InputError(Problem(f"shard {given.shard}", f"content: {reason}"))
            self._core.world.check_shared(given.content)
            return
        if isinstance(given, Placed):
            self.placing.check(given, now)
            return
        robot = self._core.robot(given.robot)
        if isinstance(given, inp.Arrive | inp.Connect | inp.Disconnect):
            self._core.links.port(robot, given.port)
            return
        for part in ("params", "fields", "value", "until_ns"):
            if reason := why_not_plain(getattr(given, part, None)):
                raise InputError(Problem(robot.name, f"{part}: {reason}"))
        match given:
            case inp.Inject():
                robot.fault_targets.resolve(robot.name, given.target, given.kind, given.params)
            case inp.Clear() if given.target and given.target not in robot.fault_targets.seams:
                raise unknown("fault target", given.target, robot.fault_targets.seams, robot.name)
            case inp.SetInput():
                _value(robot, given)
            case inp.Send():
                self._core.links.port(robot, given.port)
                self._message(robot, given)

    def handle(self, source: str, given: inp.AnyInput) -> None:
        """Carry out an input."""
        core = self._core
        for listener in core.listeners.input:
            listener(core.now_ns, given, source)
        if isinstance(given, inp.Follow):
            follow(core.robots, core.membership.names[given.shard], given.poses)
            return
        if isinstance(given, inp.Share):
            core.world.receive(given.shard, given.content, core.now_ns)
            return
        if isinstance(given, Placed):
            self.placing.carry_out(given)
            return
        robot = core.robots[given.robot]
        match given:
            case inp.Arrive():
                core.links.receive(robot, given)
            case inp.Connect():
                core.links.connect(robot, given)
            case inp.Disconnect():
                core.links.disconnect(robot, given)
            case inp.Send():
                link = Link(given.port, inp.LOCAL, "local", "local")
                message = self._message(robot, given)
                core.links.observe_local(robot, link, message)
                core.links.notify_message(robot, link, message)
                core.dispatch(robot, message, link)
            case inp.SetInput():
                robot.input[given.name] = _value(robot, given)
                core.dispatch(robot, given, NO_LINK, optional=True)
            case inp.Inject():
                self.begin_fault(robot, given)
            case inp.Clear():
                self.end_faults(robot, lambda fault: given.target in ("", fault.target))

    def _message(self, robot: Robot, given: inp.Send) -> Any:
        """Return the message of an input; some codecs compose it. Raises InputError."""
        compose = getattr(self._core.links.encoders[robot.name, given.port], "compose", None)
        if compose is not None:
            return compose(given.type, given.fields)
        return self._core.behaviours[robot.name].message(given.type, given.fields)

    def begin_fault(self, robot: Robot, given: inp.Inject) -> None:
        """Begin a fault. It replaces one of the same target and kind."""
        core = self._core
        kind, seam, params = robot.fault_targets.resolve(
            robot.name, given.target, given.kind, given.params
        )
        fault = Fault(
            self.next_fault,
            robot.name,
            given.target,
            kind,
            seam,
            params,
            core.now_ns,
            given.until_ns,
        )
        self.next_fault += 1
        self.end_faults(robot, lambda old: (old.target, old.kind) == (fault.target, fault.kind))
        robot.faults.append(fault)
        text = f"fault begins: {fault.target} {kind}"
        robot.event(
            "fault-injected", text, "warning", target=fault.target, kind=kind, params=params
        )
        if given.until_ns is not None:
            core.agenda.add(
                max(given.until_ns, core.now_ns), TIMER, "fault-end", (robot.name, fault.id)
            )
        if seam == "wire" and kind == "disconnect":
            for link in list(core.links.by_port[robot.name, fault.target].values()):
                core.links.close(robot, link)
        core.dispatch(robot, Injected(fault.target, kind, params), NO_LINK, optional=True)

    def end_faults(self, robot: Robot, ends: Callable[[Fault], bool]) -> None:
        """End the faults that the function selects."""
        for fault in [fault for fault in robot.faults if ends(fault)]:
            if fault not in robot.faults:  # a handler of Cleared began it again
                continue
            robot.faults.remove(fault)
            text = f"fault ends: {fault.target} {fault.kind}"
            robot.event("fault-cleared", text, "info", target=fault.target, kind=fault.kind)
            self._core.dispatch(robot, Cleared(fault.target, fault.kind), NO_LINK, optional=True)


def _value(robot: Robot, given: inp.SetInput) -> Any:
    """Return the value in the type of the virtual input. Raises InputError."""
    spec = robot.inputs.get(given.name)
    if spec is None:
        raise unknown("input", given.name, robot.inputs, robot.name)
    kind, value = type(spec.default), given.value
    if (
        kind is bool
        and isinstance(value, str)
        and value.lower() in ("true", "false", "on", "off", "1", "0")
    ):
        return value.lower() in ("true", "on", "1")
    if (
        kind is float
        and isinstance(value, int)
        and not isinstance(value, bool)
        and abs(value) < 2**53
    ):
        value = float(value)
    if type(value) is not kind:
        what, fix = f"{value!r} is not {kind.__name__}", f"for example {spec.default!r}"
        raise InputError(Problem(f"{robot.name} {given.name}", what, fix))
    return _within(robot, given.name, spec, value)


def _within(robot: Robot, name: str, spec: VirtualInput, value: Any) -> Any:
    """Return the value if it is in range, or one of the choices. Raises InputError."""
    if spec.choices and value not in spec.choices:
        fix = f"use {', '.join(spec.choices)}"
        raise InputError(Problem(f"{robot.name} {name}", f"{value!r} is not a choice", fix))
    low, high = spec.low, spec.high
    if (low is not None and value < low) or (high is not None and value > high):
        fix = (
            f"{'' if low is None else f'{low:g}'} to {'' if high is None else f'{high:g}'}".strip()
        )
        raise InputError(Problem(f"{robot.name} {name}", f"{value:g} is out of range", fix))
    return value
