// How each part of a page looks from above.
/** @typedef {import("./flat.js").Frame} Frame */
/** @typedef {import("./types.js").Paints} Paints */
/** @typedef {import("./types.js").Part} Part */
/** @typedef {import("./types.js").Picture} Picture */
/** @typedef {CanvasRenderingContext2D} Pen */

const LINE_PX = 3;
const DOT_PX = 2.5;

/** @param {Pen} pen @param {Frame} frame @param {Part} part @param {Picture} picture @param {Paints} paints */
export function drawPart(pen, frame, part, picture, paints) {
  const rows = picture.rows.get(part.name) ?? new Float32Array();
  const paint = paints[part.colour ?? "accent"];
  switch (part.kind) {
    case "Disc":
      return eachPose(pen, part, rows, paints, () => drawDisc(pen, frame, part, paints));
    case "Polygon":
      return eachPose(pen, part, rows, paints, () => drawPolygon(pen, frame, part));
    case "Rays":
      return drawRays(pen, frame, part, rows, paint);
    case "Points":
      return drawPoints(pen, frame, rows, paint);
    case "Path":
      return strokeTrack(pen, frame, rows, rows.length / 2, paint);
    case "Ellipse":
      return drawEllipses(pen, frame, rows, paint);
    case "Links":
      return drawLinks(pen, frame, part, rows, paints);
    case "Trail": {
      const track = picture.trails.get(part.name);
      return track && strokeTrack(pen, frame, track.points, track.count, paint);
    }
  }
}

/** Once for each row x, y, theta, tone, in its own frame and colour. @param {Pen} pen @param {Part} part @param {Float32Array} rows @param {Paints} paints @param {() => void} draw */
function eachPose(pen, part, rows, paints, draw) {
  for (let at = 0; at + 3 < rows.length; at += 4) {
    const tone = rows[at + 3] ?? 0;
    const meaning = (tone > 0 ? part.tones?.[tone - 1] : undefined) ?? part.colour ?? "accent";
    pen.save();
    pen.translate(rows[at] ?? 0, rows[at + 1] ?? 0);
    pen.rotate(rows[at + 2] ?? 0);
    pen.fillStyle = pen.strokeStyle = paints[meaning];
    draw();
    pen.restore();
  }
}

/** @param {Pen} pen @param {Frame} frame @param {Part} part @param {Paints} paints */
function drawDisc(pen, frame, part, paints) {
  const radius = part.radius_m ?? 0.1;
  pen.beginPath();
  pen.arc(0, 0, radius, 0, 2 * Math.PI);
  pen.globalAlpha = part.colour === "ghost" ? 0.15 : 0.9;
  pen.fill();
  pen.globalAlpha = 1;
  pen.lineWidth = frame.px(part.colour === "ghost" ? 2 : 1.5);
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

/** @param {Pen} pen @param {Frame} frame @param {Part} part */
function drawPolygon(pen, frame, part) {
  pen.beginPath();
  for (const [x = 0, y = 0] of part.points ?? []) pen.lineTo(x, y);
  pen.closePath();
  pen.fill();
  pen.lineWidth = frame.px(1);
  pen.stroke();
}

/** @param {Pen} pen @param {Frame} frame @param {Part} part @param {Float32Array} rows @param {string} paint */
function drawRays(pen, frame, part, rows, paint) {
  if (!rows.length) return;
  pen.fillStyle = pen.strokeStyle = paint;
  if (part.fan) {
    pen.beginPath();
    for (let at = 0; at + 3 < rows.length; at += 4) pen.lineTo(rows[at + 2] ?? 0, rows[at + 3] ?? 0);
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
  pen.lineWidth = frame.px(part.fan ? 0.75 : 1.5);
  pen.stroke();
  pen.globalAlpha = 1;
}

/** @param {Pen} pen @param {Frame} frame @param {Float32Array} rows @param {string} paint */
function drawPoints(pen, frame, rows, paint) {
  const radius = frame.px(DOT_PX);
  pen.fillStyle = paint;
  pen.beginPath();
  for (let at = 0; at + 1 < rows.length; at += 2) {
    const [x, y] = [rows[at] ?? 0, rows[at + 1] ?? 0];
    pen.moveTo(x + radius, y);
    pen.arc(x, y, radius, 0, 2 * Math.PI);
  }
  pen.fill();
}

/** @param {Pen} pen @param {Frame} frame @param {Float32Array} points @param {number} count @param {string} paint @param {number} width */
function strokeTrack(pen, frame, points, count, paint, width = frame.px(LINE_PX)) {
  pen.beginPath();
  let down = false;
  for (let at = 0; at < 2 * count; at += 2) {
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

/** @param {Pen} pen @param {Frame} frame @param {Float32Array} rows @param {string} paint */
function drawEllipses(pen, frame, rows, paint) {
  pen.fillStyle = pen.strokeStyle = paint;
  pen.lineWidth = frame.px(1.5);
  for (let at = 0; at + 4 < rows.length; at += 5) {
    pen.beginPath();
    pen.ellipse(rows[at] ?? 0, rows[at + 1] ?? 0, Math.abs(rows[at + 3] ?? 0), Math.abs(rows[at + 4] ?? 0), rows[at + 2] ?? 0, 0, 2 * Math.PI);
    pen.globalAlpha = 0.15;
    pen.fill();
    pen.globalAlpha = 1;
    pen.stroke();
  }
}

const ARM_M = 0.1; // how wide an arm is drawn
/** From above, an arm is the line through its links. @param {Pen} pen @param {Frame} frame @param {Part} part @param {Float32Array} rows @param {Paints} paints */
function drawLinks(pen, frame, part, rows, paints) {
  const points = new Float32Array(rows.length / 4);
  for (let n = 0; 8 * n < rows.length; n++) points.set([rows[8 * n] ?? 0, rows[8 * n + 1] ?? 0], 2 * n);
  const paint = (rows[7] ? part.tones?.[0] : undefined) ?? part.colour ?? "accent";
  pen.globalAlpha = 0.35;
  strokeTrack(pen, frame, points, points.length / 2, paints[paint], ARM_M);
  pen.globalAlpha = 1;
  strokeTrack(pen, frame, points, points.length / 2, paints[paint]);
  drawPoints(pen, frame, points, paints.text);
}

/**
 * Another robot, or an obstacle; in a crowd only those that are not well are `named`.
 * @param {Pen} pen @param {Frame} frame @param {import("./types.js").Obstacle} thing @param {Paints} paints @param {boolean} named
 */
export function drawThing(pen, frame, thing, paints, named) {
  const [x, y, theta] = thing.pose;
  pen.save();
  pen.translate(x, y);
  pen.save();
  pen.rotate(theta);
  const well = !thing.status || thing.status === "ok";
  pen.fillStyle = !thing.robot ? paints.plain : well ? paints.accent : paints.warn;
  pen.strokeStyle = paints.floor;
  pen.lineWidth = frame.px(1);
  pen.beginPath();
  if (thing.size_m) pen.rect(-thing.size_m[0] / 2, -thing.size_m[1] / 2, thing.size_m[0], thing.size_m[1]);
  else if (thing.robot) {
    const r = Math.max(0.85 * thing.radius_m, frame.px(5));
    pen.moveTo(r, 0);
    pen.lineTo(-0.8 * r, 0.7 * r);
    pen.lineTo(-0.4 * r, 0);
    pen.lineTo(-0.8 * r, -0.7 * r);
    pen.closePath();
  } else pen.arc(0, 0, Math.max(thing.radius_m, 0.01), 0, 2 * Math.PI);
  pen.fill();
  pen.stroke();
  if (thing.robot && thing.radius_m > frame.px(6)) {
    pen.beginPath();
    pen.arc(0, 0, thing.radius_m, 0, 2 * Math.PI);
    pen.strokeStyle = pen.fillStyle;
    pen.lineWidth = frame.px(1.5);
    pen.stroke();
  }
  pen.restore();
  if (thing.robot && (named || !well)) {
    pen.scale(frame.px(1), -frame.px(1));
    pen.fillStyle = paints.text;
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.fillText(thing.name, 0, -8 - Math.max(5, thing.radius_m * frame.scale));
    pen.textAlign = "left";
  }
  pen.restore();
}
