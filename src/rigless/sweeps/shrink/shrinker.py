"""The passes that make a failing scenario smaller, repeated until none of them helps.

A change is kept only if the same expectation still fails in the same phase. Passes drop items,
shorten the run, switch noise off, and simplify values.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rigless.kernel.key_path import KeyPath, dotted
from rigless.kernel.streams import OFF, setting_of
from rigless.runs.session import DEFAULT_DURATION_S
from rigless.scenario.load import robot_name
from rigless.scenario.verdict import Verdict
from rigless.sweeps.shrink import simpler
from rigless.sweeps.shrink.ddmin import Item as AnyItem
from rigless.sweeps.shrink.ddmin import minimize
from rigless.sweeps.shrink.draft import Data
from rigless.sweeps.shrink.failure import Failure
from rigless.sweeps.shrink.items import Item, describe, droppable, is_of, without
from rigless.sweeps.shrink.trail import Step, Trail
from rigless.sweeps.shrink.trials import BudgetSpentError, Trials

SEEDS_TRIED = 16
STEP_S = 0.1  # of the duration
SLACK_FACTOR, SLACK_S, WORTH = 1.5, 1.0, 0.8  # of the first cut, before other things change


@dataclass
class Shrinker:
    """Makes a scenario smaller as long as it shows a failure."""

    trials: Trials
    failure: Failure
    data: Data
    verdict: Verdict  # of the scenario as it is
    streams: list[str]  # the random streams that it uses
    report: Callable[[Step], None] = lambda step: None
    trail: Trail = field(default_factory=Trail)
    _kept: str = ""

    def shrink(self) -> bool:
        """Run all passes until none changes the scenario. Return False if the budget is spent."""
        passes: list[tuple[str, Callable[[], None]]] = [
            ("expectations", self._drop_expectations),
            ("keys without an effect", self._drop_irrelevant_keys),
            ("duration", lambda: self._shorten(slack=True)),
            ("items", self._drop_items),
            ("noise", self._silence),
            ("keys", self._drop_keys),
            ("numbers", self._simplify_numbers),
            ("duration", lambda: self._shorten(slack=False)),
            ("seed", self._smaller_seed),
        ]
        unchanged = 0
        try:
            while unchanged < len(passes):
                name, call = passes[0]
                before, self.trials.step = self.data, name
                call()
                unchanged = unchanged + 1 if self.data is before else 0
                passes.append(passes.pop(0))
        except BudgetSpentError:
            return False
        return True

    def _accept(self, options: Sequence[Data]) -> int | None:
        """Take the first option that shows the failure, and return its index."""
        found = self.trials.first(self.failure, options)
        if found is None:
            return None
        self.data, self.verdict = options[found[0]], found[1]
        return found[0]

    def note(self, text: str) -> None:
        """Add a step to the trail."""
        self.report(self.trail.add(self.trials.runs, text))

    def _minimize(
        self,
        items: Sequence[AnyItem],
        keep: Callable[[list[AnyItem]], Data],
        note: Callable[[list[AnyItem]], str],
    ) -> None:
        """Keep a minimal part of items. `keep` makes the scenario with a part only."""
        left = list(items)

        def first(parts: list[list[AnyItem]]) -> int | None:
            nonlocal left
            found = self._accept([keep(part) for part in parts])
            left = left if found is None else parts[found]
            return found

        try:
            if items:
                minimize(items, first)
        finally:
            dropped = [item for item in items if item not in left]
            if dropped:
                self.note(note(dropped))

    def _drop_items(self) -> None:
        base, folder = self.data, self.trials.draft.folder
        items = droppable(base, self.failure, folder)

        def keep(part: list[Item]) -> Data:
            return without(base, [item for item in items if item not in part], folder)

        self._minimize(items, keep, lambda dropped: f"dropped {describe(base, dropped)}")
        kept = describe(self.data, droppable(self.data, self.failure, folder))
        if kept and kept != self._kept:
            self._kept = kept
            self.note(f"kept {kept}: without any one of them it does not fail so")

    def _drop_expectations(self) -> None:
        base, folder = self.data, self.trials.draft.folder
        others = [
            ("expect", index)
            for index, entry in enumerate(base.get("expect", []))
            if entry != self.failure.entry
        ]

        def keep(part: list[Item]) -> Data:
            return without(base, [item for item in others if item not in part], folder)

        def note(dropped: list[Item]) -> str:
            return f"dropped {len(dropped)} other expectation{'s' * (len(dropped) > 1)}"

        self._minimize(others, keep, note)

    def _drop_irrelevant_keys(self) -> None:
        paths = simpler.irrelevant_keys(self.data)
        if paths and self._accept([simpler.without_keys(self.data, paths)]) is not None:
            self.note(f"dropped {', '.join(map(dotted, paths))}")

    def _shorten(self, slack: bool) -> None:
        """End the run just after the failure, or at first some time later."""
        broke_at_s = self.verdict.broke_at_s
        before_s = float(self.data.get("duration_s", DEFAULT_DURATION_S))
        if broke_at_s is None:
            return
        if slack:
            options_s: list[float] = [math.ceil(broke_at_s * SLACK_FACTOR + SLACK_S)]
            if options_s[0] > WORTH * before_s:
                return
        elif self.data.get("programs"):  # their times differ from run to run
            return
        else:
            first = max(1, math.ceil(broke_at_s / STEP_S - 1e-6))
            options_s = [round((first + extra) * STEP_S, 9) for extra in range(2)]
        base = self.data
        options = [simpler.shortened(base, each) for each in options_s if each < before_s]
        found = self._accept(options)
        if found is not None:
            late = describe(base, simpler.after_end(base, options_s[found]))
            dropped = f", which drops {late} after its end" if late else ""
            self.note(f"shortened the run from {before_s:g} s to {options_s[found]:g} s{dropped}")

    def _silence(self) -> None:
        """Switch off all noise, or else as many streams as possible."""
        base, noise = self.data, self.data.get("noise", {})
        if noise == {"*": OFF} or not self.streams:
            return
        if self._accept([{**base, "noise": {"*": OFF}}]) is not None:
            self.note("switched off all noise")
            return
        robots = [robot_name(entry, self.trials.draft.folder) for entry in base["robots"]]
        on = [
            name
            for name in self.streams
            if setting_of(noise, name) != OFF
            and any(is_of(name.partition("/")[0], robot) for robot in robots)
        ]

        def keep(part: list[str]) -> Data:
            off = {name: OFF for name in on if name not in part}
            return {**base, "noise": {**noise, **off}}

        if len(on) > 1:
            self._minimize(on, keep, lambda names: f"switched off {', '.join(names)}")

    def _drop_keys(self) -> None:
        base = self.data
        paths = simpler.keys_to_drop(base, self.failure)
        paths += [("noise", key) for key, of in base.get("noise", {}).items() if of != OFF]

        def keep(part: list[KeyPath]) -> Data:
            return simpler.without_keys(base, [path for path in paths if path not in part])

        self._minimize(paths, keep, lambda dropped: f"to the default: {_listed(dropped)}")

    def _simplify_numbers(self) -> None:
        for path in simpler.numbers(self.data, self.failure):
            value = simpler.value_at(self.data, path)
            values = simpler.options_at(path, value)
            found = self._accept([simpler.with_value(self.data, path, each) for each in values])
            if found is not None:
                self.note(f"{dotted(path)}: {value:g} is now {values[found]:g}")

    def _smaller_seed(self) -> None:
        seed = self.data["seed"]
        seeds = range(min(seed, SEEDS_TRIED))
        found = self._accept([{**self.data, "seed": each} for each in seeds])
        if found is not None:
            self.note(f"seed {seed} is now {found}")


def _listed(paths: Sequence[KeyPath]) -> str:
    shown = ", ".join(map(dotted, paths[:6]))
    return shown + (f" … ({len(paths)} keys)" if len(paths) > 6 else "")
