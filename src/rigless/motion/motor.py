"""A motor that follows its command with a first-order lag, exact for a constant command."""

from rigless.kernel.compiled import compiled
from rigless.kernel.compiled.elementary import decayed


@compiled
def follow(
    speed: float, command: float, tau_s: float, drag_per_s: float, dt_s: float
) -> tuple[float, float]:
    """Return the speed after dt, and the mean speed during dt.

    The motor obeys u' = (command − u)/τ − drag·u; with τ = 0 it follows at once.
    """
    if tau_s <= 0.0:
        return command, command
    rate = 1.0 / tau_s + drag_per_s
    goal = command / (tau_s * rate)
    gone = decayed(rate * dt_s)
    return speed + (goal - speed) * gone, goal + (speed - goal) * gone / (rate * dt_s)
