"""The commands and programs of the pages print what the pages say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import compiled

from .snippets import ROOT, Page, Step, WrongOutputError, matches, steps

QUICK = ("tutorials/ci.md",)
TUTORIALS = sorted(f"tutorials/{path.name}" for path in ROOT.glob("docs/tutorials/*.md"))
EXPLANATIONS = sorted(f"explanation/{path.name}" for path in ROOT.glob("docs/explanation/*.md"))
HOW_TO = (
    "how-to/add-a-robot.md",
    "how-to/drive-a-pacbot.md",
    "how-to/drive-a-rover.md",
    "how-to/drive-a-vacuum.md",
    "how-to/run-a-sweep.md",
    "how-to/run-an-agv.md",
    "how-to/shrink-a-failure.md",
    "how-to/solve-problems.md",
    "how-to/stream-gcode.md",
    "how-to/test-in-ci.md",
    "how-to/test-your-software.md",
    "how-to/train-a-policy.md",
    "how-to/use-foxglove.md",
    "how-to/use-vda5050.md",
    "how-to/validate-a-weld-program.md",
    "how-to/write-an-agv-driver.md",
)
PAGES = ["../README.md", "README.md", "tutorial.md", *TUTORIALS, *HOW_TO, *EXPLANATIONS]
CHOSEN = PAGES if os.environ.get("RIGLESS_DOCS") == "all" else QUICK


@pytest.mark.timeout(7200)  # each block has a limit of its own
@pytest.mark.parametrize("page", CHOSEN)
def test_a_page_does_what_it_says(page):
    command = [sys.executable, str(ROOT / "tests/docs/snippets.py"), str(ROOT / "docs" / page)]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(compiled.FOLDER)}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_is_run_written_compared_or_left_out_with_a_reason(page):
    assert isinstance(steps((ROOT / "docs" / page).read_text("utf-8")), list)


@pytest.mark.parametrize("page", TUTORIALS)
def test_a_tutorial_installs_compares_and_fails_once(page):
    found = steps((ROOT / "docs" / page).read_text("utf-8"))
    texts = [step.text for step in found]
    assert any("pip install" in text for text in texts)
    assert sum(step.prints is not None for step in found) >= 3
    assert any(step.option.startswith("exit ") for step in found)


def test_output_is_compared_with_the_page():
    assert matches("a … c\n…\nend\n", "a b c\n1\n2\nend\n")
    assert matches("a\n…\n", "a\n")
    assert matches("a\n", "compiling for this machine; later starts are quick …\na\n")
    assert not matches("a …\n", "b c\n")
    assert not matches("a\n", "a\nmore\n")
    assert not matches("1.5 s\n", "1x5 s\n")


def test_steps_of_a_page():
    text = (
        "```sh\nls\n```\n```\nout\n```\n<!-- file: a.txt -->\n```text\nx\n```\n<!-- stop -->\n"
        "<!-- run: exit 1 -->\n```python\n1/0\n```\n<!-- run: not, it is long -->\n```sh\nno\n```\n"
    )
    assert steps(text) == [
        Step(1, "sh", "ls\n", "", "out\n"),
        Step(8, "file", "x\n", "a.txt"),
        Step(11, "stop"),
        Step(13, "python", "1/0\n", "exit 1"),
    ]
    with pytest.raises(ValueError, match="line 1: nothing says"):
        steps("```toml\na = 1\n```\n")


def test_a_wrong_output_or_exit_code_is_found(tmp_path: Path):
    page = Page(tmp_path)
    page.run(Step(1, "file", "hello\n", "in/a.txt"))
    page.run(Step(2, "sh", "cat in/a.txt\n", "", "hello\n"))
    with pytest.raises(WrongOutputError, match="it printed"):
        page.run(Step(3, "sh", "cat in/a.txt\n", "", "goodbye\n"))
    with pytest.raises(WrongOutputError, match="exit code 3, not 0"):
        page.run(Step(4, "sh", "exit 3\n"))
    with pytest.raises(WrongOutputError, match="no extra"):
        page.run(Step(5, "sh", "pip install 'rigless[nothing]'\n"))
    page.run(Step(6, "sh", "echo ready; exec sleep 60\n", "background", "ready\n"))
    (process,) = page.running
    page.stop()
    assert process.poll() is not None


def test_a_block_with_an_invalid_run_is_repeated(tmp_path: Path):
    page = Page(tmp_path)
    slow = "  invalid: machine too slow: 2 s"
    count = f"echo x >> runs; [ $(wc -l < runs) = 3 ] || {{ echo '{slow}'; exit 1; }}\n"
    page.run(Step(1, "sh", count))
    assert (tmp_path / "runs").read_text() == "x\nx\nx\n"
    with pytest.raises(WrongOutputError, match="exit code 1"):
        page.run(Step(2, "sh", "echo 'invalid: machine too slow'; exit 1\n"))
