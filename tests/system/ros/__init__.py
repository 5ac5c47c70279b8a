"""A real ROS 2 peer for the rover tests, created by scripts/ros-peer, in its own process."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DISTRO = os.environ.get("RIGLESS_ROS", "jazzy")
WAIT_S = 60.0


def ros_python():
    command = [sys.executable, str(ROOT / "scripts" / "ros-peer"), DISTRO]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, f"no ROS 2 to test with: {made.stderr}"
    return made.stdout.splitlines()[-1]


class RosPeer:
    """`peer.count("imu")` asks the peer's process."""

    def __init__(self, python, domain, name="peer"):
        environment = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("ROS_", "PYTHON", "RMW_"))
        }
        self.process = subprocess.Popen(
            [python, str(Path(__file__).with_name("peer.py")), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**environment, "ROS_DOMAIN_ID": str(domain)},
        )
        assert json.loads(self.process.stdout.readline()) == "ready"

    def __getattr__(self, word):
        def ask(*arguments):
            self.process.stdin.write(json.dumps([word, *arguments]) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())

        return ask

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def until(true, what):
    end = time.monotonic() + WAIT_S
    while not (found := true()):
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.02)
    return found
