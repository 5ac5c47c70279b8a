"""Addresses of runs without isolation: free ports, free ROS domains."""

import socket
from collections.abc import Iterator

import pytest

from rigless.programs.placeholders import RunFacts
from rigless.runs import ports
from rigless.scenario.load import open_target


@pytest.fixture(autouse=True)
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[socket.socket]]:
    """Free the domains that a test has reserved."""
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)
    monkeypatch.setattr(ports, "_held", [])
    yield ports._held
    for one in ports._held:
        one.close()


def test_runs_get_domains_of_their_own() -> None:
    first, second = (ports.free_domain.__wrapped__() for _ in range(2))
    assert first > second > 0  # the first is held, as by another process


def test_a_domain_with_a_participant_is_left_out(held: list[socket.socket]) -> None:
    free = ports.free_domain.__wrapped__()
    held.pop().close()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as participant:
        participant.bind(("127.0.0.1", 7410 + 250 * free))
        assert ports.free_domain.__wrapped__() < free


def test_a_rover_and_its_programs_share_the_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    built = open_target("rover", ["ports.dds=7"])
    ports.use_free_ports(built)
    assert built.addresses["rover", "dds"].endswith("7")  # set by the scenario
    built = open_target("rover", [])
    monkeypatch.setattr(ports, "free_domain", lambda: 99)
    ports.use_free_ports(built)
    assert built.addresses["rover", "dds"] == "domain/99"
    facts = RunFacts({("rover", "dds"): "dds://domain/99"}, 0, "lawn", "")
    assert facts.environment()["ROS_DOMAIN_ID"] == "99"
    monkeypatch.setenv("ROS_DOMAIN_ID", "42")
    built = open_target("rover", [])
    ports.use_free_ports(built)
    assert built.addresses["rover", "dds"] == "domain/"  # the one of the environment
