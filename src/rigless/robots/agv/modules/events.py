"""Events: conditions that begin and end, and single notices with a rate limit.

A condition is published when it begins, and again with `clearedAt` when it ends. Notices of one
code are published at most once a second, then with the number of those suppressed.
"""

from collections.abc import Iterable
from typing import Any, cast

from rigless.kernel.events import Severity as KernelSeverity
from rigless.robots.agv import messages as m
from rigless.robots.agv.link.publisher import Publisher
from rigless.robots.agv.services import Services
from rigless.robots.agv.state import Condition, CoreState, RateLimit

SECOND_NS = 1_000_000_000
KERNEL_SEVERITY: dict[str, KernelSeverity] = {
    "INFO": "info",
    "WARNING": "warning",
    "ERROR": "error",
    "CRITICAL": "critical",
}

NOTICES = (
    "BARCODE_READ", "BATTERY_LOW", "COLLISION", "DEVICE_OFF", "DEVICE_ON", "DRIVER_LOST",
    "INVALID_PARAMS", "MALFORMED_ENVELOPE", "NOT_SUPPORTED", "NO_ROUTE", "ROUTE_REJECTED",
    "STATE_TOO_LARGE", "STEP_SKIPPED", "TASK_REJECTED", "UNKNOWN_CONTROL", "UNKNOWN_TASK",
)  # fmt: skip  # all codes of `notice` and `publish`


def kernel_codes(conditions: Iterable[str]) -> tuple[str, ...]:
    """Return the codes that conditions and notices have in the log of the simulation."""
    begin = [_kernel_code(code) for code in conditions]
    notices = [_kernel_code(code) for code in NOTICES]
    return (*begin, *(f"{code}-cleared" for code in begin), *notices)


class Events:
    def __init__(self, services: Services, state: CoreState, publisher: Publisher):
        self._services, self._state, self._publisher = services, state, publisher

    def raise_(
        self,
        key: str,
        code: str,
        severity: m.Severity,
        source: str,
        message: str,
        data: dict[str, Any] | None = None,
    ) -> None:
        """Begin a condition."""
        publisher, about = self._publisher, data or {}
        condition = Condition(
            publisher.event_id(), code, severity, source, message, publisher.now(), about
        )
        self._state.conditions[key] = condition
        publisher.publish(
            "events",
            m.Event(condition.eventId, code, severity, source, message, about, condition.raisedAt),
        )
        more = {"about": about} if about else {}
        self._services.event(
            _kernel_code(code), message, KERNEL_SEVERITY[severity], source=source, **more
        )

    def clear(self, key: str) -> None:
        """End a condition, if it holds."""
        held = self._state.conditions.pop(key, None)
        if held is None:
            return
        event = m.Event(
            held.eventId,
            held.code,
            cast(m.Severity, held.severity),
            held.source,
            held.message,
            held.data,
            held.raisedAt,
            self._publisher.now(),
        )
        self._publisher.publish("events", event)
        code = f"{_kernel_code(held.code)}-cleared"
        self._services.event(code, f"cleared: {held.message}", source=held.source)

    def notice(
        self,
        code: str,
        severity: m.Severity,
        source: str,
        message: str,
        data: dict[str, Any] | None = None,
    ) -> None:
        """Publish a single event, unless one of its code was published within the last second."""
        limits, now_ns = self._state.rate_limits, self._services.now_ns
        limit = limits.get(code)
        if limit is not None and now_ns < limit.until_ns:
            limit.suppressed, limit.severity = limit.suppressed + 1, severity
            return
        limits[code] = RateLimit(now_ns + SECOND_NS)
        self.publish(code, severity, source, message, data or {})

    def publish(
        self, code: str, severity: m.Severity, source: str, message: str, data: dict[str, Any]
    ) -> None:
        """Publish a single event without a rate limit."""
        publisher = self._publisher
        event = m.Event(
            publisher.event_id(), code, severity, source, message, data, publisher.now()
        )
        publisher.publish("events", event)
        self._services.event(
            _kernel_code(code), message, KERNEL_SEVERITY[severity], source=source, about=data
        )

    def report_suppressed(self) -> None:
        """Publish how many notices were suppressed, once their second is over."""
        limits, now_ns = self._state.rate_limits, self._services.now_ns
        for code, limit in list(limits.items()):
            if now_ns >= limit.until_ns:
                del limits[code]
                if limit.suppressed:
                    limits[code] = RateLimit(now_ns + SECOND_NS)
                    severity = cast(m.Severity, limit.severity)
                    message = f"{limit.suppressed} more in the last second"
                    self.publish(code, severity, "robot", message, {"count": limit.suppressed})


def _kernel_code(code: str) -> str:
    return code.lower().replace("_", "-")
