// Draws over the map: zones, the goal with its route, what a tool is about to do, distances.
import {
  circularZone,
  crosshair,
  draft,
  goal,
  hover,
  measured,
  obstacleShape,
  selectedObject,
  selectedZone,
  tool,
  zones,
} from "./tool_state.js";
/** @typedef {import("../map2d/map_view.js").ViewTransform} ViewTransform */
/** @typedef {import("../core/types.js").Colours} Colours */
/** @typedef {import("./tool_state.js").Point} Point */
/** @typedef {CanvasRenderingContext2D} Pen */

const ARROW_PX = 46;
const DEGREES = 180 / Math.PI;

/**
 * Return distance and bearing from one place to another, as text. The bearing is the angle from the
 * x axis, counter-clockwise, as a robot's heading.
 * @param {Point} from
 * @param {Point} to
 */
export function distanceText([x, y], [to_x, to_y]) {
  const angle = Math.atan2(to_y - y, to_x - x) * DEGREES;
  return `${Math.hypot(to_x - x, to_y - y).toFixed(3)} m, ${angle.toFixed(1)}°`;
}

/**
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Colours} paints
 */
export function drawTools(pen, view, paints) {
  view.usePixels(pen);
  pen.save();
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  const at = (/** @type {readonly number[]} */ [x = 0, y = 0]) =>
    /** @type {Point} */ (view.toCanvas(x, y));
  for (const zone of zones.value) drawZone(pen, view, paints, at, zone);
  drawGoal(pen, paints, at);
  drawSelection(pen, view, paints, at);
  drawDraft(pen, view, paints, at);
  drawMeasured(pen, paints, at);
  if (crosshair.value && tool.value) drawCrosshair(pen, paints, at(crosshair.value));
  pen.restore();
}

/** @typedef {(point: readonly number[]) => Point} ToCanvas */

/**
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Colours} paints
 * @param {ToCanvas} at
 * @param {import("./tool_state.js").Zone} zone
 */
function drawZone(pen, view, paints, at, zone) {
  const blocked = zone.blocked.length > 0;
  const chosen = selectedZone.value?.name === zone.name;
  pen.strokeStyle = pen.fillStyle = blocked ? paints.bad : paints.text;
  pen.lineWidth = chosen ? 2.5 : 1.5;
  pen.setLineDash([6, 4]);
  pen.beginPath();
  let label = at(zone.center ?? [zone.x?.[0] ?? 0, zone.y?.[1] ?? 0]);
  if (zone.center) {
    const radius = (zone.radius_m ?? 0) * view.scale;
    pen.arc(...label, radius, 0, 2 * Math.PI);
    label = [label[0] - 0.7 * radius, label[1] - 0.7 * radius];
  } else {
    const far = at([zone.x?.[1] ?? 0, zone.y?.[0] ?? 0]);
    pen.rect(...label, far[0] - label[0], far[1] - label[1]);
  }
  pen.globalAlpha = 0.08;
  pen.fill();
  pen.globalAlpha = 1;
  pen.stroke();
  pen.setLineDash([]);
  tag(pen, paints, label[0] + 6, label[1] + 14, blocked ? `${zone.name} · forbidden` : zone.name);
}

/**
 * Draw the route and the goal of the shown robot.
 * @param {Pen} pen
 * @param {Colours} paints
 * @param {ToCanvas} at
 */
function drawGoal(pen, paints, at) {
  const now = goal.value;
  if (!now || !["starting", "driving", "blocked", "failed"].includes(now.state)) return;
  const bad = now.state === "blocked" || now.state === "failed";
  pen.strokeStyle = pen.fillStyle = bad ? paints.warn : paints.path;
  pen.lineWidth = 2;
  pen.setLineDash([8, 6]);
  pen.beginPath();
  for (const point of now.route) pen.lineTo(...at(point));
  pen.stroke();
  pen.setLineDash([]);
  drawTarget(pen, at([now.x_m, now.y_m]), now.theta_rad);
}

/**
 * @param {Pen} pen
 * @param {Point} at
 * @param {number|null} theta
 */
function drawTarget(pen, at, theta) {
  pen.lineWidth = 2.5;
  pen.beginPath();
  pen.arc(...at, 9, 0, 2 * Math.PI);
  pen.stroke();
  pen.beginPath();
  pen.arc(...at, 2.5, 0, 2 * Math.PI);
  pen.fill();
  if (theta === null) return;
  const [c, s] = [Math.cos(theta), -Math.sin(theta)];
  const tip = [at[0] + ARROW_PX * c, at[1] + ARROW_PX * s];
  pen.beginPath();
  pen.moveTo(at[0] + 9 * c, at[1] + 9 * s);
  pen.lineTo(tip[0] ?? 0, tip[1] ?? 0);
  pen.stroke();
  pen.beginPath();
  pen.moveTo((tip[0] ?? 0) + 4 * c, (tip[1] ?? 0) + 4 * s);
  pen.lineTo((tip[0] ?? 0) - 8 * c - 6 * s, (tip[1] ?? 0) - 8 * s + 6 * c);
  pen.lineTo((tip[0] ?? 0) - 8 * c + 6 * s, (tip[1] ?? 0) - 8 * s - 6 * c);
  pen.fill();
}

/**
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Colours} paints
 * @param {ToCanvas} at
 */
function drawSelection(pen, view, paints, at) {
  const object = selectedObject.value;
  if (!object || draft.value) return;
  pen.strokeStyle = paints.text;
  pen.lineWidth = 2;
  outline(pen, view, at(object.pose), object, object.pose[2], 5);
  pen.stroke();
}

/**
 * Trace the outline of an obstacle or a robot.
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Point} at
 * @param {{size_m: readonly number[]|null, radius_m: number}} object
 * @param {number} theta
 * @param {number} wider in pixels
 */
function outline(pen, view, at, { size_m, radius_m }, theta, wider) {
  pen.beginPath();
  if (!size_m) {
    pen.arc(...at, radius_m * view.scale + wider, 0, 2 * Math.PI);
    return;
  }
  const [half_x, half_y] = [
    ((size_m[0] ?? 0) / 2) * view.scale + wider,
    ((size_m[1] ?? 0) / 2) * view.scale + wider,
  ];
  const [c, s] = [Math.cos(theta), -Math.sin(theta)];
  for (const [i, j] of [[1, 1], [-1, 1], [-1, -1], [1, -1]]) {
    const [dx, dy] = [half_x * (i ?? 0), half_y * (j ?? 0)];
    pen.lineTo(at[0] + c * dx - s * dy, at[1] + s * dx + c * dy);
  }
  pen.closePath();
}

/**
 * Draw what a release of the pointer would do.
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Colours} paints
 * @param {ToCanvas} at
 */
function drawDraft(pen, view, paints, at) {
  const now = draft.value;
  const pointer = now?.to ?? crosshair.value ?? hover.value;
  if (!tool.value || !pointer) return;
  pen.strokeStyle = pen.fillStyle = paints.text;
  pen.lineWidth = 1.5;
  if (tool.value === "obstacle" && !now?.object) {
    const { box, radius_m, length_m, width_m } = obstacleShape.value;
    outline(pen, view, at(pointer), { size_m: box ? [length_m, width_m] : null, radius_m }, 0, 0);
    pen.setLineDash([4, 3]);
    pen.stroke();
    pen.setLineDash([]);
  }
  if (!now) return;
  const [dx, dy] = [now.to[0] - now.from[0], now.to[1] - now.from[1]];
  const pixels = Math.hypot(dx, dy) * view.scale;
  if (now.object) {
    const [x, y, theta] = now.object.pose;
    outline(pen, view, at([x + dx, y + dy]), now.object, theta, 0);
    pen.globalAlpha = 0.25;
    pen.fill();
    pen.globalAlpha = 1;
    pen.stroke();
    const [px, py] = at([x + dx, y + dy]);
    tag(pen, paints, px + 14, py - 18, `x ${(x + dx).toFixed(2)}  y ${(y + dy).toFixed(2)}`);
  } else if (tool.value === "goal") {
    drawTarget(pen, at(now.from), pixels > 12 ? Math.atan2(dy, dx) : null);
  } else if (tool.value === "zone" && pixels > 2) {
    const [x, y] = at(now.from);
    pen.setLineDash([6, 4]);
    pen.beginPath();
    if (circularZone.value) pen.arc(x, y, pixels, 0, 2 * Math.PI);
    else pen.rect(x, y, dx * view.scale, -dy * view.scale);
    pen.stroke();
    pen.setLineDash([]);
    const size = circularZone.value
      ? `radius ${Math.hypot(dx, dy).toFixed(2)} m`
      : `${Math.abs(dx).toFixed(2)} × ${Math.abs(dy).toFixed(2)} m`;
    tag(pen, paints, ...at(now.to), size);
  }
}

/**
 * @param {Point} a
 * @param {Point} b
 */
const farOnCanvas = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) > 4;

/**
 * @param {Pen} pen
 * @param {Colours} paints
 * @param {ToCanvas} at
 */
function drawMeasured(pen, paints, at) {
  if (tool.value !== "measure") return;
  const points = [...measured.value];
  const now = draft.value;
  const open = now?.to ?? crosshair.value ?? hover.value;
  if (now && !points.length) points.push(now.from);
  const last = points.at(-1);
  if (open && last && farOnCanvas(at(last), at(open))) points.push(open);
  pen.strokeStyle = pen.fillStyle = paints.accent;
  pen.lineWidth = 2;
  pen.beginPath();
  for (const point of points) pen.lineTo(...at(point));
  pen.stroke();
  for (const point of points) {
    pen.beginPath();
    pen.arc(...at(point), 3.5, 0, 2 * Math.PI);
    pen.fill();
  }
  points.slice(1).forEach((point, n) => {
    const before = /** @type {Point} */ (points[n]);
    const [x, y] = at([(before[0] + point[0]) / 2, (before[1] + point[1]) / 2]);
    tag(pen, paints, x + 8, y - 12, distanceText(before, point));
  });
}

/**
 * @param {Pen} pen
 * @param {Colours} paints
 * @param {Point} at
 */
function drawCrosshair(pen, paints, [x, y]) {
  pen.strokeStyle = paints.text;
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
    pen.moveTo(x + 5 * (dx ?? 0), y + 5 * (dy ?? 0));
    pen.lineTo(x + 18 * (dx ?? 0), y + 18 * (dy ?? 0));
  }
  pen.stroke();
}

/**
 * Write a text on an opaque ground.
 * @param {Pen} pen
 * @param {Colours} paints
 * @param {number} x
 * @param {number} y
 * @param {string} text
 */
function tag(pen, paints, x, y, text) {
  const { fillStyle } = pen;
  pen.fillStyle = paints.outside;
  pen.globalAlpha = 0.85;
  pen.beginPath();
  pen.roundRect(x - 5, y - 10, pen.measureText(text).width + 10, 20, 4);
  pen.fill();
  pen.globalAlpha = 1;
  pen.fillStyle = paints.text;
  pen.fillText(text, x, y);
  pen.fillStyle = fillStyle;
}
