"""`python -m rigless.robots.pacbot.window DESCRIPTOR TITLE` runs the window's process.

The host starts it; users run `rigless run … --window`.
"""

import sys

from rigless.robots.pacbot.window.main import main

sys.exit(main(int(sys.argv[1]), sys.argv[2]))
