// The tools by keyboard: a crosshair that the arrow keys move while the map has the focus.
import { undoLast, moveObstacle, moveRobot, removeObstacle, deleteZone } from "./actions.js";
import { gestures } from "./gestures.js";
import {
  crosshair,
  draft,
  hover,
  measured,
  selectedObject,
  selectedZone,
  timeStands,
  tool,
} from "./tool_state.js";
/** @typedef {import("./tool_state.js").Point} Point */

const STEP_PX = 10;
const FINE_PX = 1;
const COARSE_PX = 50;
const TURN_RAD = Math.PI / 12;
/** @type {Record<string, Point>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/**
 * Handle a key on the map while a tool is active. Return true if it is one of the tools'.
 * @param {KeyboardEvent} event
 * @param {{x: number, y: number, scale: number}} view
 */
export function handleToolKey(event, view) {
  if (!tool.value || event.ctrlKey || event.metaKey) return false;
  const px = 1 / view.scale;
  const arrow = ARROWS[event.key];
  if (arrow) {
    const step = px * (event.shiftKey ? FINE_PX : event.altKey ? COARSE_PX : STEP_PX);
    const [x, y] = crosshair.value ?? hover.value ?? [view.x, view.y];
    const to = /** @type {Point} */ ([x + arrow[0] * step, y + arrow[1] * step]);
    crosshair.value = to;
    if (draft.value) draft.value = { ...draft.value, to };
    return true;
  }
  switch (event.key) {
    case "Enter": {
      const at = crosshair.value ?? hover.value ?? [view.x, view.y];
      crosshair.value = at;
      press(at, px);
      return true;
    }
    case "Delete":
    case "Backspace":
      return remove();
    case "[":
    case "]":
      return turn(event.key === "[" ? TURN_RAD : -TURN_RAD);
  }
  return false;
}

/**
 * A click, or the begin or the end of a drag.
 * @param {Point} at
 * @param {number} px
 */
function press(at, px) {
  if (draft.value) {
    gestures.release(at, px);
    return;
  }
  gestures.press(at, px);
  const drags = tool.value === "zone" || draft.peek()?.object;
  if (!drags) gestures.release(at, px);
}

function remove() {
  const object = selectedObject.value;
  const zone = selectedZone.value;
  if (tool.value === "measure") measured.value = measured.value.slice(0, -1);
  else if (object && !object.robot) void removeObstacle(object.name);
  else if (zone) void deleteZone(zone);
  else return false;
  return true;
}

/** Turn the selected obstacle or robot. @param {number} by */
export function turn(by) {
  const object = selectedObject.value;
  if (!object || (object.robot && !timeStands())) return false;
  const [x, y, theta] = object.pose;
  if (object.robot) void moveRobot(object, [x, y], theta + by);
  else void moveObstacle(object, [x, y, theta + by]);
  return true;
}

/** Handle Ctrl+Z. @param {KeyboardEvent} event */
export function handleUndoKey(event) {
  const wanted = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === "z";
  if (!wanted || event.type !== "keydown") return false;
  void undoLast();
  return true;
}

