"""Plain words in `--help`: FILE instead of `<path>`, nothing for flags, `1 to 256` for limits."""

import re
from inspect import cleandoc
from typing import Any

WORDS = {"int": "N", "float": "X", "str": "TEXT", "Path": "FILE"}
LARGEST = 1e6  # limits above it are not worth a word


def simplify(command: Any) -> None:
    """Give the parameters of a command, and of the commands below it, plain words."""
    for inner in getattr(command, "commands", {}).values():
        simplify(inner)
    simplify_help_option(command)
    command.help = unwrapped(command.help or "")
    simplify_parameters(command)


def simplify_parameters(command: Any) -> None:
    """Give the parameters of a command plain words for their types and limits."""
    for param in command.params:
        is_option = param.param_type_name == "option"
        kind = type_word(param) if is_option else ""
        limits = limit_words(param)
        param.display_type_rich = lambda ctx, kind=kind: kind
        param._get_number_range_help_str = lambda limits=limits: limits
        if not is_option:
            pieces = usage_words(param)
            param.get_usage_pieces = lambda ctx, pieces=pieces: pieces
        elif kind and param.metavar is None:
            param.metavar = kind


def unwrapped(text: str) -> str:
    """Return a help with each paragraph on one line, for terminals of any width."""
    parts = re.split(r"\n\s*\n", cleandoc(text))
    joined = (part if part.startswith((" ", "\b")) else " ".join(part.split()) for part in parts)
    return "\n\n".join(joined)


def simplify_help_option(command: Any) -> None:
    """Show no type for `--help`, which is made on request."""
    made = command.get_help_option

    def plain(ctx: Any) -> Any:
        option = made(ctx)
        if option is not None:
            option.display_type_rich = lambda ctx: ""
        return option

    command.get_help_option = plain


def type_word(param: Any) -> str:
    """Return the word for the value of an option; a flag has none."""
    if param.metavar is not None:
        return str(param.metavar)
    if getattr(param, "is_flag", False):
        return ""
    descriptor = getattr(param, "type_descriptor", None)
    text = str(getattr(descriptor, "annotation", "str"))
    return next((word for name, word in WORDS.items() if name in text), "TEXT")


def limit_words(param: Any) -> str | None:
    """Return the limits of a number in words, or None."""
    low, high = getattr(param, "min", None), getattr(param, "max", None)
    if getattr(param, "count", False) or (low is None and high is None):
        return None
    if high is None or high > LARGEST:
        return f"at least {low:g}" if low else None
    return f"at most {high:g}" if low is None else f"{low:g} to {high:g}"


def usage_words(param: Any) -> list[str]:
    """Return an argument in a line of usage, as in manual pages: FILE…, [FILE]."""
    name = str(param.metavar or param.name.upper())
    if param.nargs != 1 and not name.endswith("…"):
        name += "…"
    return [name if param.required or name.startswith("[") else f"[{name}]"]
