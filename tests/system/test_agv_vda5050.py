"""VDA 5050 with foreign masters, over real brokers."""

import shutil
import subprocess
from pathlib import Path

import pytest

from mqtt_brokers import Mosquitto, Nats

ROOT = Path(__file__).parents[2]
MASTER = Path(__file__).parent / "programs" / "vda5050_master.cjs"
LIBRARY = ROOT / "node_modules" / "vda-5050-lib"
DEADLINE_S = 60.0


@pytest.fixture(params=[Nats, Mosquitto])
def broker(request, tmp_path):
    with request.param(tmp_path) as found:
        yield found


def robot(rigless_process, broker, *more, version="2.0.0"):
    words = ("--vda5050", broker.url, "--set", f"vda5050.version={version}", "--no-panel")
    return rigless_process("run", "agv", *words, *more)


@pytest.mark.timeout(180)
def test_a_master_of_vda_5050_lib_drives_the_robot(rigless_process, broker):
    assert LIBRARY.exists(), f"{LIBRARY} is missing: run scripts/build-web tools"
    robot(rigless_process, broker)
    node = shutil.which("node") or "node"
    run = subprocess.run(
        [node, MASTER, ROOT, broker.url, "agv"],
        capture_output=True,
        text=True,
        timeout=75,
        check=False,
    )
    said = run.stdout.splitlines()
    assert run.returncode == 0, run.stdout + run.stderr
    nodes = [line for line in said if line.startswith("node ")]
    assert nodes == ["node n0", "node n1", "node n2", "node n0"], said
    assert [line for line in said if line.startswith("action a1")] == [
        "action a1 WAITING",
        "action a1 RUNNING",
        "action a1 FINISHED",
    ]
    assert [line for line in said if line.startswith(("proc", "rej", "canc"))] == [
        "processed o1 1",
        "rejected noRouteError",
        "rejected orderError",
        "cancelled o2",
    ]
    assert "instant c1 FINISHED" in said
    assert said[-2:] == ["instant f2 FAILED", "end"]
