"""Rules of this repository that a tool can check."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from rigless.testing.declared import FORBIDDEN_MODULES, LAYERS_ABOVE

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("test_*.py"))
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))
PAGES = [
    *ROOT.glob("*.md"),
    *(page for place in ("docs", "examples", "src") for page in (ROOT / place).rglob("*.md")),
]
LINT_IMPORTS = (
    "import sys; from importlinter.cli import lint_imports_command as lint; "
    "sys.exit(lint(['--no-cache']))"
)
LONGEST_FILE = 500  # lines
LARGEST_FOLDER = 16  # modules at one level


@pytest.mark.timeout(600)  # in a fresh clone mypy has no cache
@pytest.mark.parametrize(
    "command",
    [
        ["-m", "ruff", "check", "--no-cache", "."],
        ["-m", "ruff", "format", "--check", "--no-cache", "src", "tests", "examples", "benchmarks"],
        ["-m", "mypy"],
        ["-c", LINT_IMPORTS],
        ["scripts/check-language"],
    ],
    ids=["ruff check", "ruff format", "mypy", "lint-imports", "check-language"],
)
def test_tools_find_no_problem(command):
    run = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def test_files_are_short():
    sizes = sorted(lines(path) for path in SOURCES)
    assert {str(path): lines(path) for path in SOURCES if lines(path) > LONGEST_FILE} == {}
    assert sizes[len(sizes) * 9 // 10] <= 350


@pytest.mark.parametrize(
    "part", ["cli", "host", "kernel", "panel", "robots", "sweeps", "transports", "worlds"]
)
def test_folders_are_small(part):
    folders = {path.parent for path in (ROOT / "src" / "rigless" / part).rglob("*.py")}
    sizes = {str(folder): len(list(folder.glob("*.py"))) for folder in folders}
    assert {folder: size for folder, size in sizes.items() if size > LARGEST_FOLDER} == {}


def test_examples_are_short_and_import_only_rigless_numpy_nats_and_the_standard_library():
    assert {path.name: lines(path) for path in EXAMPLES if lines(path) >= 60} == {}
    for path in EXAMPLES:
        found = set(re.findall(r"^\s*(?:import|from) (\w+)", path.read_text("utf-8"), re.MULTILINE))
        assert found <= {"rigless", "nats", "numpy", *sys.stdlib_module_names}, path.name


def test_every_module_has_a_docstring():
    silent = [
        path
        for path in SOURCES
        if (tree := ast.parse(path.read_text("utf-8"))).body and not ast.get_docstring(tree)
    ]
    assert silent == []


def test_the_conformance_suite_forbids_what_ruff_forbids():
    """External robots follow the same rules."""
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["lint"]
    assert set(FORBIDDEN_MODULES) == set(lint["flake8-tidy-imports"]["banned-api"])
    package = ROOT / "src" / "rigless"
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    layers = folders | {path.stem for path in package.glob("*.py")}
    pure = {"kernel", "cuda", "worlds", "motion", "sensors", "ros", "hardware", "robots"}
    assert set(LAYERS_ABOVE) == layers - pure - {"__init__", "__main__"}


def test_no_module_has_an_empty_name():
    empty = {"utils", "util", "common", "manager", "base", "helpers", "helper", "misc"}
    assert [path for path in ROOT.glob("[se][rx]*/**/*.py") if path.stem in empty] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_pages_exist(page):
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
    """Each test function asserts, expects an error, or calls a function that does."""
    tree = ast.parse(path.read_text("utf-8"))
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    called = [(node.name, calls(node)) for node in functions]
    judging = {node.name for node in functions if judges(node)}
    while more := {name for name, names in called if names & judging} - judging:
        judging |= more
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
    """Return True if a function asserts. `until` and `expect` fail when they time out."""
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


ROBOTS = sorted(path.parent for path in (ROOT / "src/rigless/robots").glob("*/robot.py"))


def imports_inside(robot: Path) -> dict[str, set[str]]:
    """Return the modules of a robot and their imports of each other.

    Imports in functions and under TYPE_CHECKING count as well.
    """
    files = [path for path in robot.rglob("*.py") if path.stem != "__init__"]
    names = {".".join(path.relative_to(ROOT / "src").with_suffix("").parts): path for path in files}
    found: dict[str, set[str]] = {}
    for name, path in names.items():
        wanted: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                wanted |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                package = name.rsplit(".", node.level)[0] if node.level else ""
                module = ".".join(part for part in (package, node.module) if part)
                wanted |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
        found[name] = wanted & names.keys() - {name}
    return found


def cycle_in(imports: dict[str, set[str]]) -> list[str]:
    """Return the modules that are in a cycle, or that lead to one."""
    left = dict(imports)
    while free := [name for name, wanted in left.items() if not wanted & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)


@pytest.mark.parametrize("robot", ROBOTS, ids=lambda robot: robot.name)
def test_no_import_cycle_inside_a_robot(robot):
    assert cycle_in(imports_inside(robot)) == []


def test_an_import_cycle_is_found():
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]


SHELL = re.compile(r"(?ms)^```sh\n(.*?)^```")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_shell_commands_of_a_page_can_be_typed(page):
    """Files exist, are made by a command, or are explained on the page. No other tool is needed."""
    text = page.read_text()
    prose = SHELL.sub("", text)
    for line in "\n".join(SHELL.findall(text)).splitlines():
        assert not re.search(r"(^|\| *)(nc|nats) ", line), f"{line}: not everybody has this tool"
        for name in re.findall(r"(?<![\w/.=-])[\w./-]+\.(?:yaml|json|nc|toml)\b", line):
            made = re.search(rf"(> *|new |--\w+ ){re.escape(name)}", text)
            new_robot = f"rigless new robot {name.partition('/')[0]}" in text
            there = (ROOT / name).exists() or made or new_robot or name in prose
            assert there, f"{line}: where does {name} come from?"
