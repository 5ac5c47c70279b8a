"""Faults are chosen, injected, listed and cleared; errors are shown in the server's words."""

from playwright.sync_api import expect


def choose(panel, target, kind, **params):
    panel.field("Duration in seconds; empty: until cleared").fill("")
    panel.field("Target of the fault").select_option(target)
    panel.field("Kind of fault").select_option(kind)
    for name, value in params.items():
        field = panel.field(name)
        field.select_option(value) if isinstance(value, str) else field.fill(str(value))


def only(panel):
    return panel.until(
        lambda: len(found := panel.server.faults()) == 1 and found[0], "not one fault"
    )


def test_a_fault_is_injected_with_its_parameters_listed_and_cleared(vacuum):
    choose(vacuum, "gyro", "bias", value=250)
    vacuum.button("Inject the fault").click()
    found = only(vacuum)
    assert (found["target"], found["kind"], found["params"], found["until_ns"]) == (
        "gyro",
        "bias",
        {"value": 250},
        None,
    )
    expect(vacuum.card("Faults")).to_contain_text("1 active")
    expect(vacuum.card("Faults").locator(".fault")).to_contain_text("gyro bias value 250")
    expect(vacuum.page.locator("nav a")).to_have_attribute("data-health", "bad")
    vacuum.until(lambda: abs(vacuum.measure("gyro_x")) > 150, "the picture does not show it")
    vacuum.button("Clear gyro").click()
    vacuum.until(lambda: vacuum.server.faults() == [], "it is still there")
    expect(vacuum.card("Faults").locator(".fault")).to_have_count(0)
    expect(vacuum.page.locator("nav a")).to_have_attribute("data-health", "ok")


def test_a_fault_with_a_duration_goes_by_itself(vacuum):
    vacuum.stand_still()
    choose(vacuum, "bumper_left", "wrong", value=1)
    vacuum.field("Duration in seconds; empty: until cleared").fill("0.4")
    vacuum.button("Inject the fault").click()
    only(vacuum)
    vacuum.step(0.3)
    expect(vacuum.lamp("Bumper left", True)).to_be_visible()
    vacuum.step(0.3)
    expect(vacuum.lamp("Bumper left", False)).to_be_visible()
    assert vacuum.server.faults() == []


def test_wire_faults_have_choices(vacuum):
    choose(vacuum, "commands", "delay", ms=20, jitter_ms=5, direction="in")
    vacuum.button("Inject the fault").click()
    assert only(vacuum)["params"] == {"ms": 20, "jitter_ms": 5, "direction": "in"}


def test_several_faults_are_cleared_at_once(vacuum):
    for target in ("wheel_left", "wheel_right"):
        choose(vacuum, target, "stall")
        vacuum.button("Inject the fault").click()
        expect(vacuum.card("Faults").locator(".fault", has_text=target)).to_be_visible()
    assert len(vacuum.server.faults()) == 2
    vacuum.button("Clear all faults").click()
    vacuum.until(lambda: vacuum.server.faults() == [], "some are still there")


def test_a_refusal_is_shown_as_a_sentence(vacuum):
    vacuum.window.expected.append("status of 422")
    choose(vacuum, "gyro", "dropout", probability=7)
    vacuum.button("Inject the fault").click()
    assert "between 0 and 1" in vacuum.notice("7 is out of range")
    assert vacuum.server.faults() == []


def test_parameters_of_one_kind_of_fault_are_not_used_for_another(vacuum):
    choose(vacuum, "gyro", "dropout", probability=0.25)
    choose(vacuum, "commands", "drop")
    expect(vacuum.field("probability")).to_have_value("1")
