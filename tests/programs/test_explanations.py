"""Notes on programs that failed."""

from types import SimpleNamespace

from rigless.programs.supervisor import Supervisor


def test_the_ports_of_a_large_fleet_are_not_all_named():
    urls = {(f"agv-{n}", "nats"): "nats://127.0.0.1:4222" for n in range(1, 51)}
    supervisor = SimpleNamespace(connected=False, _host=SimpleNamespace(urls=urls))
    program = SimpleNamespace(peers=(), entry=SimpleNamespace(isolate=True))
    note = Supervisor.explain_no_connection(supervisor, program)
    assert "agv-3.nats is nats://127.0.0.1:4222, and 47 more)" in note
    assert "agv-4" not in note
