"""The rules of the house: what tools can check is checked here, so that one command says it all."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))
PAGES = [
    *ROOT.glob("*.md"),
    *(page for place in ("docs", "examples", "src") for page in (ROOT / place).rglob("*.md")),
]
LINT_IMPORTS = "import sys; from importlinter.cli import lint_imports_command as c; sys.exit(c(['--no-cache']))"


@pytest.mark.timeout(600)  # mypy begins with nothing in a fresh clone
@pytest.mark.parametrize(
    "command",
    [
        ["-m", "ruff", "check", "--no-cache", "."],
        ["-m", "ruff", "format", "--check", "--no-cache", "src", "tests", "examples", "benchmarks"],
        ["-m", "mypy"],
        ["-c", LINT_IMPORTS],
    ],
    ids=["ruff check", "ruff format", "mypy", "lint-imports"],
)
def test_the_tools_have_nothing_to_say(command):
    run = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def test_files_are_short():
    sizes = sorted(lines(path) for path in SOURCES)
    assert {str(path): lines(path) for path in SOURCES if lines(path) > 500} == {}
    assert sizes[len(sizes) * 9 // 10] <= 350


def test_examples_are_short_and_import_only_rigless_a_wires_own_client_and_the_standard_library():
    assert {path.name: lines(path) for path in EXAMPLES if lines(path) >= 60} == {}
    for path in EXAMPLES:
        found = set(re.findall(r"^\s*(?:import|from) (\w+)", path.read_text("utf-8"), re.MULTILINE))
        assert found <= {"rigless", "nats", *sys.stdlib_module_names}, path.name


def test_every_module_says_what_it_is_for():
    silent = [
        path
        for path in SOURCES
        if (tree := ast.parse(path.read_text("utf-8"))).body and not ast.get_docstring(tree)
    ]
    assert silent == []


def test_no_name_says_nothing():
    empty = {"utils", "util", "common", "manager", "base", "helpers", "helper", "misc"}
    assert [path for path in ROOT.glob("[se][rx]*/**/*.py") if path.stem in empty] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    links = re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", text) + re.findall(
        r'(?:src|href)="([^"]+)"', text
    )
    local = [
        link.partition("#")[0]
        for link in links
        if "://" not in link and not link.startswith(("#", "mailto:"))
    ]
    assert [link for link in local if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("path", TESTS, ids=lambda path: str(path.relative_to(ROOT / "tests")))
def test_every_test_can_fail(path):
    """Each test function asserts, expects an error, or calls something of its file that does."""
    tree = ast.parse(path.read_text("utf-8"))
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    judging = {node.name for node in functions if judges(node)}
    for _ in functions:
        judging |= {node.name for node in functions if calls(node) & judging}
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    tests = [node for node in functions if node.name.startswith("test_")]
    assert tests
    assert [
        node.name for node in tests if node.name not in judging and not calls(node) & imported
    ] == []


def judges(node: ast.AST) -> bool:
    """`until` and `expect` fail when what they wait for does not come."""
    return any(isinstance(part, ast.Assert) for part in ast.walk(node)) or bool(
        {"raises", "until", "expect"} & calls(node)
    )


def calls(node: ast.AST) -> set[str]:
    found = [part.func for part in ast.walk(node) if isinstance(part, ast.Call)]
    return {
        one.attr if isinstance(one, ast.Attribute) else one.id
        for one in found
        if isinstance(one, ast.Attribute | ast.Name)
    }
