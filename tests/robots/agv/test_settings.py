"""Settings: changes at run time, rejections, and settings after a restart."""

import msgspec
import pytest

from rigless.robots.agv import Robot
from rigless.robots.agv import messages as m
from rigless.robots.agv.config import RobotConfig, own
from rigless.robots.agv.wire import Envelope
from rigless.scenario.requirements import missing

from .configs import changed
from .scene import Scene


def desire(scene, version, settings, **more):
    scene.send(m.SettingsDesired(version=version, settings=settings, **more))
    return scene.last("settings.reported")


def test_the_settings_are_told_at_boot():
    scene = Scene().run(0.05)
    (report,) = scene.published("settings.reported")
    assert (report.desiredVersion, report.rejected, report.restartRequired) == (0, [], [])
    assert report.effective["streams.stateHz"] == 10.0
    assert report.effective["motors.gripper.limits.maxSpeed.value"] == 50.0


def test_rates_change_while_it_runs():
    scene = Scene().run(1.0)
    report = desire(
        scene, 1, {"streams.stateHz": 40, "streams.heartbeatHz": 5, "streams.trafficHz": 2.5}
    )
    assert (report.desiredVersion, report.rejected) == (1, [])
    assert report.effective["streams.stateHz"] == 40
    scene.run(0.5)
    scene.received.clear()
    scene.run(4.0)
    assert [
        len(scene.published(kind)) for kind in ("state", "heartbeat", "traffic.state", "telemetry")
    ] == [160, 20, 10, 8]
    assert (scene.last("heartbeat").settingsVersion, scene.last("heartbeat").intervalMs) == (1, 200)


def test_what_is_wrong_is_rejected_by_key_and_the_rest_applied():
    scene = Scene().run(0.1)
    report = desire(
        scene,
        4,
        {
            "streams.stateHz": -1,
            "streams.colour": 1,
            "dimensions.lengthMm": 1200,
            "identity.model": "x2",
            "streams.telemetryHz": 8,
            "runtime.healthPolicy.allowDriveInWarning": "yes",
            "motors.hoist.limits.maxSpeed.value": 500,
            "motors.ghost.limits.maxSpeed.value": 5,
            "runtime.tickHz": "fast",
        },
    )
    assert {entry.key: entry.code for entry in report.rejected} == {
        "streams.stateHz": "INVALID_VALUE",
        "streams.colour": "UNKNOWN_KEY",
        "dimensions.lengthMm": "NOT_ALLOWED",
        "runtime.healthPolicy.allowDriveInWarning": "INVALID_VALUE",
        "motors.hoist.limits.maxSpeed.value": "INVALID_VALUE",
        "motors.ghost.limits.maxSpeed.value": "UNKNOWN_KEY",
        "runtime.tickHz": "INVALID_VALUE",
    }
    assert all(entry.message for entry in report.rejected)
    assert report.restartRequired == ["identity.model"]
    assert (report.effective["streams.telemetryHz"], report.effective["streams.stateHz"]) == (
        8,
        10.0,
    )


def test_a_patch_adds_and_a_replacement_takes_back():
    scene = Scene().run(0.1)
    desire(scene, 1, {"streams.stateHz": 20, "streams.telemetryHz": 5})
    report = desire(scene, 2, {"streams": {"stateHz": 30}})
    assert (report.effective["streams.stateHz"], report.effective["streams.telemetryHz"]) == (30, 5)
    report = desire(scene, 3, {"streams.stateHz": 15}, mode="REPLACE")
    assert (report.effective["streams.stateHz"], report.effective["streams.telemetryHz"]) == (
        15,
        2.0,
    )


@pytest.mark.parametrize("version", [5, 4, -1])
def test_an_old_version_is_reported_but_not_applied(version):
    scene = Scene().run(0.1)
    desire(scene, 5, {"streams.stateHz": 20})
    before = len(scene.published("settings.reported"))
    report = desire(scene, version, {"streams.stateHz": 33})
    assert len(scene.published("settings.reported")) == before + 1
    assert (report.desiredVersion, report.effective["streams.stateHz"]) == (5, 20)


def test_a_slower_motor_drives_slower():
    scene = Scene().run(0.1)
    desire(
        scene, 1, {f"motors.drive_{side}.limits.maxSpeed.value": 0.3 for side in ("left", "right")}
    )
    scene.command("MOVE", x=3.0, y=0.0)
    scene.run(3)
    assert scene.truth.velocity[0] == pytest.approx(0.3)


def test_the_policy_of_health_changes():
    scene = Scene().run(0.1)
    scene.sim.inject("agv", "gripper", "error")
    name = scene.command("MOVE", x=1.0, y=0.0)
    desire(scene, 1, {"runtime.healthPolicy.allowDriveInWarning": False})
    scene.run(4.0)
    assert (scene.status, scene.truth.driving, scene.ack(name).status) == (
        "WARNING",
        False,
        "RUNNING",
    )
    desire(scene, 2, {"runtime.healthPolicy.allowDriveInWarning": True})
    scene.run(4.0)
    assert scene.ack(name).status == "SUCCEEDED"


REPORTED = {
    "desiredVersion": 6,
    "effective": {"streams.stateHz": 25.0, "streams.telemetryHz": 9.0},
    "rejected": [],
    "restartRequired": [],
    "desired": {"streams.stateHz": 25.0, "streams.nonsense": 3},
}


@pytest.mark.parametrize("mode", ["ROBOT_WINS", "BACKEND_WINS"])
def test_what_was_set_before_a_restart_stays(mode):
    scene = Scene(runtime={"startupPolicy": {"settingsBootstrapMode": mode}})
    scene.send(m.Recalled("settings.reported", REPORTED, "boot-0"))
    scene.run(0.1)
    report = scene.last("settings.reported")
    assert (report.desiredVersion, report.effective["streams.stateHz"]) == (6, 25.0)
    assert report.effective["streams.telemetryHz"] == 2.0, (
        "nobody wished for it: the file may have another value by now"
    )


@pytest.mark.parametrize(("mode", "hz"), [("ROBOT_WINS", 25.0), ("BACKEND_WINS", 50)])
@pytest.mark.parametrize("version", [6, 7])
def test_who_wins_at_boot(mode, hz, version):
    """The backend's last settings from before the boot, redelivered by the stream."""
    scene = Scene(runtime={"startupPolicy": {"settingsBootstrapMode": mode}})
    scene.send(m.Recalled("settings.reported", REPORTED, "boot-0"))
    scene.run(0.5)
    assert (
        desire(scene, version, {"streams.stateHz": 50}, ageS=60.0).effective["streams.stateHz"]
        == hz
    )
    assert desire(scene, 8, {"streams.stateHz": 5}).effective["streams.stateHz"] == 5


def test_a_robot_without_the_module_neither_listens_nor_speaks():
    scene = Scene(capabilities={"supportedModules": {"settings": False}}).run(0.1)
    scene.send(m.SettingsDesired(version=1, settings={"streams.stateHz": 50}))
    scene.run(1.0)
    assert scene.published("settings.reported") == []
    assert scene.events("NOT_SUPPORTED")[0].source == "settings.desired"
    assert 10 <= len(scene.published("state")) <= 12


def test_settings_are_part_of_a_snapshot():
    scene = Scene().run(0.1)
    desire(scene, 1, {"streams.stateHz": 50, "motors.drive_left.limits.maxSpeed.value": 0.2})
    saved = scene.sim.snapshot()
    desire(scene, 2, {}, mode="REPLACE")
    scene.sim.restore(saved)
    scene.command("MOVE", x=2.0, y=0.0)
    scene.run(2)
    assert scene.truth.velocity[0] == pytest.approx(0.2)
    assert scene.robot.settings.effective.streams.stateHz == 50


# Settings that need a restart


def test_what_needs_a_restart_waits_and_is_named_until_then():
    scene = Scene().run(0.1)
    report = desire(
        scene, 1, {"runtime.tickHz": 50, "identity.vendor": "rigless", "streams.stateHz": 20}
    )
    assert (report.restartRequired, report.effective["runtime.tickHz"]) == (["runtime.tickHz"], 100)
    assert report.effective["identity.vendor"] == "rigless", "as it is already, so nothing waits"
    report = desire(scene, 2, {"streams.stateHz": 30})
    assert (report.restartRequired, report.desired["runtime.tickHz"]) == (["runtime.tickHz"], 50)
    report = desire(scene, 3, {"identity.name": "Bob"})
    assert report.restartRequired == ["runtime.tickHz", "identity.name"]
    assert desire(scene, 4, {"runtime.tickHz": 100}).restartRequired == ["identity.name"]
    assert desire(scene, 5, {"streams.stateHz": 30}, mode="REPLACE").restartRequired == []


@pytest.mark.parametrize(
    "key",
    [
        "identity.robotId",
        "nats.credsFilePath",
        "nats.timeouts.connectTimeoutMs",
        "schemaVersion",
        "capabilities.supportedModules.settings",
        "capabilities.supportedCommands",
        "safety.stopOnEstop",
        "safety.estopAcknowledge",
        "safety.obstacleStopDistanceMeters",
        "runtime.mode",
        "runtime.healthPolicy.requireNatsForMotion",
        "dimensions.lengthMm",
        "motors.hoist.driver.type",
        "motors.hoist.limits.positionMax.value",
        "io.digitalInputs.estop.type",
        "io.digitalInputs.estop.driver.type",
        "io.digitalInputs.estop.required",
    ],
)
def test_identity_link_safety_and_parts_cannot_be_set_remotely(key):
    report = desire(Scene().run(0.1), 1, {key: False})
    assert [(entry.key, entry.code) for entry in report.rejected] == [(key, "NOT_ALLOWED")]
    assert report.restartRequired == []
    assert key not in report.desired


def test_safety_is_reported_and_settings_of_an_older_release_do_not_change_it():
    first = Scene().run(0.1)
    report = first.last("settings.reported")
    assert report.effective["safety.stopOnEstop"] is True
    assert report.effective["safety.obstacleStopDistanceMeters"] == 0.6
    old = msgspec.structs.replace(report, desired={"safety.stopOnEstop": False})
    config, notes = Robot.with_saved_settings(RobotConfig.model_validate(own()), kept(old), missing)
    assert config.safety.stopOnEstop
    assert "safety.stopOnEstop is ignored: can be changed in the robot's file only" in notes[0]


def kept(report):
    """Return a report as the outbox stores it."""
    plain = msgspec.to_builtins(report)
    data = msgspec.json.encode(
        Envelope(1, "x", "settings.reported", "agv", "boot-0", 1, "2026-01-01T00:00:00Z", plain)
    )
    return [("robot.agv.settings.reported", data)]


def begun_again(scene, file=None):
    """Return a restarted robot of this file that ran in this scene before."""
    report = scene.last("settings.reported")
    config, notes = Robot.with_saved_settings(
        RobotConfig.model_validate(file or own()), kept(report), missing
    )
    again = Scene(**config.model_dump(mode="json"))
    again.send(m.Recalled("settings.reported", msgspec.to_builtins(report), "boot-0"))
    return again.run(0.1), notes


def test_after_a_restart_what_waited_counts():
    first = Scene().run(0.1)
    script = {"initialPose": {"x": 2.0}}
    desire(
        first, 3, {"runtime.tickHz": 50, "runtime.simulationProfile": script, "streams.stateHz": 20}
    )
    scene, notes = begun_again(first)
    report = scene.last("settings.reported")
    assert (report.desiredVersion, report.restartRequired) == (3, [])
    assert (report.effective["runtime.tickHz"], report.effective["streams.stateHz"]) == (50, 20.0)
    assert (scene.robot.config.runtime.tickHz, scene.truth.pose[0]) == (50, 2.0)
    assert "runtime.tickHz 50" in notes[0]
    again, _ = begun_again(scene)
    assert (again.robot.config.runtime.tickHz, again.last("settings.reported").restartRequired) == (
        50,
        [],
    )


def test_it_can_be_taken_back_and_then_the_file_counts():
    first = Scene().run(0.1)
    desire(first, 1, {"runtime.tickHz": 50})
    scene, _ = begun_again(first)
    assert desire(scene, 2, {}, mode="REPLACE").restartRequired == ["runtime.tickHz"]
    again, notes = begun_again(scene)
    assert (again.robot.config, notes) == (RobotConfig.model_validate(own()), [])
    assert again.last("settings.reported").restartRequired == []


def test_what_does_not_fit_a_new_file_is_left_out_with_a_word():
    first = Scene().run(0.1)
    desire(
        first,
        1,
        {"identity.name": "Bob", "runtime.simulationProfile": {"map": "apartment"}},
    )
    report = msgspec.structs.replace(
        first.last("settings.reported"),
        desired={
            **first.last("settings.reported").desired,
            "runtime.simulationProfile": {"map": "nowhere"},
        },
    )
    file = changed({"motors.3.motorId": "lift", "io.digitalInputs": []})
    config, notes = Robot.with_saved_settings(
        RobotConfig.model_validate(file), kept(report), missing
    )
    assert (config.identity.name, config.runtime.simulationProfile) == ("Bob", None)
    assert len(notes) == 2
    assert "runtime.simulationProfile" in notes[0]


def test_a_robot_without_the_module_or_a_past_begins_as_its_file_says():
    first = Scene().run(0.1)
    desire(first, 1, {"runtime.tickHz": 50})
    past = kept(first.last("settings.reported"))
    deaf = RobotConfig.model_validate(
        changed({"capabilities.supportedModules": {"settings": False}})
    )
    plain = RobotConfig.model_validate(own())
    assert Robot.with_saved_settings(deaf, past, missing) == (deaf, [])
    assert Robot.with_saved_settings(plain, [], missing) == (plain, [])
    assert Robot.with_saved_settings(plain, [(past[0][0], b"garbage")], missing) == (plain, [])


def test_settings_together_fit_into_a_message():
    scene = Scene(extensions={"notes": ""}).run(0.1)
    assert desire(scene, 1, {"extensions.notes": "x" * 12_000}).rejected == []
    report = desire(scene, 2, {"identity.vendor": "y" * 6_000})
    assert [entry.key for entry in report.rejected] == ["identity.vendor"]
    assert len(msgspec.json.encode(report)) < 64 * 1024
