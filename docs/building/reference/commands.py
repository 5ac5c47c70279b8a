"""The pages of the command line: each command with its arguments, options and related pages."""

import os.path
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from inspect import cleandoc
from typing import Any

import typer
import typer.main

from building.places import DOCS, GENERATED, ROOT
from building.reference.tables import table
from building.staging import title

FOLDER = GENERATED / "commands"
FILE = re.compile(r"(?<![\w/.=-])[\w./-]+\.(?:toml|json|nc|mcap|parquet)\b")
MADE = r"--(?:json|html|junit|sarif|out|lif|record|report) \S+"  # files that a command writes


def pages() -> Iterator[tuple[str, str]]:
    from rigless.cli.app import app

    for word, command in sorted(typer.main.get_command(app).commands.items()):
        yield f"commands/{word}", page(command, word)


def page(command: Any, word: str) -> str:
    """Return the page of one word after `rigless`, with the commands below it."""
    name = f"rigless {word}"
    found = list(below(command, name))
    parts = [f"# {name}", *see_also(word)]
    if len(found) == 1:
        parts.append(described(*found[0]))
    else:
        parts.append(help_text(command.help or ""))
        rows = ((link(one), first_sentence(inner)) for one, inner in found)
        parts.append(table(("command", ""), rows))
        parts += [f"## {one}\n\n{described(one, inner)}" for one, inner in found]
    return "\n\n".join(parts)


def below(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield a command with its whole name, or those below it."""
    inner = getattr(command, "commands", {})
    if not inner:
        yield name, command
    for word in sorted(inner, key=lambda word: (not inner[word].hidden, word)):
        hidden = inner[word].hidden  # `rigless sweep X` is the hidden command `rigless sweep run X`
        yield from below(inner[word], name if hidden else f"{name} {word}")


def link(name: str) -> str:
    return f"[`{name}`](#{name.replace(' ', '-')})"


def first_sentence(command: Any) -> str:
    return re.split(r"(?<=[.!?])\s|\n", cleandoc(command.help or ""))[0]


def see_also(word: str) -> list[str]:
    """Return the line that leads to the pages about a command."""
    names = related().get(word, [])
    links = [
        f"[{title(DOCS / f'{name}.md')}]({os.path.relpath(DOCS / f'{name}.md', FOLDER)})"
        for name in names
    ]
    return ["See also: " + " · ".join(links)] if links else []


@cache
def related() -> dict[str, list[str]]:
    path = DOCS / "building" / "reference" / "commands.toml"
    return tomllib.loads(path.read_text("utf-8"))


def described(name: str, command: Any) -> str:
    """Return the usage, the help and the options of one command."""
    context = typer.Context(command, info_name=name)
    written = plain(" ".join([name, *command.collect_usage_pieces(context)]))
    text = command.help or ""
    parts = [f"```text\n{written}\n```", help_text(text), *placeholders(text)]
    parts += options(command, context)
    return "\n\n".join(parts)


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
            parts.append(f"```sh\n{cleandoc(part)}\n```")
        else:
            parts.append(part.replace("<", "&lt;").replace("*", "\\*"))
    return "\n\n".join(parts).replace("\n```\n\n```sh\n", "\n")


def placeholders(text: str) -> list[str]:
    """Return the sentence on the files of the examples that the reader must have."""
    examples = text.partition("Example")[2]
    names = dict.fromkeys(FILE.findall(re.sub(MADE, "", examples)))
    own = [f"`{name}`" for name in names if not (ROOT / name).exists()]
    if not own:
        return []
    named = " and ".join([*[", ".join(own[:-1])][: len(own) - 1], own[-1]])
    return [f"{named} {'stand for files' if own[1:] else 'stands for a file'} of yours."]


def options(command: Any, context: typer.Context) -> list[str]:
    """Return the tables of a command's arguments and options, a table for each group of them."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for param in command.params:
        if param.param_type_name == "option":
            record = None if param.name == "help" else param.get_help_record(context)
            if record:
                group = getattr(param, "rich_help_panel", None) or "Options"
                groups.setdefault(group, []).append((f"`{record[0]}`", escaped(record[1])))
        else:
            written = plain(" ".join(param.get_usage_pieces(context)))
            groups.setdefault("Arguments", []).append((f"`{written}`", escaped(param.help or "")))
    return [table((group, ""), rows) for group, rows in groups.items()]


def escaped(text: str) -> str:
    """Return a text without the meaning that Markdown would give to its characters."""
    return re.sub(r"([<\[\]*])", r"\\\1", text)
