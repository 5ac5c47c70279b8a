"""The window's main loop in this process: events, requests, pictures, and a bad host."""

import socket

import pygame
import pytest

from rigless.robots.pacbot.window import brushes as c
from rigless.robots.pacbot.window.main import Connection, Window
from rigless.robots.pacbot.window.messages import (
    LENGTH,
    LONGEST,
    PictureRequest,
    decode_for_host,
    pack,
)

from .pictures import ROOM, bot, near, picture


class Fixed:
    """A host that sends what the test gives it."""

    def __init__(self):
        self.connection, theirs = socket.socketpair()
        self.window = Window(Connection(theirs), "test", (400, 300))
        self.theirs = theirs

    def asked(self):
        (length,) = LENGTH.unpack(self.connection.recv(LENGTH.size))
        return decode_for_host(self.connection.recv(length))

    def say(self, *messages):
        self.connection.sendall(b"".join(pack(message) for message in messages))

    def step(self, *messages):
        """Show one frame with this answer of the host, and return the request."""
        self.say(*messages)
        self.window.step()
        return self.asked()

    def close(self):
        self.connection.close()
        self.theirs.close()


@pytest.fixture
def host(monkeypatch):
    monkeypatch.setattr("rigless.robots.pacbot.window.main.ANSWER_S", 0.01)
    found = Fixed()
    yield found
    found.close()


def press(key, down=True):
    pygame.event.post(pygame.event.Event(pygame.KEYDOWN if down else pygame.KEYUP, key=key))


def shown(window, x_m, y_m):
    layout = window.painter._layout
    x, y = layout.at(x_m, y_m)
    return tuple(window.surface.get_at((round(x), round(y))))[:3]


def test_it_requests_and_shows_pictures(host):
    assert host.step(ROOM, picture()) == PictureRequest(0)
    assert shown(host.window, 0.70, 0.72) == c.YELLOW
    assert host.step(picture(bot(x=1.0))) == PictureRequest(1)
    assert shown(host.window, 0.70, 0.72) != c.YELLOW
    assert shown(host.window, 0.95, 0.72) == c.YELLOW


def test_held_keys_are_sent_with_each_request(host):
    press(pygame.K_w)
    press(pygame.K_q)
    assert host.step(ROOM, picture()).axes == (1, 0, 1)
    press(pygame.K_q, down=False)
    press(pygame.K_p)
    again = host.step(picture())
    assert (again.axes, again.actions) == ((1, 0, 0), ["pause"])
    assert host.step(picture()).actions == []


def test_a_window_that_is_left_lets_go(host):
    press(pygame.K_w)
    host.step(ROOM, picture())
    pygame.event.post(pygame.event.Event(pygame.WINDOWFOCUSLOST))
    assert host.step(picture()).axes == (0, 0, 0)


def test_an_overlay_is_seen_when_its_key_is_pressed(host):
    host.step(ROOM, picture(bot(contact=(0.9, 0.9))))
    assert shown(host.window, 0.9, 0.9) == c.FLOOR
    press(pygame.K_b)
    host.step(picture(bot(contact=(0.9, 0.9))))
    assert near(shown(host.window, 0.9, 0.9), c.TOUCH)


def test_the_wheel_of_the_mouse_zooms(host):
    host.step(ROOM, picture())
    before = host.window.painter._layout.scale
    pygame.event.post(pygame.event.Event(pygame.MOUSEWHEEL, y=3))
    host.step(picture())
    assert host.window.painter._layout.scale == pytest.approx(1.25**3 * before)
    assert shown(host.window, 0.70, 0.72) == c.YELLOW


def test_a_host_that_is_busy_leaves_the_window_alive(host):
    host.step(ROOM, picture())
    host.window.step()  # no answer
    assert host.asked() == PictureRequest(1)
    press(pygame.K_w)
    host.window.step()  # still none: there is no second request
    with pytest.raises(BlockingIOError):
        host.connection.recv(1, socket.MSG_DONTWAIT)
    host.say(picture(bot(x=1.0)))
    host.window.step()
    assert shown(host.window, 0.95, 0.72) == c.YELLOW
    assert host.step(picture()).axes == (1, 0, 0)


def test_an_answer_may_come_in_pieces(host):
    data = pack(ROOM) + pack(picture())
    for at in range(0, len(data), 100):
        host.connection.sendall(data[at : at + 100])
        host.window.step()
    assert host.window.picture == picture()


def test_another_size_and_fullscreen(host):
    host.step(ROOM, picture())
    pygame.display.set_mode((900, 500), pygame.RESIZABLE)
    pygame.event.post(pygame.event.Event(pygame.VIDEORESIZE, w=900, h=500, size=(900, 500)))
    host.step(picture())
    assert host.window.surface.get_size() == (900, 500)
    assert shown(host.window, 0.70, 0.72) == c.YELLOW
    press(pygame.K_f)
    host.step(picture())
    full = host.window.surface.get_size()
    assert full == pygame.display.get_desktop_sizes()[0]
    assert shown(host.window, 0.70, 0.72) == c.YELLOW
    press(pygame.K_ESCAPE)
    host.step(picture())
    assert host.window.surface.get_size() == (900, 500)
    assert not host.window.keys.closing


@pytest.mark.parametrize("end", ["close", "escape", "gone", "riddle"])
def test_it_ends_when_it_is_closed_and_when_the_host_goes(host, end):
    host.say(ROOM, picture())
    if end == "close":
        pygame.event.post(pygame.event.Event(pygame.QUIT))
    elif end == "escape":
        press(pygame.K_ESCAPE)
    elif end == "gone":
        host.connection.close()
    else:
        host.connection.sendall(LENGTH.pack(LONGEST + 1))
    host.window.run()
    assert host.window.keys.closing is (end in ("close", "escape"))


def test_it_has_an_icon_and_a_title(host):
    from rigless.robots.pacbot.window.main import icon

    assert pygame.display.get_caption()[0] == "test"
    assert near(tuple(icon().get_at((24, 40)))[:3], c.YELLOW)
