"""Start-up compiles all functions, so that no first line waits for the compiler."""

import subprocess
import sys

PROGRAM = """
import gc
from numba.core.dispatcher import Dispatcher
from rigless.scenario.load import open_target

def made():
    dispatchers = [one for one in gc.get_objects() if isinstance(one, Dispatcher)]
    return {(one.__name__, str(kind)) for one in dispatchers for kind in one.signatures}

sim = open_target("welder", ["profile=jerk", "cell=weld_table"]).simulation
before = made()
sim.set_input("welder", "stickout_mm", 15.0)
for line in ("$X", "G1 X2 F600", "G0 X0", "G2 X2 Y2 I1 J1 F600", "M3", "G1 X3 F300",
             "G1 X30 F7200", "M5", "~", "$J=G91 X1 F800"):
    sim.send("welder", "grbl", line.encode() + b"\\n")
    sim.run(1.0)
assert sim.truth("welder").joints_deg[0] > 2.0 and before
assert [event.data["fault"] for event in sim.events if event.code == "weld-fault"] == ["arc_lost"]
print(*(name for name, _ in made() - before))
"""


def test_lines_that_move_and_weld_find_everything_compiled():
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=110
    )
    assert (found.stdout, found.returncode) == ("\n", 0), found.stderr
