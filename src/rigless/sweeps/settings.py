"""Settings of a sweep as texts that `--set` and `--program` take."""

import json
import math
import shlex
from typing import Any

from rigless.kernel.documents import parse_toml

PROGRAM = "program."


def to_toml(value: Any) -> str:
    """Return a value as inline TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(key)} = {to_toml(each)}" for key, each in value.items())
        return f"{{ {inner} }}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(to_toml, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return repr(value)


def parse_setting(text: str) -> tuple[str, Any]:
    """Return key and value of KEY=VALUE; a bare word is text."""
    key, _, value = text.partition("=")
    document = parse_toml(f"value = {value}")
    return key.strip(), value if document.problems else document.data["value"]


def to_texts(settings: dict[str, Any]) -> list[str]:
    """Return the settings of robots and scenario as KEY=VALUE; those of programs are left out."""
    return [
        f"{key}={to_toml(value)}" for key, value in settings.items() if not key.startswith(PROGRAM)
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
