"""Cyclone's configuration from the environment variables of ROS."""

from xml.etree import ElementTree

import pytest

from rigless.kernel.problems import InputError
from rigless.transports.cyclone.settings import configuration, discovery_range, domain_of


def read(**environ):
    return ElementTree.fromstring(configuration(environ)).find("Domain")


def interfaces(domain):
    return [each.get("name") or "network" for each in domain.iter("NetworkInterface")]


def peers(domain):
    return [peer.get("Address") for peer in domain.iter("Peer")]


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"},
        {"ROS_LOCALHOST_ONLY": "1"},
        {
            "ROS_LOCALHOST_ONLY": "1",
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET",
            "ROS_STATIC_PEERS": "10.0.0.1",
        },
    ],
)
def test_loopback_is_the_default(environ):
    domain = read(**environ)
    assert interfaces(domain) == ["lo"]
    assert peers(domain) == ["127.0.0.1"]


def test_wider_only_when_asked():
    assert interfaces(read(ROS_AUTOMATIC_DISCOVERY_RANGE="SUBNET")) == ["lo", "network"]
    named = read(ROS_STATIC_PEERS="10.0.0.1; robot.local;")
    assert peers(named) == ["127.0.0.1", "10.0.0.1", "robot.local"]
    assert [each.get("multicast") for each in named.iter("NetworkInterface")] == [None, "false"]
    off = read(ROS_AUTOMATIC_DISCOVERY_RANGE="OFF", ROS_STATIC_PEERS="10.0.0.1")
    assert (interfaces(off), peers(off), off.findtext("General/AllowMulticast")) == (
        ["lo"],
        [],
        "false",
    )
    assert interfaces(read(ROS_AUTOMATIC_DISCOVERY_RANGE="SYSTEM_DEFAULT")) == []


def test_every_configuration_goes_with_fast_dds():
    for reach in ("OFF", "LOCALHOST", "SUBNET", "SYSTEM_DEFAULT"):
        assert (
            read(ROS_AUTOMATIC_DISCOVERY_RANGE=reach).findtext(
                "Compatibility/IgnoreTypeInformation"
            )
            == "1.15"
        )


def test_a_peer_is_no_xml():
    assert peers(read(ROS_STATIC_PEERS="'/><Peer Address='evil"))[1:] == ["'/><Peer Address='evil"]


def test_cyclones_own_configuration_comes_last():
    assert configuration({"CYCLONEDDS_URI": "file:///my.xml"}).endswith(",file:///my.xml")


@pytest.mark.parametrize(
    ("address", "environ", "wanted"),
    [
        ("domain/", {}, 0),
        ("domain/", {"ROS_DOMAIN_ID": "7"}, 7),
        ("domain/5", {"ROS_DOMAIN_ID": "7"}, 5),
        ("9", {}, 9),
        ("domain/", {"ROS_DOMAIN_ID": ""}, 0),
    ],
)
def test_domains(address, environ, wanted):
    assert domain_of(address, environ) == wanted


@pytest.mark.parametrize(
    "environ",
    [
        {"ROS_DOMAIN_ID": "x"},
        {"ROS_DOMAIN_ID": "233"},
        {"ROS_DOMAIN_ID": "-1"},
        {"ROS_DOMAIN_ID": "1e9"},
    ],
)
def test_domains_that_are_none(environ):
    with pytest.raises(InputError, match="ROS_DOMAIN_ID"):
        domain_of("domain/", environ)


def test_ranges_that_are_none():
    with pytest.raises(InputError, match="SUBNET"):
        discovery_range({"ROS_AUTOMATIC_DISCOVERY_RANGE": "subnet"})
