"""An inbox that collects the reports of a transport."""

import asyncio


class Diary:
    robot_failed = False

    def __init__(self):
        self.links = 0
        self.reports = []
        self.drops = []
        self.logged = []

    def new_link(self):
        self.links += 1
        return self.links

    def connected(self, link, peer, local):
        self.reports.append(("connected", link, peer, local))

    def received(self, link, data, subject=""):
        self.reports.append(("received", link, data, subject))

    def disconnected(self, link):
        self.reports.append(("disconnected", link))

    def dropped(self, link):
        self.drops.append(link)

    def log(self, text, severity):
        self.logged.append((severity, text))

    def data(self, link):
        return b"".join(report[2] for report in self.reports if report[:2] == ("received", link))

    def kinds(self):
        return [report[0] for report in self.reports]


async def until(true, what=""):
    end = asyncio.get_running_loop().time() + 60
    while not true():
        assert asyncio.get_running_loop().time() < end, f"waited in vain: {what}"
        await asyncio.sleep(0.002)
