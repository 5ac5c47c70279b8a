"""Batches: many robots of one kind that advance by one call, without sockets."""

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
