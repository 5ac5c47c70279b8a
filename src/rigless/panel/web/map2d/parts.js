// Draws each kind of part of a page on the 2-D map.
import { outlineOf } from "./outlines.js";
import { colourOf, healthOf } from "../core/health.js";
import { firstAfter } from "../plots/points.js";
/** @typedef {import("./map_view.js").ViewTransform} ViewTransform */
/** @typedef {import("../core/types.js").Colours} Colours */
/** @typedef {import("../core/types.js").Part} Part */
/** @typedef {import("../core/types.js").Picture} Picture */
/** @typedef {CanvasRenderingContext2D} Pen */

const BAND_ALPHA = 0.22; // of a trail with a width
const PAST_ALPHA = 0.3; // of a trail before the time span of the plots
const LINE_PX = 3;
const DOT_PX = 2.5;

/**
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Part} part
 * @param {Picture} picture
 * @param {Colours} paints
 */
export function drawPart(pen, view, part, picture, paints) {
  const rows = picture.rows.get(part.name) ?? new Float32Array();
  const paint = colourFor(paints, part.colour ?? "accent");
  switch (part.kind) {
    case "Disc":
      return eachPose(pen, part, rows, paints, () => drawDisc(pen, view, part, paints));
    case "Polygon":
      return eachPose(pen, part, rows, paints, () => drawPolygon(pen, view, part));
    case "Rays":
      return drawRays(pen, view, part, rows, paint);
    case "Points":
      return drawPoints(pen, view, rows, paint);
    case "Path":
      return strokeTrack(pen, view, rows, 2, paint);
    case "Curve":
      return part.ramp?.length
        ? strokeShades(pen, view, part, rows, paints)
        : strokeTrack(pen, view, rows, 4, paint, view.px(part.width_px ?? LINE_PX));
    case "Cloud":
      return drawCloud(pen, part, rows, paints);
    case "Scene":
      return drawScene(pen, view, part, rows, paints);
    case "Axes":
      return drawAxes(pen, view, part, rows);
    case "Ellipse":
      return drawEllipses(pen, view, rows, paint);
    case "Links":
      return drawLinks(pen, view, part, rows, paints);
    case "Trail": {
      const track = picture.trails.get(part.name);
      if (!track) return;
      const points = track.points.subarray(0, 3 * track.count);
      if (part.width_m) {
        pen.globalAlpha = BAND_ALPHA;
        strokeTrack(pen, view, points, 3, paint, part.width_m);
        pen.globalAlpha = 1;
        return;
      }
      const recent = firstAfter(
        track.times.subarray(0, track.count),
        picture.recent_s ?? -Infinity,
      );
      if (recent > 0) {
        pen.globalAlpha = PAST_ALPHA;
        strokeTrack(pen, view, points.subarray(0, 3 * (recent + 1)), 3, paint);
        pen.globalAlpha = 1;
      }
      return strokeTrack(pen, view, points.subarray(3 * recent), 3, paint);
    }
  }
}

/**
 * Return a colour of the theme, or an #rrggbb colour as it is.
 * @param {Colours} paints
 * @param {string} colour
 */
export const colourFor = (paints, colour) =>
  colour.startsWith("#") ? colour : paints[/** @type {keyof Colours} */ (colour)];

/**
 * Call `draw` for each row x, y, theta, tone, in its frame and colour.
 * @param {Pen} pen
 * @param {Part} part
 * @param {Float32Array} rows
 * @param {Colours} paints
 * @param {() => void} draw
 */
function eachPose(pen, part, rows, paints, draw) {
  for (let at = 0; at + 3 < rows.length; at += 4) {
    const tone = rows[at + 3] ?? 0;
    const meaning = (tone > 0 ? part.tones?.[tone - 1] : undefined) ?? part.colour ?? "accent";
    pen.save();
    pen.translate(rows[at] ?? 0, rows[at + 1] ?? 0);
    pen.rotate(rows[at + 2] ?? 0);
    pen.fillStyle = pen.strokeStyle = colourFor(paints, meaning);
    draw();
    pen.restore();
  }
}

/**
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Part} part
 * @param {Colours} paints
 */
function drawDisc(pen, view, part, paints) {
  const radius = part.radius_m ?? 0.1;
  pen.beginPath();
  pen.arc(0, 0, radius, 0, 2 * Math.PI);
  pen.globalAlpha = part.colour === "ghost" ? 0.15 : 0.9;
  pen.fill();
  pen.globalAlpha = 1;
  pen.lineWidth = view.px(part.colour === "ghost" ? 2 : 1.5);
  if (part.colour !== "ghost") pen.strokeStyle = paints.floor;
  pen.stroke();
  if (!part.heading) return;
  pen.beginPath();
  pen.moveTo(radius * 0.75, 0);
  pen.lineTo(-radius * 0.35, radius * 0.5);
  pen.lineTo(-radius * 0.1, 0);
  pen.lineTo(-radius * 0.35, -radius * 0.5);
  pen.closePath();
  if (part.colour === "ghost") {
    pen.stroke();
  } else {
    pen.fillStyle = paints.floor;
    pen.fill();
  }
}

/**
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Part} part
 */
function drawPolygon(pen, view, part) {
  pen.beginPath();
  for (const [x = 0, y = 0] of part.points ?? []) pen.lineTo(x, y);
  pen.closePath();
  pen.fill();
  pen.lineWidth = view.px(1);
  pen.stroke();
}

/**
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Part} part
 * @param {Float32Array} rows
 * @param {string} paint
 */
function drawRays(pen, view, part, rows, paint) {
  if (!rows.length) return;
  pen.fillStyle = pen.strokeStyle = paint;
  if (part.fan) {
    pen.beginPath();
    for (let at = 0; at + 3 < rows.length; at += 4)
      pen.lineTo(rows[at + 2] ?? 0, rows[at + 3] ?? 0);
    pen.closePath();
    pen.globalAlpha = 0.14;
    pen.fill();
  }
  pen.beginPath();
  for (let at = 0; at + 3 < rows.length; at += 4) {
    pen.moveTo(rows[at] ?? 0, rows[at + 1] ?? 0);
    pen.lineTo(rows[at + 2] ?? 0, rows[at + 3] ?? 0);
  }
  pen.globalAlpha = part.fan ? 0.1 : 0.8;
  pen.lineWidth = view.px(part.fan ? 0.75 : 1.5);
  pen.stroke();
  pen.globalAlpha = 1;
}

/**
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Float32Array} rows
 * @param {string} paint
 */
function drawPoints(pen, view, rows, paint) {
  const radius = view.px(DOT_PX);
  pen.fillStyle = paint;
  pen.beginPath();
  for (let at = 0; at + 1 < rows.length; at += 2) {
    const [x, y] = [rows[at] ?? 0, rows[at + 1] ?? 0];
    pen.moveTo(x + radius, y);
    pen.arc(x, y, radius, 0, 2 * Math.PI);
  }
  pen.fill();
}

/**
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Float32Array} points
 * @param {number} columns x and y come first
 * @param {string} paint
 * @param {number} width
 */
function strokeTrack(pen, view, points, columns, paint, width = view.px(LINE_PX)) {
  pen.beginPath();
  let down = false;
  for (let at = 0; at < points.length; at += columns) {
    const [x, y] = [points[at] ?? NaN, points[at + 1] ?? NaN];
    if (Number.isNaN(x)) down = false;
    else if (down) pen.lineTo(x, y);
    else {
      pen.moveTo(x, y);
      down = true;
    }
  }
  pen.lineWidth = width;
  pen.lineJoin = pen.lineCap = "round";
  pen.strokeStyle = paint;
  pen.stroke();
}

/**
 * Return the colour of a shade between 0 and 1.
 * @param {Part} part
 * @param {number} shade
 * @param {Colours} paints
 */
function shadeOf(part, shade, paints) {
  const ramp = part.ramp?.length ? part.ramp : [part.colour ?? "path"];
  const along = Math.min(Math.max(shade, 0), 1) * (ramp.length - 1);
  const [below, above] = [ramp[Math.floor(along)] ?? "path", ramp[Math.ceil(along)] ?? "path"];
  return `color-mix(in srgb, ${colourFor(paints,
    above)} ${Math.round(20 * (along % 1)) * 5}%, ${colourFor(paints, below)})`;
}

/**
 * Draw a curve segment by segment, each in its shade.
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Part} part
 * @param {Float32Array} rows
 * @param {Colours} paints
 */
function strokeShades(pen, view, part, rows, paints) {
  for (let at = 0; at + 7 < rows.length; at += 4) {
    strokeTrack(
      pen,
      view,
      rows.subarray(at, at + 8),
      4,
      shadeOf(part, rows[at + 3] ?? 0, paints),
      view.px(part.width_px ?? LINE_PX),
    );
  }
}

/**
 * Draw a point cloud, grouped by colour.
 * @param {Pen} pen
 * @param {Part} part
 * @param {Float32Array} rows
 * @param {Colours} paints
 */
function drawCloud(pen, part, rows, paints) {
  /** @type {Map<string, number[]>} */
  const places = new Map();
  for (let at = 0; at + 3 < rows.length; at += 4) {
    const paint = shadeOf(part, rows[at + 3] ?? 0, paints);
    places.set(paint, [...(places.get(paint) ?? []), at]);
  }
  const size = part.size_m ?? 0.02;
  pen.globalAlpha = 0.5;
  for (const [paint, some] of places) {
    pen.fillStyle = paint;
    for (const at of some)
      pen.fillRect((rows[at] ?? 0) - size / 2, (rows[at + 1] ?? 0) - size / 2, size, size);
  }
  pen.globalAlpha = 1;
}

/**
 * Draw the outlines of solids, the lowest first.
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Part} part
 * @param {Float32Array} rows
 * @param {Colours} paints
 */
function drawScene(pen, view, part, rows, paints) {
  const objects = (part.solids ?? [])
    .map((solid, at) => ({ ...outlineOf(solid), solid, tone: rows[at] ?? 0 }))
    .sort((a, b) => a.top - b.top);
  for (const { points, solid, tone } of objects) {
    const marked = tone > 0 ? part.tones?.[Math.round(tone) - 1] : undefined;
    pen.beginPath();
    for (const [x, y] of points) pen.lineTo(x, y);
    pen.closePath();
    pen.fillStyle = pen.strokeStyle = colourFor(paints, marked ?? solid.colour);
    pen.globalAlpha = marked ? 0.55 : 0.18;
    pen.fill();
    pen.globalAlpha = 0.8;
    pen.lineWidth = view.px(marked ? 2.5 : 1.2);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

/**
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Part} part
 * @param {Float32Array} rows
 */
function drawAxes(pen, view, part, rows) {
  const length = part.length_m ?? 0.1;
  for (let at = 0; at + 6 < rows.length; at += 7) {
    const [x = 0, y = 0, , qx = 0, qy = 0, qz = 0, qw = 1] = rows.subarray(at, at + 7);
    const ends = [
      ["#e5484d", 1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy + qz * qw)],
      ["#3fb06a", 2 * (qx * qy - qz * qw), 1 - 2 * (qx * qx + qz * qz)],
      ["#3f86f0", 2 * (qx * qz + qy * qw), 2 * (qy * qz - qx * qw)],
    ];
    for (const [paint, dx, dy] of ends) {
      strokeTrack(
        pen,
        view,
        new Float32Array([x, y, x + length * Number(dx), y + length * Number(dy)]),
        2,
        String(paint),
      );
    }
  }
}

/**
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Float32Array} rows
 * @param {string} paint
 */
function drawEllipses(pen, view, rows, paint) {
  pen.fillStyle = pen.strokeStyle = paint;
  pen.lineWidth = view.px(1.5);
  for (let at = 0; at + 4 < rows.length; at += 5) {
    pen.beginPath();
    pen.ellipse(
      rows[at] ?? 0,
      rows[at + 1] ?? 0,
      Math.abs(rows[at + 3] ?? 0),
      Math.abs(rows[at + 4] ?? 0),
      rows[at + 2] ?? 0,
      0,
      2 * Math.PI,
    );
    pen.globalAlpha = 0.15;
    pen.fill();
    pen.globalAlpha = 1;
    pen.stroke();
  }
}

const ARM_M = 0.1; // width of an arm
/**
 * Draw an arm as the line through its links.
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {Part} part
 * @param {Float32Array} rows
 * @param {Colours} paints
 */
function drawLinks(pen, view, part, rows, paints) {
  if (part.style === "wire") return;
  const points = new Float32Array(rows.length / 4);
  let tone = 0;
  for (let n = 0; 8 * n < rows.length; n++) {
    points.set([rows[8 * n] ?? 0, rows[8 * n + 1] ?? 0], 2 * n);
    tone = tone || (rows[8 * n + 7] ?? 0);
  }
  const paint = colourFor(
    paints,
    (tone ? part.tones?.[Math.round(tone) - 1] : undefined) ?? part.colour ?? "accent",
  );
  pen.globalAlpha = part.style === "ghost" ? 0.2 : 0.35;
  strokeTrack(pen, view, points, 2, paint, ARM_M);
  pen.globalAlpha = part.style === "ghost" ? 0.6 : 1;
  strokeTrack(pen, view, points, 2, paint);
  if (part.style !== "ghost") drawPoints(pen, view, points, paints.text);
  pen.globalAlpha = 1;
}

const NAME_FONT = "12px system-ui, sans-serif";
const NAME_HIGH_PX = 14;

/**
 * Draw other robots and obstacles. Unless `named`, only abnormal robots show their name. A name
 * that would cover another one is left out.
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {import("../core/types.js").MapObject[]} objects
 * @param {Colours} paints
 * @param {boolean} named
 */
export function drawObjects(pen, view, objects, paints, named) {
  /** @type {[number, number, number][]} */
  const taken = [];
  pen.font = NAME_FONT;
  for (const object of objects) {
    const [x = 0, y = 0] = view.toCanvas(object.pose[0], object.pose[1]);
    const half = pen.measureText(object.name).width / 2 + 2;
    const free = taken.every(
      ([tx, ty, wide]) => Math.abs(tx - x) > wide + half || Math.abs(ty - y) > NAME_HIGH_PX,
    );
    const shown = free && (named || healthOf(object.status) !== "ok");
    if (object.robot && shown) taken.push([x, y, half]);
    drawObject(pen, view, object, paints, shown);
  }
}

/**
 * Draw another robot or an obstacle, a robot with its name if `named`.
 * @param {Pen} pen
 * @param {ViewTransform} view
 * @param {import("../core/types.js").MapObject} object
 * @param {Colours} paints
 * @param {boolean} named
 */
export function drawObject(pen, view, object, paints, named) {
  const [x, y, theta] = object.pose;
  pen.save();
  if (object.faint) pen.globalAlpha = 0.2;
  pen.translate(x, y);
  pen.save();
  pen.rotate(theta);
  pen.fillStyle = object.robot ? paints[colourOf(object.status)] : paints.plain;
  pen.strokeStyle = paints.floor;
  pen.lineWidth = view.px(1);
  pen.beginPath();
  if (object.size_m)
    pen.rect(-object.size_m[0] / 2, -object.size_m[1] / 2, object.size_m[0], object.size_m[1]);
  else if (object.robot) {
    const r = Math.max(0.85 * object.radius_m, view.px(5));
    pen.moveTo(r, 0);
    pen.lineTo(-0.8 * r, 0.7 * r);
    pen.lineTo(-0.4 * r, 0);
    pen.lineTo(-0.8 * r, -0.7 * r);
    pen.closePath();
  } else pen.arc(0, 0, Math.max(object.radius_m, 0.01), 0, 2 * Math.PI);
  pen.fill();
  pen.stroke();
  if (object.robot && object.radius_m > view.px(6)) {
    pen.beginPath();
    pen.arc(0, 0, object.radius_m, 0, 2 * Math.PI);
    pen.strokeStyle = pen.fillStyle;
    pen.lineWidth = view.px(1.5);
    pen.stroke();
  }
  pen.restore();
  if (object.robot && !object.faint && named) {
    pen.scale(view.px(1), -view.px(1));
    pen.fillStyle = paints.text;
    pen.font = NAME_FONT;
    pen.textAlign = "center";
    pen.fillText(object.name, 0, -8 - Math.max(5, object.radius_m * view.scale));
    pen.textAlign = "left";
  }
  pen.restore();
}
