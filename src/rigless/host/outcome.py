"""The end of a scenario in a live run: judge its expectations and keep serving."""

from typing import TYPE_CHECKING

from rigless.host.outcome_models import OutcomeStatus
from rigless.kernel.events import Event, Severity
from rigless.scenario.expect.programs import Programs
from rigless.scenario.expectations import ExpectationMonitor

if TYPE_CHECKING:
    from rigless.host.host import Host

JUMPED = "not judged, because time has jumped; restart, or use rigless check"


class OutcomeJudge:
    """Watches a run from its start. At the end of its duration it pauses the host.

    After a reset or a restore the expectations cannot be judged: they need an uninterrupted run.
    """

    def __init__(self, host: "Host", programs: Programs | None = None):
        assert host.end_ns is not None, "a run without a duration does not end"
        self._host, self._epoch = host, host.epoch
        self._monitor = ExpectationMonitor(host.built, host.end_ns / 1e9, programs)
        host.at_end = self.judge

    def judge(self) -> None:
        host = self._host
        host.halt()
        verdicts = self._monitor.verdicts() if host.epoch == self._epoch else []
        held, total = sum(one.passed for one in verdicts), len(verdicts)
        text = f"{held} of {total} expectations hold" if total else ""
        if not total and host.built.scenario.expect:
            text = f"the expectations were {JUMPED}"
        host.outcome = OutcomeStatus(
            time_s=host.sim.now_s,
            text=f"finished: {text}" if text else "finished",
            passed=held == total,
            expectations=[
                {"text": one.text, "passed": one.passed, "detail": one.detail, "place": one.place}
                for one in verdicts
            ],
        )
        severity: Severity = "info" if held == total else "warning"
        event = Event(host.sim.now_ns, "", "finished", severity, host.outcome["text"], {})
        host.sim.core.log(event)
