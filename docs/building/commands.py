"""The commands of docs/build.py. Each imports only its own part."""

import importlib
import sys

COMMANDS = {
    "site": ("building.site", "build"),
    "reference": ("building.reference", "write"),
    "pictures": ("building.pictures", "draw"),
    "picture": ("building.pictures", "make_one"),
    "gallery": ("building.gallery", "write"),
    "benchmarks": ("building.benchmarks", "write"),
}


def main(words: list[str]) -> int:
    """Carry out one command, and import only what it needs."""
    if not words or words[0] not in COMMANDS:
        print(f"usage: python docs/build.py {'|'.join(COMMANDS)}", file=sys.stderr)
        return 2
    module, name = COMMANDS[words[0]]
    return int(getattr(importlib.import_module(module), name)(*words[1:]) or 0)
