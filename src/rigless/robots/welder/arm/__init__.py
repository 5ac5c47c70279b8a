"""The arm: kinematics, body, torques, collision look-ahead and its 3D view."""
