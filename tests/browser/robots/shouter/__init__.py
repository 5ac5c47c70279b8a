"""A robot for tests of the panel: all its names are HTML that would run a script."""

from typing import Any

from rigless.kernel.drawing import Action, Button, Disc, Gauge, Lamp, Plot, Switch, View
from rigless.kernel.robot import Robot as Base
from rigless.kernel.robot import VirtualInput, every

SHOUT = '<img src=x onerror="globalThis.hacked=true"><script>globalThis.hacked=true</script>'


class ShoutingView(View):
    parts = (
        Disc("body", f"disc {SHOUT}", 0.2),
        Gauge("number", f"gauge {SHOUT}", f"unit {SHOUT}"),
        Lamp("number", f"lamp {SHOUT}"),
        Action("act", f"action {SHOUT}"),
        Button(f"held {SHOUT}", f"button {SHOUT}"),
        Switch(f"input {SHOUT}", f"switch {SHOUT}"),
        Plot("plot", f"plot {SHOUT}", (("number", f"line {SHOUT}"),), f"unit {SHOUT}"),
    )

    def draw(self):
        return {"body": (0.0, 0.0, 0.0, 0.0)}

    def measure(self):
        return {"number": 1.0}


class Robot(Base):
    inputs = {
        f"input {SHOUT}": VirtualInput(False, f"help {SHOUT}"),
        f"held {SHOUT}": VirtualInput(False),
        f"text {SHOUT}": VirtualInput(f"value {SHOUT}"),
    }
    sensors = (f"sensor {SHOUT}",)

    @every(2)
    def shout(self) -> None:
        self.count(f"metric {SHOUT}")
        self.event("shout", f"event {SHOUT}", "warning")

    def status(self) -> str:
        return f"status {SHOUT}"

    def view(self) -> Any:
        return ShoutingView(self)
