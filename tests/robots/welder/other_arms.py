"""Small URDFs with the dimensions of well-known arms, in the form in which they are published."""

from math import pi, radians

HALF = pi / 2
# Joints: name, xyz, rpy, axis, limits in degrees, speed in degrees a second.
IRB_2400 = (
    ("joint_1", (0, 0, 0), (0, 0, 0), (0, 0, 1), (-180, 180), 150),
    ("joint_2", (0.1, 0, 0.615), (0, 0, 0), (0, 1, 0), (-100, 110), 150),
    ("joint_3", (0, 0, 0.705), (0, 0, 0), (0, 1, 0), (-60, 65), 150),
    ("joint_4", (0.258, 0, 0.135), (0, 0, 0), (1, 0, 0), (-200, 200), 360),
    ("joint_5", (0.497, 0, 0), (0, 0, 0), (0, 1, 0), (-120, 120), 360),
    ("joint_6", (0.085, 0, 0), (0, 0, 0), (1, 0, 0), (-400, 400), 450),
)
KR5_ARC = (
    ("joint_a1", (0, 0, 0.4), (pi, 0, 0), (0, 0, 1), (-155, 155), 154),
    ("joint_a2", (0.18, 0, 0), (HALF, 0, 0), (0, 0, 1), (-180, 65), 154),
    ("joint_a3", (0.6, 0, 0), (0, 0, 0), (0, 0, 1), (-15, 158), 228),
    ("joint_a4", (0, -0.12, 0), (0, -HALF, 0), (0, 0, 1), (-350, 350), 343),
    ("joint_a5", (0, 0, -0.62), (0, HALF, 0), (0, 0, 1), (-130, 130), 384),
    ("joint_a6", (0, 0, 0), (0, -HALF, 0), (0, 0, 1), (-350, 350), 721),
)
UR5E = (
    ("shoulder_pan_joint", (0, 0, 0.1625), (0, 0, 0), (0, 0, 1), (-360, 360), 180),
    ("shoulder_lift_joint", (0, 0, 0), (HALF, 0, 0), (0, 0, 1), (-360, 360), 180),
    ("elbow_joint", (-0.425, 0, 0), (0, 0, 0), (0, 0, 1), (-180, 180), 180),
    ("wrist_1_joint", (-0.3922, 0, 0.1333), (0, 0, 0), (0, 0, 1), (-360, 360), 180),
    ("wrist_2_joint", (0, -0.0997, 0), (HALF, 0, 0), (0, 0, 1), (-360, 360), 180),
    ("wrist_3_joint", (0, 0.0996, 0), (HALF, pi, pi), (0, 0, 1), (-360, 360), 180),
)
# Flange and tool0 on the last link: xyz, rpy. z of tool0 leaves the flange.
ENDS = {
    "irb_2400": (((0, 0, 0), (0, 0, 0)), ((0, 0, 0), (0, HALF, 0))),
    "kr5_arc": (((0, 0, -0.115), (0, HALF, -HALF)), ((0, 0, 0), (0, HALF, 0))),
    "ur5e": (((0, 0, 0), (0, -HALF, -HALF)), ((0, 0, 0), (HALF, 0, HALF))),
}
ARMS = {"irb_2400": IRB_2400, "kr5_arc": KR5_ARC, "ur5e": UR5E}
PREFIX = {"irb_2400": "", "kr5_arc": "", "ur5e": "left_"}  # as xacro's tf_prefix


def urdf(name: str, tail: str = "") -> str:
    """Return an arm's URDF: DAE visuals, spheres to collide, and the frames of ROS-Industrial."""
    prefix = PREFIX[name]
    links = [f"{prefix}base_link", *(f"{prefix}link_{n}" for n in range(1, 7))]
    flange, tool = ENDS[name]
    parts = [
        *(_link(link, f"package://{name}_support/meshes/visual/{link}.dae") for link in links),
        *(_joint(*joint, links[n], links[n + 1], prefix) for n, joint in enumerate(ARMS[name])),
        _fixed(f"{prefix}flange", links[-1], *flange),
        _fixed(f"{prefix}tool0", f"{prefix}flange", *tool),
        _fixed(f"{prefix}base", links[0], (0, 0, 0), (0, 0, 0)),
        '<transmission name="not used"/>',
        tail,
    ]
    space = 'xmlns:xacro="http://ros.org/wiki/xacro"'  # generated files keep it
    return f'<?xml version="1.0" ?>\n<robot name="{name}" {space}>{"".join(parts)}</robot>'


def tcp(parent: str, name: str = "tcp", xyz: tuple[float, ...] = (0, 0, 0.3)) -> str:
    """Return a link for the tool centre point."""
    return _fixed(name, parent, xyz, (0, 0, 0))


def _link(name: str, mesh: str) -> str:
    shape = '<geometry><sphere radius="0.03"/></geometry>'
    drawn = f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual>'
    return f'<link name="{name}">{drawn}<collision>{shape}</collision></link>'


def _joint(name, xyz, rpy, axis, limits, speed, parent, child, prefix) -> str:
    low, high = (round(radians(angle), 6) for angle in limits)
    return (
        f'<joint name="{prefix}{name}" type="revolute">{_between(parent, child, xyz, rpy)}'
        f'<axis xyz="{_text(axis)}"/><limit lower="{low}" upper="{high}" effort="0"'
        f' velocity="{radians(speed):.6f}"/></joint>'
    )


def _fixed(name, parent, xyz, rpy) -> str:
    joint = f'<joint name="{name}_fixed" type="fixed">{_between(parent, name, xyz, rpy)}</joint>'
    return f'<link name="{name}"/>{joint}'


def _between(parent, child, xyz, rpy) -> str:
    origin = f'<origin xyz="{_text(xyz)}" rpy="{_text(rpy)}"/>'
    return f'<parent link="{parent}"/><child link="{child}"/>{origin}'


def _text(values) -> str:
    return " ".join(f"{value:.12g}" for value in values)
