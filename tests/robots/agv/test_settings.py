"""Settings: what can be changed while the robot runs, what is refused, and what is left of it after a restart."""

import pytest

from rigless.robots.agv import messages as m

from .scene import Scene


def desire(scene, version, settings, **more):
    scene.send(m.SettingsDesired(version=version, settings=settings, **more))
    return scene.last("settings.reported")


def test_the_settings_are_told_at_boot():
    scene = Scene().run(0.05)
    (report,) = scene.said("settings.reported")
    assert (report.desiredVersion, report.rejected, report.restartRequired) == (0, [], [])
    assert report.effective["streams.stateHz"] == 10.0
    assert report.effective["motors.gripper.limits.maxSpeed.value"] == 50.0


def test_rates_change_while_it_runs():
    scene = Scene().run(1.0)
    report = desire(scene, 1, {"streams.stateHz": 40, "streams.heartbeatHz": 5, "streams.trafficHz": 2.5})
    assert (report.desiredVersion, report.rejected) == (1, [])
    assert report.effective["streams.stateHz"] == 40
    scene.run(0.5)
    scene.heard.clear()
    scene.run(4.0)
    assert [len(scene.said(kind)) for kind in ("state", "heartbeat", "traffic.state", "telemetry")] == [160, 20, 10, 8]
    assert (scene.last("heartbeat").settingsVersion, scene.last("heartbeat").intervalMs) == (1, 200.0)


def test_what_is_wrong_is_rejected_by_key_and_the_rest_applied():
    scene = Scene().run(0.1)
    report = desire(scene, 4, {"streams.stateHz": -1, "streams.colour": 1, "dimensions.lengthMm": 1200, "streams.telemetryHz": 8,
                               "safety.stopOnObstacle": "yes", "motors.hoist.limits.maxSpeed.value": 500,
                               "motors.ghost.limits.maxSpeed.value": 5, "runtime.tickHz": "fast"})  # fmt: skip
    assert {entry.key: entry.code for entry in report.rejected} == {
        "streams.stateHz": "INVALID_VALUE",
        "streams.colour": "UNKNOWN_KEY",
        "safety.stopOnObstacle": "INVALID_VALUE",
        "motors.hoist.limits.maxSpeed.value": "INVALID_VALUE",
        "motors.ghost.limits.maxSpeed.value": "UNKNOWN_KEY",
        "runtime.tickHz": "INVALID_VALUE",
    }
    assert all(entry.message for entry in report.rejected)
    assert report.restartRequired == ["dimensions.lengthMm"]
    assert (report.effective["streams.telemetryHz"], report.effective["streams.stateHz"]) == (8, 10.0)


def test_keys_that_are_right_only_together():
    scene = Scene().run(0.1)
    both = {"safety.obstacleStopDistanceMeters": 2.0, "safety.obstacleWarnDistanceMeters": 3.0}
    assert desire(scene, 1, {"safety.obstacleStopDistanceMeters": 2.0}).rejected
    assert desire(scene, 2, both).rejected == []
    scene.sim.set_input("agv", "obstacle_m", 1.8)
    scene.run(0.1)
    assert scene.status == "PAUSED"


def test_a_patch_adds_and_a_replacement_takes_back():
    scene = Scene().run(0.1)
    desire(scene, 1, {"streams.stateHz": 20, "streams.telemetryHz": 5})
    report = desire(scene, 2, {"streams": {"stateHz": 30}})
    assert (report.effective["streams.stateHz"], report.effective["streams.telemetryHz"]) == (30, 5)
    report = desire(scene, 3, {"streams.stateHz": 15}, mode="REPLACE")
    assert (report.effective["streams.stateHz"], report.effective["streams.telemetryHz"]) == (15, 2.0)


@pytest.mark.parametrize("version", [5, 4, -1])
def test_an_old_version_is_reported_but_not_applied(version):
    scene = Scene().run(0.1)
    desire(scene, 5, {"streams.stateHz": 20})
    before = len(scene.said("settings.reported"))
    report = desire(scene, version, {"streams.stateHz": 33})
    assert len(scene.said("settings.reported")) == before + 1
    assert (report.desiredVersion, report.effective["streams.stateHz"]) == (5, 20)


def test_a_slower_motor_drives_slower():
    scene = Scene().run(0.1)
    desire(scene, 1, {f"motors.drive_{side}.limits.maxSpeed.value": 0.3 for side in ("left", "right")})
    scene.command("MOVE", x=3.0, y=0.0)
    scene.run(3)
    assert scene.truth.velocity[0] == pytest.approx(0.3)


def test_the_policy_of_health_changes():
    scene = Scene().run(0.1)
    scene.sim.inject("agv", "nats", "disconnect")
    scene.run(0.1)
    assert scene.status == "OFFLINE"
    desire(scene, 1, {"runtime.healthPolicy.requireNatsForMotion": False})
    scene.run(0.1)
    assert scene.status == "RUNNING"


REPORTED = {"desiredVersion": 6, "effective": {"streams.stateHz": 25.0, "streams.telemetryHz": 2.0, "streams.nonsense": 3},
            "rejected": [], "restartRequired": []}  # fmt: skip


@pytest.mark.parametrize("mode", ["ROBOT_WINS", "BACKEND_WINS"])
def test_what_was_set_before_a_restart_stays(mode):
    scene = Scene(runtime={"startupPolicy": {"settingsBootstrapMode": mode}})
    scene.send(m.Recalled("settings.reported", REPORTED, "boot-0"))
    scene.run(0.1)
    report = scene.last("settings.reported")
    assert (report.desiredVersion, report.effective["streams.stateHz"]) == (6, 25.0)


@pytest.mark.parametrize(("mode", "hz"), [("ROBOT_WINS", 25.0), ("BACKEND_WINS", 50)])
@pytest.mark.parametrize("version", [6, 7])
def test_who_wins_at_boot(mode, hz, version):
    """The backend's last wish from before the boot, as the stream has kept it: a minute old in the first second."""
    scene = Scene(runtime={"startupPolicy": {"settingsBootstrapMode": mode}})
    scene.send(m.Recalled("settings.reported", REPORTED, "boot-0"))
    scene.run(0.5)
    assert desire(scene, version, {"streams.stateHz": 50}, ageS=60.0).effective["streams.stateHz"] == hz
    assert desire(scene, 8, {"streams.stateHz": 5}).effective["streams.stateHz"] == 5


def test_a_robot_without_the_module_neither_listens_nor_speaks():
    scene = Scene(capabilities={"supportedModules": {"settings": False}}).run(0.1)
    scene.send(m.SettingsDesired(version=1, settings={"streams.stateHz": 50}))
    scene.run(1.0)
    assert scene.said("settings.reported") == []
    assert scene.events("NOT_SUPPORTED")[0].source == "settings.desired"
    assert 10 <= len(scene.said("state")) <= 12


def test_settings_are_part_of_a_snapshot():
    scene = Scene().run(0.1)
    desire(scene, 1, {"streams.stateHz": 50, "motors.drive_left.limits.maxSpeed.value": 0.2})
    saved = scene.sim.snapshot()
    desire(scene, 2, {}, mode="REPLACE")
    scene.sim.restore(saved)
    scene.command("MOVE", x=2.0, y=0.0)
    scene.run(2)
    assert scene.truth.velocity[0] == pytest.approx(0.2)
    assert scene.robot.effective.streams.stateHz == 50
