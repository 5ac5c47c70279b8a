"""Runs one command and ends all of its processes, also if rigless itself is killed.

rigless starts this file as a process of its own: `python -I -S reaper.py FD WORDS…`. It imports
little, so that it starts quickly. On Linux it adopts processes whose parent has ended
(PR_SET_CHILD_SUBREAPER), so that a program that forks or makes itself a daemon cannot escape.

FD is a socket to rigless. The lines to rigless are `started PID`, `failed ERRNO`, `exited STATUS
CPU_S MAX_RSS_KB OWN_RSS_KB` (a negative status is a signal) and `outlived PID NAME` for every
process that is still there when the program is ended. Lines from rigless: `signal N` sends a signal
to all processes of the program, `share S` lets them run only for this share of the time (0 stops
them, 1 lets them run), `end` kills them all. The end of the socket, which a killed rigless leaves,
is an `end` too.
"""

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
ROUNDS = 200  # of killing, for programs that fork while they are being killed
PERIOD_S = 0.05  # of stopping and continuing a program that has a share of the time


def prctl(option: int, value: int) -> None:
    """Set an attribute of this process; nothing happens on other systems than Linux."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def processes_below(root: int) -> list[int]:
    """Return the process ids of all descendants of a process, parents first."""
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as stat:
                fields = stat.read().rpartition(b")")[2].split()
                if fields[0] != b"Z":
                    parents.setdefault(int(fields[1]), []).append(int(name))
    return _descendants(root, parents.get)


def _descendants(root: int, children_of: Callable[[int], list[int] | None]) -> list[int]:
    found, left = [], [root]
    while left:
        children = children_of(left.pop()) or []
        found += children
        left += children
    return found


def processes_below_quickly(root: int) -> list[int]:
    """Return the descendants of a process without reading the whole of /proc.

    Some may be missing if another one ends meanwhile (man 5 proc), so it suits only work that is
    repeated. Kernels without CONFIG_PROC_CHILDREN lack these lists.
    """
    if not os.path.exists(f"/proc/{root}/task/{root}/children"):
        return processes_below(root)
    return _descendants(root, _children_of)


def _children_of(parent: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):  # it has ended
        for thread in os.listdir(f"/proc/{parent}/task"):
            with open(f"/proc/{parent}/task/{thread}/children") as children:
                found += map(int, children.read().split())
    return found


def send_signal(pids: list[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def name_of(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm") as comm:
            return comm.read().strip()
    except OSError:
        return "?"


class DutyCycle:
    """Stops and continues the processes below this one, so that they run for a share of the time.

    A stop is as long as the run before it demands, so that the share holds on a busy machine too.
    """

    def __init__(self) -> None:
        self.share = 1.0
        self._runs = True
        self._began_s = 0.0  # of the present run or stop
        self._switch_s = 0.0  # when it ends

    def begin(self, share: float) -> None:
        """Set the share: 0 stops the processes, 1 lets them run."""
        self.share = share
        self._runs, self._began_s = share > 0, time.monotonic()
        self._switch_s = self._began_s + PERIOD_S * share
        number = signal.SIGCONT if self._runs else signal.SIGSTOP
        send_signal(processes_below(os.getpid()), number)

    def wait_s(self) -> float | None:
        """Return the time until the next switch; None if there is none."""
        if self.share in (0.0, 1.0):
            return None
        return max(self._switch_s - time.monotonic(), 0.0)

    def switch(self) -> None:
        """Stop or continue the processes if that is due."""
        if self.wait_s() != 0.0:
            return
        self._runs = not self._runs
        number = signal.SIGCONT if self._runs else signal.SIGSTOP
        send_signal(processes_below_quickly(os.getpid()), number)
        now_s = time.monotonic()
        ran_s, self._began_s = now_s - self._began_s, now_s
        length_s = PERIOD_S * self.share if self._runs else ran_s * (1 / self.share - 1)
        self._switch_s = now_s + length_s


class Reaper:
    """One program with its processes."""

    def __init__(self, socket: int, words: list[str]):
        self.socket = socket
        self.main = 0
        self._input = b""
        self.cycle = DutyCycle()
        prctl(PR_SET_CHILD_SUBREAPER, 1)
        wakeup, write_end = os.pipe()
        os.set_blocking(write_end, False)
        self.wakeup = wakeup
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)  # Ctrl-C reaches rigless, which then ends this
        signal.set_wakeup_fd(write_end)
        self.start(words)

    def report(self, line: str) -> None:
        with contextlib.suppress(OSError):  # rigless has gone
            os.write(self.socket, line.encode() + b"\n")

    def start(self, words: list[str]) -> None:
        """Start the command in a session of its own."""
        read_end, write_end = os.pipe()  # closed by exec; a number in it is the error of exec
        me = os.getpid()
        self.main = os.fork()
        if self.main == 0:
            try:
                os.setsid()
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
                    signal.signal(number, signal.SIG_DFL)
                for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
                    signal.signal(number, signal.SIG_DFL)
                prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
                if os.getppid() == me:
                    os.execvp(words[0], words)
            except OSError as error:
                os.write(write_end, str(error.errno).encode())
            finally:
                os._exit(127)
        os.close(write_end)
        failed = os.read(read_end, 100)
        os.close(read_end)
        self.report(f"failed {failed.decode()}" if failed else f"started {self.main}")

    def reap(self) -> None:
        """Collect processes that have ended; report the end of the first one."""
        while True:
            try:
                pid, status, _ = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.main:
                import resource

                self.main = 0
                used = resource.getrusage(resource.RUSAGE_CHILDREN)
                own_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                code, cpu_s = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
                self.report(f"exited {code} {cpu_s} {used.ru_maxrss} {own_kb}")

    def end(self) -> None:
        """Kill everything that is left and report it."""
        for pid in processes_below(os.getpid()):
            if pid != self.main:
                self.report(f"outlived {pid} {name_of(pid)}")
        for _ in range(ROUNDS):
            left = processes_below(os.getpid()) or ([self.main] if self.main else [])
            if not left:
                break
            send_signal(left, signal.SIGKILL)
            select.select([self.wakeup], [], [], 0.02)
            self.reap()
        self.reap()

    def obey(self, line: str) -> bool:
        """Carry out one line; return False if it ends the program."""
        word, _, number = line.partition(" ")
        if word == "signal":
            send_signal(processes_below(os.getpid()), int(number))
        elif word == "share":
            self.cycle.begin(float(number))
        return word != "end"

    def run(self) -> None:
        while True:
            waiting = [self.socket, self.wakeup]
            ready, _, _ = select.select(waiting, [], [], self.cycle.wait_s())
            self.cycle.switch()
            if self.wakeup in ready:
                os.read(self.wakeup, 1000)
                self.reap()
            if self.socket in ready:
                try:
                    got = os.read(self.socket, 4096)
                except ConnectionResetError:
                    got = b""
                *lines, self._input = (self._input + got).split(b"\n")
                if not got or not all(self.obey(line.decode()) for line in lines):
                    break
        self.end()


if __name__ == "__main__":
    Reaper(int(sys.argv[1]), sys.argv[2:]).run()
