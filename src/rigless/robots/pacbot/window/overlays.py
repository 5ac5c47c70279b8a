"""The optional parts of a picture and its magnification, which keys change."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Overlays:
    rays: bool = True
    velocity: bool = True
    boundary: bool = False
    text: bool = True
    sensors: bool = True  # readings below the text
    zoom: float = 1.0  # 1: the whole world; above: a part of it around the robot that is driven
