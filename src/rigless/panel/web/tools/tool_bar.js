// The tools of the map: a column of buttons, and a strip that tells how to use the active one.
import { html, nothing } from "lit-html";
import * as icons from "../cards/icons.js";
import { copyIcon } from "../cards/copy_button.js";
import { button } from "../cards/widgets.js";
import { togglePause } from "../cards/time_control.js";
import { shownRobot, shownState } from "../core/state.js";
import {
  blockZone,
  deleteZone,
  moveObstacle,
  moveRobot,
  removeObstacle,
  undoLast,
} from "./actions.js";
import { distanceText } from "./draw_tools.js";
import { turn } from "./tool_keys.js";
import {
  chooseTool,
  circularZone,
  goal,
  history,
  isLive,
  measured,
  obstacleShape,
  refusal,
  selectedObject,
  selectedZone,
  timeStands,
  tool,
} from "./tool_state.js";
/** @typedef {import("./tool_state.js").ToolName} ToolName */

/** The tools, with their keys. */
export const TOOLS = /** @type {const} */ ({
  g: { name: "goal", label: "Goal", icon: icons.flag },
  o: { name: "obstacle", label: "Obstacle", icon: icons.crate },
  v: { name: "move", label: "Move robot", icon: icons.hand },
  z: { name: "zone", label: "Zone", icon: icons.zone },
  m: { name: "measure", label: "Measure", icon: icons.ruler },
});

/** @param {ToolName} name */
const isOffered = (name) =>
  name === "measure" ||
  (isLive() && (name !== "goal" || goal.value !== null) && (name !== "move" || mayMove()));
const mayMove = () => !shownRobot.value || Boolean(shownState.value?.movable);

/** Choose a tool by its key. Return false if it is not offered. @param {string} key */
export function chooseByKey(key) {
  const found = TOOLS[/** @type {keyof typeof TOOLS} */ (key)];
  if (!found || !isOffered(found.name)) return false;
  chooseTool(found.name);
  return true;
}

export function toolBar() {
  const last = history.value.at(-1);
  return html`<div class="map-tools" role="toolbar" aria-label="Map tools"
    aria-orientation="vertical">${Object.entries(TOOLS).map(([key, { name, label, icon }]) =>
      isOffered(name)
        ? button(icon, `${label} (${key})`, () => chooseTool(name), { on: tool.value === name })
        : nothing)}
    ${isLive() ? button(icons.undo, last ? `Undo: ${last.label} (Ctrl+Z)` : "Undo (Ctrl+Z)",
      () => void undoLast(), { off: !last }) : nothing}
  </div>`;
}

/** How to use the active tool, and what can be done with the selection. */
export function toolStrip() {
  if (!tool.value) return nothing;
  const refused = refusal.value;
  return html`<div class="tool-strip" role="group" aria-label="Tool">
    <div class="tool-help">${help()}</div>${options()}
    ${button(icons.close, "End the tool (Esc)", () => chooseTool(tool.value))}
    ${refused ? html`<div class="tool-refusal" role="alert"><span>${refused.text}</span>${
      refused.retry ? button("Use the nearest place", "Use the nearest place", refused.retry,
        { kind: "text" }) : nothing}</div>` : nothing}
  </div>`;
}

function help() {
  const text = {
    "": "",
    goal: "Click the goal. Drag to set the heading.",
    obstacle: "Click to place an obstacle. Drag one to move it.",
    move: "Drag a robot to another place.",
    zone: circularZone.value
      ? "Drag from the centre of the zone outwards."
      : "Drag from corner to corner of the zone.",
    measure: "Click points. Angles are counter-clockwise from the x axis.",
  }[tool.value];
  return html`<span>${text}</span>`;
}

function options() {
  switch (tool.value) {
    case "obstacle":
      return selectedObject.value ? objectForm() : shapeForm();
    case "move":
      return timeStands()
        ? selectedObject.value ? objectForm() : nothing
        : html`<div class="row"><span class="dim">Time runs.</span>${button("Pause",
          "Pause, to move robots", () => void togglePause(), { kind: "text" })}</div>`;
    case "zone":
      return selectedZone.value ? zoneForm() : html`<div class="row">${
        button("Rectangle", "Draw rectangles", () => (circularZone.value = false),
          { kind: "text", on: !circularZone.value })}${
        button("Circle", "Draw circles", () => (circularZone.value = true),
          { kind: "text", on: circularZone.value })}</div>`;
    case "measure":
      return measureList();
  }
  return nothing;
}

/**
 * @param {string} label
 * @param {string} unit
 * @param {number} value
 * @param {(value: number) => void} change
 * @param {{low?: number}} [limits]
 */
export function numberField(label, unit, value, change, { low } = {}) {
  return html`<label class="number"><span>${label}</span><input type="number" step="any"
    min=${low ?? nothing} aria-label="${label} in ${unit}"
    .value=${String(Number(value.toFixed(3)))}
    @change=${(/** @type {{target: HTMLInputElement}} */ { target }) => {
      const given = target.valueAsNumber;
      if (Number.isFinite(given) && (low === undefined || given > low)) change(given);
      else target.value = String(value);
    }}><small>${unit}</small></label>`;
}

function shapeForm() {
  const shape = obstacleShape.value;
  const set = (/** @type {Partial<typeof shape>} */ change) =>
    (obstacleShape.value = { ...obstacleShape.value, ...change });
  return html`<div class="row">${
    button("Disc", "Place discs", () => set({ box: false }), { kind: "text", on: !shape.box })}${
    button("Box", "Place boxes", () => set({ box: true }), { kind: "text", on: shape.box })}${
    shape.box
      ? html`${numberField("Length", "m", shape.length_m, (length_m) => set({ length_m }),
        { low: 0 })}${numberField("Width", "m", shape.width_m, (width_m) => set({ width_m }),
        { low: 0 })}`
      : numberField("Radius", "m", shape.radius_m, (radius_m) => set({ radius_m }), { low: 0 })
  }</div>`;
}

/** The pose of the selected obstacle or robot as numbers. */
function objectForm() {
  const object = selectedObject.value;
  if (!object) return nothing;
  const [x, y, theta] = object.pose;
  const move = (/** @type {[number, number, number]} */ pose) =>
    object.robot
      ? moveRobot(object, [pose[0], pose[1]], pose[2] === theta ? null : pose[2])
      : moveObstacle(object, pose);
  const degrees = Number(((theta * 180) / Math.PI).toFixed(1));
  return html`<div class="row"><b class="clip">${object.name}</b>${
    numberField("x", "m", x, (to) => void move([to, y, theta]))}${
    numberField("y", "m", y, (to) => void move([x, to, theta]))}${
    object.robot || object.size_m
      ? html`${numberField("Heading", "°", degrees,
        (to) => void move([x, y, (to * Math.PI) / 180]))}${
        button(icons.reset, "Turn by 15° ([)", () => turn(Math.PI / 12))}`
      : nothing}${
    object.robot ? nothing :
      button(icons.bin, `Delete ${object.name} (Del)`, () => void removeObstacle(object.name))
  }</div>`;
}

function zoneForm() {
  const zone = selectedZone.value;
  if (!zone) return nothing;
  const blocked = zone.blocked.length > 0;
  return html`<div class="row"><b class="clip">${zone.name}</b>${
    copyIcon(zone.toml, `the expectation of ${zone.name} (TOML)`)}${
    !zone.blockable ? nothing : button(blocked ? "Allow to AGVs" : "Forbid to AGVs",
      blocked ? `Forbidden to ${zone.blocked.join(", ")}; allow it` :
      "Send it to the AGVs of this map as a blocked zone", () => void blockZone(zone, !blocked),
      { kind: "text", on: blocked })}${
    button(icons.bin, `Delete ${zone.name} (Del)`, () => void deleteZone(zone))}</div>`;
}

function measureList() {
  const points = measured.value;
  if (points.length < 2) return nothing;
  const legs = points.slice(1).map((point, n) =>
    distanceText(/** @type {import("./tool_state.js").Point} */ (points[n]), point));
  const total = points.slice(1).reduce((sum, [x, y], n) =>
    sum + Math.hypot(x - (points[n]?.[0] ?? 0), y - (points[n]?.[1] ?? 0)), 0);
  return html`<div class="row" role="status"><span data-fact="measured">${legs.join(" · ")}${
    legs.length > 1 ? ` · in all ${total.toFixed(3)} m` : ""}</span>${
    button(icons.bin, "Clear the points", () => (measured.value = []))}</div>`;
}
