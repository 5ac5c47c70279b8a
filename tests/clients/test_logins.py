"""Logins of `rigless send` at real brokers: MQTT and NATS."""

import pytest

from mqtt_brokers import Mosquitto, Nats
from nats_servers import Authority, Permissions, Server, Tls, Users
from rigless.clients.login import Login
from rigless.clients.port_client import exchange
from rigless.kernel.ports import Port
from rigless.kernel.problems import InputError

EVERYTHING = Permissions(publish=[">"], subscribe=[">"])


@pytest.fixture
def passwords(tmp_path):
    """Return the names of files with the right and a wrong password."""
    (tmp_path / "good").write_text("robot\n")
    (tmp_path / "bad").write_text("wrong")
    return str(tmp_path / "good"), str(tmp_path / "bad")


def publish(transport, url, login, subject="r"):
    return list(exchange(transport, url, ["{}"], subject, login=login))


def error_of(transport, url, login):
    with pytest.raises(InputError) as caught:
        publish(transport, url, login)
    return str(caught.value)


@pytest.mark.parametrize("transport", ["mqtt", "nats"])
def test_a_password_comes_from_a_file_and_a_wrong_one_is_named(tmp_path, passwords, transport):
    good, bad = passwords
    config = Users(robot=EVERYTHING).config()
    kind = Nats if transport == "mqtt" else Server
    with kind(tmp_path, config) if transport == "mqtt" else kind(tmp_path, extra=config) as broker:
        assert publish(transport, broker.url, Login("robot", good)) == []
        for login in (Login("robot", bad), Login()):
            text = error_of(transport, broker.url, login)
            assert "the broker refused the connection" in text
            assert "--user and --password-file" in text
        missing = error_of(transport, broker.url, Login("robot", str(tmp_path / "none")))
        assert missing.startswith("--password-file: ")
        assert "cannot be read: No such file" in missing


def test_nats_credentials(tmp_path):
    authority = Authority(tmp_path / "keys")
    with Server(tmp_path, authority) as server:
        creds = str(authority.creds("robot"))
        assert publish("nats", server.url, Login(creds_file=creds), "robot.robot.x") == []
        stranger = str(Authority(tmp_path / "others").creds("robot"))
        assert "refused" in error_of("nats", server.url, Login(creds_file=stranger))
        (tmp_path / "empty.creds").write_text("nothing")
        for name in ("none.creds", "empty.creds"):
            text = error_of("nats", server.url, Login(creds_file=str(tmp_path / name)))
            assert text.startswith("--creds-file: ")


def test_mqtt_with_tls_and_a_client_certificate(tmp_path):
    tls = Tls(tmp_path / "tls", verify=True)
    lines = (
        "allow_anonymous true",
        f"cafile {tls.ca}",
        f"certfile {tmp_path}/tls/server.pem",
        f"keyfile {tmp_path}/tls/server.key",
        "require_certificate true",
    )
    files = {"cert_file": str(tls.client_certificate), "key_file": str(tls.client_key)}
    with Mosquitto(tmp_path, *lines) as broker:
        url = f"mqtts://{broker.address}"
        assert publish("mqtt", url, Login(ca_file=str(tls.ca), **files)) == []
        assert "certificate verify failed" in error_of("mqtt", url, Login(**files))


def test_a_port_without_a_broker_has_no_login():
    text = error_of("tcp", "tcp://127.0.0.1:1", Login("robot", ca_file="ca.pem"))
    assert text.startswith("--user, --ca-file: a port on 'tcp' has no login")


def test_the_login_of_a_port_is_that_of_its_config():
    mqtt = {"url": "mqtt://b", "client_id": "r", "user": "u", "password_file": "p", "ca_file": "c"}
    options = {"mqtt": mqtt}
    assert Login.of(Port("m", object, "mqtt", "", options=options)) == Login("u", "p", ca_file="c")
    options = {"nats": {"credsFilePath": "robot.creds"}}
    assert Login.of(Port("n", object, "nats", "", options=options)) == Login(
        creds_file="robot.creds"
    )
    assert Login.of(Port("t", object, "tcp", "127.0.0.1:0")) == Login()
