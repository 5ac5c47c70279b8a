"""The `[[programs]]` of a scenario: the software under test, as data."""

import shlex
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from rigless.scenario.model.table import Name, Seconds, Table

SIGNALS = ("TERM", "INT", "HUP", "QUIT", "KILL", "USR1", "USR2")
Signal = Literal["TERM", "INT", "HUP", "QUIT", "KILL", "USR1", "USR2"]


class WaitFor(Table):
    """A condition to wait for.

    `port` (ROBOT.PORT), `output` and `file` are about the program itself: it is ready when it has
    connected to that port, has printed a line that matches, or the file exists. Scenario time and
    later programs wait until it is ready. `event` of a robot, and `output` of another `program`,
    delay the start of the program.
    """

    port: str | None = None
    output: str | None = None
    program: str | None = None
    file: str | None = None
    event: str | None = None
    robot: str | None = None
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 30.0

    @model_validator(mode="after")
    def one_condition(self) -> "WaitFor":
        given = [
            key for key in ("port", "output", "file", "event") if getattr(self, key) is not None
        ]
        if len(given) != 1:
            raise ValueError("wait_for needs exactly one of: port, output, file, event")
        if self.program is not None and self.output is None:
            raise ValueError("program belongs to output: wait_for = { program = …, output = … }")
        if self.robot is not None and self.event is None:
            raise ValueError("robot belongs to event: wait_for = { robot = …, event = … }")
        return self

    @property
    def delays_start(self) -> bool:
        """True if the program starts after the condition; else the condition makes it ready."""
        return self.event is not None or self.program is not None


class Stop(Table):
    """The signal that asks a program to end, and the time until it is killed."""

    signal: Signal = "TERM"
    grace_s: Annotated[float, Field(ge=0, le=600)] = 5.0


class Yields(Table):
    """A program that drives robots only while nothing else does.

    It is ended when another client connects to a port of these robots (on a shared network: sends
    to one), or the panel or the API sends them a message other than an emergency stop. It is
    started again `return_s` after the last of these. `robots` is a name, in which * stands for any
    characters.
    """

    robots: Annotated[str, Field(min_length=1)]
    return_s: Annotated[float, Field(ge=0, le=86_400)] = 10.0


class Limits(Table):
    """Limits of a program with all its processes. One that exceeds memory or CPU is killed."""

    memory_mb: Annotated[float, Field(gt=0)] | None = None
    cpu_s: Annotated[float, Field(gt=0)] | None = None
    output_mb: Annotated[float, Field(gt=0, le=1000)] = 20.0


class ProgramEntry(Table):
    """A program that runs against the robots of a scenario.

    In `command` and `env`, `{vacuum.commands}` is the URL of a port, `{vacuum.commands.host}` and
    `{vacuum.commands.port}` its parts, `{scenario.seed}` the seed, `{run.folder}` a folder of the
    run, `{run.python}` the Python that runs rigless. `cwd` is relative to the scenario file.
    """

    name: Name
    command: str | list[str]
    cwd: str = ""
    env: dict[str, str] = {}
    start_at_s: Seconds = 0.0
    wait_for: WaitFor | None = None
    stop: Stop = Stop()
    restart: Literal["never", "on-failure", "always"] = "never"
    expect_exit: int | list[int] | Literal["any"] | None = None
    isolate: bool = False
    lockstep: bool = False
    yields: Yields | None = None
    home: Literal["user", "temporary"] = "user"
    limits: Limits = Limits()

    @field_validator("command")
    @classmethod
    def has_words(cls, command: str | list[str]) -> str | list[str]:
        try:
            words = shlex.split(command) if isinstance(command, str) else command
        except ValueError as error:
            raise ValueError(f"cannot be split into words: {error}") from None
        if not words or not words[0]:
            raise ValueError("is empty: name the program to start")
        return command

    @property
    def words(self) -> list[str]:
        """The command as a list of words."""
        return shlex.split(self.command) if isinstance(self.command, str) else list(self.command)

    @property
    def exits(self) -> list[int] | None:
        """The exit codes that are expected if it ends by itself; None if any is."""
        if self.expect_exit == "any":
            return None
        if self.expect_exit is None:
            return [0]
        return self.expect_exit if isinstance(self.expect_exit, list) else [self.expect_exit]
