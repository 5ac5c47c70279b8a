"""Nodes of a layout that are clicked one after another make one VDA 5050 order."""

import pytest

import reserved
from host.driving import bad, good, on_loop, until
from rigless.worlds.layout.site_world import SiteWorld

from .scenes import ended, scene


def test_clicked_nodes_are_appended_to_the_order_over_the_wire(tmp_path):
    settings = (
        f"vda5050.url=mqtt://127.0.0.1:{reserved.port()}",
        "runtime.simulationProfile.map=warehouse_100",
    )

    @on_loop
    async def click():
        async with scene("agv", tmp_path, settings) as (host, http):
            robot = host.sim.robots["agv"]
            world, order = robot.world, robot.state.vda
            assert isinstance(world, SiteWorld)
            graph = world.graph
            start = graph.nearest(*robot.machine.drive.pose[:2])
            reached = [start]
            while len(reached) < 4:
                ahead = [name for name in graph.arcs[reached[-1]] if name not in reached]
                reached.append(ahead[0])
            await until(lambda: order.session.state == "UP", "no session")
            for count, name in enumerate((reached[2], reached[3])):
                node = graph.nodes[name]
                body = {"x_m": node.x + 0.1, "y_m": node.y - 0.1}
                given = await good(http.post("/api/robots/agv/goal", json=body))
                assert (given["x_m"], given["y_m"]) == (node.x, node.y)
                assert order.order.update_id == count, order.order_errors
                if count == 0:
                    refused = await bad(http.post("/api/robots/agv/goal", json=body))
                    assert "ends at" in str(refused)
                    held = order.order.order_id
            assert [node.nodeId for node in order.order.nodes][-1] == reached[3]
            found = await ended(http, "agv")
            assert found["state"] == "arrived", found
            assert (order.order.order_id, order.order.last_node) == (held, reached[3])
            assert order.order.last_sequence == 6
            assert order.order_errors == []
            turned = {"x_m": node.x, "y_m": node.y, "theta_rad": 2.0}
            await good(http.post("/api/robots/agv/goal", json=turned))
            assert (await ended(http, "agv"))["state"] == "arrived"
            assert robot.machine.drive.pose[2] == pytest.approx(2.0, abs=0.01), "on the spot"

    click()
