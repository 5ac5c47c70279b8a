// What each tool does with a press, a drag and a release on the map, by pointer or by keyboard.
import { shownRobot } from "../core/state.js";
import { addObstacle, drawZone, goTo, moveObstacle, moveRobot } from "./actions.js";
import {
  circularZone,
  crosshair,
  draft,
  hover,
  measured,
  objects,
  refusal,
  selected,
  timeStands,
  tool,
  zones,
} from "./tool_state.js";
/** @typedef {import("./tool_state.js").Point} Point */
/** @typedef {import("./tool_state.js").MapObject} MapObject */

const REACH_PX = 22; // half of a target of 44 px
const DRAG_PX = 12; // a shorter drag is a click

/** A gesture on the map. `px` is the size of a pixel in metres. */
export const gestures = {
  /** @param {Point} at @param {number} px */
  press(at, px) {
    refusal.value = null;
    const object = grabbed(at, px);
    draft.value = { from: at, to: at, object };
    if (object) selected.value = { kind: object.robot ? "robot" : "obstacle", name: object.name };
    else if (tool.value !== "zone") selected.value = null;
  },

  /** @param {Point} at */
  drag(at) {
    if (draft.value) draft.value = { ...draft.value, to: at };
    hover.value = at;
  },

  /** @param {Point} at @param {number} px */
  release(at, px) {
    const done = draft.value;
    draft.value = null;
    if (!done) return;
    const [dx, dy] = [at[0] - done.from[0], at[1] - done.from[1]];
    finish(done.from, [dx, dy], Math.hypot(dx, dy) > DRAG_PX * px, done.object, px);
  },

  cancel() {
    draft.value = null;
  },

  /** @param {Point|null} at */
  hover(at) {
    hover.value = at;
    if (at) crosshair.value = null;
  },
};

/**
 * @param {Point} from
 * @param {Point} by
 * @param {boolean} dragged
 * @param {MapObject|null} object
 * @param {number} px
 */
function finish(from, [dx, dy], dragged, object, px) {
  const at = /** @type {Point} */ ([from[0] + dx, from[1] + dy]);
  switch (tool.value) {
    case "goal":
      if (shownRobot.value) void goTo(from, dragged ? Math.atan2(dy, dx) : null);
      return;
    case "obstacle":
      if (!object) void addObstacle(at);
      else if (dragged)
        void moveObstacle(object, [object.pose[0] + dx, object.pose[1] + dy, object.pose[2]]);
      return;
    case "move":
      if (object && dragged) void moveRobot(object, [object.pose[0] + dx, object.pose[1] + dy]);
      return;
    case "zone":
      if (dragged) void drawZone(from, at, circularZone.value);
      else selectZone(from, px);
      return;
    case "measure":
      if (measured.value.length && dragged) measured.value = [...measured.value, at];
      else measured.value = dragged ? [from, at] : [...measured.value, from];
  }
}

/**
 * Return the obstacle or robot under the pointer that the tool can move.
 * @param {Point} at
 * @param {number} px
 */
export function grabbed([x, y], px) {
  const robots = tool.value === "move";
  if (!robots && tool.value !== "obstacle") return null;
  if (robots && !timeStands()) return null;
  const found = objects.value
    .filter((one) => one.robot === robots)
    .map((one) => ({ one, away: distance(one, x, y) }))
    .filter(({ one, away }) => away <= Math.max(0, REACH_PX * px - reach(one)))
    .sort((a, b) => a.away - b.away);
  return found[0]?.one ?? null;
}

/** @param {MapObject} one */
const reach = (one) => (one.size_m ? Math.min(...one.size_m) / 2 : one.radius_m);

/**
 * Return the distance of a point from the outline of an object; 0 or less inside.
 * @param {MapObject} one
 * @param {number} x
 * @param {number} y
 */
function distance(one, x, y) {
  const [dx, dy] = [x - one.pose[0], y - one.pose[1]];
  if (!one.size_m) return Math.hypot(dx, dy) - one.radius_m;
  const [cos, sin] = [Math.cos(one.pose[2]), Math.sin(one.pose[2])];
  return Math.max(
    Math.abs(cos * dx + sin * dy) - one.size_m[0] / 2,
    Math.abs(cos * dy - sin * dx) - one.size_m[1] / 2,
  );
}

/**
 * Select the smallest zone at a place.
 * @param {Point} at
 * @param {number} px
 */
function selectZone([x, y], px) {
  const inside = zones.value
    .map((zone) => {
      if (zone.center) {
        const radius = zone.radius_m ?? 0;
        const away = Math.hypot(x - zone.center[0], y - zone.center[1]) - radius;
        return { zone, away, size: 3.14 * radius * radius };
      }
      const [left, right] = zone.x ?? [0, 0];
      const [low, high] = zone.y ?? [0, 0];
      const away = Math.max(left - x, x - right, low - y, y - high);
      return { zone, away, size: (right - left) * (high - low) };
    })
    .filter(({ away }) => away < REACH_PX * px)
    .sort((a, b) => a.size - b.size);
  const name = inside[0]?.zone.name;
  selected.value = name ? { kind: "zone", name } : null;
}
