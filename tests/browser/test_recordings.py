"""Recordings are made, verified, opened in the player and shown at any time; snapshots."""

import json
import math
from pathlib import Path

import pytest
from mcap.reader import make_reader
from playwright.sync_api import expect

CURVE = {
    "type": "Control",
    "id": "drive",
    "action": "configure",
    "config": {"linear": 0.25, "angular": 0.6},
}

PIXEL = """(x) => {
  const canvas = document.querySelector(".timeline-canvas");
  const ratio = canvas.width / canvas.clientWidth;
  const pen = canvas.getContext("2d");
  return [...pen.getImageData(Math.round(x * ratio), Math.round(6 * ratio), 1, 1).data].join(); }"""


@pytest.fixture(scope="module")
def tape(vacuum_server):
    """A recording of a robot that drives a curve and whose gyro sticks at the end."""
    server = vacuum_server.reset_and_run()
    server.post("/api/recording")
    server.post("/api/robots/vacuum/messages", port="commands", message=CURVE)
    server.post("/api/step", ms=3000)
    server.post("/api/faults", robot="vacuum", target="gyro", kind="stuck")
    server.post("/api/step", ms=500)
    return Path(server.delete("/api/recording")["file"])


@pytest.fixture
def played(vacuum, tape):
    """The panel with that recording in its player."""
    choose(vacuum, tape)
    expect(vacuum.page.locator(".badge")).to_have_text("Recording")
    vacuum.until(lambda: vacuum.count(), "no picture of the recording")
    return vacuum


def choose(panel, path):
    files = panel.field("Recordings")
    files.blur()
    files.focus()  # which loads the list again
    expect(files.locator("option", has_text=path.name)).to_have_count(1)
    files.select_option(str(path))


def deck(panel):
    return panel.server.get("/api/deck")


def settle(panel, time_s):
    panel.until(
        lambda: abs(deck(panel)["time_s"] - time_s) < 1e-6 and deck(panel)["seeking"] is None,
        f"not at {time_s}",
    )
    panel.until(lambda: abs(panel.time_s() - time_s) < 1e-6, "the picture is of another time")


def test_a_recording_by_the_panel_replays_byte_for_byte(vacuum, rigless_command):
    vacuum.button("Start a recording").click()
    expect(vacuum.card("Recording").locator(".tag")).to_have_text("rec")
    path = Path(vacuum.server.status()["recording"])
    assert path.parent == vacuum.server.folder
    vacuum.server.post("/api/robots/vacuum/messages", port="commands", message=CURVE)
    vacuum.button("Lidar on").click()
    vacuum.running_for(0.5)
    vacuum.button("Stop the recording").click()
    vacuum.notice(f"recorded {path}")
    assert vacuum.server.status()["recording"] is None
    done = rigless_command("replay", path, "--verify")
    assert done.returncode == 0, done.stdout + done.stderr


def test_seeking_shows_the_robot_where_it_was(played, tape):
    panel = played
    begin_s, end_s = deck(panel)["begin_s"], deck(panel)["end_s"]
    poses = {}
    for share in (0.8, 0.3):
        wanted_s = begin_s + (end_s - begin_s) * share
        slider = panel.field("Position in the recording")
        slider.evaluate(
            "(input, at) => { input.value = at; input.dispatchEvent(new Event('input')); }",
            str(wanted_s),
        )
        panel.until(
            lambda wanted_s=wanted_s: abs(deck(panel)["time_s"] - wanted_s) < 0.05,
            "it does not go there",
        )
        settle(panel, deck(panel)["time_s"])
        poses[deck(panel)["time_s"]] = panel.rows("body")[:3]
        expect(panel.fact("time")).to_have_text(f"{deck(panel)['time_s']:.2f} s")
    recorded = truths(tape)
    for time_s, pose in poses.items():
        before = max(at for at in recorded if at <= time_s + 1e-9)
        after = min(at for at in recorded if at >= time_s - 1e-9)
        room = math.dist(recorded[before][:2], recorded[after][:2]) + 1e-4
        assert math.dist(pose[:2], recorded[before][:2]) <= room


def truths(path):
    """Return the poses of the robot by time from its recording."""
    with path.open("rb") as stream:
        found = list(make_reader(stream).iter_messages())
    return {
        item.log_time / 1e9: json.loads(item.data)["pose"]
        for _, channel, item in found
        if "truth" in channel.topic
    }


def test_steps_go_on_and_back(played):
    panel = played
    begin_s = deck(panel)["time_s"]
    for press, after_s in (
        ("Step forward 0.1 s (.)", 0.1),
        ("Step forward 0.1 s (.)", 0.2),
        ("Step back 0.1 s (,)", 0.1),
    ):
        panel.button(press).click()
        settle(panel, begin_s + after_s)
    panel.press_on_page(".")
    settle(panel, begin_s + 0.2)
    panel.press_on_page(",", ",")
    settle(panel, begin_s)


def test_it_plays_to_the_end_while_the_live_simulation_goes_on(played):
    panel = played
    live_s = panel.server.status()["time_s"]
    panel.field("Playing speed").select_option("5")
    panel.press_on_page("Space")
    panel.until(
        lambda: deck(panel)["playing"] or deck(panel)["time_s"] >= deck(panel)["end_s"],
        "it does not play",
    )
    panel.until(lambda: not deck(panel)["playing"], "it does not end")
    settle(panel, deck(panel)["end_s"])
    assert panel.server.status()["time_s"] > live_s
    expect(panel.button("Play the recording (space)")).to_be_visible()


def test_marks_and_events_are_those_of_the_recording(played):
    panel = played
    wanted = [event["text"] for event in panel.server.get("/api/deck/events")][::-1]
    panel.until(
        lambda: panel.card("Events").locator("li span").all_inner_texts() == wanted[:200],
        "other events",
    )
    panel.server.post("/api/robots/vacuum/actions", name="vacuum on")
    panel.running_for(0.3)
    assert panel.card("Events").locator("li span").all_inner_texts() == wanted[:200]
    events = panel.server.get("/api/deck/events")
    odd = [one for one in events if one["severity"] == "warning"]
    legend = panel.page.get_by_label("Marks on the timeline")
    for mark in ("1 fault", f"{len(odd)} warning", "message received", "messages sent"):
        expect(legend).to_contain_text(mark)
    overview = panel.server.get("/api/deck/overview")
    assert [(one["target"], one["end_s"]) for one in overview["faults"]] == [("gyro", None)]
    assert sum(overview["counts"]["warnings"]) == len(odd)


def test_the_timeline_shows_what_is_under_the_pointer(played):
    panel = played
    fault = panel.server.get("/api/deck/overview")["faults"][0]
    deck_now = deck(panel)
    share = (fault["begin_s"] - deck_now["begin_s"]) / (deck_now["end_s"] - deck_now["begin_s"])
    box = panel.page.locator(".timeline-body").bounding_box()
    at_x = 8 + share * (box["width"] - 16)  # the canvas has the geometry of the slider over it
    panel.page.mouse.move(box["x"] + at_x + 2, box["y"] + 10)
    expect(panel.page.locator(".timeline-tip")).to_contain_text("gyro stuck")
    assert panel.page.evaluate(PIXEL, at_x + 3) != panel.page.evaluate(PIXEL, at_x - 6)
    panel.page.mouse.click(box["x"] + at_x, box["y"] + 10)
    panel.until(lambda: abs(deck(panel)["time_s"] - fault["begin_s"]) < 0.02, "not there")
    panel.page.mouse.move(5, 5)
    expect(panel.page.locator(".timeline-tip")).to_have_count(0)


def test_nothing_live_can_be_done_to_a_recording(played):
    panel = played
    expect(panel.switch("Dust box in place")).to_be_disabled()
    for title in ("Time control", "Commands", "Drive", "Snapshots"):
        expect(panel.card(title)).to_have_count(0)


def test_back_to_live_and_to_the_recording_and_out(played):
    panel = played
    panel.button("Show the live simulation").click()
    expect(panel.page.locator(".badge")).to_have_text("Simulation mode")
    expect(panel.card("Time control")).to_be_visible()
    panel.button("Show the recording").click()
    expect(panel.page.locator(".badge")).to_have_text("Recording")
    panel.button("Close the recording").click()
    expect(panel.page.locator(".badge")).to_have_text("Simulation mode")
    gone = panel.page.get_by_role("button", name="Show the recording", exact=True)
    expect(gone).to_have_count(0)
    assert deck(panel)["file"] is None


def test_a_file_that_is_no_recording_is_refused_in_a_sentence(vacuum):
    name = "<img src=x onerror=hacked=1>.mcap"
    (vacuum.server.folder / name).write_bytes(b"not a recording")
    vacuum.window.expected.append("status of 422")
    choose(vacuum, vacuum.server.folder / name)
    vacuum.notice(name)
    expect(vacuum.page.locator(".badge")).to_have_text("Simulation mode")
    (vacuum.server.folder / name).unlink()


def test_a_snapshot_is_taken_listed_and_gone_back_to(vacuum):
    vacuum.running_for(0.2)
    then_s = vacuum.pause()["time_s"]
    vacuum.field("Name of the snapshot").fill("before the fall")
    vacuum.field("Name of the snapshot").press("Enter")
    expect(vacuum.card("Snapshots")).to_contain_text("before the fall")
    expect(vacuum.field("Name of the snapshot")).to_have_value("")
    count = len(vacuum.server.get("/api/snapshots"))
    vacuum.button("Take a snapshot").click()
    expect(vacuum.card("Snapshots").locator(".fault")).to_have_count(count + 1)
    vacuum.server.post("/api/resume")
    vacuum.running_for(0.3)
    vacuum.server.post("/api/pause")
    vacuum.button("Restore before the fall").click()
    vacuum.until(lambda: vacuum.server.status()["time_s"] == then_s, "it does not go back")
    expect(vacuum.fact("time")).to_have_text(f"{then_s:.2f} s")


def test_a_name_that_no_snapshot_can_have_is_refused_before_it_is_sent(vacuum):
    before = vacuum.server.get("/api/snapshots")
    vacuum.field("Name of the snapshot").fill("<b>x</b>")
    vacuum.button("Take a snapshot").click()
    assert vacuum.field("Name of the snapshot").evaluate(
        "(input) => input.validity.patternMismatch"
    )
    assert vacuum.server.get("/api/snapshots") == before


def test_plots_have_the_marks_of_the_whole_recording_and_its_time(played):
    panel = played
    panel.page.evaluate("() => (location.hash = '#/robot/vacuum/plots')")
    expect(panel.page.locator(".plots-tab .chart").first).to_be_visible()
    overview = panel.server.get("/api/deck/overview")
    marks = panel.server.get("/api/signals/marks?stage=recording")
    assert marks["faults"] == overview["faults"]
    assert [one["code"] for one in marks["events"]] == []  # the fault's own event is its band
    expect(panel.page.get_by_label("Reading the recording")).to_have_count(0)
    newest = panel.page.locator(".cursor-host caption b")
    panel.until(  # samples are a tenth of a second apart
        lambda: overview["end_s"] - float(newest.inner_text().split()[0]) < 0.2,
        "it is not read to its end",
    )
    panel.page.evaluate("() => (location.hash = '#/')")


def test_on_a_phone_the_player_stays_above_the_emergency_stop(played):
    before, page = played.page.viewport_size, played.page
    played.resize({"width": 390, "height": 844})
    player = page.get_by_role("region", name="Recording player")
    stop = played.button("E-STOP").bounding_box()
    shell = page.locator(".shell")
    for place in (0, 150):
        shell.evaluate("(one, place) => one.scrollTo(0, place)", place)
        expect(player.get_by_role("button", name="Close the recording")).to_be_in_viewport()
        box = player.bounding_box()
        assert box["y"] + box["height"] <= stop["y"] + 1, "the emergency stop covers it"
        assert box["y"] > 844 / 2, "it covers the map"
    boxes = [
        page.locator(f"header > .bar > {name}").bounding_box()
        for name in (".clock", ".connection", ".segments")
    ]
    middles = [box["y"] + box["height"] / 2 for box in boxes]
    assert max(middles) - min(middles) < 10, "the header has more than one row"
    played.resize(before)
