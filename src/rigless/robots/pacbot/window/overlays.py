"""What of a picture is shown; a person chooses with keys."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Overlays:
    rays: bool = True
    velocity: bool = True
    boundary: bool = False
    text: bool = True
