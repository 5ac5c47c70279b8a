"""Teaching: poses recorded where the robot stands."""

from rigless.robots.agv import messages as m

from .scene import Scene


def test_a_session_gives_back_its_points():
    scene = Scene().run(0.1)
    scene.send(m.TeachStart(sessionId="s1", name="dock"))
    scene.send(m.TeachRecord(sessionId="s1", actions=[{"type": "GRIP"}]))
    scene.command("MOVE", x=1.0, y=0.0)
    scene.run(4)
    scene.send(m.TeachRecord(sessionId="s1", pointId="end"))
    assert [
        (point.pointId, point.index, point.pose.x) for point in scene.published("teach.point")
    ] == [
        ("p1", 0, 0.0),
        ("end", 1, 1.0),
    ]
    scene.send(m.TeachStop(sessionId="s1"))
    result = scene.last("teach.result")
    assert (result.status, result.points) == ("DONE", scene.published("teach.point"))
    scene.send(m.TeachStop(sessionId="s1"))
    assert scene.last("teach.result").status == "REJECTED"


def test_a_session_needs_no_name():
    scene = Scene().run(0.1)
    scene.send(m.TeachStart()).send(m.TeachRecord()).send(m.TeachStop())
    assert [point.sessionId for point in scene.published("teach.point")] == ["teach"]
    assert [(result.sessionId, result.status) for result in scene.published("teach.result")] == [
        ("teach", "DONE")
    ]
    scene.send(m.TeachStop())
    assert scene.last("teach.result").status == "REJECTED"


def test_one_session_at_a_time():
    scene = Scene().run(0.1)
    scene.send(m.TeachStart(sessionId="s1")).send(m.TeachStart(sessionId="s2"))
    assert (scene.last("teach.result").sessionId, scene.last("teach.result").status) == (
        "s2",
        "REJECTED",
    )
    scene.send(m.TeachRecord(sessionId="s2"))
    assert scene.published("teach.point") == []
    scene.send(m.TeachStop(sessionId="s1", cancel=True))
    assert (scene.last("teach.result").sessionId, scene.last("teach.result").status) == (
        "s1",
        "CANCELLED",
    )
    scene.send(m.TeachStart(sessionId="s2")).send(m.TeachRecord(sessionId="s2"))
    assert scene.last("teach.point").sessionId == "s2"


def test_a_result_fits_into_one_message():
    scene = Scene().run(0.1)
    scene.send(m.TeachStart(sessionId="s1"))
    for _ in range(5):
        scene.send(m.TeachRecord(sessionId="s1", actions=[{"type": "x" * 20_000}]))
    assert len(scene.published("teach.point")) == 2
    assert "bytes" in scene.last("teach.result").message


def test_a_robot_without_the_module_neither_listens_nor_speaks():
    scene = Scene(capabilities={"supportedModules": {"teach": False}}).run(0.1)
    scene.send(m.TeachStart(sessionId="s1")).send(m.TeachRecord(sessionId="s1")).send(
        m.TeachStop(sessionId="s1")
    )
    scene.run(2)
    assert not [envelope for envelope in scene.received if envelope.type.startswith("teach.")]
    assert sum(event.data.get("count", 1) for event in scene.events("NOT_SUPPORTED")) == 3


def test_what_is_told_late_is_refused():
    scene = Scene().run(1.0)
    scene.send(m.TeachStart(sessionId="s", ageS=30.0))
    assert (scene.last("teach.result").status, scene.robot.state.teach.session) == ("REJECTED", "")
    scene.run(20.0)
    scene.send(m.TeachStart(sessionId="s", ageS=10.0))  # of this boot
    scene.send(m.TeachRecord(ageS=10.0))
    assert "10.0 s late" in scene.last("teach.result").message
    assert scene.published("teach.point") == []
    scene.send(m.TeachRecord(ageS=0.5))
    scene.send(m.TeachStop())
    assert (scene.last("teach.result").status, len(scene.last("teach.result").points)) == (
        "DONE",
        1,
    )
