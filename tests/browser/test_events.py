"""Events are listed newest first, actions reach the robot, and lidar data are drawn."""

import math

from playwright.sync_api import expect


def texts(panel):
    return panel.card("Events").locator("li span").all_inner_texts()


def test_events_are_listed_newest_first_and_survive_a_reload(vacuum):
    vacuum.stand_still()  # on a busy machine there would be an event about lost time
    vacuum.button("Lidar on").click()
    expect(vacuum.card("Events").locator("li").first).to_contain_text("lidar")
    vacuum.step(0.25)
    vacuum.button("Suction on").click()
    expect(vacuum.card("Events").locator("li").first).to_contain_text("vacuum")
    wanted = [event["text"] for event in vacuum.server.get("/api/events")][::-1]
    vacuum.until(lambda: texts(vacuum) == wanted, "another list")
    times = [float(text) for text in vacuum.card("Events").locator("time").all_inner_texts()]
    assert times == sorted(times, reverse=True)
    vacuum.reload()
    vacuum.until(lambda: texts(vacuum) == wanted, "another list after a reload")


def test_events_can_be_limited_to_the_abnormal(vacuum):
    vacuum.stand_still()
    vacuum.button("Lidar on").click()
    expect(vacuum.card("Events")).to_contain_text("lidar")
    vacuum.field("Filter of events").select_option("abnormal")
    expect(vacuum.card("Events").locator("li")).to_have_text(["nothing yet"])
    vacuum.server.post("/api/faults", robot="vacuum", target="commands", kind="disconnect")
    abnormal = ("warning", "error", "critical")
    wanted = [
        event["text"] for event in vacuum.server.get("/api/events") if event["severity"] in abnormal
    ]
    vacuum.until(lambda: texts(vacuum) == wanted[::-1], f"not {wanted}")
    vacuum.field("Filter of events").select_option("all")
    vacuum.until(lambda: len(texts(vacuum)) > len(wanted), "the others do not come back")


def test_events_of_a_past_that_was_reset_are_gone(vacuum):
    vacuum.button("Lidar on").click()
    expect(vacuum.card("Events")).to_contain_text("lidar")
    vacuum.server.post("/api/reset")
    expect(vacuum.card("Events")).not_to_contain_text("lidar")


def test_an_event_that_comes_while_the_list_is_on_its_way_is_listed_once(vacuum):
    vacuum.stand_still()
    answers = []
    vacuum.page.route(
        "**/api/events*", lambda route: answers.append((route, route.fetch())), times=1
    )
    vacuum.server.post("/api/reset")  # the list is loaded again
    vacuum.until(lambda: answers, "nobody asks")
    vacuum.button("Lidar on").click()
    expect(vacuum.card("Events")).to_contain_text("lidar")
    wanted = [event["text"] for event in vacuum.server.get("/api/events")][::-1]
    with vacuum.page.expect_event("requestfinished", lambda request: "/api/events" in request.url):
        for route, answer in answers:
            route.fulfill(response=answer)
    vacuum.wait_layout()
    assert texts(vacuum) == wanted


def test_lidar_on_lights_its_lamp_and_draws_where_its_beams_end(vacuum):
    expect(vacuum.lamp("Lidar on", False)).to_be_visible()
    assert vacuum.rows("points") == []
    vacuum.button("Lidar on").click()
    expect(vacuum.lamp("Lidar on", True)).to_be_visible()
    vacuum.until(lambda: vacuum.rows("points"), "no points are drawn")
    vacuum.step(0.5)
    truth = vacuum.server.truth()
    assert truth["lidar_on"] is True
    points, beams = (pairs(vacuum.rows(name)) for name in ("points", "beams"))
    ends = [end for _, end in zip(beams[::2], beams[1::2], strict=True)]
    ranges = [math.dist(a, b) for a, b in zip(beams[::2], beams[1::2], strict=True)]
    assert len(ranges) == len(truth["ranges"]) > 100
    limit = max(ranges)
    assert all(
        abs(drawn - min(true, limit)) < 1e-3
        for drawn, true in zip(ranges, truth["ranges"], strict=True)
    )
    assert max(min(math.dist(point, end) for end in ends) for point in points) < 0.15
    vacuum.server.post("/api/resume")
    vacuum.button("Lidar off").click()
    expect(vacuum.lamp("Lidar on", False)).to_be_visible()
    vacuum.until(lambda: vacuum.rows("points") == [], "points stay")


def pairs(values):
    return list(zip(values[::2], values[1::2], strict=True))
