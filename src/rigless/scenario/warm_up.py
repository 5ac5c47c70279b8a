"""Use the functions of robots once, so that none is compiled or loaded while time is running."""

from rigless.kernel.simulation import Simulation
from rigless.scenario.kinds import kind_of

RUN_S = 0.5  # simulated: enough for every periodic method
# Messages that switch on what is off at first, by the kind of robot.
SWITCH_ON = {"vacuum": ("commands", {"type": "Control", "id": "lidar", "action": "enable"})}


def warm_up(simulation: Simulation) -> None:
    """Run a simulation briefly."""
    for robot in simulation.robots.values():
        if (given := SWITCH_ON.get(kind_of(type(robot)))) is not None:
            simulation.send(robot.name, *given)
    simulation.run(RUN_S)


def warm_up_and_reset(simulation: Simulation) -> None:
    """Run a new simulation briefly and go back to its beginning."""
    warm_up(simulation)
    simulation.reset()
