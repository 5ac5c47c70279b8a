"""The page of a robot without a view of its own, made from its ground truth.

A pose is drawn, numbers become gauges and plots, booleans become lamps.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigless.kernel.drawing import Disc, Gauge, Lamp, Part, Plot, Trail, View, Viewed, label, unit
from rigless.kernel.plain import numbers_in, to_builtins

MOST_NUMBERS = 40  # more do not fit a page
MOST_PLOTS = 6
SMALLEST_M = 0.1


class GenericView(View):
    """A page with everything that the ground truth holds."""

    def __init__(self, robot: Viewed):
        super().__init__(robot)
        found = list(numbers_in(self._truth()))[:MOST_NUMBERS]
        body: list[Part] = []
        if self._pose() is not None:
            footprint = robot.footprint()
            body = [
                Trail("trail", "Trail"),
                Disc(
                    "body",
                    robot.name,
                    footprint[2] if footprint else SMALLEST_M,
                    height_m=SMALLEST_M,
                ),
            ]
        self.parts = (
            *body,
            *(Lamp(name, label(name)) for name, value in found if isinstance(value, bool)),
            *(
                Gauge(name, label(name), unit(name))
                for name, value in found
                if not isinstance(value, bool)
            ),
            *[
                Plot(f"plot {name}", label(name), ((name, label(name)),), unit(name))
                for name, value in found
                if isinstance(value, float) and not name.startswith("pose")
            ][:MOST_PLOTS],
        )

    def draw(self) -> Mapping[str, ArrayLike]:
        pose = self._pose()
        return {} if pose is None else {"body": [(*pose, 0.0)]}

    def trace(self) -> Mapping[str, tuple[float, float]]:
        pose = self._pose()
        return {} if pose is None else {"trail": (pose[0], pose[1])}

    def measure(self) -> Mapping[str, float]:
        return {name: float(value) for name, value in numbers_in(self._truth())}

    def _truth(self) -> Any:
        return to_builtins(self.robot.truth())

    def _pose(self) -> tuple[float, float, float] | None:
        """Return x, y and theta, or None if the truth has no pose."""
        pose = getattr(self.robot.truth(), "pose", None)
        if not isinstance(pose, tuple | list | np.ndarray) or len(pose) != 3:
            return None
        return float(pose[0]), float(pose[1]), float(pose[2])
