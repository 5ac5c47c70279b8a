"""Virtual inputs, outputs, readouts, metrics and plots."""

from playwright.sync_api import expect


def inputs(panel, robot="arm"):
    return panel.server.robot(robot)["inputs"]


def test_a_switch_sets_its_input(arm):
    door = arm.switch("Door closed")
    expect(door).to_be_checked()
    arm.card("Virtual I/O").get_by_text("Door closed").click()
    expect(door).not_to_be_checked()
    assert inputs(arm)["door_closed"] is False
    door.press("Space")
    expect(door).to_be_checked()
    assert inputs(arm)["door_closed"] is True


def test_numbers_and_texts_are_taken_when_entered(arm):
    arm.field("Swing rate").fill("1.25")
    arm.field("Swing rate").press("Enter")
    arm.until(lambda: inputs(arm)["speed_rad_s"] == 1.25, "the number did not arrive")
    arm.field("Program").fill("weld <b>1</b>")
    arm.field("Program").press("Tab")
    arm.until(lambda: inputs(arm)["program"] == "weld <b>1</b>", "the text did not arrive")
    arm.reload()
    expect(arm.field("Swing rate")).to_have_value("1.25")
    expect(arm.field("Program")).to_have_value("weld <b>1</b>")


def test_a_text_with_choices_is_chosen_from_a_list(arm):
    gripper = arm.field("Gripper")
    expect(gripper.locator("option")).to_have_text(["open", "closed"])
    gripper.select_option("closed")
    arm.until(lambda: inputs(arm)["gripper"] == "closed", "the choice did not arrive")
    arm.reload()
    expect(arm.field("Gripper")).to_have_value("closed")
    arm.server.post("/api/robots/arm/inputs", inputs={"gripper": "open"})
    expect(arm.field("Gripper")).to_have_value("open")


def test_an_incomplete_number_is_not_taken_for_zero(arm):
    arm.field("Swing rate").fill("")
    arm.field("Swing rate").press("Tab")
    arm.running_for(0.3)
    assert inputs(arm)["speed_rad_s"] == 0.5
    expect(arm.field("Swing rate")).to_have_value("0.5")


def test_a_field_that_is_being_edited_is_left_alone(arm):
    arm.field("Program").fill("half a w")
    arm.server.post("/api/robots/arm/inputs", inputs={"program": "else"})
    arm.running_for(0.5)
    expect(arm.field("Program")).to_have_value("half a w")
    arm.page.keyboard.type("ord")
    expect(arm.field("Program")).to_have_value("half a word")


def test_a_button_is_pressed_while_it_is_held_and_the_lamp_follows(arm):
    button = arm.button("Part sensor, held while pressed")
    button.hover()
    expect(arm.lamp("Part seen", False)).to_be_visible()
    arm.page.mouse.down()
    expect(arm.lamp("Part seen", True)).to_be_visible()
    assert inputs(arm)["part_sensor"] is True
    arm.page.mouse.move(5, 5)
    arm.page.mouse.up()
    expect(arm.lamp("Part seen", False)).to_be_visible()
    assert inputs(arm)["part_sensor"] is False
    button.focus()
    arm.page.keyboard.down("Space")
    expect(arm.lamp("Part seen", True)).to_be_visible()
    arm.page.keyboard.up("Space")
    expect(arm.lamp("Part seen", False)).to_be_visible()


def test_a_tap_ends_released_whichever_request_is_quicker(arm):
    asked, held = [], []

    def hold(route):
        asked.append(route.request.post_data_json["inputs"])
        held.append(route)

    arm.page.route("**/inputs", hold)
    arm.button("Part sensor, held while pressed").click()
    arm.until(lambda: held, "it was not pressed")
    arm.running_for(0.2)  # while both could be in flight

    def overtaken():
        while held:
            held.pop().continue_()
        return len(asked) == 2

    arm.until(overtaken, "it was not let go")
    arm.page.unroute("**/inputs")
    assert asked == [{"part_sensor": True}, {"part_sensor": False}]
    arm.until(lambda: inputs(arm)["part_sensor"] is False, "it stays pressed for ever")


def test_a_held_button_is_released_when_the_page_loses_the_focus(arm):
    arm.button("Part sensor, held while pressed").focus()
    arm.page.keyboard.down("Space")
    arm.until(lambda: inputs(arm)["part_sensor"], "it was not pressed")
    arm.page.evaluate("() => window.dispatchEvent(new Event('blur'))")
    arm.until(lambda: not inputs(arm)["part_sensor"], "it stays pressed for ever")


def test_the_vacuums_buttons_are_pressed_while_held(vacuum):
    vacuum.button("Start button, held while pressed").hover()
    vacuum.page.mouse.down()
    vacuum.until(lambda: inputs(vacuum, "vacuum")["start_button"] == 1, "it was not pressed")
    vacuum.page.mouse.up()
    vacuum.until(lambda: inputs(vacuum, "vacuum")["start_button"] == 0, "it was not released")


def test_readouts_and_metrics_show_the_robots_numbers(arm):
    arm.server.post("/api/robots/arm/inputs", inputs={"speed_rad_s": 50})
    arm.step(1.0)
    angle = arm.server.truth("arm")["angle_rad"]
    expect(arm.card("Readouts")).to_contain_text(f"{angle:.3f} rad")
    expect(arm.card("Metrics")).to_contain_text(
        f"swings{arm.server.robot('arm')['metrics']['swings']}"
    )


def test_an_action_reaches_the_robot(arm):
    arm.button("Faster").click()
    arm.until(lambda: inputs(arm)["speed_rad_s"] == 1.0, "nothing was told")
    expect(arm.field("Swing rate")).to_have_value("1")


def test_plots_show_the_numbers_over_time(vacuum):
    figures = vacuum.page.locator(".plots figure")
    expect(figures).to_have_count(3)
    expect(figures.locator("canvas")).to_have_count(3)
    vacuum.step(3.0)
    vacuum.reload()
    script = "() => [rigless.frames().times, rigless.frames().values.map((v) => v.length)]"
    times, values = vacuum.page.evaluate(script)
    assert len(times) >= 10
    assert times == sorted(times)
    assert {len(times)} == set(values)
    drawn = """(c) => new Set(new Uint32Array(
      c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size"""
    vacuum.until(
        lambda: all(canvas.evaluate(drawn) > 4 for canvas in figures.locator("canvas").all()),
        "nothing is drawn",
    )


def test_plots_are_hidden_and_shown_and_their_span_is_chosen(own_vacuum):
    vacuum = own_vacuum
    span = vacuum.button("120 s: Plot the last 120 seconds")
    span.click()
    expect(span).to_have_attribute("aria-pressed", "true")
    vacuum.press_on_page("p")
    expect(vacuum.page.locator(".plots")).to_be_hidden()
    vacuum.reload()
    expect(vacuum.page.locator(".plots")).to_be_hidden()
    vacuum.button("Plots (p)").click()
    expect(vacuum.page.locator(".plots canvas")).to_have_count(3)
    expect(span).to_have_attribute("aria-pressed", "true")
