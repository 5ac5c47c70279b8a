"""Load the compiled code of all robots into the process that commands are forked from.

Loading takes a robot up to a second of processor time. Forks of this process need none of it.
"""

import gc

from rigless.scenario.load import load
from rigless.scenario.warm_up import warm_up

for kind in ("agv", "pacbot", "rover", "vacuum", "welder"):
    warm_up(load(kind))
gc.collect()
gc.freeze()  # otherwise each collection in a fork copies the memory of all these objects
