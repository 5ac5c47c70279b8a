"""Messages about tasks in tests: a short step, and final messages."""

WAIT = ("WAIT", {"seconds": 0.1})
DONE = {
    "taskId": "t1",
    "startedAt": "2026-01-01T00:00:01Z",
    "finishedAt": "2026-01-01T00:00:02Z",
    "metrics": {"distanceM": 7.0},
    "revision": 1,
}
FAILED = {
    "taskId": "t1",
    "code": "STEP_FAILED",
    "message": "why",
    "recoverable": True,
    "revision": 1,
}
