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
OVERLAYS = {
    pygame.K_r: "rays",
    pygame.K_v: "velocity",
    pygame.K_b: "boundary",
    pygame.K_t: "text",
    pygame.K_i: "sensors",
}
ACTIONS = {
    pygame.K_SPACE: "stop",
    pygame.K_p: "pause",
    pygame.K_TAB: "next",
    pygame.K_RETURN: "play",
}
FULLSCREEN = (pygame.K_f, pygame.K_F11)
FOLLOW = pygame.K_c
ZOOM = {
    pygame.K_PLUS: 1, pygame.K_EQUALS: 1, pygame.K_KP_PLUS: 1,
    pygame.K_MINUS: -1, pygame.K_KP_MINUS: -1,
}  # fmt: skip
ZOOM_STEP, MAX_ZOOM, FOLLOW_ZOOM = 1.25, 8.0, 1.25**5  # about 3

Axes = tuple[float, float, float]


@dataclass
class Keys:
    """The held keys, the actions that were pressed and not yet taken, and the overlays."""

    held: set[int] = field(default_factory=set)
    actions: list[str] = field(default_factory=list)
    overlays: Overlays = field(default_factory=Overlays)
    fullscreen: bool = False
    closing: bool = False
    last_zoom: float = FOLLOW_ZOOM

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
        elif key in ZOOM:
            self.zoom(ZOOM[key])
        elif key == FOLLOW:
            self._set_zoom(1.0 if self.overlays.zoom > 1 else self.last_zoom)
        elif key in FULLSCREEN:
            self.fullscreen = not self.fullscreen
        elif key == pygame.K_ESCAPE:
            self.closing, self.fullscreen = not self.fullscreen, False

    def zoom(self, steps: float) -> None:
        """Zoom in by this many steps, or out; at 1 the whole world is shown."""
        zoom = min(max(self.overlays.zoom * ZOOM_STEP**steps, 1.0), MAX_ZOOM)
        self._set_zoom(1.0 if zoom < 1.01 else zoom)

    def _set_zoom(self, zoom: float) -> None:
        self.overlays = replace(self.overlays, zoom=zoom)
        if zoom > 1:
            self.last_zoom = zoom

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
