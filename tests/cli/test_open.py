"""`rigless open`: start-up lines, the instant, signals, and files that cannot be opened."""

import signal

import httpx
import pytest

from rigless.kernel.events import Event
from rigless.kernel.recording import Recorder
from rigless.scenario.load import open_target


@pytest.fixture
def recording(thermostat, tmp_path):
    """Record two seconds with an event of the host."""
    file = tmp_path / "run.mcap"
    sim = open_target(str(thermostat), seed=1, collect=False).simulation
    with file.open("wb") as stream:
        recorder = Recorder(sim, stream)
        sim.run(seconds=1)
        sim.core.log(Event(sim.now_ns, "", "program-output", "info", "nav: hello", {}))
        sim.run(seconds=1)
        recorder.close()
    return file


def player(process):
    headers = {"Authorization": f"Bearer {process.token}"}
    return httpx.Client(base_url=process.url, headers=headers, timeout=60)


def test_it_shows_the_instant_without_a_live_simulation(rigless_process, recording):
    process = rigless_process("open", recording, "--at", "1.25", "--panel", "127.0.0.1:0")
    assert [line.split()[0] for line in process.lines] == ["panel", "ready"]
    with player(process) as client:
        process.until(lambda: client.get("/api/deck").json()["seeking"] is None, "the instant")
        found = client.get("/api/deck").json()
        assert (found["time_s"], found["end_s"], found["playing"]) == (1.25, 2.0, False)
        assert "nav: hello" in [one["text"] for one in client.get("/api/deck/events").json()]
        status = client.get("/api/status").json()
        assert (status["time_s"], status["robots"]) == (0.0, [])
    assert process.end(signal.SIGINT) == 0
    assert "Traceback" not in process.errors


@pytest.mark.parametrize(("at_s", "shown_s", "word"), [("99", 2.0, "ends"), ("-1", 0.0, "begins")])
def test_an_instant_outside_is_clamped_with_a_note(rigless_process, recording, at_s, shown_s, word):
    process = rigless_process("open", recording, "--at", at_s, "--panel", "127.0.0.1:0")
    with player(process) as client:
        process.until(lambda: client.get("/api/deck").json()["seeking"] is None, "the instant")
        assert client.get("/api/deck").json()["time_s"] == shown_s
    assert process.end() == 0
    assert f"note: the recording {word} at {shown_s:g} s; that instant is shown" in process.errors


def test_files_that_cannot_be_opened_are_refused(run_cli, recording, tmp_path):
    damaged = bytearray(recording.read_bytes())
    damaged[damaged.index(b"zstd") + 200] ^= 4
    (tmp_path / "damaged.mcap").write_bytes(damaged)
    (tmp_path / "foreign.mcap").write_text("this is not a recording")
    for name, reason in (
        ("damaged.mcap", "damaged at byte "),
        ("foreign.mcap", "this is not a readable MCAP file"),
        ("none.mcap", "there is no such recording"),
    ):
        found = run_cli("open", tmp_path / name)
        assert (found.returncode, found.stdout) == (2, "")
        assert reason in found.stderr


def test_a_time_that_is_no_time_is_refused(run_cli, recording):
    found = run_cli("open", recording, "--at", "nan")
    assert (found.returncode, found.stdout) == (2, "")
    assert "--at: nan is not a time" in found.stderr
