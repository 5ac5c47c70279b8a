"""A node's log on /rosout: the events of its robot, for rqt_console and `ros2 topic echo /rosout`.

Events are kept in the robot's state until there is a peer, so that the first one also gets those of
the start. A recorder is not a peer: the state must not depend on observers. The topic is transient
local, so that later peers get the last ones.
"""

from dataclasses import dataclass

from rigless.kernel.events import Severity
from rigless.ros.messages import Log, Time
from rigless.ros.topics import Topic

TOPIC = Topic("/rosout", Log, "out", transient_local=True, depth=100)
LEVELS: dict[Severity, int] = {
    "debug": 10,
    "info": 20,
    "warning": 30,
    "error": 40,
    "critical": 50,
}
PENDING = 100  # entries at most without a peer; older ones are dropped


@dataclass
class Entry:
    """An event that waits for a peer."""

    time_ns: int
    severity: Severity
    code: str
    text: str


def add_entry(pending: list[Entry], entry: Entry) -> None:
    pending.append(entry)
    del pending[:-PENDING]


def log_message(entry: Entry, stamp: Time, name: str) -> Log:
    """Return the message of an event; its code is in the place of a function's name."""
    return Log(stamp, LEVELS[entry.severity], name, entry.text, "", entry.code, 0)
