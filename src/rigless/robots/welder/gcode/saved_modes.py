"""M48–M53, which enable and disable overrides, and M70–M73, which save and restore the modes."""

from dataclasses import replace

from rigless.robots.welder.gcode.modal import SAVED, Modal, Step


def override_step(modal: Modal) -> Step:
    return "override control", modal.feed_override, modal.speed_override, modal.feed_hold


def control_overrides(modal: Modal, number: int, enable: bool) -> list[Step]:
    """M48 and M49 enable and disable overrides, M50 feed, M51 spindle, M53 the feed hold."""
    if number in (48, 49):
        modal.feed_override = modal.speed_override = number == 48
    elif number == 50:
        modal.feed_override = enable
    elif number == 51:
        modal.speed_override = enable
    else:
        modal.feed_hold = enable
    return [override_step(modal)]


def save_or_restore(modal: Modal, number: int) -> tuple[Modal, list[Step]]:
    """M70 and M73 save the modal state, M71 forgets it, M72 restores it."""
    if number == 72:
        if not modal.saved:
            return modal, []
        restored = replace(modal, **modal.saved)
        return restored, [
            ("spindle", restored.spindle, restored.speed),
            ("coolant", restored.mist, restored.flood),
            override_step(restored),
        ]
    saved = {name: getattr(modal, name) for name in SAVED} if number != 71 else {}
    return replace(modal, saved=saved), []
