"""The rover's motion and sensors, step by step, compiled by numba so that many steps are one call.

In a step the speeds approach the command, the position follows from them and the heading before the
step (Euler), then the heading. Then the encoders' scale errors drift, the encoders are read, and
dead reckoning follows the readings. The names below are indices into arrays.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.compiled import compiled, inlined
from rigless.kernel.compiled.elementary import sin_cos
from rigless.motion.diff_drive import approach, wrap
from rigless.sensors.attitude import Quaternion, Vector
from rigless.sensors.drift import wander
from rigless.sensors.encoder import read_speed
from rigless.sensors.gps import antenna
from rigless.sensors.imu import orientation, rate_covariance, rates, specific_force
from rigless.sensors.noise import block, normal

Array = NDArray[np.float64]

# BODY
X, Y, YAW, V, W, GOAL_V, GOAL_W, ACCEL, ALPHA, ODOMETER, SCALE_V, SCALE_W = range(12)
ENC_V, ENC_W, ODO_X, ODO_Y, ODO_YAW, BIAS, DRIFT_X, DRIFT_Y = range(12, 20)
INS_V, INS_W, INS_YAW, BODY_SIZE = range(20, 24)  # drifts of the INS; 0 without one
# CONST
DT, ACC_V, ACC_W, STD_V, STD_W, KEEP, KICK_V, KICK_W, WALK, STD_YAW, STD_RATE = range(11)
DECLINATION, STD_ACCEL, BIAS_AX, BIAS_AY, BIAS_AZ = range(11, 16)
GPS_KEEP, GPS_KICK, STD_GPS, STD_UP = range(16, 20)
INS_KEEP, INS_KICK_V, INS_KICK_W, INS_KEEP_YAW, INS_KICK_YAW, INS_STD_V = range(20, 26)
CONST_SIZE = 26
# MOUNT: the IMU's rotation and position and the antenna's position, in the base frame
IMU_Q, IMU_AT, GPS_AT, MOUNT_SIZE = 0, 4, 7, 10
ENCODER, IMU, GPS, INS = range(4)  # noise streams


@compiled
def advance(body: Array, const: Array) -> None:
    """Do one step of the drive and the pose."""
    dt, v, w = const[DT], body[V], body[W]
    new_v = approach(v, body[GOAL_V], const[ACC_V], dt) if const[ACC_V] > 0 else body[GOAL_V]
    new_w = approach(w, body[GOAL_W], const[ACC_W], dt) if const[ACC_W] > 0 else body[GOAL_W]
    body[ACCEL], body[ALPHA] = (new_v - v) / dt, (new_w - w) / dt
    body[V], body[W] = new_v, new_w
    s, c = sin_cos(body[YAW])
    body[X] += new_v * c * dt
    body[Y] += new_v * s * dt
    body[YAW] = wrap(body[YAW] + new_w * dt)
    body[ODOMETER] += abs(new_v) * dt


@compiled
def measure(body: Array, const: Array, keys: Any, number: int) -> None:
    """Read the encoders at step `number` into the body, for dead reckoning."""
    a, b, c, d = block(keys[ENCODER], number, 0)
    body[SCALE_V] = wander(body[SCALE_V], const[KEEP], const[KICK_V], normal(c))
    body[SCALE_W] = wander(body[SCALE_W], const[KEEP], const[KICK_W], normal(d))
    body[ENC_V] = read_speed(body[V], body[SCALE_V], const[STD_V] * normal(a))
    body[ENC_W] = read_speed(body[W], body[SCALE_W], const[STD_W] * normal(b))
    if const[WALK] > 0:
        body[BIAS] += const[WALK] * normal(block(keys[IMU], number, 0)[2])
    if const[INS_KEEP] > 0:
        e, f, g, _ = block(keys[INS], number, 0)
        body[INS_V] = wander(body[INS_V], const[INS_KEEP], const[INS_KICK_V], normal(e))
        body[INS_W] = wander(body[INS_W], const[INS_KEEP], const[INS_KICK_W], normal(f))
        body[INS_YAW] = wander(body[INS_YAW], const[INS_KEEP_YAW], const[INS_KICK_YAW], normal(g))


@compiled
def reckon(body: Array, const: Array, covariance: Array) -> None:
    """Advance dead reckoning by the encoders' reading, and the covariance of its errors.

    The covariance is that of x, y, yaw and both scale errors. Scale errors are correlated in time,
    which makes dead reckoning worse than white noise would.
    """
    dt, (s, c) = const[DT], sin_cos(body[ODO_YAW])
    ahead, turned = body[V] * dt, body[W] * dt
    for i in range(5):  # the scale errors drifted
        covariance[3, i], covariance[4, i] = (
            const[KEEP] * covariance[3, i],
            const[KEEP] * covariance[4, i],
        )
    for i in range(5):
        covariance[i, 3], covariance[i, 4] = (
            const[KEEP] * covariance[i, 3],
            const[KEEP] * covariance[i, 4],
        )
    covariance[3, 3] += const[KICK_V] ** 2
    covariance[4, 4] += const[KICK_W] ** 2
    for i in range(5):  # the errors of this step, by rows and by columns
        covariance[0, i] += ahead * (c * covariance[3, i] - s * covariance[2, i])
        covariance[1, i] += ahead * (s * covariance[3, i] + c * covariance[2, i])
        covariance[2, i] += turned * covariance[4, i]
    for i in range(5):
        covariance[i, 0] += ahead * (c * covariance[i, 3] - s * covariance[i, 2])
        covariance[i, 1] += ahead * (s * covariance[i, 3] + c * covariance[i, 2])
        covariance[i, 2] += turned * covariance[i, 4]
    white = (const[STD_V] * dt) ** 2
    covariance[0, 0] += c * c * white
    covariance[0, 1] += c * s * white
    covariance[1, 0] += c * s * white
    covariance[1, 1] += s * s * white
    covariance[2, 2] += (const[STD_W] * dt) ** 2
    body[ODO_X] += body[ENC_V] * c * dt
    body[ODO_Y] += body[ENC_V] * s * dt
    body[ODO_YAW] = wrap(body[ODO_YAW] + body[ENC_W] * dt)


@compiled
def read_imu(body: Array, const: Array, mount: Array, keys: Any, number: int, out: Array) -> None:
    """Read the IMU at step `number`: magnetic yaw, yaw rate, acceleration on its own axes."""
    a, b, _, _ = block(keys[IMU], number, 0)
    yaw = body[YAW] + const[DECLINATION] + body[INS_YAW]
    out[0] = wrap(yaw + const[STD_YAW] * normal(a))
    out[1] = body[W] + body[BIAS] + body[INS_W] + const[STD_RATE] * normal(b)
    force = specific_force(
        body[ACCEL], body[V], body[W], body[ALPHA], _arm(mount, IMU_AT), _turn(mount)
    )
    words = block(keys[IMU], number, 1)
    for axis in range(3):
        out[2 + axis] = force[axis] + const[BIAS_AX + axis] + const[STD_ACCEL] * normal(words[axis])


@compiled
def read_ins_speed(body: Array, const: Array, keys: Any, number: int) -> float:
    """Return the INS's speed ahead at step `number`."""
    speed: float = body[V] + body[INS_V] + const[INS_STD_V] * normal(block(keys[INS], number, 0)[3])
    return speed


@compiled
def turn_imu(
    yaw_rad: float, rate_radps: float, level: float, variance: float, mount: Array, out: Array
) -> None:
    """Turn yaw and yaw rate to the IMU's own axes.

    `out` gets orientation (4), angular velocity (3) and its covariance (9).
    """
    q = _turn(mount)
    turned, spun = orientation(yaw_rad, q), rates(rate_radps, q)
    for part in range(4):
        out[part] = turned[part]
    for axis in range(3):
        out[4 + axis] = spun[axis]
    rate_covariance(level, variance, q, out[7:16])


@compiled
def read_gps(
    body: Array, const: Array, mount: Array, scale: float, keys: Any, number: int, out: Array
) -> None:
    """Read the receiver's fix `number`: east, north and up in metres."""
    a, b, c, d = block(keys[GPS], number, 0)
    body[DRIFT_X] = wander(body[DRIFT_X], const[GPS_KEEP], const[GPS_KICK], normal(c))
    body[DRIFT_Y] = wander(body[DRIFT_Y], const[GPS_KEEP], const[GPS_KICK], normal(d))
    x, y = antenna(body[X], body[Y], body[YAW], mount[GPS_AT], mount[GPS_AT + 1])
    out[0] = x + scale * (body[DRIFT_X] + const[STD_GPS] * normal(a))
    out[1] = y + scale * (body[DRIFT_Y] + const[STD_GPS] * normal(b))
    out[2] = mount[GPS_AT + 2] + scale * const[STD_UP] * normal(block(keys[GPS], number, 1)[0])


@compiled
def step_many(
    body: Array,
    covariance: Array,
    const: Array,
    mount: Array,
    keys: Any,
    number: int,
    times: int,
    fix_every: int,
    scale: float,
    place: Array,
    track: Array,
) -> None:
    """Do `times` steps after step `number`, without contact and without messages.

    Every `fix_every` steps (0: never) there is a fix; its position goes to `place` and to the ring
    `track`.
    """
    for now in range(number + 1, number + times + 1):
        advance(body, const)
        measure(body, const, keys, now)
        reckon(body, const, covariance)
        if fix_every > 0 and now % fix_every == 0:
            fix = now // fix_every
            read_gps(body, const, mount, scale, keys, fix, place)
            track[fix % track.shape[0], 0], track[fix % track.shape[0], 1] = place[0], place[1]


@inlined
def _turn(mount: Array) -> Quaternion:
    return mount[IMU_Q], mount[IMU_Q + 1], mount[IMU_Q + 2], mount[IMU_Q + 3]


@inlined
def _arm(mount: Array, at: int) -> Vector:
    return mount[at], mount[at + 1], mount[at + 2]
