"""A motor that follows its command with a first-order lag, exactly for a command that is held: no step size, no drift."""

import math

from rigless.kernel.compiled import compiled


@compiled
def follow(
    speed: float, command: float, tau_s: float, drag_per_s: float, dt_s: float
) -> tuple[float, float]:
    """The speed after dt, and the mean speed on the way, of a motor that obeys u' = (command − u)/τ − drag·u; τ 0: at once."""
    if tau_s <= 0.0:
        return command, command
    rate = 1.0 / tau_s + drag_per_s
    goal = command / (tau_s * rate)
    gone = -math.expm1(-rate * dt_s)
    return speed + (goal - speed) * gone, goal + (speed - goal) * gone / (rate * dt_s)
