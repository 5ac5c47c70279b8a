"""The welder's programs in the panel: load, check, and stream them over the `grbl` port.

The check is the validation of `rigless welder validate`, from the present pose, in a process of its
own, so that the simulation keeps its pace. Its torch path is drawn as a preview. Questions about
reach have a process too, which is kept for the next question.
"""

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from rigless.clients.grbl_sender import GrblSender
from rigless.host.host import Host
from rigless.kernel.inputs import Send
from rigless.kernel.problems import InputError, Problem
from rigless.panel.api_models import ProgramStatus
from rigless.panel.program_api import ProgramContent, ProgramFinding, ReachAnswer
from rigless.robots.welder.gcode.program_text import read_program
from rigless.robots.welder.jogging import GO_DEGPM, joint_line
from rigless.robots.welder.offline.findings import RULES
from rigless.robots.welder.panel.worker import Worker
from rigless.robots.welder.robot import Welder
from rigless.robots.welder.wire import Line

if TYPE_CHECKING:
    from rigless.robots.welder.offline.findings import Report

PREVIEW_POINTS = 4000


class WelderDesk:
    """The program of one welder, its check and its sender."""

    def __init__(self, host: Host, robot: str):
        self._host, self._robot = host, robot
        self._name, self._text = "", ""
        self._revision = 0
        self._findings: list[ProgramFinding] = []
        self._summary = ""
        self._checking: asyncio.Task[None] | None = None
        self._sender: GrblSender | None = None
        self._sending: asyncio.Task[None] | None = None
        self._preview: Any = None
        self._reach_worker = Worker()

    @property
    def _welder(self) -> Welder:
        found = self._host.sim.robot(self._robot)
        assert isinstance(found, Welder)
        return found

    def load(self, name: str, text: str) -> None:
        """Replace the program and check it. Raises InputError while one runs."""
        if self._sender is not None and self._sender.active:
            raise InputError(Problem("program", f"{self._name} runs", "stop it first"))
        self._name, self._text = name, text
        self._sender, self._findings, self._summary = None, [], ""
        self._set_preview(None)
        self._revision += 1
        if self._checking is not None:
            self._checking.cancel()
        self._checking = asyncio.create_task(self._check()) if text.strip() else None

    def content(self) -> ProgramContent:
        return {
            "name": self._name,
            "lines": self._text.splitlines(),
            "findings": self._findings,
            "summary": self._summary,
        }

    def status(self) -> ProgramStatus:
        sender, welder = self._sender, self._welder
        if self._preview is not None and welder.preview is not self._preview:
            welder.preview = self._preview  # a reset has made a new robot
        if sender is not None:
            self._name_cause(sender)
        tag = welder.controller.motion.peek()[2] if sender is not None and sender.active else 0
        return {
            "name": self._name,
            "revision": self._revision,
            "checking": self._checking is not None and not self._checking.done(),
            "state": "idle" if sender is None else sender.state,
            "line": welder.state.lines.get(tag, 0) if tag else 0,
            "sent_line": 0 if sender is None else sender.sent_line,
            "problem": "" if sender is None else sender.problem,
            "problem_line": 0 if sender is None else sender.problem_line,
        }

    def _name_cause(self, sender: GrblSender) -> None:
        """Replace the controller's text for an alarm by its cause, and name the line in motion.

        The sender knows only the first line without a reply, which may wait for the motion.
        """
        state = self._welder.state
        code, cause = f"ALARM:{state.alarm}", state.alarm_cause
        text = f"{code} {cause}"
        if not cause or sender.problem == text or sender.problem.split(" ", 1)[0] != code:
            return
        sender.problem = text
        for event in reversed(self._host.sim.events):
            if event.robot == self._robot and event.text == cause and event.data.get("line"):
                sender.problem_line = event.data["line"]
                return

    # Check

    async def _check(self) -> None:
        welder = self._welder
        joints = welder.controller.motion.joints_deg().tolist()
        config = welder.config.model_copy(update={"start_deg": tuple(joints)})
        checker = Worker()
        try:
            report = await checker.run("validate", self._text, config, welder.cell, self._name)
        except RuntimeError as error:  # the process died, or the validation has a defect
            self._summary = f"not checked: {error}"
            self._revision += 1
            return
        finally:
            await checker.close()
        self._findings = [
            {
                "line": found.line,
                "level": found.severity,
                "text": found.what,
                "fix": RULES[found.code].help,
            }
            for found in report.findings
        ]
        self._summary = summary(report)
        places = np.array(report.samples.torch_mm, float).reshape(-1, 3) / 1000
        places = places[:: -(-len(places) // PREVIEW_POINTS) or 1]
        rows = np.column_stack((places, np.zeros(len(places)))).astype(np.float32)
        self._set_preview(rows)
        self._revision += 1

    def _set_preview(self, rows: Any) -> None:
        self._preview = rows
        self._welder.preview = np.empty((0, 4), np.float32) if rows is None else rows

    # Run

    def run(self, first: int, single: bool) -> None:
        """Stream the program from a line. Raises InputError."""
        if not self._text.strip():
            raise InputError(Problem("program", "there is none", "open a file first"))
        if self._sender is not None and self._sender.active:
            raise InputError(Problem("program", f"{self._name} runs", "stop it first"))
        program = read_program(self._text)
        if first > len(program):
            what = f"the program has {len(program)} lines, no line {first}"
            raise InputError(Problem("first", what))
        address = urlsplit(self._host.address(self._robot, "grbl"))
        if not address.port:
            raise InputError(Problem("grbl", "the port is not open in this run"))
        rx_bytes = self._welder.config.rx_bytes
        self._sender = GrblSender(
            address.hostname or "127.0.0.1", address.port, program, first, single, rx_bytes
        )
        self._sending = asyncio.create_task(self._sender.run())

    def hold(self) -> None:
        if self._sender is not None:
            self._sender.hold()

    def resume(self, single: bool) -> None:
        if self._sender is not None:
            self._sender.resume(single)

    def stop(self) -> None:
        if self._sender is not None:
            self._sender.stop()

    async def close(self) -> None:
        """End the sender, the check and the process for reach."""
        for task in (self._sending, self._checking):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        await self._reach_worker.close()

    # Reach

    async def reach(self, pose: list[float], go: bool) -> ReachAnswer:
        """Answer whether the torch reaches a pose; with `go`, move it there."""
        welder = self._welder
        near = np.radians(welder.controller.motion.joints_deg())
        words = (welder.config, welder.cell, pose, near)
        try:
            answer: ReachAnswer = await self._reach_worker.run("find_reach", *words)
        except RuntimeError as error:  # the process died, or the search has a defect
            raise InputError(Problem("pose", f"no answer: {error}", "ask again")) from error
        joints = answer["joints_deg"]
        if go and not (answer["reachable"] and joints):
            raise InputError(Problem("pose", answer["text"], "choose another pose"))
        if go:
            text = joint_line(welder, np.array(joints), GO_DEGPM)
            self._host.apply(Send(self._robot, "grbl", Line.__name__, {"text": text}))
        return answer


def summary(report: "Report") -> str:
    """Return the result of a check as a sentence."""
    errors, warnings = len(report.errors), len(report.warnings)
    verdict = "no errors" if not errors else f"{errors} error{'s' * (errors > 1)}"
    more = f", {warnings} warning{'s' * (warnings > 1)}" if warnings else ""
    text = f"{verdict}{more}; {report.cycle_time_s:.1f} s, {report.weld_length_mm:.0f} mm welded"
    return f"{text}. {report.hint}" if report.hint else text
