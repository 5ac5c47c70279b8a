"""A master of vda5050-core: an order with a horizon, its release, an action, an error, a cancel.

Arguments: the broker's URL, the serial number and a LIF file. Each line of its output is an event.
"""

import queue
import sys
import time

from vda5050_core import master, transport, types

URL, SERIAL, LIF = sys.argv[1:]
ROBOT = ("rigless", SERIAL)
PATIENCE_S = 60.0
events: "queue.Queue[str]" = queue.Queue()
seen: list[str] = []
HEAD = {"headerId": 0, "timestamp": "2026-01-01T00:00:00.000Z", "version": "2.0.0",
        "manufacturer": ROBOT[0], "serialNumber": SERIAL}  # fmt: skip


def order(name, update, places, first, base, actions=(), **edge):
    nodes = [
        {
            "nodeId": f"n{first + k}", "sequenceId": 2 * (first + k), "released": k < base,
            "nodePosition": {"x": x, "y": y, "mapId": "map", "allowedDeviationXY": 0.5},
            "actions": list(actions) if k == len(places) - 1 else [],
        }
        for k, (x, y) in enumerate(places)
    ]  # fmt: skip
    edges = [
        {
            "edgeId": f"e{first + k}", "sequenceId": 2 * (first + k) + 1, "released": k + 1 < base,
            "startNodeId": f"n{first + k}", "endNodeId": f"n{first + k + 1}", "actions": [], **edge,
        }
        for k in range(len(places) - 1)
    ]  # fmt: skip
    given = {**HEAD, "orderId": name, "orderUpdateId": update, "nodes": nodes, "edges": edges}
    return types.Order.from_json(given)


def action(kind, name, blocking="HARD"):
    return {"actionType": kind, "actionId": name, "blockingType": blocking, "actionParameters": []}


def until(event):
    end = time.monotonic() + PATIENCE_S
    while event not in seen:
        try:
            seen.append(events.get(timeout=max(end - time.monotonic(), 0.01)))
        except queue.Empty:
            sys.exit(f"not within {PATIENCE_S:g} s: {event}; seen: {seen}")
        print(seen[-1], flush=True)


def assign(given):
    """Assign an order.

    The master refuses until it has seen a state of the robot. After a rejection it takes three
    states until it drops the order.
    """
    end = time.monotonic() + PATIENCE_S
    while True:
        decision = fleet.assign_order(*ROBOT, given).decision.name
        if decision in ("ASSIGNED", "STITCH_QUEUED") or time.monotonic() > end:
            print("assigned", given.order_id, given.order_update_id, decision, flush=True)
            return
        time.sleep(0.1)


reader = master.VDA5050Master.make(transport.create_default_client_shared(URL, "reader"))
print("layout", reader.load_layout_from_config(LIF), flush=True)
client = transport.create_default_client_shared(URL, "vda5050-core-master")
fleet = master.VDA5050Master.make(client)
fleet.on_connect(lambda _id: events.put("online"))
fleet.on_node_reached(lambda _id, node: events.put(f"node {node}"))
fleet.on_order_complete(lambda _id, name: events.put(f"complete {name}"))
fleet.on_new_base_requested(lambda _id: events.put("new base"))
fleet.on_errors_appeared(
    lambda _id, errors: [events.put(f"error {one.error_type}") for one in errors]
)


def state(_id, message):
    for one in message.action_states:
        line = f"action {one.action_id} {one.action_status.name}"
        if line not in known:
            known.add(line)
            events.put(line)


known: set[str] = set()
fleet.on_state(state)
fleet.connect()
fleet.onboard_agv_with_interface("uagv", *ROBOT)
until("online")
assign(order("o1", 0, [(0, 0), (1, 0), (2, 0)], 0, 2))
until("node n1")
assign(order("o1", 1, [(1, 0), (2, 0)], 1, 2, [action("finePositioning", "a1")]))
until("complete o1")
assign(order("low", 0, [(2, 0), (20, 0)], 0, 2, maxHeight=0.1))
until("error orderError")
assign(order("o2", 0, [(2, 0), (20, 0)], 0, 2))
time.sleep(1.0)
cancel = types.InstantActions.from_json({**HEAD, "actions": [action("cancelOrder", "c1", "NONE")]})
print("cancel", fleet.assign_instant_actions(*ROBOT, cancel).decision.name, flush=True)
until("action c1 FINISHED")
fleet.disconnect()
print("end", flush=True)
