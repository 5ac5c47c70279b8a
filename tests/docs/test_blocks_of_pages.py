"""Every block of every page is valid: commands and options exist, code and data can be read.

Pages whose blocks are also run are in test_snippets.py.
"""

import ast
import importlib
import json
import re
import shlex
import tomllib

import pytest
import typer
import typer.main
import yaml

from building.places import ROOT
from rigless.cli.app import app

PAGES = sorted(
    path
    for path in (
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("src/**/*.md"),
        *ROOT.glob("examples/**/*.md"),
    )
    if "decisions" not in path.parts and "CHANGELOG" not in path.name
)
BLOCK = re.compile(r"(?ms)^ *(`{3,})(\w+)\n(.*?)^ *\1$")
SEPARATORS = {"|", "||", "&&", ";", "&", ">", "2>", ">>", "<", "done", "do"}
COMMANDS = typer.main.get_command(app)


def blocks(language):
    """Return the blocks of a language in all pages, as parameters named by page and line."""
    found = []
    for path in PAGES:
        text = path.read_text("utf-8")
        for match in BLOCK.finditer(text):
            if match[2] == language:
                line = text.count("\n", 0, match.start()) + 2
                name = f"{path.relative_to(ROOT)}:{line}"
                found.append(pytest.param(match[3], id=name))
    return found


def problem(words, whole=True):
    """Return why `rigless WORDS` cannot be parsed, or an empty text.

    With `whole=False` arguments may be missing, as where a sentence names a command.
    """
    if words[:1] == ["--install-completion"]:
        return ""  # parsing it would do it
    group, rest = COMMANDS, list(words)
    context = None
    try:
        while True:
            context = group.make_context("rigless", rest, parent=context)
            if not hasattr(group, "resolve_command"):
                return ""
            rest = [*context._protected_args, *context.args]
            _, group, rest = group.resolve_command(context, rest)
    except typer.Exit:
        return ""  # --help or --version
    except Exception as error:
        text = error.format_message() if hasattr(error, "format_message") else str(error)
        if words[-1:] and words[-1].startswith("$"):
            return problem(words[:-1], whole)  # a variable with further options
        missing = not whole and (not text or text.startswith("Missing "))
        return "" if missing else f"{' '.join(words)}: {text}"


def calls(text):
    """Yield the words of every call of rigless in a shell script."""
    for words in commands(text.replace("\\\n", " ")):
        for place, word in enumerate(words):
            if word == "rigless" and (place == 0 or words[place - 1] in SEPARATORS):
                rest = words[place + 1 :]
                end = next((at for at, one in enumerate(rest) if one in SEPARATORS), len(rest))
                yield rest[:end]


def commands(text):
    """Yield the words of each line; a line goes on while a quotation is open."""
    line = ""
    for part in text.splitlines():
        line += part
        reader = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
        reader.whitespace_split = True
        try:
            yield list(reader)
        except ValueError:
            line += "\n"
            continue
        line = ""
    assert line == "", f"a quotation is not closed: {line}"


def test_commands_of_all_pages_can_be_parsed():
    scripts = [one for language in ("sh", "bash") for one in blocks(language)]
    assert len(scripts) > 100
    found = [
        f"{script.id}: {wrong}"
        for script in scripts
        for words in calls(script.values[0])
        if (wrong := problem(words))
    ]
    assert found == []


def inline(text):
    """Return the commands within the sentences of a page; placeholders are no commands."""
    sentences = re.sub(r"(?ms)^ *(`{3,}).*?^ *\1$", "", text)
    found = re.findall(r"(?<!`)`(rigless [^`]+)`(?!`)", sentences)
    return [one for one in found if not re.search(r"[…\[<]|\b[A-Z]{1,}\b", one)]


def test_commands_in_sentences_can_be_parsed():
    found = [
        f"{path.relative_to(ROOT)}: {wrong}"
        for path in PAGES
        if "generated" not in path.parts
        for command in inline(path.read_text("utf-8"))
        for words in calls(command)
        if (wrong := problem(words, whole=False))
    ]
    assert found == []


def read_json(text):
    """Read a document, some keys of one, or one on each line."""
    if text.startswith('"'):
        json.loads(f"{{{text}}}")
        return
    try:
        json.loads(text)
    except ValueError:
        for line in text.strip().splitlines():
            json.loads(line)


@pytest.mark.parametrize(
    ("language", "read"),
    [("toml", tomllib.loads), ("json", read_json), ("yaml", yaml.safe_load)],
)
def test_data_of_all_pages_can_be_read(language, read):
    found = []
    for one in blocks(language):
        try:
            read(one.values[0])
        except ValueError as error:
            found.append(f"{one.id}: {error}")
    assert found == []


def test_programs_of_all_pages_use_names_that_exist():
    found = []
    for one in blocks("python"):
        if "/generated/" in one.id:
            continue  # signatures; test_public_api.py parses the examples
        tree = ast.parse(re.sub(r"(?m)^(>>>|\.\.\.) ?", "", one.values[0]), filename=one.id)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rigless"):
                module = importlib.import_module(node.module or "")
                found += [
                    f"{one.id}: {node.module} has no {name.name}"
                    for name in node.names
                    if not hasattr(module, name.name)
                ]
    assert found == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("rigless chekc a.toml", "chekc"),
        ("rigless run vacuum --sped 2", "sped"),
        ("x=1; rigless diff a.mcap", "Missing"),
        ("rigless ctl step one", "one"),
    ],
)
def test_a_wrong_command_is_found(line, wrong):
    (words,) = calls(line)
    assert wrong in problem(words)
