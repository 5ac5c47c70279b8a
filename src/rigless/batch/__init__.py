"""Batches: many robots of one kind that advance by one call, without sockets.

robots = rigless.batch.Vacuums(1000, map="apartment", seeds=range(1000))
robots.step(np.full((1000, 2), (0.2, 0.5)), ticks=22)
robots.poses, robots.scan().distances_m
"""

from rigless.batch.pacbots import Pacbots, PacbotScans
from rigless.batch.rovers import Rovers, RoverScans
from rigless.batch.vacuums import VacuumReadings, Vacuums, VacuumScans

__all__ = [
    "PacbotScans",
    "Pacbots",
    "RoverScans",
    "Rovers",
    "VacuumReadings",
    "VacuumScans",
    "Vacuums",
]
