"""Transforms of the rover: frames, the tree of tf_static, and the mounting of sensors."""
