"""The state of the welding process: its phases and its numbers."""

from dataclasses import dataclass

PHASES = (
    "IDLE", "PRE_FLOW", "ARC_START", "WELDING", "CRATER_FILL", "ARC_END", "BURN_BACK", "POST_FLOW",
    "FAULT", "EMERGENCY_STOP",
)  # fmt: skip
(
    IDLE, PRE_FLOW, ARC_START, WELDING, CRATER_FILL, ARC_END, BURN_BACK, POST_FLOW, FAULT,
    EMERGENCY_STOP,
) = PHASES  # fmt: skip
BURNING = (WELDING, CRATER_FILL, ARC_END, BURN_BACK)
STOPPED_A = 2.0  # below this current the arc is out


@dataclass
class Weld:
    """Phase and numbers of the process. Totals count from the start of the simulation."""

    phase: str = IDLE
    wanted: bool = False
    since_s: float = 0.0  # in this phase
    attempt: int = 0
    attempt_s: float = 0.0  # in this attempt; negative in the pause before it
    strikes_s: float = 0.0  # time in this attempt at which the arc strikes
    strikes: int = 0  # attempts in all; the index of the noise draw
    current_a: float = 0.0
    voltage_v: float = 0.0
    wire_mpm: float = 0.0
    gas_lpm: float = 0.0
    heat: float = 0.0  # of the power source; 1 is too hot
    fault: str = ""
    cause: str = ""  # of the fault, with its numbers
    arc_energy_kjpmm: float = 0.0
    heat_input_kjpmm: float = 0.0
    bead_mm2: float = 0.0
    arc_s: float = 0.0
    length_mm: float = 0.0
    energy_kj: float = 0.0
    deposited_g: float = 0.0
    wire_used_m: float = 0.0

    @property
    def arc_on(self) -> bool:
        return self.phase in BURNING and self.current_a > STOPPED_A
