// The layout of a warehouse on the 2-D map: lanes with their directions, and places.
/** @typedef {import("./map_view.js").ViewTransform} ViewTransform */
/** @typedef {import("../core/types.js").Colours} Colours */
/** @typedef {import("../core/api_types.js").LayoutPicture} Layout */
/** @typedef {import("../core/api_types.js").LayoutPlace} Place */

const LANE_ALPHA = 0.45;
const PLACE_ALPHA = 0.8;
const ARROWS_FROM = 14; // pixels per metre; below this, directions would be a grey mass
const PLACES_FROM = 5;
const NAMES_FROM = 42;
const ARROW_M = 0.22; // half the length of an arrow
/** Length and width of a place in metres. @type {Record<string, [number, number]>} */
const SIZES = { parking: [1.3, 1.0], charger: [1.3, 1.0], station: [0.9, 0.9], lift: [1.8, 1.8] };

/** The paths of a layout in world metres, made once. @type {WeakMap<Layout, Paths>} */
const cache = new WeakMap();

/**
 * @typedef {object} Paths
 * @property {Path2D} lanes
 * @property {Path2D} arrows
 * @property {Path2D} parking
 * @property {Path2D} stations
 * @property {Path2D} chargers outlines
 * @property {Path2D} bolts
 */

/** @param {Layout} layout */
function pathsOf(layout) {
  const known = cache.get(layout);
  if (known) return known;
  const made = {
    lanes: new Path2D(),
    arrows: new Path2D(),
    parking: new Path2D(),
    stations: new Path2D(),
    chargers: new Path2D(),
    bolts: new Path2D(),
  };
  for (const { points, both } of layout.lanes) {
    points.forEach(([x, y], n) => (n ? made.lanes.lineTo(x, y) : made.lanes.moveTo(x, y)));
    if (both) continue;
    for (let n = 1; n < points.length; n++)
      addArrow(made.arrows, points[n - 1] ?? [0, 0], points[n] ?? [0, 0]);
  }
  for (const [start, end] of layout.belts) {
    if (start && end) addBelt(made.stations, start, end);
  }
  for (const place of layout.places) {
    if (place.kind === "charger") {
      addBox(made.chargers, place);
      addBolt(made.bolts, place);
    } else addBox(place.kind === "parking" ? made.parking : made.stations, place);
  }
  cache.set(layout, made);
  return made;
}

/**
 * @param {Path2D} path
 * @param {[number, number]} from
 * @param {[number, number]} to
 */
function addArrow(path, [ax, ay], [bx, by]) {
  const [x, y, angle] = [(ax + bx) / 2, (ay + by) / 2, Math.atan2(by - ay, bx - ax)];
  const [c, s] = [ARROW_M * Math.cos(angle), ARROW_M * Math.sin(angle)];
  path.moveTo(x + c, y + s);
  path.lineTo(x - c - 0.7 * s, y - s + 0.7 * c);
  path.lineTo(x - c + 0.7 * s, y - s - 0.7 * c);
  path.closePath();
}

/**
 * @param {Path2D} path
 * @param {Place} place
 */
function addBox(path, { kind, pose }) {
  const [length, width] = SIZES[kind] ?? [1, 1];
  const [x, y, theta] = pose;
  const [c, s] = [Math.cos(theta), Math.sin(theta)];
  [
    [1, 1],
    [-1, 1],
    [-1, -1],
    [1, -1],
  ].forEach(([i = 0, j = 0], n) => {
    const [ahead, aside] = [(i * length) / 2, (j * width) / 2];
    const at = [x + c * ahead - s * aside, y + s * ahead + c * aside];
    if (n) path.lineTo(at[0] ?? 0, at[1] ?? 0);
    else path.moveTo(at[0] ?? 0, at[1] ?? 0);
  });
  path.closePath();
}

/**
 * Add a flash of lightning, upright on the map.
 * @param {Path2D} path
 * @param {Place} place
 */
function addBolt(path, { pose: [x, y] }) {
  path.moveTo(x + 0.08, y + 0.36);
  path.lineTo(x - 0.2, y - 0.04);
  path.lineTo(x - 0.02, y - 0.04);
  path.lineTo(x - 0.08, y - 0.36);
  path.lineTo(x + 0.2, y + 0.04);
  path.lineTo(x + 0.02, y + 0.04);
  path.closePath();
}

/**
 * @param {Path2D} path
 * @param {[number, number]} from
 * @param {[number, number]} to
 */
function addBelt(path, [ax, ay], [bx, by]) {
  const length = Math.hypot(bx - ax, by - ay) || 1;
  const [nx, ny] = [(-0.3 * (by - ay)) / length, (0.3 * (bx - ax)) / length];
  path.moveTo(ax + nx, ay + ny);
  path.lineTo(bx + nx, by + ny);
  path.moveTo(ax - nx, ay - ny);
  path.lineTo(bx - nx, by - ny);
}

/**
 * Draw the layout, in world units.
 * @param {CanvasRenderingContext2D} pen
 * @param {ViewTransform} view
 * @param {Layout} layout
 * @param {Colours} paints
 */
export function drawLayout(pen, view, layout, paints) {
  const paths = pathsOf(layout);
  pen.save();
  pen.lineJoin = pen.lineCap = "round";
  pen.strokeStyle = pen.fillStyle = paints.plain;
  pen.globalAlpha = LANE_ALPHA;
  pen.lineWidth = view.px(1.2);
  pen.stroke(paths.lanes);
  if (view.scale >= ARROWS_FROM) pen.fill(paths.arrows);
  if (view.scale >= PLACES_FROM) {
    pen.lineWidth = view.px(1);
    pen.stroke(paths.parking);
    pen.globalAlpha = PLACE_ALPHA;
    pen.lineWidth = view.px(1.5);
    pen.stroke(paths.stations);
    pen.strokeStyle = pen.fillStyle = paints.ok;
    pen.stroke(paths.chargers);
    pen.fill(paths.bolts);
  }
  if (view.scale >= NAMES_FROM) drawNames(pen, view, layout, paints);
  pen.restore();
}

/**
 * Write the names of the places in view below them.
 * @param {CanvasRenderingContext2D} pen
 * @param {ViewTransform} view
 * @param {Layout} layout
 * @param {Colours} paints
 */
function drawNames(pen, view, layout, paints) {
  view.usePixels(pen);
  pen.globalAlpha = 1;
  pen.fillStyle = paints.plain;
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "center";
  for (const { id, pose } of layout.places) {
    const [x = 0, y = 0] = view.toCanvas(pose[0], pose[1]);
    if (x < -40 || y < -40 || x > view.width + 40 || y > view.height + 40) continue;
    pen.fillText(id, x, y + 0.62 * view.scale);
  }
  pen.textAlign = "left";
}
