#!/usr/bin/env python3
"""Build the documentation: `python docs/build.py site|reference|pictures|gallery|benchmarks`."""

import sys

from building.commands import main

sys.exit(main(sys.argv[1:]))
