"""Golden transcripts of sessions, to the byte. RIGLESS_GOLDEN=write writes new ones."""

import os
from pathlib import Path

import pytest

from .scene import Peer, welder

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.in")), ids=lambda path: path.stem)
def test_the_answer_is_the_golden_one(path):
    sim = welder(seed=5)
    port = path.stem.partition("-")[0]
    peer = Peer(sim, port)
    sim.run(0.1)
    peer.say(path.read_bytes())
    sim.run(4.0)
    peer.say(b"\x87")
    sim.run(0.1)
    kept = path.with_suffix(".out")
    if os.environ.get("RIGLESS_GOLDEN") == "write":
        kept.write_bytes(peer.received)
    assert peer.received == kept.read_bytes()
