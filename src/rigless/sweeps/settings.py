"""Settings of a sweep as texts that `--set` and `--program` take."""

import shlex
from typing import Any

from rigless.kernel.documents import parse_toml
from rigless.sweeps.toml_writer import inline

PROGRAM = "program."


def parse_setting(text: str) -> tuple[str, Any]:
    """Return key and value of KEY=VALUE; a bare word is text."""
    key, _, value = text.partition("=")
    document = parse_toml(f"value = {value}")
    return key.strip(), value if document.problems else document.data["value"]


def to_texts(settings: dict[str, Any]) -> list[str]:
    """Return the settings of robots and scenario as KEY=VALUE; those of programs are left out."""
    return [
        f"{key}={inline(value)}" for key, value in settings.items() if not key.startswith(PROGRAM)
    ]


def to_commands(settings: dict[str, Any]) -> dict[str, list[str]]:
    """Return the commands of programs that are varied."""
    return {
        key.removeprefix(PROGRAM): shlex.split(str(value))
        for key, value in settings.items()
        if key.startswith(PROGRAM)
    }


def command_words(settings: dict[str, Any], seed: int) -> list[str]:
    """Return the options of `rigless check` that repeat a run with these settings."""
    words = ["--seed", str(seed)]
    for name, command in to_commands(settings).items():
        words += ["--program", f"{name}={shlex.join(command)}"]
    return words + [word for text in to_texts(settings) for word in ("--set", text)]
