"""Client libraries for scripts that talk to a device over its real interface, real or simulated.

from rigless.clients.grbl import GrblController

with rigless.serve("welder") as host:
controller = GrblController(host.address("welder", "grbl"))
"""
