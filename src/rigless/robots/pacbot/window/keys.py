"""The keys of the window. Driving keys act while held; the others act once when pressed."""

from dataclasses import dataclass, field, replace

import pygame

from rigless.robots.pacbot.window.overlays import Overlays

DRIVE = {  # forward, left, turn
    pygame.K_UP: (1, 0, 0), pygame.K_w: (1, 0, 0),
    pygame.K_DOWN: (-1, 0, 0), pygame.K_s: (-1, 0, 0),
    pygame.K_LEFT: (0, 1, 0), pygame.K_a: (0, 1, 0),
    pygame.K_RIGHT: (0, -1, 0), pygame.K_d: (0, -1, 0),
    pygame.K_q: (0, 0, 1), pygame.K_e: (0, 0, -1),
}  # fmt: skip
SLOW = (pygame.K_LSHIFT, pygame.K_RSHIFT)
SLOW_SHARE = 0.4
OVERLAYS = {pygame.K_r: "rays", pygame.K_v: "velocity", pygame.K_b: "boundary", pygame.K_t: "text"}
ACTIONS = {
    pygame.K_SPACE: "stop",
    pygame.K_p: "pause",
    pygame.K_TAB: "next",
    pygame.K_RETURN: "play",
}
FULLSCREEN = (pygame.K_f, pygame.K_F11)

Axes = tuple[float, float, float]


@dataclass
class Keys:
    """The held keys, the actions that were pressed and not yet taken, and the overlays."""

    held: set[int] = field(default_factory=set)
    actions: list[str] = field(default_factory=list)
    overlays: Overlays = field(default_factory=Overlays)
    fullscreen: bool = False
    closing: bool = False

    def press(self, key: int) -> None:
        if key in DRIVE or key in SLOW:
            self.held.add(key)
        elif key in OVERLAYS:
            name = OVERLAYS[key]
            self.overlays = replace(self.overlays, **{name: not getattr(self.overlays, name)})
        elif key in ACTIONS:
            self.actions.append(ACTIONS[key])
            if ACTIONS[key] == "stop":
                self.release_all()
        elif key in FULLSCREEN:
            self.fullscreen = not self.fullscreen
        elif key == pygame.K_ESCAPE:
            self.closing, self.fullscreen = not self.fullscreen, False

    def release(self, key: int) -> None:
        self.held.discard(key)

    def release_all(self) -> None:
        """Release all driving keys, as when the window loses the focus."""
        self.held.clear()

    def take_actions(self) -> list[str]:
        taken, self.actions = self.actions[:32], []
        return taken

    def axes(self) -> Axes:
        """Return forward, left and turn from the held keys; opposite keys cancel."""
        pushed = {DRIVE[key] for key in self.held if key in DRIVE}  # W and Up count once
        full = SLOW_SHARE if any(key in self.held for key in SLOW) else 1.0
        forward, left, turn = (full * sum(push[axis] for push in pushed) for axis in range(3))
        return forward, left, turn
