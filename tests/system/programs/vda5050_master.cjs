// A master of vda-5050-lib: an order with a horizon, its release, actions, an error and a cancel.
// Arguments: the folder with node_modules, the broker's URL, and the serial number. Each line is an event.
const path = require("path");
const lib = require(path.join(process.argv[2], "node_modules", "vda-5050-lib"));

const agv = { manufacturer: "rigless", serialNumber: process.argv[4] };
const mapId = "map";
const say = (name, ...rest) => console.log([name, ...rest].join(" "));
const order = (id, update, places, first, base, actions = {}) => ({
  orderId: id,
  orderUpdateId: update,
  nodes: places.map(([x, y], i) => ({
    nodeId: `n${first + i}`, sequenceId: 2 * (first + i), released: i < base,
    nodePosition: { x, y, mapId }, actions: actions[2 * (first + i)] || [],
  })),
  edges: places.slice(1).map((_, i) => ({
    edgeId: `e${first + i}`, sequenceId: 2 * (first + i) + 1, released: i + 1 < base,
    startNodeId: `n${first + i}`, endNodeId: `n${first + i + 1}`, actions: [],
  })),
});
const action = (actionType, actionId, blockingType = "HARD") =>
  ({ actionType, actionId, blockingType, actionParameters: [] });

async function main() {
  const master = new lib.MasterController({
    interfaceName: "uagv", transport: { brokerUrl: process.argv[3] }, vdaVersion: "2.0.0",
  });
  await master.start();
  await new Promise((resolve) => master.trackAgvs((id, state) => {
    if (id.serialNumber === agv.serialNumber && state === "ONLINE") resolve();
  }));
  say("online");
  const run = (given, after = () => {}) => new Promise((resolve) => {
    const handler = {
      onOrderProcessed: (error, canceled, active, context) => {
        if (error) { say("rejected", error.errorType); resolve(); }
        else if (canceled) { say("cancelled", context.order.orderId); resolve(); }
        else if (!active) { say("processed", context.order.orderId, context.order.orderUpdateId); resolve(); }
        else { say("active", context.order.orderId); resolve(); }
      },
      onNodeTraversed: (node, next, context) => say("node", node.nodeId),
      onEdgeTraversing: (edge) => say("edge", edge.edgeId),
      onActionStateChanged: (state) => say("action", state.actionId, state.actionStatus),
    };
    master.assignOrder(agv, given, handler).then(() => after());
  });
  const act = (given) => new Promise((resolve) => master.initiateInstantActions(agv, { instantActions: [given] }, {
    onActionStateChanged: (state, withError) => {
      say("instant", state.actionId, state.actionStatus);
      if (["FINISHED", "FAILED"].includes(state.actionStatus)) resolve();
    },
    onActionError: (error) => { say("instantError", error.errorType); resolve(); },
  }));

  const line = [[0, 0], [1, 0], [1, 1]];
  await run(order("o1", 0, line, 0, 2, { 2: [action("finePositioning", "a1")] }));
  await run(order("o1", 1, line.slice(1), 1, 2));
  await run(order("far", 0, [[50, 50], [51, 50]], 0, 2));
  await run(order("bad", 0, [[1, 1], [2, 1]], 0, 2, { 0: [action("fly", "f1")] }));
  await run(order("o2", 0, [[1, 1], [9, 1]], 0, 2), () => setTimeout(() => act(action("cancelOrder", "c1", "NONE")), 1500));
  await act(action("fly", "f2", "NONE"));
  await master.stop();
  say("end");
  process.exit(0);
}
main().catch((error) => { say("failed", error.stack || error); process.exit(1); });
