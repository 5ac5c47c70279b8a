"""Time control in the header, and the menu with simulated time."""

import re

from playwright.sync_api import expect


def test_play_pause_and_stop(vacuum):
    vacuum.button("Pause (space)").click()
    expect(vacuum.fact("state")).to_have_text("paused")
    assert vacuum.server.status()["state"] == "paused"
    expect(vacuum.button("Pause (space)")).to_have_count(0)
    vacuum.button("Play (space)").click()
    expect(vacuum.fact("state")).to_have_text("running")
    assert vacuum.server.status()["state"] == "running"
    vacuum.button("Stop: pause and finish the recording").click()
    expect(vacuum.fact("state")).to_have_text("stopped")
    assert vacuum.server.status()["state"] == "stopped"


def test_space_plays_and_pauses_but_not_while_a_field_has_the_keys(vacuum):
    vacuum.press_on_page("Space")
    expect(vacuum.fact("state")).to_have_text("paused")
    vacuum.field("Name of the snapshot").press("Space")
    vacuum.field("Step size in milliseconds").press(".")
    assert vacuum.server.status()["state"] == "paused"
    vacuum.press_on_page("Space")
    expect(vacuum.fact("state")).to_have_text("running")


def test_space_plays_and_pauses_after_a_click_on_a_button(vacuum):
    vacuum.button("Plots (p)").click()
    vacuum.page.keyboard.press("Space")
    expect(vacuum.fact("state")).to_have_text("paused")
    vacuum.button("Plots (p)").focus()  # as by the tab key
    vacuum.page.keyboard.press("Space")
    assert vacuum.server.status()["state"] == "paused"
    expect(vacuum.button("Plots (p)")).to_have_attribute("aria-pressed", "true")


def test_a_menu_is_closed_by_escape_and_by_another_page(vacuum):
    menu = vacuum.page.get_by_role("dialog", name="Recordings and snapshots")
    opener = vacuum.page.get_by_role("button", name="Recordings and snapshots")
    opener.click()
    expect(menu).to_be_visible()
    vacuum.page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    opener.click()
    expect(menu).to_be_visible()
    here = vacuum.page.url
    vacuum.page.evaluate("location.hash = '#/'")
    expect(menu).to_be_hidden()
    vacuum.page.goto(here)


def test_a_step_is_as_long_as_asked_for_by_button_and_by_key(vacuum):
    begin_s = vacuum.pause()["time_s"]
    vacuum.button("Step 10 ms (.)").click()
    vacuum.until(
        lambda: abs(vacuum.server.status()["time_s"] - begin_s - 0.01) < 1e-9, "no step by button"
    )
    vacuum.press_on_page(".")
    vacuum.until(
        lambda: abs(vacuum.server.status()["time_s"] - begin_s - 0.02) < 1e-9, "no step by key"
    )
    vacuum.field("Step size in milliseconds").fill("250")
    vacuum.field("Step size in milliseconds").press("Enter")
    vacuum.button("Step 250 ms (.)").click()
    vacuum.until(
        lambda: abs(vacuum.server.status()["time_s"] - begin_s - 0.27) < 1e-9, "no long step"
    )
    expect(vacuum.fact("time")).to_have_text(f"{vacuum.server.status()['time_s']:.2f} s")


def test_a_step_pauses_what_runs(vacuum):
    vacuum.press_on_page(".")
    expect(vacuum.fact("state")).to_have_text("paused")


def test_a_reset_asks_first_and_can_be_called_off(vacuum):
    vacuum.running_for(0.3)
    before_s = vacuum.pause()["time_s"]
    vacuum.button("Reset to time zero (r)").click()
    dialog = vacuum.page.get_by_role("dialog", name="Reset the simulation?")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Keep").click()
    expect(dialog).to_be_hidden()
    vacuum.press_on_page("r")
    expect(dialog).to_be_visible()
    vacuum.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert vacuum.server.status()["time_s"] == before_s
    vacuum.press_on_page("r")
    dialog.get_by_role("button", name="Reset", exact=True).click()
    expect(vacuum.fact("time")).to_have_text("0.00 s")
    assert vacuum.server.status()["time_s"] == 0


def test_a_recording_goes_on_in_a_new_file_after_a_reset(vacuum):
    vacuum.button("Start a recording").click()
    first = vacuum.until(lambda: vacuum.server.status()["recording"], "not recording")
    vacuum.press_on_page("r")
    vacuum.page.get_by_role("button", name="Reset", exact=True).click()
    second = vacuum.until(
        lambda: (now := vacuum.server.status()["recording"]) != first and now, "no second file"
    )
    expect(vacuum.card("Recording")).to_contain_text(second.rsplit("/", 1)[-1])
    vacuum.button("Stop the recording").click()
    vacuum.until(lambda: vacuum.server.status()["recording"] is None, "it goes on")


def test_the_speed_slider_is_logarithmic_from_a_tenth_to_ten(vacuum):
    slider = vacuum.page.get_by_role("slider", name=re.compile("^Speed"))
    down = [("PageDown", round(10**share, 3)) for share in (0.8, 0.6, 0.4, 0.2)]
    for key, speed in (("Home", 0.1), ("End", 10), *down, ("PageDown", 1.0)):
        slider.press(key)
        shown = f"{speed:.2f}×" if speed < 1 else f"{speed:.1f}×"
        expect(vacuum.card("Time control").locator("output")).to_have_text(shown)
        vacuum.until(
            lambda wanted=speed: vacuum.server.status()["speed"] == wanted, f"not {speed}×"
        )


def test_the_slider_dragged_to_the_middle_is_real_time(vacuum):
    vacuum.server.post("/api/speed", speed=5)
    slider = vacuum.page.get_by_role("slider", name=re.compile("^Speed"))
    expect(vacuum.card("Time control").locator("output")).to_have_text("5.0×")
    box = slider.bounding_box()
    vacuum.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    vacuum.until(lambda: vacuum.server.status()["speed"] == 1, "not real time")


def test_as_fast_as_possible_and_back(vacuum):
    vacuum.button("As fast as possible").click()
    vacuum.until(lambda: vacuum.server.status()["pace"] == "fast", "not fast")
    expect(vacuum.card("Time control").locator("output")).to_have_text("max")
    vacuum.button("As fast as possible").click()
    vacuum.until(lambda: vacuum.server.status()["pace"] == "real", "still fast")


def test_simulated_time_real_time_and_their_ratio_are_shown(vacuum):
    now = vacuum.pause()
    expect(vacuum.fact("time")).to_have_text(f"{now['time_s']:.2f} s")
    expect(vacuum.card("Simulation time").locator(".big")).to_have_text(f"{now['time_s']:.2f} s")
    expect(vacuum.card("Simulation time")).to_contain_text(
        f"Real {vacuum.server.status()['wall_s']:.2f} s"
    )
    expect(vacuum.card("Simulation time")).to_contain_text("seed 7")
    expect(vacuum.fact("factor")).to_have_text("0.00×")
    vacuum.button("Play (space)").click()
    expect(vacuum.fact("factor")).not_to_have_text("0.00×")
