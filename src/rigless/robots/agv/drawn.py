"""The parts of the robot's page that are drawn on the map."""

from collections.abc import Iterator

from rigless.kernel.drawing import Ellipse, Part, Path, Points, Polygon, Trail
from rigless.robots.agv.config import RobotConfig
from rigless.robots.agv.motion.footprint import footprint_of, placed, rectangle


def drawn(config: RobotConfig) -> Iterator[Part]:
    """Yield the parts, the lowest first."""
    length, width = config.dimensions.lengthMm / 2000, config.dimensions.widthMm / 2000
    nose = 0.6 * length
    outline = [(length, 0.0), (nose, width), (-length, width), (-length, -width), (nose, -width)]
    outline = footprint_of(config.dimensions) if config.dimensions.footprint else outline
    yield Points("markers", "Markers", "sense")
    yield Path("zones", "Blocked zones", "bad")
    yield Path("horizon", "Horizon", "ghost")
    yield Path("route", "Released route", "path")
    yield Trail("trail", "Driven", "plain")
    yield Ellipse("obstacles", "Obstacles", "warn")
    yield Path("load", "Load", "path")
    yield Points("ahead", "Obstacle ahead", "bad")
    yield Polygon(
        "body",
        "Robot",
        tuple(outline),
        "ok",
        ("warn", "bad"),
        height_m=config.dimensions.heightMm / 1000,
    )


def outline_of(
    size_m: tuple[float, float] | None, pose: tuple[float, float, float]
) -> list[tuple[float, float]]:
    """Return the outline of the load on a robot, or [] if there is none."""
    if size_m is None:
        return []
    corners = placed(rectangle(*size_m), pose)
    return [*corners, corners[0]]
