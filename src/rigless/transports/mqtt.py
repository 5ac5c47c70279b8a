"""MQTT 3.1.1: a robot publishes to topics of a broker and subscribes to others.

Theory of operation. The robot has one link, from open to close. The state of the session with the
broker is reported to it as a message, and so is a stamped, recorded input like any other:
CONNECTING before each attempt, UP, DOWN with the reason, and CLOSING before an orderly end. The
robot answers CONNECTING with the will of that connection (the subject `will` of the options).
Everything else that it emits is published while the session is up and dropped otherwise: nothing
is sent late. `publish` of the options has quality of service and retain flag of each topic.

On the subject `control` the robot may ask for a failure of the session, for its own faults. It is
cut, displaced by another client with the same id, ended by a restart of the embedded broker, or
left in order for some seconds or until `return`, so that the broker publishes no will and keeps
what was retained. On the subject `download` the robot may ask for a file of an HTTP server, which
is reported to it like the session.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import asdict
from typing import Any

import msgspec

from rigless.kernel.events import Severity
from rigless.kernel.ports import Port
from rigless.transports.jetstream.errors import LinkError
from rigless.transports.mqtt311 import packets as p
from rigless.transports.mqtt311.download import download
from rigless.transports.mqtt311.embedded import SETTLE_S
from rigless.transports.mqtt311.session import Session
from rigless.transports.mqtt311.settings import Settings, check_url
from rigless.transports.mqtt311.takeover import displace
from rigless.transports.transport import Inbox, split

RETURN_S = 1.0  # after a fault closed the link, it is opened again
CLOSE_S = 1.0  # for the acknowledgement of the last messages
KEYS = ("user", "password_file", "ca_file", "cert_file", "key_file", "keep_alive_s", "clean")


class Transport:
    def __init__(self, port: Port, inbox: Inbox):
        self.inbox = inbox
        self._name, self._options = port.name, port.options
        self._publish: dict[str, tuple[int, bool]] = dict(port.options.get("publish", {}))
        self._link = 0
        self._url = ""
        self._will: p.Message | None = None
        self._session: Session | None = None
        self._returning: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._files: list[bytes] = []  # reports of downloads that ended without a link

    # Open and close

    async def open(self, address: str) -> str:
        settings = await self._settings(address)
        self._url = f"{settings.parts.scheme}://{settings.place}"
        self._attach()
        self._session = session = Session(settings, self)
        await self._settle(session)
        failure = session.failure
        if failure is not None and failure.final:
            await self.close()
            raise failure.problem(f"{settings.client_id}/{self._name}")
        return self._url

    async def _settle(self, session: Session) -> None:
        """Wait for the first attempt. If a broker does not answer, the next robot does not wait."""
        embedded = self._options.get("embedded")
        try:
            async with asyncio.timeout(embedded.patience_s if embedded else SETTLE_S):
                await session.tried.wait()
        except TimeoutError:
            if embedded:
                embedded.patience_s = 0.0

    async def _settings(self, address: str) -> Settings:
        given: dict[str, Any] = self._options["mqtt"]
        parts = check_url(given["url"], "vda5050.url")
        host, port = split(address)
        embedded = self._options.get("embedded")
        if embedded is not None and parts.scheme == "mqtt":
            host, port = await embedded.ensure(host, port)
        shown = f"[{host}]" if ":" in host else host
        rest = {key: given[key] for key in KEYS if key in given}
        rest.setdefault("user", parts.username or "")
        return Settings(
            f"{parts.scheme}://{shown}:{port}" if port else given["url"],
            given["client_id"],
            subscriptions=tuple(self._options.get("subscribe", ())),
            **rest,
        )

    async def close(self) -> None:
        if self._returning is not None:
            self._returning.cancel()
        session = self._session
        if session is not None:
            if session.up:
                self._report("CLOSING")
            self._session = None
            await session.close(CLOSE_S)
        for task in self._tasks:
            task.cancel()
        self._link = 0

    def restarted(self) -> None:
        """Report the state of the session after a start, a reset or a restored snapshot."""
        if self._session is not None and self._session.up:
            self._report("UP")
        else:
            self._report("DOWN", self.problem)

    # Link

    def _attach(self) -> None:
        self._returning = None
        self._link = link = self.inbox.new_link()
        self.inbox.connected(link, self._url, self._options["mqtt"]["client_id"])
        if self._link == link and self._session is not None:  # else the simulation closed it
            self._session.resume()
            self._report_files()

    def close_link(self, link: int) -> None:
        """Cut the connection because a fault closed the link; open it again after RETURN_S."""
        if link != self._link:
            return
        self._link = 0
        if self._session is not None:
            self._session.pause("cut by a fault")
        self._returning = asyncio.get_running_loop().call_later(RETURN_S, self._attach)

    # Outgoing messages

    def send(self, link: int, data: bytes, subject: str) -> None:
        if subject == self._options.get("will"):
            self._will = p.Message(self._options["will_topic"], data, 1, True)
            return
        session = self._session
        if session is None or not self._link:
            return
        if subject == self._options.get("control"):
            self._control(session, data)
            return
        if subject == self._options.get("download"):
            self._begin(self._download(data))
            return
        qos, retain = self._publish.get(subject, (0, False))
        if not session.publish(subject, data, qos, retain) and session.up:
            self.inbox.dropped(self._link)

    def _control(self, session: Session, data: bytes) -> None:
        """Let the session fail as the robot asks."""
        if data == b"cut":
            session.cut("cut by a fault")
        elif data == b"restart":
            self._restart_broker(session)
        elif data.startswith(b"leave") and session.up:
            session.leave("left on request")
            seconds = data.removeprefix(b"leave").strip()
            if seconds:
                loop = asyncio.get_running_loop()
                self._returning = loop.call_later(float(seconds), session.resume)
        elif data == b"return":
            session.resume()
        elif data == b"takeover" and session.up:
            self._begin(displace(session.settings))

    def _restart_broker(self, session: Session) -> None:
        """Kill the embedded broker, which is started again; of another one only cut the session."""
        embedded = self._options.get("embedded")
        if embedded is None or not embedded.kill(session.settings.port):
            what = f"the broker at {session.settings.place} is not embedded, so it is not restarted"
            self.inbox.log(f"{what}: only the session is cut", "warning")
            session.cut("cut by a fault")

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Files

    async def _download(self, data: bytes) -> None:
        asked = msgspec.json.decode(data)
        file = await download(asked["url"], asked["text"])
        self._files.append(msgspec.json.encode({"id": asked["id"], **asdict(file)}))
        self._report_files()

    def _report_files(self) -> None:
        while self._files and self._link:
            self.inbox.received(self._link, self._files.pop(0), self._options["file"])

    # Observer of the session

    def connecting(self) -> p.Message | None:
        self._will = None
        self._report("CONNECTING")
        return self._will

    def went_up(self) -> None:
        self._report("UP")

    def went_down(self, why: str) -> None:
        self._report("DOWN", why)

    def received(self, message: p.Message) -> bool:
        if not self._link or self.inbox.robot_failed:
            return False
        self.inbox.received(self._link, message.payload, message.topic)
        return not self.inbox.robot_failed

    def log(self, text: str, severity: Severity) -> None:
        self.inbox.log(text, severity)

    def _report(self, state: str, why: str = "") -> None:
        if self._link:
            report = msgspec.json.encode({"session": state, "why": why})
            self.inbox.received(self._link, report, self._options["report"])

    @property
    def problem(self) -> str:
        """The reason why messages are not delivered at present, or ""."""
        session = self._session
        if session is None or session.up:
            return ""
        return str(session.failure or LinkError("not connected yet"))
