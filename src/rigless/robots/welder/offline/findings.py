"""Findings of a validation: a broken rule, with line, time and the objects involved."""

from dataclasses import dataclass, field

from rigless.kernel.problems import Problem, Severity


@dataclass(frozen=True)
class Rule:
    """A rule. A broken rule of level error fails the program, a warning does not."""

    name: str
    level: Severity
    title: str
    help: str


RULES = {
    rule.name: rule
    for rule in (
        Rule(
            "gcode",
            "error",
            "The controller refuses a line",
            "Correct the line as the message says.",
        ),
        Rule(
            "collision",
            "error",
            "The arm hits something, or comes within its margin",
            "Move the path or the object, or approach from another side.",
        ),
        Rule(
            "soft-limit",
            "error",
            "A target is outside the joint limits",
            "Choose another posture or place for the work.",
        ),
        Rule(
            "unreachable",
            "error",
            "A pose cannot be reached",
            "Move the work closer, or turn the torch.",
        ),
        Rule(
            "singularity",
            "warning",
            "The arm passes close to a singularity",
            "Turn the torch or move the work: bend the wrist, do not stretch the arm.",
        ),
        Rule(
            "limit-margin", "warning", "A joint comes close to its limit", "Choose another posture."
        ),
        Rule(
            "arc-fault",
            "error",
            "The welding process fails",
            "See the cause in the message: gas, wire, speed, stick-out.",
        ),
        Rule(
            "no-gas",
            "error",
            "The arc starts without shielding gas",
            "Open the gas with M7 or M8 before M3, or set welding.gas=automatic.",
        ),
        Rule(
            "late-arc",
            "warning",
            "The torch moves along the seam before the arc burns",
            "Wait for the arc after M3: M66 P0 L3 Q3.",
        ),
        Rule(
            "heat-input",
            "error",
            "The heat input is outside its range",
            "Change speed, current or voltage of this seam.",
        ),
        Rule(
            "no-answer",
            "warning",
            "M66 waits for an input that does not switch",
            "Link the input or set it in a scenario.",
        ),
        Rule(
            "alarm",
            "error",
            "The controller stops with an alarm",
            "See the alarm's number in the message.",
        ),
        Rule(
            "unfinished",
            "error",
            "The program does not end",
            "Look for a wait without a time-out, or raise the limit.",
        ),
    )
}


@dataclass(frozen=True)
class Finding(Problem):
    """A problem of a program: `code` is the rule, `objects` are the names of what collided."""

    time_s: float = 0.0
    objects: tuple[str, ...] = ()
    place_mm: tuple[float, float, float] | None = None
    depth_mm: float | None = None

    @property
    def order(self) -> tuple[int, float, str, tuple[str, ...], str]:
        return self.line, self.time_s, self.code, self.objects, self.what


@dataclass
class Samples:
    """Samples of the run over time, for plots; all lists have equal length."""

    time_s: list[float] = field(default_factory=list)
    joints_deg: list[tuple[float, ...]] = field(default_factory=list)
    torch_mm: list[tuple[float, float, float]] = field(default_factory=list)
    speed_mmps: list[float] = field(default_factory=list)
    current_a: list[float] = field(default_factory=list)
    line: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.time_s)


@dataclass
class Report:
    """The outcome of a validation."""

    program: str
    cell: str = ""
    seed: int = 0
    joints: tuple[str, ...] = ()  # their names
    cycle_time_s: float = 0.0
    distance_mm: float = 0.0
    gcode_executed: int = 0
    arc_on_s: float = 0.0
    weld_length_mm: float = 0.0
    collisions: int = 0
    hint: str = ""  # a setting that is probably missing
    findings: list[Finding] = field(default_factory=list)
    samples: Samples = field(default_factory=Samples)

    @property
    def errors(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == "error"]

    @property
    def warnings(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity == "warning"]

    @property
    def valid(self) -> bool:
        return not self.errors

    @property
    def verdict(self) -> str:
        return "valid" if self.valid else counted(len(self.errors), "error")


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, such as "1 error"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
