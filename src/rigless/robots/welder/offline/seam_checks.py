"""Checks of the seams of a program: gas, arc, heat input, and an arc that stays on one spot."""

import math
import re
from dataclasses import dataclass
from typing import Protocol

from rigless.kernel.events import Event
from rigless.robots.welder import weld_state
from rigless.robots.welder.config import Welding
from rigless.robots.welder.gcode.program_text import ProgramLine
from rigless.robots.welder.weld_state import Weld

STRETCH_MM = 5.0  # heat input is averaged over this much of a seam
STANDING_MMPS = 0.1
STANDING_S = 1.5  # arc on a spot for longer, after the arc has struck
LATE_MM = 5.0  # of a seam without an arc
ARC_WORD = re.compile(r"M0*[34](?![\d.])", re.IGNORECASE)


@dataclass(frozen=True)
class Demands:
    """Limits for a program in addition to those of the arm.

    The default heat input covers MIG/MAG welds from thin sheet to thick plate: [ours], around the
    0.5 to 2.5 kJ/mm that data sheets of structural steels recommend.
    """

    heat_low_kjpmm: float = 0.1
    heat_high_kjpmm: float = 3.0
    singular_value: float = 0.05  # m/rad: below it the torch can hardly move in some direction


class Program(Protocol):
    """The validated program."""

    program: list[ProgramLine]

    def at_line(self) -> ProgramLine: ...

    def torch_mm(self) -> tuple[float, ...]: ...

    def find(
        self,
        rule: str,
        message: str,
        line: ProgramLine,
        column: int = 0,
        *,
        once: tuple[object, ...] = (),
    ) -> None: ...


class SeamChecks:
    def __init__(self, program: Program, config: Welding, demands: Demands):
        self.program, self.config, self.demands = program, config, demands
        self.stretch_mm = self.stretch_kj = self.stretch_s = self.standing_s = 0.0
        self.energy_kj = self.length_mm = 0.0
        self.begin_mm: tuple[float, ...] = ()  # place of the torch at M3, until the arc burns

    def on_event(self, event: Event) -> None:
        """Judge the beginning of a phase, and a missing gas."""
        if event.code == "no-gas":
            line = self._arc_line()
            self.program.find(event.code, event.text, line, line.column_of("M"))
        if event.code != "weld-phase":
            return
        phase, place = event.data["phase"], self.program.torch_mm()
        way_mm = math.dist(self.begin_mm, place) if self.begin_mm else 0.0
        if phase == weld_state.WELDING and way_mm > LATE_MM:
            pin = self.config.arc_detect_input
            text = f"the torch moved {way_mm:.0f} mm before the arc burnt"
            self._find_at_arc("late-arc", f"{text}; after M3 wait for it: M66 P{pin} L3 Q3")
        elif phase == weld_state.POST_FLOW and self.begin_mm:
            text = "no arc burnt between M3 and M5"
            moved = f": the torch moved {way_mm:.0f} mm without it" if way_mm > LATE_MM else ""
            self._find_at_arc("arc-fault", text + moved)
        if phase != weld_state.ARC_START:
            self.begin_mm = place if phase == weld_state.PRE_FLOW else ()

    def look(self, weld: Weld, moved_mm: float, slice_s: float) -> None:
        """Check the heat input by stretches of the seam.

        Time at standstill does not count; it is a finding of its own if it is long.
        """
        energy_kj, self.energy_kj = weld.energy_kj - self.energy_kj, weld.energy_kj
        length_mm, self.length_mm = weld.length_mm - self.length_mm, weld.length_mm
        if weld.phase != weld_state.WELDING:
            self.stretch_mm = self.stretch_kj = self.stretch_s = self.standing_s = 0.0
            return
        if moved_mm < STANDING_MMPS * slice_s:
            self._stand(slice_s)
            return
        if self.standing_s:  # it set out within this slice: the earlier part is no seam
            self.standing_s = 0.0
            return
        self.stretch_mm += length_mm
        self.stretch_kj += energy_kj * self.config.efficiency
        self.stretch_s += slice_s
        if self.stretch_mm >= STRETCH_MM:
            self._judge(self.stretch_kj / self.stretch_mm, self.stretch_mm / self.stretch_s)
            self.stretch_mm = self.stretch_kj = self.stretch_s = 0.0

    def _stand(self, slice_s: float) -> None:
        self.standing_s += slice_s
        if self.standing_s > STANDING_S and self.demands.heat_high_kjpmm < math.inf:
            line = self.program.at_line()
            text = f"the arc has burnt on one spot for {STANDING_S:g} s"
            self.program.find("heat-input", text, line, once=(line.number, "spot"))

    def _judge(self, heat_kjpmm: float, speed_mmps: float) -> None:
        low, high = self.demands.heat_low_kjpmm, self.demands.heat_high_kjpmm
        if low <= heat_kjpmm <= high:
            return
        line, why = self.program.at_line(), "fast" if heat_kjpmm < low else "slow"
        text = (
            f"the heat input is {heat_kjpmm:.3f} kJ/mm: {speed_mmps:.1f} mm/s is too {why}"
            f" for this power; it must be {low:g} to {high:g} kJ/mm"
        )
        self.program.find("heat-input", text, line, line.column_of("F"), once=(line.number, "heat"))

    def _find_at_arc(self, rule: str, text: str) -> None:
        line = self._arc_line()
        self.program.find(rule, text, line, line.column_of("M"))

    def _arc_line(self) -> ProgramLine:
        """Return the last line up to the current one that starts an arc."""
        current, found = self.program.at_line(), None
        for line in self.program.program:
            if line.number > current.number:
                break
            found = line if ARC_WORD.search(line.text) else found
        return found or current
