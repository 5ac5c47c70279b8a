"""Timing of the NATS transport for tests: short intervals and long timeouts.

A machine that is busy for seconds must not count as a lost server. Tests of servers that stop
answering are `impatient`.
"""

import pytest

from rigless.transports import nats
from rigless.transports.jetstream import connection, lease, outbox, publisher, session, streams

PATIENCE_S = 60.0


@pytest.fixture(autouse=True)
def _often_and_patient(request, monkeypatch):
    if request.path.name.startswith("test_nats"):
        monkeypatch.setattr(nats, "TICK_S", 0.1)
        monkeypatch.setattr(nats, "RETURN_S", 0.1)
        monkeypatch.setattr(outbox, "RETRY_S", 0.05)
        monkeypatch.setattr(nats, "CONNECT_S", PATIENCE_S)
        monkeypatch.setattr(connection, "PING_S", PATIENCE_S)
        monkeypatch.setattr(streams, "ATTEMPTS_S", (1.0,) * int(PATIENCE_S))
        for place in (lease, publisher, session):
            monkeypatch.setattr(place, "ANSWER_S", PATIENCE_S)
        monkeypatch.setattr(lease, "LIFE_S", 10 * PATIENCE_S)


@pytest.fixture
def in_a_cluster(_often_and_patient, monkeypatch):
    """Repeat requests soon: a node that died never answers."""
    monkeypatch.setattr(streams, "ATTEMPTS_S", (0.5, 0.5, 0.5))
    for place in (lease, publisher, session):
        monkeypatch.setattr(place, "ANSWER_S", 3.0)


@pytest.fixture
def impatient(_often_and_patient, monkeypatch):
    """Let a silent server count as lost soon, until the function is called."""
    monkeypatch.setattr(connection, "PING_S", 0.3)

    def enough():
        monkeypatch.setattr(connection, "PING_S", PATIENCE_S)
        monkeypatch.setattr(connection, "CONGESTED_S", PATIENCE_S)

    return enough
