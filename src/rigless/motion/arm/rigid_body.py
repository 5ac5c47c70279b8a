"""An arm as rigid bodies, by pinocchio: link frames, Jacobian, and joint torques.

pinocchio comes with the welder's extra and is imported when a model is created. Joint n's frame
here is joint n's frame in the URDF.
"""

from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from rigless.kernel.problems import InputError, Problem
from rigless.motion.arm.urdf import JOINTS, Description, Link
from rigless.worlds.frames import Matrix

Vector = NDArray[np.float64]


def import_pinocchio() -> tuple[ModuleType, ModuleType]:
    """Return the modules pinocchio and coal. Raises InputError if they are not installed."""
    try:
        import coal
        import pinocchio
    except ImportError as error:
        text = f"an arm's model needs {error.name or 'pinocchio'!r}, which is not installed"
        raise InputError(Problem("", text, "pip install 'rigless[welder]'")) from None
    return pinocchio, coal


class RigidBodyModel:
    """A rigid-body model of an arm and its tool. Metres, radians, Nm.

    Links are numbered: 0 the base, 1 to 6 what the joints carry, 7 the tool (if there is one),
    which turns with joint 6. `tool`'s solids and masses are in the flange's frame; `tool_in_flange`
    is the tool centre point.
    """

    def __init__(
        self,
        description: Description,
        tool: Link | None = None,
        tool_in_flange: Matrix | None = None,
    ):
        pin, _ = import_pinocchio()
        self._pin = pin
        self.description = description
        self.flange_T_tool = np.eye(4) if tool_in_flange is None else tool_in_flange
        self.links = (*description.links, *((tool,) if tool else ()))
        self.low_rad, self.high_rad = description.low_rad, description.high_rad
        self.model = pin.Model()
        parent = 0
        for joint in description.joints:
            kind = (
                pin.JointModelRZ()
                if tuple(joint.axis) == (0, 0, 1)
                else pin.JointModelRevoluteUnaligned(joint.axis)
            )
            parent = self.model.addJoint(parent, kind, pin.SE3(joint.origin), joint.name)
        for number, link in enumerate(self.links[1:], 1):
            for mass_kg, centre, inertia in link.masses:
                body = pin.Inertia(mass_kg, np.asarray(centre, float), np.asarray(inertia, float))
                at = self.link_in_joint(number)
                self.model.appendBodyToJoint(min(number, JOINTS), body, pin.SE3(at))
        self.data = self.model.createData()

    def link_in_joint(self, number: int) -> Matrix:
        """Return a link's frame in the frame of the joint that carries it."""
        return self.description.flange if number > JOINTS else np.eye(4)

    def joint_frames(self, joints_rad: Vector) -> NDArray[np.float64]:
        """Return the joints' frames in the base frame, 6×4×4."""
        self._pin.forwardKinematics(self.model, self.data, joints_rad)
        return np.array([self.data.oMi[n].homogeneous for n in range(1, JOINTS + 1)])

    def forward(self, joints_rad: Vector) -> Matrix:
        """Return the flange in the base frame."""
        self._pin.forwardKinematics(self.model, self.data, np.asarray(joints_rad, float))
        found: Matrix = self.data.oMi[JOINTS].homogeneous @ self.description.flange
        return found

    def tool(self, joints_rad: Vector) -> Matrix:
        """Return the tool centre point in the base frame."""
        return self.forward(joints_rad) @ self.flange_T_tool

    def jacobian(self, joints_rad: Vector) -> NDArray[np.float64]:
        """Return the 6×6 Jacobian of the tool centre point in the base frame: m/s above rad/s."""
        point = self._pin.SE3(self.description.flange @ self.flange_T_tool)
        self._pin.computeJointJacobians(self.model, self.data, np.asarray(joints_rad, float))
        own = self._pin.getJointJacobian(self.model, self.data, JOINTS, self._pin.LOCAL)
        turn = np.kron(np.eye(2), (self.data.oMi[JOINTS] * point).rotation)
        found: NDArray[np.float64] = turn @ point.toActionMatrixInverse() @ own
        return found

    def torques(self, joints_rad: Vector, radps: Vector, radps2: Vector) -> Vector:
        """Return the joint torques in Nm for a motion against gravity and inertia.

        By the recursive Newton-Euler algorithm.
        """
        found: Vector = self._pin.rnea(self.model, self.data, joints_rad, radps, radps2).copy()
        return found
