"""`python -m rigless.robots.pacbot.window DESCRIPTOR TITLE`: how the host starts the window; a person uses `rigless run … --window`."""

import sys

from rigless.robots.pacbot.window.main import main

sys.exit(main(int(sys.argv[1]), sys.argv[2]))
