"""Sessions of CNCjs, gSender, bCNC and grbl-streamer, replayed in virtual time.

Each session connects, homes, streams the example programs, holds and resumes, jogs, runs into a
soft limit and recovers. RIGLESS_GOLDEN=write writes new replies.
"""

import ast
import itertools
import os
import re
from pathlib import Path

import pytest

from rigless.robots.welder.wire import GrblCodec, Line

from .scene import Peer, welder

SESSIONS = Path(__file__).parent / "golden" / "senders"
SETTINGS = {"grbl-streamer": ("compat=grbl",)}
ANSWERS = re.compile(r"ok|error:.*|ALARM:.*|\[MSG:.*|Grbl.*")
# Lines without a reply, each traced: in execution or behind at a soft limit (3, 4, 1, 3), at a
# reset (CNCjs 3), in Sleep or before a stop (1, 1).
UNANSWERED = {"bcnc": 3, "cncjs": 8, "grbl-streamer": 1, "gsender": 4}


def session(sender):
    rows = (SESSIONS / f"{sender}.talk").read_text().splitlines()
    pairs = (row.split(" ", 1) for row in rows if not row.startswith("#"))
    return [(round(float(at) * 1e9), ast.literal_eval(data)) for at, data in pairs]


@pytest.fixture(scope="module", params=sorted(path.stem for path in SESSIONS.glob("*.talk")))
def replayed(request):
    """Return the sender's name, its bytes, and the replies."""
    sim = welder(*SETTINGS.get(request.param, ()), seed=3)
    peer, talk = Peer(sim), session(request.param)
    for at_ns, data in talk:
        sim.run_until(at_ns)
        peer.say(data)
    sim.run(2.0)
    peer.say(b"?")
    sim.run(0.1)
    assert not peer.gone
    return request.param, b"".join(data for _, data in talk), peer.received.decode().split("\r\n")


def test_answers_are_those_it_had(replayed):
    sender, _, heard = replayed
    rows = [line for line in heard if ANSWERS.fullmatch(line)]
    shown = "".join(f"{line} ×{len(list(group))}\n" for line, group in itertools.groupby(rows))
    kept = SESSIONS / f"{sender}.said"
    if os.environ.get("RIGLESS_GOLDEN") == "write":
        kept.write_text(shown)
    assert shown == kept.read_text()


def test_each_line_has_one_answer_but_those_that_an_alarm_or_reset_drops(replayed):
    sender, sent, heard = replayed
    lines = sum(isinstance(message, Line) for message in GrblCodec().decode(sent))
    answers = sum(line == "ok" or line.startswith("error:") for line in heard)
    assert lines - answers == UNANSWERED[sender]


def test_all_jobs_came_to_their_end(replayed):
    _, _, heard = replayed
    assert heard.count("[MSG:Pgm End]") >= 3
    assert [line for line in heard if line.startswith("<")][-1].startswith("<Idle|")
