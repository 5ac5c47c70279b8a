// Actions of the tools: calls to the API, with their undo. A refusal is shown below the tools.
import { attempt, robotPath } from "../core/api.js";
import { notice, shownRobot } from "../core/state.js";
import { goal, history, objects, obstacleShape, refusal, selected } from "./tool_state.js";
/** @typedef {import("./tool_state.js").Point} Point */
/** @typedef {import("./tool_state.js").MapObject} MapObject */
/** @typedef {import("../core/api_types.js").Zone} Zone */

const UNDOABLE = 50;
const round = (/** @type {number} */ value) => Math.round(value * 1000) / 1000;

/**
 * @param {string} label
 * @param {() => unknown} undo
 */
function remember(label, undo) {
  history.value = [...history.value, { label, undo }].slice(-UNDOABLE);
}

/** The last action, which may not be answered yet. @type {Promise<unknown>} */
let pending = Promise.resolve();

/** Undo the last action, after it is done. */
export async function undoLast() {
  await pending;
  const last = history.value.at(-1);
  if (!last) return;
  history.value = history.value.slice(0, -1);
  const known = history.value;
  await last.undo();
  history.value = known; // an undo is no action of its own
}

/**
 * Post to a path. If the place is refused and there is a nearest one, offer it.
 * @param {string} path
 * @param {Record<string, unknown>} body
 * @param {(found: any) => void} done
 */
function place(path, body, done) {
  const action = request(path, body, done);
  pending = action;
  return action;
}

/**
 * @param {string} path
 * @param {Record<string, unknown>} body
 * @param {(found: any) => void} done
 */
async function request(path, body, done) {
  refusal.value = null;
  const { found, problems } = await attempt("POST", path, body);
  if (found) return done(found);
  const first = problems[0];
  const nearest = first?.fix.startsWith("the nearest") && !body.nearest;
  refusal.value = {
    text: problems.map(({ what, fix }) => (fix ? `${what}: ${fix}` : what)).join("; "),
    retry: nearest ? () => void place(path, { ...body, nearest: true }, done) : null,
  };
}

/**
 * Send the shown robot to a place.
 * @param {Point} at
 * @param {number|null} theta_rad
 */
export function goTo([x, y], theta_rad = null) {
  const path = `${robotPath(shownRobot.value)}/goal`;
  return place(path, { x_m: round(x), y_m: round(y), theta_rad }, () => {});
}

export async function stopGoal() {
  const { problems } = await attempt("DELETE", `${robotPath(shownRobot.value)}/goal`);
  for (const { what } of problems) notice(what, "bad");
}

export const goalIsActive = () =>
  ["starting", "driving", "blocked"].includes(goal.value?.state ?? "");

/** The size of a new obstacle, as the API has it. */
function shape() {
  const { box, radius_m, length_m, width_m } = obstacleShape.value;
  return box ? { size_m: [length_m, width_m] } : { radius_m };
}

/** Add an obstacle. @param {Point} at */
export function addObstacle([x, y]) {
  const robot = shownRobot.value;
  const body = { x_m: round(x), y_m: round(y), robot, ...shape() };
  return place("/api/world/obstacles", body, (found) => {
    selected.value = { kind: "obstacle", name: found.name };
    remember(`place ${found.name}`, () => removeObstacle(found.name, robot));
  });
}

/**
 * Move an obstacle.
 * @param {MapObject} object
 * @param {[number, number, number]} pose
 */
export function moveObstacle(object, pose) {
  const robot = shownRobot.value;
  const [x, y, theta] = object.pose;
  const to = (/** @type {number[]} */ [x_m = 0, y_m = 0, theta_rad = 0]) => ({
    name: object.name,
    x_m: round(x_m),
    y_m: round(y_m),
    theta_rad,
    robot,
  });
  return place("/api/world/obstacles", to(pose), () =>
    remember(`move ${object.name}`, () =>
      place("/api/world/obstacles", to([x, y, theta]), () => {}),
    ),
  );
}

/**
 * @param {string} name
 * @param {string} robot in whose world it is
 */
export async function removeObstacle(name, robot = shownRobot.value) {
  const before = objects.value.find((one) => !one.robot && one.name === name);
  const query = `name=${encodeURIComponent(name)}&robot=${encodeURIComponent(robot)}`;
  const { found, problems } = await attempt("DELETE", `/api/world/obstacles?${query}`);
  for (const { what } of problems) notice(what, "bad");
  if (!found || !before) return;
  if (selected.value?.name === name) selected.value = null;
  const { radius_m, size_m } = before;
  const body = { name, ...found, robot, ...(size_m ? { size_m } : { radius_m }) };
  remember(`delete ${name}`, () => place("/api/world/obstacles", body, () => {}));
}

/**
 * Put a robot at another place; without theta it keeps its heading.
 * @param {MapObject} object
 * @param {Point} at
 * @param {number|null} theta_rad
 */
export function moveRobot(object, [x, y], theta_rad = null) {
  const path = `${robotPath(object.name)}/place`;
  const [old_x, old_y, old_theta] = object.pose;
  const back = { x_m: old_x, y_m: old_y, theta_rad: theta_rad === null ? null : old_theta };
  return place(path, { x_m: round(x), y_m: round(y), theta_rad }, () =>
    remember(`move ${object.name}`, () => place(path, back, () => {})),
  );
}

/**
 * @param {Point} from
 * @param {Point} to
 * @param {boolean} circle around `from`
 */
export function drawZone([x, y], [to_x, to_y], circle) {
  const robot = shownRobot.value;
  const body = circle
    ? { robot, center: [round(x), round(y)], radius_m: round(Math.hypot(to_x - x, to_y - y)) }
    : { robot, x: [round(x), round(to_x)], y: [round(y), round(to_y)] };
  return place("/api/zones", body, (/** @type {Zone} */ zone) => {
    selected.value = { kind: "zone", name: zone.name };
    remember(`draw ${zone.name}`, () => deleteZone(zone));
  });
}

/** @param {Zone} zone */
export async function deleteZone(zone) {
  const { found, problems } = await attempt(
    "DELETE",
    `/api/zones?name=${encodeURIComponent(zone.name)}`,
  );
  for (const { what } of problems) notice(what, "bad");
  if (!found) return;
  if (selected.value?.name === zone.name) selected.value = null;
  const { name, x, y, center, radius_m } = zone;
  const body = { name, x, y, center, radius_m, robot: shownRobot.value };
  remember(`delete ${name}`, () => place("/api/zones", body, () => {}));
}

/**
 * Forbid a zone to AGVs, or allow it.
 * @param {Zone} zone
 * @param {boolean} on
 */
export async function blockZone(zone, on) {
  const { problems } = await attempt("POST", "/api/zones/block", { name: zone.name, on });
  for (const { what, fix } of problems) notice(fix ? `${what}: ${fix}` : what, "bad");
}
