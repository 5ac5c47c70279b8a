"""The rover's topics: fields, frames, stamps, covariances, mounting, fixes, and faults."""

import math

import numpy as np
import pytest
from pyproj import Transformer
from scipy.spatial.transform import Rotation

from .scene import ENDLESS, codes, command, heading, one, rover, said, turn

ORIGIN = ("gps.origin_latitude_deg=47.3769", "gps.origin_longitude_deg=8.5417")
PIPELINE = (
    "+proj=pipeline +step +inv +proj=topocentric +ellps=WGS84 +lat_0=47.3769 +lon_0=8.5417 +h_0=0 "
    "+step +inv +proj=cart +ellps=WGS84 +step +proj=unitconvert +xy_in=rad +xy_out=deg"
)


def mount(child, **parts):
    fields = [f"{name}={float(value)!r}" for name, value in parts.items()]
    return "{" + ", ".join(["parent='base_link'", f"child='{child}'", *fields]) + "}"


def mounts(*given):
    return f"transforms=[{', '.join(given)}]"


def test_rates_and_one_stamp_a_tick():
    sim = rover()
    sim.run(1.0)
    found = [out for out in sim.take("rover", "dds") if out.topic != "/tf_static"]
    counts = {
        topic: sum(out.topic == topic for out in found)
        for topic in ("enc_vel", "imu", "gps", "ground_truth")
    }
    assert counts == {"enc_vel": 100, "imu": 100, "gps": 10, "ground_truth": 100}
    headers = [
        out.message.transforms[0].header if out.topic == "/tf" else out.message.header
        for out in found
    ]
    stamps = [(header.stamp.sec, header.stamp.nanosec) for header in headers]
    assert len(set(stamps)) == 100
    assert stamps[-1] == (1, 0)
    last = [out.topic for out, stamp in zip(found, stamps, strict=True) if stamp == (1, 0)]
    assert sorted(last) == ["/tf", "enc_vel", "gps", "ground_truth", "imu", "odom/ground_truth"]


def test_stamps_count_from_the_epoch_unless_time_is_simulated():
    for setting, wanted in (("use_sim_time=false", 1_700_000_000), ("use_sim_time=true", 0)):
        sim = rover(setting)
        sim.set_input("rover", "epoch_s", 1_700_000_000.25)
        stamp = one(sim, "imu").header.stamp
        assert stamp.sec == wanted
        assert stamp.nanosec == (350_000_000 if wanted else 100_000_000)


def test_the_clock_ticks_where_asked():
    sim = rover("publish_clock=true")
    assert [(m.clock.sec, m.clock.nanosec) for m in said(sim, "/clock", 0.03)] == [
        (0, n * 10**7) for n in (1, 2, 3)
    ]
    assert said(rover(), "/clock", 0.1) == []


def test_every_covariance_is_truthful_and_none_is_zero():
    sim = rover(
        "enc_vel.vx_noise_std_mps=0.3", "enc_vel.vx_drift_std=0.1",
        "enc_vel.wz_noise_std_radps=0.2", "enc_vel.wz_drift_std=0.05", "imu.yaw_noise_std_rad=0.02",
        "imu.wz_noise_std_radps=0.03", "gps.noise_std_m=0.6", "gps.drift_std_m=0.8", ENDLESS,
    )  # fmt: skip
    command(sim, 2.0, -3.0)
    enc, imu, gps = one(sim, "enc_vel"), one(sim, "imu"), one(sim, "gps")
    assert enc.twist.covariance[0] == pytest.approx(0.3**2 + (2.0 * 0.1) ** 2)
    assert enc.twist.covariance[35] == pytest.approx(0.2**2 + (3.0 * 0.05) ** 2)
    assert imu.orientation_covariance[8] == pytest.approx(0.02**2)
    assert imu.angular_velocity_covariance[8] == pytest.approx(0.03**2)
    assert imu.linear_acceleration_covariance == (-1.0, *(0.0,) * 8)
    assert gps.position_covariance == pytest.approx((1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0))
    assert (gps.position_covariance_type, gps.status.status, gps.status.service) == (2, 0, 1)
    exact = rover()
    for topic in ("enc_vel", "imu", "gps", "ground_truth"):
        message = one(exact, topic)
        covariances = [
            getattr(message, name)
            for name in message.__struct_fields__
            if name.endswith("covariance")
        ]
        covariances += [
            getattr(message, part).covariance
            for part in ("twist", "pose")
            if hasattr(message, part)
        ]
        for covariance in covariances:
            size = math.isqrt(len(covariance))
            assert (
                covariance[0] == -1 or (np.diag(np.reshape(covariance, (size, size))) > 0).all()
            ), topic


def test_a_standing_rover_reads_no_drift():
    sim = rover("enc_vel.vx_drift_std=0.5", "enc_vel.drift_start=stationary")
    assert {m.twist.twist.linear.x for m in said(sim, "enc_vel", 0.5)} == {0.0}
    assert sim.truth("rover").encoder_scale_errors[0] != 0.0
    command(sim, 1.0)
    error = one(sim, "enc_vel").twist.twist.linear.x - 1.0
    assert error == pytest.approx(sim.truth("rover").encoder_scale_errors[0], rel=1e-9)


# The IMU


@pytest.mark.parametrize(("convention", "sign"), [("physical", 1), ("robot_localization", -1)])
@pytest.mark.parametrize("declination", [0.2, -0.3])
def test_declination_in_both_conventions(convention, sign, declination):
    sim = rover(
        f"imu.magnetic_declination_rad={declination}",
        f"imu.declination_convention={convention}",
        "imu.initial_yaw_rad=3.0",
    )
    assert turn(heading(one(sim, "imu").orientation) - 3.0 - sign * declination) == pytest.approx(
        0, abs=1e-12
    )
    assert sim.truth("rover").pose[2] == 3.0


@pytest.mark.parametrize("key", ["magnetic_declination", "magnetic_declination_rad"])
def test_declination_from_the_magnetic_model(key):
    """WMM2025's published test value at 80° N, 0° E, sea level, 2025.0 is 1.28°."""
    sim = rover(
        f"imu.{key}=auto",
        "imu.magnetic_model_year=2025.0",
        "gps.origin_latitude_deg=80.0",
        "gps.origin_longitude_deg=0.0",
    )
    assert math.degrees(heading(one(sim, "imu").orientation)) == pytest.approx(1.28, abs=0.005)


@pytest.mark.parametrize(
    "rpy",
    [(0, 0, 0.7), (math.pi, 0, 0), (0.3, -0.4, 2.0), (0, math.pi / 2, 0), (math.pi / 2, 0.1, -1.0)],
)
def test_any_mounting_is_turned_back_to_the_truth(rpy):
    noise = ("imu.accelerometer=true", "imu.wz_noise_std_radps=0.2")
    settings = (*noise, "imu.initial_yaw_rad=0.4", ENDLESS)
    tilted = mount("imu_link", x=0.1, roll=rpy[0], pitch=rpy[1], yaw=rpy[2])
    level = rover(mounts(mount("imu_link", x=0.1), mount("gps_link")), *settings)
    sim = rover(mounts(tilted, mount("gps_link")), *settings)
    base_r_imu = Rotation.from_euler("xyz", rpy)
    for each in (sim, level):
        command(each, 1.0, 0.5)
    message, plain = one(sim, "imu"), one(level, "imu")
    q = message.orientation
    world_r_base = Rotation.from_quat([q.x, q.y, q.z, q.w]) * base_r_imu.inv()
    assert world_r_base.as_euler("xyz") == pytest.approx(
        [0, 0, sim.truth("rover").pose[2]], abs=1e-9
    )
    for name in ("angular_velocity", "linear_acceleration"):
        there, here = getattr(message, name), getattr(plain, name)
        assert base_r_imu.apply([there.x, there.y, there.z]) == pytest.approx(
            [here.x, here.y, here.z], abs=1e-9
        )
    back = (
        base_r_imu.as_matrix()
        @ np.reshape(message.angular_velocity_covariance, (3, 3))
        @ base_r_imu.as_matrix().T
    )
    assert back == pytest.approx(np.reshape(plain.angular_velocity_covariance, (3, 3)), abs=1e-12)


def test_the_accelerometer_feels_gravity_turning_and_its_lever_arm():
    sim = rover(
        mounts(mount("imu_link", x=0.5, y=0.2), mount("gps_link")),
        "imu.accelerometer=true",
        "imu.accel_bias_mps2=[0.1,0.2,0.3]",
        ENDLESS,
    )
    command(sim, 2.0, 0.5)
    message = one(sim, "imu")
    felt = message.linear_acceleration
    assert message.linear_acceleration_covariance[::4] == pytest.approx((0.01, 0.04, 0.09))
    assert (felt.x, felt.y, felt.z) == pytest.approx(
        (-0.25 * 0.5 + 0.1, 1.0 - 0.25 * 0.2 + 0.2, 9.80665 + 0.3)
    )


def test_the_covariance_of_a_gyro_includes_its_bias():
    sim = rover("imu.gyro_bias_radps=0.05", "imu.gyro_walk_radps=0.01", seed=3)
    sim.run(9.9)
    message = one(sim, "imu")
    assert message.angular_velocity.z == pytest.approx(sim.truth("rover").gyro_bias_radps)
    assert message.angular_velocity.z != 0.05
    assert message.angular_velocity_covariance[8] == pytest.approx(0.05**2 + 0.01**2 * 10)


# GPS


def test_a_fix_is_where_the_antenna_is():
    sim = rover(
        *ORIGIN,
        mounts(mount("imu_link"), mount("gps_link", x=0.5, y=-0.3, z=1.2)),
        "imu.initial_yaw_rad=2.0",
        "start_x_m=800.0",
        "start_y_m=-4000.0",
    )
    fix = one(sim, "gps")
    c, s = math.cos(2.0), math.sin(2.0)
    place = (800 + 0.5 * c + 0.3 * s, -4000 + 0.5 * s - 0.3 * c, 1.2)
    lon, lat, height = Transformer.from_pipeline(PIPELINE).transform(*place)
    assert fix.latitude == pytest.approx(lat, abs=1e-12)
    assert fix.longitude == pytest.approx(lon, abs=1e-12)
    assert fix.altitude == pytest.approx(height, abs=1e-8)
    assert fix.header.frame_id == "gps_link"


def test_a_late_fix_has_the_stamp_and_place_of_its_epoch():
    sim = rover("gps.latency_s=0.25", ENDLESS)
    command(sim, 1.0)
    sim.run(0.3)
    assert [out for out in sim.take("rover", "dds") if out.topic == "gps"] == []
    sim.run(0.05)
    fixes = [out.message for out in sim.take("rover", "dds") if out.topic == "gps"]
    assert [fix.header.stamp.nanosec for fix in fixes] == [100_000_000]
    east, _, _ = sim.robots["rover"].plane.to_enu(
        fixes[0].latitude, fixes[0].longitude, fixes[0].altitude
    )
    assert east == pytest.approx(0.1 - 0.2, abs=1e-6)


def test_outages_and_the_schedule_of_fixes():
    sim = rover(
        "gps.noise_std_m=1.0",
        "gps.outages_s=[[0.25,0.45]]",
        "gps.fix_schedule=[{at_s=0.6,fix='float'},{at_s=0.8,fix='fixed'}]",
    )
    fixes = said(sim, "gps", 1.0)
    assert [fix.status.status for fix in fixes] == [0, 0, -1, -1, 0, 1, 1, 2, 2, 2]
    assert [fix.position_covariance_type for fix in fixes] == [2, 2, 0, 0, 2, 2, 2, 2, 2, 2]
    assert math.isnan(fixes[2].latitude)
    assert fixes[5].position_covariance[0] == pytest.approx(0.04)
    assert fixes[-1].position_covariance[0] == pytest.approx(0.0004)


@pytest.mark.parametrize(("kind", "status"), [("no_fix", -1), ("float", 1), ("fixed", 2)])
def test_a_fix_can_be_lost_and_found_by_hand(kind, status):
    sim = rover()
    sim.inject("rover", "gps", kind)
    assert one(sim, "gps").status.status == status
    sim.clear("rover")
    assert one(sim, "gps").status.status == 0


def places(sim, seconds):
    plane = sim.robots["rover"].plane
    return np.array(
        [
            plane.to_enu(fix.latitude, fix.longitude, fix.altitude)
            for fix in said(sim, "gps", seconds)
        ]
    )


def test_faults_of_the_receiver():
    sim = rover(ENDLESS, mounts(mount("imu_link"), mount("gps_link")))
    command(sim, 1.0)
    sim.inject("rover", "gps", "stuck")
    assert places(sim, 1.0) == pytest.approx(np.tile([0.1, 0, 0], (10, 1)), abs=1e-6)
    sim.clear("rover")
    sim.inject("rover", "gps", "bias", value=3.0)
    assert places(sim, 0.1)[0] == pytest.approx([4.1, 3, 3], abs=1e-6)
    sim.clear("rover")
    sim.inject("rover", "gps", "off")
    assert len(places(sim, 0.5)) == 0
    sim.clear("rover")
    sim.inject("rover", "gps", "jump", metres=50.0, probability=0.5)
    found = places(sim, 4.0)
    away = np.hypot(found[:, 0] - np.linspace(1.7, 5.6, 40), found[:, 1])
    assert ((away < 1e-5) | (abs(away - 50) < 1e-3)).all()
    assert 5 < (away > 1).sum() < 35


def test_a_jump_with_odd_numbers_is_a_usual_one():
    sim = rover(mounts(mount("imu_link"), mount("gps_link")))
    sim.inject("rover", "gps", "jump", metres="far", probability=1)
    found = places(sim, 0.5)
    assert np.hypot(found[:, 0], found[:, 1]) == pytest.approx(np.full(5, 10.0), abs=1e-5)


def test_a_silent_sensor_is_marked_as_not_provided():
    sim = rover("imu.accelerometer=true")
    for target in ("imu_yaw", "imu_wz", "imu_accel"):
        sim.inject("rover", target, "off")
    message = one(sim, "imu")
    found = (
        message.orientation_covariance,
        message.angular_velocity_covariance,
        message.linear_acceleration_covariance,
    )
    assert [covariance[0] for covariance in found] == [-1, -1, -1]
    sim.clear("rover")
    sim.inject("rover", "imu")
    sim.inject("rover", "enc_vel")
    sim.run(0.5)
    assert {out.topic for out in sim.take("rover", "dds")} >= {"gps", "ground_truth"}
    sim.run(0.5)
    assert not {out.topic for out in sim.take("rover", "dds")} & {"imu", "enc_vel"}


def test_faults_of_encoders_and_imu():
    sim = rover(ENDLESS)
    command(sim, 1.0, 0.5)
    sim.inject("rover", "enc_vx", "bias", value=0.25)
    sim.inject("rover", "enc_wz", "wrong", value=-2.0)
    sim.inject("rover", "imu_wz", "wrong", value=9.0)
    twist = one(sim, "enc_vel").twist.twist
    assert (twist.linear.x, twist.angular.z) == pytest.approx((1.25, -2.0))
    assert one(sim, "imu").angular_velocity.z == pytest.approx(9.0)
    assert sim.truth("rover").odometry_error_m > 0.02
    assert "fault-injected" in codes(sim)
