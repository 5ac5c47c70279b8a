"""Tests that failed among all others run again only if they are few and run in real time."""

import json
from pathlib import Path

import pytest

import again

SOCKET = "tests/system/test_agv_run.py::test_a"
BROWSER = "tests/browser/test_wire.py::test_b[wide screen]"
KERNEL = "tests/kernel/test_agenda.py::test_c"


@pytest.mark.parametrize(
    ("failed", "allowed"),
    [
        ([SOCKET, BROWSER], True),
        ([], False),
        ([SOCKET, KERNEL], False),
        (["tests/test_house.py::test_style"], False),
        ([f"{SOCKET}[{n}]" for n in range(4)], False),
    ],
)
def test_only_few_tests_of_real_time_run_again(failed, allowed):
    assert again.may_run_again(failed) is allowed


def test_its_status_is_that_of_the_second_run(tmp_path: Path, monkeypatch, capfd):
    module = tmp_path / "tests" / "host" / "test_one.py"
    module.parent.mkdir(parents=True)
    module.write_text("def test_good(): pass\ndef test_bad(): assert 0\n")
    (tmp_path / "pytest.ini").write_text("[pytest]")
    cache = tmp_path / "cache" / "v" / "cache"
    cache.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert again.main(tmp_path / "cache") == 1  # no test ran before
    for name, status in (("good", 0), ("bad", 1)):
        test = f"tests/host/test_one.py::test_{name}"
        (cache / "lastfailed").write_text(json.dumps({test: True}))
        assert again.main(tmp_path / "cache") == status
        printed = capfd.readouterr().out
        assert f"Once more, alone:\n  {test}" in printed
        assert ("passed alone but failed among all tests" in printed) is (status == 0)
