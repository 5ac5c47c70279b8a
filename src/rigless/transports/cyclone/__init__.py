"""Cyclone DDS behind ROS ports: one participant a process and domain, its settings, its place in the ROS graph."""
