"""Tests of the NATS transport wait for what it does now and then; here it does it more often."""

import pytest

from rigless.transports import nats
from rigless.transports.jetstream import connection, outbox


@pytest.fixture(autouse=True)
def _often(request, monkeypatch):
    if request.path.name.startswith("test_nats"):
        monkeypatch.setattr(nats, "TICK_S", 0.1)
        monkeypatch.setattr(nats, "RETURN_S", 0.1)
        monkeypatch.setattr(outbox, "RETRY_S", 0.05)
        monkeypatch.setattr(connection, "PING_S", 0.3)
