"""The simulation in Foxglove's well-known schemas: maps, poses, bodies, scans, fixes and the log.

`schemas.py` declares the schemas, `primitives.py` and `entities.py` turn the parts of a robot's
view into shapes, and `pictures.py` makes the messages. All of them follow from the state and the
views of the robots, so they are derived data: a replay neither needs nor compares them.
"""
