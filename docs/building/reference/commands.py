"""The page of the command line: every command with its arguments and options."""

import re
from collections.abc import Iterator
from inspect import cleandoc
from typing import Any

import typer
import typer.main

from building.reference.tables import table

INTRO = """# Commands and options

Every command with its arguments and options, as `--help` shows them.
[Command line](../command-line.md) explains how they belong together.

"""


def pages() -> Iterator[tuple[str, str]]:
    from rigless.cli.app import app

    yield "commands", INTRO + "\n".join(described(typer.main.get_command(app), "rigless"))


def described(command: Any, name: str) -> Iterator[str]:
    """Yield the section of a command, and those of the commands below it."""
    inner = getattr(command, "commands", {})
    if not inner:
        yield section(command, name)
    for word in sorted(inner):
        hidden = inner[word].hidden  # `rigless sweep X` is the hidden command `rigless sweep run X`
        yield from described(inner[word], name if hidden else f"{name} {word}")


def section(command: Any, name: str) -> str:
    """Return the section of one command."""
    context = typer.Context(command, info_name=name)
    written = " ".join([name, *command.collect_usage_pieces(context)])
    written = plain(written)
    parts = [f"## {name}", f"```text\n{written}\n```", help_text(command.help or "")]
    return "\n\n".join([*parts, options(command, context)])


def plain(usage: str) -> str:
    """Return a line of usage with the brackets that manual pages have: FILE…, [FILE], [FILE…]."""
    usage = re.sub(r"\{([^{}]+?)\}(?:\.{3})?", r"\1", usage)
    usage = re.sub(r"\[\[(\w+)\](…?)\](?:\.{3})?", r"[\1\2]", usage)
    return re.sub(r"\[(\w+)\]\.{3}", r"[\1…]", usage)


def help_text(text: str) -> str:
    """Return the help of a command; its examples become a block of code."""
    parts: list[str] = []
    for part in re.split(r"\n\s*\n", cleandoc(text.replace("\b\n", ""))):
        if part.startswith("  "):
            parts.append(f"```text\n{cleandoc(part)}\n```")
        else:
            parts.append(part.replace("<", "&lt;").replace("*", "\\*"))
    return "\n\n".join(parts).replace("\n```\n\n```text\n", "\n")


def options(command: Any, context: typer.Context) -> str:
    """Return the table of a command's arguments and options."""
    rows = []
    for param in command.params:
        if param.param_type_name == "option":
            record = None if param.name == "help" else param.get_help_record(context)
            if record:
                rows.append((f"`{record[0]}`", record[1]))
        else:
            written = " ".join(param.get_usage_pieces(context))
            rows.append((f"`{plain(written)}`", param.help or ""))
    return table(("option", ""), ((name, escaped(text)) for name, text in rows))


def escaped(text: str) -> str:
    """Return a text without the meaning that Markdown would give to its characters."""
    return re.sub(r"([<\[\]*])", r"\\\1", text)
