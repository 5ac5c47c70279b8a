"""Quality of service of topics as rosbag2 stores it: text in the metadata of a channel.

The names are those of rosbag2's metadata version 9 (Jazzy). The text is JSON, which is YAML too.
"""

import json
from collections.abc import Mapping
from typing import Any

from rigless.ros.topics import Topic

QUALITY = "offered_qos_profiles"
INFINITE = {"sec": 9223372036, "nsec": 854775807}


def offered_quality(topic: Topic) -> str:
    """Return the profile of a topic's publisher as text."""
    profile: dict[str, Any] = {
        "history": "keep_last",
        "depth": topic.depth,
        "reliability": "reliable" if topic.reliable else "best_effort",
        "durability": "transient_local" if topic.transient_local else "volatile",
        "deadline": INFINITE,
        "lifespan": INFINITE,
        "liveliness": "automatic",
        "liveliness_lease_duration": INFINITE,
        "avoid_ros_namespace_conventions": False,
    }
    return json.dumps([profile])


def is_kept(metadata: Mapping[str, str]) -> bool:
    """Return True if a publisher keeps messages of a channel for late subscribers."""
    return '"durability": "transient_local"' in metadata.get(QUALITY, "")
