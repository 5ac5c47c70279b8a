"""Programs in the panel: check, stream over the grbl port, hold, single block, and jogs."""

import asyncio
import io
import pickle

import numpy as np
import pytest

import rigless
from host.driving import make_host, on_air, on_loop, until
from rigless.clients.grbl_sender import GrblSender, modal_line
from rigless.kernel.problems import InputError
from rigless.panel.program_api import ProgramDesks
from rigless.robots.welder.gcode.program_text import read_program
from rigless.robots.welder.jogging import torch_lines
from rigless.robots.welder.panel import desk, worker

PROGRAM = "(a tee)\nG21 G90 G94 F3000\n\nG1 X5\nG1 X10 Y2\nM3 S100\nG1 X0 Y0\n"


@pytest.fixture(autouse=True)
def without_processes(monkeypatch):
    """Run long work in a thread: a process would import everything again."""

    class Thread:
        async def run(self, name, *words):
            return await asyncio.to_thread(worker.WORK[name], *words)

        async def close(self):
            pass

    monkeypatch.setattr(desk, "Worker", Thread)


class Desk:
    """A live welder at high speed, and its desk."""

    def __init__(self, *settings):
        self.settings = ["ports.grbl=0", *settings]

    async def __aenter__(self):
        self.host = make_host("welder", 50.0, settings=self.settings)
        self.air = on_air(self.host)
        await self.air.__aenter__()
        self.desks = ProgramDesks(self.host)
        self.desk = self.desks.of("welder")
        return self

    async def __aexit__(self, *error):
        await self.desks.close()
        await self.air.__aexit__(*error)

    @property
    def joints(self):
        return self.host.sim.robot("welder").controller.motion.joints_deg()

    def reached(self, state):
        return lambda: self.desk.status()["state"] == state


@on_loop
async def test_a_program_is_streamed_to_its_end_over_the_wire():
    async with Desk() as it:
        it.desk.load("tee.nc", PROGRAM)
        it.desk.run(1, False)
        with pytest.raises(InputError, match="stop it first"):
            it.desk.load("other.nc", "G0 X1")
        await until(it.reached("done"))
        assert it.desk.status()["sent_line"] == 7
        assert it.desk.status()["problem"] == ""
        peers = [event for event in it.host.sim.events if event.code == "client-connected"]
        assert len(peers) == 1, "the sender is a client of the robot's own port"


@on_loop
async def test_single_blocks_wait_and_a_stop_ends_the_program():
    async with Desk() as it:
        it.desk.load("tee.nc", PROGRAM)
        it.desk.run(4, True)
        await until(it.reached("waiting"))
        assert it.desk.status()["sent_line"] == 4
        assert it.joints[0] == pytest.approx(5.0), "F of line 2 is set by the modal line"
        it.desk.resume(True)
        await until(lambda: it.desk.status()["sent_line"] == 5 and it.reached("waiting")())
        assert it.joints[:2] == pytest.approx([10.0, 2.0])
        it.desk.stop()
        assert it.desk.status()["state"] == "stopped"
        await it.desk._sending
        it.desk.load("bad.nc", "G21 G90 F100\nG1 X1\nG777 X2\nG1 X3\n")
        it.desk.run(1, False)
        await until(it.reached("failed"))
        status = it.desk.status()
        assert (status["problem_line"], status["problem"][:8]) == (3, "error:20")
        assert it.joints[0] != pytest.approx(3.0)


@on_loop
async def test_an_alarm_that_ends_a_program_is_named_by_its_cause():
    async with Desk() as it:
        it.desk.load("far.nc", "G21 G90 F6000\nG1 X400\n")
        it.desk.run(1, False)
        await until(it.reached("failed"))
        status = it.desk.status()  # the cause, not the controller's general text
        assert (status["problem_line"], status["problem"][:8]) == (2, "ALARM:2 ")
        assert it.host.sim.robot("welder").state.alarm_cause in status["problem"]
        assert "joint 1" in status["problem"]


@on_loop
async def test_a_contact_is_attributed_to_the_line_in_motion_not_to_those_that_wait():
    async with Desk("cell=weld_table", "coordinates=cartesian") as it:
        down = "G21 G90 G94 F3000\nG0 X700 Y0 Z520 A180 B-45 C0\nG1 X796 Z408\nG1 Z300\nM5\n"
        it.desk.load("down.nc", down)
        it.desk.run(1, False)
        await until(it.reached("failed"))
        status = it.desk.status()
        assert status["problem"].startswith("ALARM:17 torch hits")
        assert status["problem_line"] == 4
        assert it.desk.status() == status


@on_loop
async def test_hold_keeps_the_arm_until_resumed():
    async with Desk() as it:
        it.desk.load("slow.nc", "G21 G90 F60\nG1 X40\n")
        it.desk.run(1, False)
        await until(lambda: it.joints[0] > 1.0)
        assert it.desk.status()["line"] == 2
        it.desk.hold()
        await until(lambda: it.host.sim.robot("welder").state.mode == "Hold")
        assert it.joints[0] < 39.0
        it.desk.resume(False)
        await until(it.reached("done"))
        assert it.joints[0] == pytest.approx(40.0)


@on_loop
async def test_a_second_client_is_named_and_bad_requests_are_refused():
    async with Desk() as it:
        address = it.host.address("welder", "grbl").rpartition(":")[2]
        reader, writer = await asyncio.open_connection("127.0.0.1", int(address))
        await reader.readline()
        it.desk.load("tee.nc", PROGRAM)
        it.desk.run(1, False)
        await until(it.reached("failed"))
        assert "another client" in it.desk.status()["problem"]
        writer.close()
        with pytest.raises(InputError, match="7 lines, no line 8"):
            it.desk.run(8, False)
        it.desk.load("empty.nc", "\n")
        with pytest.raises(InputError, match="there is none"):
            it.desk.run(1, False)
        with pytest.raises(InputError, match="not reachable"):
            await it.desk.reach([9000.0, 0, 0, 0, 0, 0], True)
        answer = await it.desk.reach([800.0, 0.0, 500.0, 180.0, 0.0, 0.0], True)
        assert answer["reachable"]
        goal = np.array(answer["joints_deg"])
        await until(lambda: np.allclose(it.joints, goal, atol=1e-3))


@on_loop
async def test_the_check_marks_lines_and_previews_the_path():
    async with Desk() as it:
        it.desk.load("far.nc", "G21 G90 F6000\nG1 X20\nG1 X400\n")
        await until(lambda: it.desk.status()["revision"] == 2)
        (found,) = it.desk.content()["findings"]
        assert (found["line"], found["level"]) == (3, "error")
        assert "1 error" in it.desk.content()["summary"]
        assert len(it.host.sim.robot("welder").preview) > 2


@on_loop
async def test_a_worker_is_kept_replaced_if_it_dies_and_ended_by_a_cancelled_job():
    kept = worker.Worker()
    with pytest.raises(RuntimeError, match="KeyError: 'no such work'"):
        await kept.run("no such work")
    first = kept._process
    with pytest.raises(RuntimeError, match="TypeError"):
        await kept.run("find_reach")
    assert kept._process is first
    first.kill()
    with pytest.raises(RuntimeError, match="has ended with code -9"):
        await kept.run("find_reach")
    job = asyncio.create_task(kept.run("find_reach"))
    await until(lambda: kept._process is not None)
    second = kept._process
    job.cancel()
    await asyncio.gather(job, return_exceptions=True)
    assert second is not first
    assert second.returncode == -9
    await kept.close()


def test_a_worker_does_jobs_until_there_are_no_more():
    welder = rigless.load("welder").robot("welder")
    words = (welder.config, welder.cell, [800.0, 0.0, 500.0, 180.0, 0.0, 0.0], np.zeros(6))
    jobs, results = io.BytesIO(), io.BytesIO()
    for _ in range(2):
        jobs.write(worker.framed(("find_reach", words)))
    jobs.seek(0)
    worker.serve(jobs, results)
    results.seek(0)
    for _ in range(2):
        problem, answer = pickle.loads(results.read(int.from_bytes(results.read(8))))
        assert (problem, answer["reachable"]) == ("", True)
    assert results.read() == b""


def test_the_modal_line_holds_the_last_of_each_group():
    lines = read_program("G20 G91 F50\nG1 X1 (G90 in a comment)\n$G21\nG21 S80 ; G20\nG54 F60.5")
    assert modal_line(lines) == "G21 G91 G54 F60.5 S80"
    assert modal_line([]) == ""


def test_a_sender_that_cannot_connect_says_so():
    sender = GrblSender("127.0.0.1", 1, read_program(PROGRAM))
    asyncio.run(sender.run())
    assert sender.state == "failed"
    assert "cannot connect to 127.0.0.1:1" in sender.problem


@pytest.mark.parametrize("coordinates", ["joints", "cartesian"])
def test_the_torch_jogs_straight_along_the_axes_of_base_and_tool(coordinates):
    sim = rigless.load("welder", settings=[f"coordinates={coordinates}"])
    welder = sim.robot("welder")

    def torch():
        return welder.arm.torch(np.radians(welder.controller.motion.joints_deg()))

    for joints in ([0.0, -20.0, 40.0, 10.0, 40.0, 5.0],):
        before = torch()
        for axis, frame in ((2, "base"), (0, "tool"), (4, "tool")):
            before, by = torch(), 12.0
            for line in torch_lines(welder, frame, axis, by, 1.0):
                sim.send("welder", "grbl", {"type": "Line", "text": line})
            sim.run(5.0)
            moved = torch()[:3, 3] - before[:3, 3]
            along = before[:3, axis % 3] if frame == "tool" else np.eye(3)[axis % 3]
            expected = along * by / 1000 if axis < 3 else np.zeros(3)
            assert np.allclose(moved, expected, atol=2e-5), (frame, axis, joints)
