"""`make pictures`: something makes each picture, and one that fails does not stop the others."""

import re

from building import pictures
from building.places import DOCS, PICTURES, ROOT


def test_something_makes_every_picture():
    paths = [DOCS / "tutorial.md", *(DOCS / "tutorials").glob("*.md")]
    pages = [path.read_text("utf-8") for path in paths]
    taken = r"<!-- picture: .* -->\n+!\[[^\]]*\]\((?:\.\./)?pictures/([\w-]+)\.png\)"
    made = {name for page in pages for name in re.findall(taken, page)}
    scripts = (ROOT / "scripts/draw-demo").read_text("utf-8") + "".join(pictures.DRAWN)
    scripts += (DOCS / "building/pictures.py").read_text("utf-8")
    scripts += " ".join(f"example-{path.name[:2]}" for path in (ROOT / "examples").glob("[0-9]*"))
    there = {path.stem for path in PICTURES.iterdir()}
    assert {name for name in there - made if name not in scripts} == set()


def test_the_others_are_made_if_one_fails(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(pictures, "DRAWN", dict.fromkeys("abc"))
    monkeypatch.setattr(pictures, "made", lambda name: asked.append(name) or name != "b")
    assert pictures.draw() == 1
    assert asked == ["a", "b", "c"]
    assert "again: make pictures NAMES=b\n" in capsys.readouterr().err
    assert pictures.draw("a") == 0
    assert pictures.draw("d") == 2
    assert "unknown: d; choose from a, b, c" in capsys.readouterr().err


def test_the_output_of_a_failure_is_printed(capsys):
    assert not pictures.made("nonsense")
    assert "FAILED nonsense: exit code 1:\n" in capsys.readouterr().err
