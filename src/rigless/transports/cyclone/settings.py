"""Cyclone configuration from the environment variables of ROS 2. The default is localhost only."""

from collections.abc import Mapping
from xml.sax.saxutils import quoteattr

from rigless.kernel.problems import InputError, Problem

RANGES = ("OFF", "LOCALHOST", "SUBNET", "SYSTEM_DEFAULT")
DOMAINS = 233  # higher domains would need port numbers above 65535
PARTICIPANTS = 99  # of one machine, searched by unicast
_LOOPBACK = "<NetworkInterface name='lo'/>"
_NETWORK = "<NetworkInterface autodetermine='true'/>"
_QUIET_NETWORK = "<NetworkInterface autodetermine='true' multicast='false'/>"  # for static peers
# Fast DDS rejects types with arrays if it gets the type information of Cyclone since 0.10.
_COMPATIBILITY = (
    "<Compatibility><IgnoreTypeInformation>1.15</IgnoreTypeInformation></Compatibility>"
)


def domain_of(address: str, environ: Mapping[str, str]) -> int:
    """Return the domain of an address (`domain/5`, `5`), ROS_DOMAIN_ID or 0. Raises InputError."""
    given = address.rpartition("/")[2].rpartition(":")[2]
    text, where = (
        (given, "the port's address")
        if given
        else (environ.get("ROS_DOMAIN_ID") or "0", "ROS_DOMAIN_ID")
    )
    if not (text.isascii() and text.isdigit() and len(text) < 9 and int(text) < DOMAINS):
        raise InputError(Problem(where, f"{text!r} is not a DDS domain", f"use 0 to {DOMAINS - 1}"))
    return int(text)


def discovery_range(environ: Mapping[str, str]) -> str:
    """Return the discovery range. As in ROS, ROS_LOCALHOST_ONLY wins. Raises InputError."""
    if environ.get("ROS_LOCALHOST_ONLY") == "1":
        return "LOCALHOST"
    wanted = environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE") or "LOCALHOST"
    if wanted not in RANGES:
        fix = "use one of " + ", ".join(RANGES)
        raise InputError(
            Problem("ROS_AUTOMATIC_DISCOVERY_RANGE", f"{wanted!r} is not a discovery range", fix)
        )
    return wanted


def configuration(environ: Mapping[str, str]) -> str:
    """Return the configuration; CYCLONEDDS_URI is appended and overrides it. Raises InputError."""
    reach = discovery_range(environ)
    static = "" if environ.get("ROS_LOCALHOST_ONLY") == "1" else environ.get("ROS_STATIC_PEERS", "")
    peers = [peer.strip() for peer in static.split(";") if peer.strip()]
    interfaces = {
        "LOCALHOST": _LOOPBACK + (_QUIET_NETWORK if peers else ""),
        "SUBNET": _LOOPBACK + _NETWORK,
    }
    if reach == "SYSTEM_DEFAULT":
        parts = ""
    elif reach == "OFF":
        parts = (
            _general(_LOOPBACK, "false")
            + "<Discovery><ParticipantIndex>none</ParticipantIndex></Discovery>"
        )
    else:
        parts = _general(interfaces[reach], "spdp") + _discovery(["127.0.0.1", *peers])
    own = f"<CycloneDDS><Domain>{parts}{_COMPATIBILITY}</Domain></CycloneDDS>"
    return f"{own},{environ['CYCLONEDDS_URI']}" if environ.get("CYCLONEDDS_URI") else own


def _general(interfaces: str, multicast: str) -> str:
    """Return the network part: discovery by multicast, also on loopback, data by unicast."""
    allow = f"<AllowMulticast>{multicast}</AllowMulticast>"
    return f"<General><Interfaces>{interfaces}</Interfaces>{allow}</General>"


def _discovery(peers: list[str]) -> str:
    """Return the discovery part: peers without multicast are searched by participant index."""
    listed = "".join(f"<Peer Address={quoteattr(peer)}/>" for peer in peers)
    most = f"<MaxAutoParticipantIndex>{PARTICIPANTS}</MaxAutoParticipantIndex>"
    index = f"<ParticipantIndex>auto</ParticipantIndex>{most}"
    return f"<Discovery>{index}<Peers>{listed}</Peers></Discovery>"
