"""Orders: driven to the end of the base, updated, cancelled."""

import pytest

from .scene import Scene, action, graph

VERSIONS = ("2.0.0", "2.1.0", "3.0.0")


@pytest.mark.parametrize("version", VERSIONS)
def test_an_order_is_driven_to_its_end_with_its_actions(version):
    scene = Scene(version)
    at = {2: [action("finePositioning", "a1")], 4: [action("pick", "a2", "SOFT")]}
    scene.run(0.1).order(graph((0, 0), (1, 0), (1, 1), (2, 1), at=at))
    assert [node["nodeId"] for node in scene.state["nodeStates"]] == ["n1", "n2", "n3"]
    assert (scene.state["lastNodeId"], scene.status("a1")) == ("n0", "WAITING")
    scene.until(lambda: scene.done)
    assert scene.visited() == ["n0", "n1", "n2", "n3"]
    assert scene.statuses("a1") == scene.statuses("a2") == ["WAITING", "RUNNING", "FINISHED"]
    assert scene.truth.pose[:2] == pytest.approx((2, 1), abs=1e-3)
    assert len(scene.state["loads"]) == 1
