"""The warning before a run whose fleet is too large for this machine."""

import asyncio
import os

from rigless.cli.live import Options
from rigless.console import print_note
from rigless.host.capacity import LEAST, SAMPLE, measure, sample_of, warning
from rigless.host.timing.pace import Pace
from rigless.kernel.problems import InputError
from rigless.scenario.build import Built

MEASURED = "RIGLESS_FLEET_MEASURED"  # set for the processes of a fleet that was measured


def warn_of_size(built: Built, options: Options, processes: int = 1) -> None:
    """Measure what a robot of a large fleet costs here, and warn if it is too much for all."""
    pace = Pace.of(built.speed if options.pace is None else options.pace)
    count = len(built.simulation.robots) // built.simulation.core.membership.count
    if (
        os.environ.get(MEASURED)
        or pace.mode != "real"
        or max(count, len(built.simulation.core.stepped)) < LEAST
    ):
        return
    try:
        cost = asyncio.run(measure(sample_of(built, SAMPLE)))
    except InputError as error:  # for example real drivers, which cannot be run for a test
        print_note(f"the load of this fleet was not measured: {error}", "dim")
        return
    if text := warning(built, cost, pace.speed, processes):
        print_note(f"warning: {text}", "yellow")
