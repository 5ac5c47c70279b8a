"""The optional parts of a picture, which keys switch on and off."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Overlays:
    rays: bool = True
    velocity: bool = True
    boundary: bool = False
    text: bool = True
