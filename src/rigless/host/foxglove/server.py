"""Serves a live simulation to Foxglove: `rigless run … --foxglove`.

Foxglove's SDK accepts clients and sends messages in a thread of its own. Topics are the same as in
a recording: pictures in Foxglove's schemas, ground truth, events, and the messages of each port.
Messages are made only for topics with a subscriber, on the event loop of the host. Clients can only
read: the server offers neither publishing nor parameters nor services.
"""

import asyncio
import logging
from collections import Counter
from typing import Any

from foxglove.websocket import Capability, ServerListener, WebSocketServer

from foxglove import Channel, Context, Schema, start_server
from rigless.host.foxglove.latched_topics import LatchedTopics
from rigless.host.host import Host
from rigless.kernel.events import Event
from rigless.kernel.inputs import AnyInput, Arrive
from rigless.kernel.loop.listeners import Output
from rigless.kernel.plain import to_json
from rigless.kernel.ports import Channel as ForeignChannel
from rigless.kernel.problems import InputError, Problem
from rigless.kernel.recording.entries import (
    CONTROL,
    HOST_EVENTS,
    event_topic,
    foreign_channel,
    input_entry,
    input_topic,
    json_schema,
    log_entry,
    output_entry,
    output_topic,
    truth_topic,
)
from rigless.kernel.recording.foxglove.pictures import Pictures
from rigless.ros.quality import is_kept

HOST = "127.0.0.1"
TICK_S = 0.05  # between two pictures, in wall time
BACKLOG = 4096  # messages per client; the oldest is dropped


class FoxgloveServer:
    """The Foxglove server of one host."""

    needs_all_outputs = True

    def __init__(self, host: Host):
        self._host = host
        self._server: WebSocketServer | None = None
        self._context = Context()
        self._channels: dict[str, Channel] = {}
        self._wire: set[str] = set()  # topics of ports
        self._latched: LatchedTopics | None = None
        self._subscribers: Counter[str] = Counter()
        self._pictures = Pictures(host.sim)
        self._pictured: set[str] = set()
        self._epoch = host.epoch
        self._time_ns = -1
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def open(self, port: int) -> str:
        """Start to accept clients on loopback and return the URL."""
        self._loop = asyncio.get_running_loop()
        # The SDK logs clients that leave without a handshake; Python would print it to stderr.
        logging.getLogger("foxglove").addHandler(logging.NullHandler())
        self._advertise()
        self._keep_latched()
        try:
            self._server = start_server(
                name=f"rigless {self._host.built.scenario.name}",
                host=HOST,
                port=port,
                capabilities=[Capability.Time],
                server_listener=_Listener(self),
                context=self._context,
                message_backlog_size=BACKLOG,
            )
        except Exception as error:  # the SDK has errors of its own
            what = f"cannot serve Foxglove on {HOST}:{port}: {error}"
            fix = "choose another port: --foxglove PORT (0: any free)"
            raise InputError(Problem("--foxglove", what, fix)) from None
        return f"ws://{HOST}:{self._server.port}"

    async def close(self) -> None:
        """Disconnect all clients."""
        self._subscribers.clear()
        self._observe(False)
        listeners = self._host.sim.core.listeners.output
        if self._latched is not None and self._latched.note in listeners:
            listeners.remove(self._latched.note)
            self._host.sim.core.update_recording()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._server is not None:
            await asyncio.to_thread(self._server.stop)
            self._server = None

    # Topics

    def _advertise(self) -> None:
        sim = self._host.sim
        for topic, schema in self._pictures.topics().items():
            self._add(topic, schema)
            self._pictured.add(topic)
        self._add(HOST_EVENTS, "foxglove.Log")
        self._add(CONTROL, "rigless.Control")
        self._wire.add(CONTROL)
        for robot in sim.robots.values():
            self._add(f"/{robot.name}/events", "foxglove.Log")
            self._add(truth_topic(robot.name), "rigless.Truth")
            for port in robot.ports:
                place = f"/{robot.name}/{port.name}"
                encoder = sim.core.links.encoders.get((robot.name, port.name))
                subjects: list[str] = getattr(encoder, "subjects", list)()
                for subject in subjects:
                    if channel := foreign_channel(sim, robot.name, port.name, subject):
                        self._add_foreign(channel)
                if not subjects and port.direction != "in":
                    self._add(f"{place}/out", "rigless.Output")
                    self._wire.add(f"{place}/out")
                self._add(f"{place}/in", "rigless.Input")
                self._wire.add(f"{place}/in")

    def _keep_latched(self) -> None:
        """Keep the messages that a late subscriber to a ROS topic expects."""
        sim = self._host.sim
        metadata = {topic: dict(channel.metadata()) for topic, channel in self._channels.items()}
        latched = {topic for topic in self._wire if is_kept(metadata[topic])}
        self._latched = LatchedTopics(sim.core, latched, sim.now_ns)
        if latched:
            sim.core.listeners.output.append(self._latched.note)
            sim.core.update_recording()

    def _add(self, topic: str, schema: str) -> None:
        described = Schema(name=schema, encoding="jsonschema", data=json_schema(schema))
        self._channels[topic] = Channel(
            topic, schema=described, message_encoding="json", context=self._context
        )

    def _add_foreign(self, given: ForeignChannel) -> None:
        if given.topic in self._channels:
            return
        described = Schema(
            name=given.schema, encoding=given.encoding, data=given.definition.encode()
        )
        self._channels[given.topic] = Channel(
            given.topic,
            schema=described,
            message_encoding=given.format,
            context=self._context,
            metadata=dict(given.metadata),
        )
        self._wire.add(given.topic)

    # Subscriptions

    def change(self, topic: str, by: int) -> None:
        """Count a subscription or its end. The SDK calls it from its own thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._change, topic, by)

    def _change(self, topic: str, by: int) -> None:
        if self._server is None:
            return
        self._subscribers[topic] += by
        if self._subscribers[topic] <= 0:
            del self._subscribers[topic]
        elif by > 0:
            self._pictures.forget(topic)  # so that the new client gets it
            self._time_ns = -1
            if self._latched is not None and topic in self._latched.kept:
                self._send(topic, self._host.sim.now_ns, self._latched.kept[topic])
        self._observe(bool(self._subscribers))
        if self._subscribers and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self._run())

    def _observe(self, on: bool) -> None:
        """Listen to inputs, outputs and events while there are subscribers to them."""
        core = self._host.sim.core
        listeners = core.listeners
        wire = on and not self._wire.isdisjoint(self._subscribers)
        if wire and self._output not in listeners.output:
            listeners.output.append(self._output)
            listeners.input.append(self._input)
            core.update_recording()
        elif not wire and self._output in listeners.output:
            listeners.output.remove(self._output)
            listeners.input.remove(self._input)
            core.update_recording()
        if on and self._event not in listeners.event:
            listeners.event.append(self._event)
        elif not on and self._event in listeners.event:
            listeners.event.remove(self._event)

    def _is_subscribed(self, topic: str) -> bool:
        return topic in self._subscribers

    # Messages

    async def _run(self) -> None:
        while self._subscribers:
            self._tick()
            await asyncio.sleep(TICK_S)

    def _tick(self) -> None:
        sim, server = self._host.sim, self._server
        if server is None:
            return
        if self._epoch != self._host.epoch:
            self._epoch = self._host.epoch
            server.clear_session()
            self._pictures.forget()
            self._time_ns = -1
        if sim.now_ns == self._time_ns:
            return
        self._time_ns = sim.now_ns
        server.broadcast_time(sim.now_ns)
        if not self._pictured.isdisjoint(self._subscribers):
            for topic, _, data in self._pictures.take(self._is_subscribed):
                self._send(topic, sim.now_ns, data)
        for robot in sim.robots:
            if (topic := truth_topic(robot)) in self._subscribers:
                self._send(topic, sim.now_ns, to_json(sim.truth(robot)))

    def _send(self, topic: str, time_ns: int, data: bytes) -> None:
        channel = self._channels.get(topic)
        if channel is not None:
            channel.log(data, log_time=time_ns)

    def _input(self, time_ns: int, given: AnyInput, source: str) -> None:
        if input_topic(given) in self._subscribers:
            topic, _, data = input_entry(given, source)
            self._send(topic, time_ns, data)
        if isinstance(given, Arrive) and given.subject in self._subscribers:
            self._send(given.subject, time_ns, given.data)

    def _output(self, time_ns: int, output: Output) -> None:
        if output.subject in self._subscribers and output.subject in self._wire:
            self._send(output.subject, time_ns, output.data)
        elif output_topic(output) in self._subscribers:
            topic, _, data = output_entry(output)
            self._send(topic, time_ns, data)

    def _event(self, time_ns: int, event: Event) -> None:
        topic = event_topic(event)
        if topic in self._subscribers:
            self._send(topic, time_ns, log_entry(time_ns, event))


class _Listener(ServerListener):
    """Passes subscriptions on to the server."""

    def __init__(self, server: FoxgloveServer):
        self._server = server

    def on_subscribe(self, client: Any, channel: Any) -> None:
        self._server.change(channel.topic, 1)

    def on_unsubscribe(self, client: Any, channel: Any) -> None:
        self._server.change(channel.topic, -1)
