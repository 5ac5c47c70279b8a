"""Have numba compile (or load from its cache) the functions of motion, welding and drawing.

Done at the start, so that no live run stalls on it.
"""

import numpy as np

from rigless.motion import planner as p
from rigless.motion.planner.axis_limits import rounded_to_steps
from rigless.robots.welder import view_3d, weld_state
from rigless.robots.welder.controller.controller import Controller
from rigless.robots.welder.gcode.modal import AXES
from rigless.robots.welder.process import welding
from rigless.sensors.noise import block, normal


def warm_up(controller: Controller) -> None:
    arm, motion, figures = controller.arm, controller.motion, controller.process.figures
    axes, blocks, run = controller.setup.axes, p.new_queue(3), p.new_run(np.zeros(AXES))
    for target, kind in ((np.ones(AXES), p.FEED), (np.zeros(AXES), p.RAPID)):
        axes.append(blocks, run, 0.0, rounded_to_steps(target, axes.steps), 1.0, kind)
    p.set_overrides(blocks, run, 0.001, True, 1.0, 1.0)
    p.at_rest(run, 0.001)
    p.first_block_end_s(blocks, run)
    p.next_free_s(blocks, run)
    p.free_blocks(blocks, run)
    p.sample(blocks, run, 0.001, np.zeros((3, AXES)))  # peek() skips it at an empty queue
    values, torch = welding.pack(weld_state.Weld()), arm.torch_place(np.zeros(AXES))
    welding.burn(values, np.zeros(4), figures, torch, blocks, run, 0, 1, arm.links, arm.tool_m, 1)
    welding.flow(values, np.zeros(4), figures, 0.0, False)
    welding.speed(torch, torch, 0.001)
    normal(block(controller.state.noise_key, 0, 0)[0])
    p.clear(blocks, run, 0.001)
    if controller.setup.tool is not None:
        controller.setup.tool.warm_up()
    motion.peek()
    motion.settle()
    motion.odometer.distance_mm(np.zeros(AXES))
    arm.torch(np.zeros(AXES))
    view_3d.warm_up(arm)
