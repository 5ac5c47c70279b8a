// A small 3-D picture of an arm and its cell on a 2-D canvas, by the painter's algorithm. It costs
// less than a WebGL context for each thumbnail.
import { colourFor } from "../map2d/parts.js";
/** @typedef {import("../map2d/map_view.js").ViewTransform} ViewTransform */
/** @typedef {import("../core/types.js").Colours} Colours */
/** @typedef {import("../core/types.js").Part} Part */
/** @typedef {import("../core/types.js").Solid} Solid */
/** @typedef {number[]} Point x, y, z */
/** @typedef {{points: Point[], paint: string, light: number, depth: number}} Face */

const [AZIMUTH, ELEVATION] = [-0.95, 0.42]; // direction of the camera in radians
const SUN = unit([0.35, -0.55, 0.9]);
const SIDES = 18; // of round solids
const FLOOR_M = 0.9; // half the side of the floor
const AIR_PX = 14;
const TOWARDS = [
  Math.cos(ELEVATION) * Math.cos(AZIMUTH),
  Math.cos(ELEVATION) * Math.sin(AZIMUTH),
  Math.sin(ELEVATION),
];
const RIGHT = [-Math.sin(AZIMUTH), Math.cos(AZIMUTH), 0];
const UP = [
  -Math.sin(ELEVATION) * Math.cos(AZIMUTH),
  -Math.sin(ELEVATION) * Math.sin(AZIMUTH),
  Math.cos(ELEVATION),
];
/** @type {WeakMap<Solid, Point[][]>} */
const faceCache = new WeakMap();

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {ViewTransform} view
 * @param {Part[]} parts
 * @param {import("../core/frames.js").FrameStore} frames
 * @param {Colours} paints
 * @param {number[]} reached what had to be in the picture so far: left, bottom, right, top
 * @returns {number[]} what has to be in it from now on, so that it does not jump about
 */
export function drawScene(pen, view, parts, frames, paints, reached) {
  const arm = parts
    .filter((part) => part.kind === "Links" && part.style !== "ghost" && part.style !== "wire")
    .flatMap((part) => armFaces(part, frames, paints));
  const scene = parts
    .filter((part) => part.kind === "Scene")
    .flatMap((part) => sceneFaces(part, frames, paints));
  const floor = [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([x = 0, y = 0]) => [FLOOR_M * x, FLOOR_M * y, 0]);
  const flat = [...floor, ...arm.flatMap(({ points }) => points)].map((point) => [
    dot(point, RIGHT),
    dot(point, UP),
  ]);
  const [us, vs] = [flat.map(([u = 0]) => u), flat.map(([, v = 0]) => v)];
  const [l = Infinity, b = Infinity, r = -Infinity, t = -Infinity] = reached;
  const bounds = [Math.min(l, ...us), Math.min(b, ...vs), Math.max(r, ...us), Math.max(t, ...vs)];
  const [left = 0, bottom = 0, right = 1, top = 1] = bounds;
  const scale = Math.min(
    (view.width - 2 * AIR_PX) / (right - left),
    (view.height - 2 * AIR_PX) / (top - bottom),
  );
  const place = (/** @type {Point} */ point) => [
    view.width / 2 + scale * (dot(point, RIGHT) - (left + right) / 2),
    view.height / 2 - scale * (dot(point, UP) - (bottom + top) / 2),
  ];
  drawFloor(pen, place, paints);
  fill(pen, scene, place, 0.4);
  drawShadow(pen, arm, place);
  for (const part of parts)
    if (part.kind === "Curve" || part.kind === "Trail") drawCurve(pen, part, frames, place, paints);
  fill(pen, arm, place, 1);
  return bounds;
}

/**
 * @param {Part} part
 * @param {import("../core/frames.js").FrameStore} frames
 * @param {Colours} paints
 * @returns {Face[]}
 */
function armFaces(part, frames, paints) {
  const rows = frames.rows.get(part.name) ?? new Float32Array();
  return (part.links ?? []).flatMap((solids, link) => {
    const [x = 0, y = 0, z = 0, qx = 0, qy = 0, qz = 0, qw = 1, tone = 0] = rows.subarray(
      8 * link,
      8 * link + 8,
    );
    const marked = tone > 0 ? part.tones?.[Math.round(tone) - 1] : undefined;
    return rows.length < 8 * link + 8
      ? []
      : solids.flatMap((solid) =>
          visibleFaces(
            facesOf(solid),
            [x, y, z],
            [qx, qy, qz, qw],
            colourFor(paints, marked ?? solid.colour),
          ),
        );
  });
}

/**
 * @param {Part} part
 * @param {import("../core/frames.js").FrameStore} frames
 * @param {Colours} paints
 * @returns {Face[]}
 */
function sceneFaces(part, frames, paints) {
  const tones = frames.rows.get(part.name) ?? new Float32Array();
  return (part.solids ?? []).flatMap((solid, at) => {
    const marked = (tones[at] ?? 0) > 0 ? part.tones?.[Math.round(tones[at] ?? 0) - 1] : undefined;
    return visibleFaces(
      facesOf(solid),
      [0, 0, 0],
      [0, 0, 0, 1],
      colourFor(paints, marked ?? solid.colour),
    );
  });
}

/**
 * Return the faces that are turned to the camera, in world coordinates.
 * @param {Point[][]} faces
 * @param {Point} at
 * @param {number[]} turn
 * @param {string} paint
 * @returns {Face[]}
 */
function visibleFaces(faces, at, turn, paint) {
  return faces.flatMap((face) => {
    const points = face.map((point) => moved(point, at, turn));
    const [a = [0, 0, 0], b = a, c = a] = points;
    const normal = unit(cross(minus(b, a), minus(c, b)));
    if (dot(normal, TOWARDS) <= 0) return [];
    return [
      {
        points,
        paint,
        light: dot(normal, SUN),
        depth: points.reduce((sum, point) => sum + dot(point, TOWARDS), 0) / points.length,
      },
    ];
  });
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Face[]} faces
 * @param {(point: Point) => number[]} place
 * @param {number} alpha
 */
function fill(pen, faces, place, alpha) {
  pen.globalAlpha = alpha;
  pen.lineWidth = 0.8;
  for (const { points, paint, light } of faces.sort((a, b) => a.depth - b.depth)) {
    trace(pen, points, place);
    pen.fillStyle = pen.strokeStyle = shaded(paint, light);
    pen.fill();
    pen.stroke(); // closes the gaps between faces
  }
  pen.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Point[]} points
 * @param {(point: Point) => number[]} place
 */
function trace(pen, points, place) {
  pen.beginPath();
  outline(pen, points, place);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Point[]} points
 * @param {(point: Point) => number[]} place
 */
function outline(pen, points, place) {
  points.forEach((point, n) => {
    const [x = 0, y = 0] = place(point);
    if (n) pen.lineTo(x, y);
    else pen.moveTo(x, y);
  });
  pen.closePath();
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {(point: Point) => number[]} place
 * @param {Colours} paints
 */
function drawFloor(pen, place, paints) {
  trace(
    pen,
    [
      [-FLOOR_M, -FLOOR_M, 0],
      [FLOOR_M, -FLOOR_M, 0],
      [FLOOR_M, FLOOR_M, 0],
      [-FLOOR_M, FLOOR_M, 0],
    ],
    place,
  );
  pen.fillStyle = paints.floor;
  pen.fill();
  pen.beginPath();
  for (let n = -3; n <= 3; n++) {
    for (const [from, to] of [
      [
        [(n * FLOOR_M) / 3, -FLOOR_M, 0],
        [(n * FLOOR_M) / 3, FLOOR_M, 0],
      ],
      [
        [-FLOOR_M, (n * FLOOR_M) / 3, 0],
        [FLOOR_M, (n * FLOOR_M) / 3, 0],
      ],
    ]) {
      const [[x = 0, y = 0], [u = 0, v = 0]] = [place(from ?? []), place(to ?? [])];
      pen.moveTo(x, y);
      pen.lineTo(u, v);
    }
  }
  pen.lineWidth = 1;
  pen.strokeStyle = paints.grid;
  pen.stroke();
}

/**
 * Draw the shadow on the floor.
 * @param {CanvasRenderingContext2D} pen
 * @param {Face[]} faces
 * @param {(point: Point) => number[]} place
 */
function drawShadow(pen, faces, place) {
  pen.beginPath();
  for (const { points } of faces)
    outline(
      pen,
      points.map(([x = 0, y = 0, z = 0]) => [
        x - (z * (SUN[0] ?? 0)) / (SUN[2] ?? 1),
        y - (z * (SUN[1] ?? 0)) / (SUN[2] ?? 1),
        0,
      ]),
      place,
    );
  pen.fillStyle = "#000";
  pen.globalAlpha = 0.16;
  pen.fill();
  pen.globalAlpha = 1;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {Part} part
 * @param {import("../core/frames.js").FrameStore} frames
 * @param {(point: Point) => number[]} place
 * @param {Colours} paints
 */
function drawCurve(pen, part, frames, place, paints) {
  const track = frames.trails.get(part.name);
  const [points, columns] = track
    ? [track.points.subarray(0, 3 * track.count), 3]
    : [frames.rows.get(part.name) ?? new Float32Array(), 4];
  pen.beginPath();
  let down = false;
  for (let at = 0; at + 2 < points.length; at += columns) {
    const [x = 0, y = 0] = place([...points.subarray(at, at + 3)]);
    if (down) pen.lineTo(x, y);
    else pen.moveTo(x, y);
    down = !Number.isNaN(x);
  }
  pen.lineWidth = 2;
  pen.lineJoin = pen.lineCap = "round";
  pen.strokeStyle = colourFor(paints, part.ramp?.at(-1) ?? part.colour ?? "path");
  pen.stroke();
}

// Solids as faces in the frame of their link. Points are counter-clockwise, seen from outside.

/**
 * @param {Solid} solid
 * @returns {Point[][]}
 */
function facesOf(solid) {
  const found =
    faceCache.get(solid) ??
    unplacedFaces(solid).map((face) =>
      face.map((point) => moved(point, solid.at, solid.turn ?? [0, 0, 0, 1])),
    );
  faceCache.set(solid, found);
  return found;
}

/**
 * @param {Solid} solid
 * @returns {Point[][]}
 */
function unplacedFaces({ kind, size_m: [a = 0.1, b = a, c = b], points = "", triangles = "" }) {
  if (kind === "mesh") {
    const places = new Float32Array(bytesOf(points));
    const corners = new Uint32Array(bytesOf(triangles));
    return Array.from({ length: corners.length / 3 }, (_, n) =>
      [...corners.subarray(3 * n, 3 * n + 3)].map((at) => [...places.subarray(3 * at, 3 * at + 3)]),
    );
  }
  if (kind === "box")
    return prism(
      [
        [-a / 2, -b / 2],
        [a / 2, -b / 2],
        [a / 2, b / 2],
        [-a / 2, b / 2],
      ],
      -c / 2,
      c / 2,
    );
  const ring = Array.from({ length: SIDES }, (_, n) => [
    Math.cos((2 * Math.PI * n) / SIDES),
    Math.sin((2 * Math.PI * n) / SIDES),
  ]);
  if (kind === "cylinder")
    return prism(
      ring.map(([x = 0, y = 0]) => [a * x, a * y]),
      -b / 2,
      b / 2,
    );
  const bands = SIDES / 2;
  const ball = (/** @type {number} */ band, /** @type {number} */ n) => {
    const [x = 0, y = 0] = ring[n % SIDES] ?? [];
    const polar = (Math.PI * band) / bands;
    return [a * x * Math.sin(polar), a * y * Math.sin(polar), -a * Math.cos(polar)];
  };
  return Array.from({ length: bands }, (_, band) =>
    ring.map((_side, n) => {
      const quad = [ball(band, n), ball(band, n + 1), ball(band + 1, n + 1), ball(band + 1, n)];
      return band ? quad : quad.slice(1); // at a pole two corners coincide
    }),
  ).flat();
}

/**
 * @param {number[][]} ring
 * @param {number} bottom
 * @param {number} top
 * @returns {Point[][]}
 */
function prism(ring, bottom, top) {
  const at = (/** @type {number[]} */ [x = 0, y = 0], /** @type {number} */ z) => [x, y, z];
  const walls = ring.map((point, n) => {
    const next = ring[(n + 1) % ring.length] ?? point;
    return [at(point, bottom), at(next, bottom), at(next, top), at(point, top)];
  });
  return [
    ...walls,
    ring.map((point) => at(point, top)),
    [...ring].reverse().map((point) => at(point, bottom)),
  ];
}

/** @param {string} base64 */
const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer;

/**
 * Return a colour, lighter towards the sun.
 * @param {string} paint
 * @param {number} light
 */
function shaded(paint, light) {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => parseInt(paint.slice(at, at + 2), 16));
  const strength = 0.62 + 0.38 * Math.max(0, light);
  const glare = 34 * Math.max(0, light) ** 3;
  return `rgb(${[r, g, b].map((value) => Math.min(255,
    Math.round(value * strength + glare))).join(" ")})`;
}

/**
 * @param {Point} point
 * @param {Point} at
 * @param {number[]} turn a quaternion
 * @returns {Point}
 */
function moved([x = 0, y = 0, z = 0], at, [qx = 0, qy = 0, qz = 0, qw = 1]) {
  const [tx, ty, tz] = [2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)];
  return [
    x + qw * tx + qy * tz - qz * ty + (at[0] ?? 0),
    y + qw * ty + qz * tx - qx * tz + (at[1] ?? 0),
    z + qw * tz + qx * ty - qy * tx + (at[2] ?? 0),
  ];
}

/**
 * @param {Point} a
 * @param {Point} b
 */
function dot([ax = 0, ay = 0, az = 0], [bx = 0, by = 0, bz = 0]) {
  return ax * bx + ay * by + az * bz;
}

/**
 * @param {Point} a
 * @param {Point} b
 * @returns {Point}
 */
function minus([ax = 0, ay = 0, az = 0], [bx = 0, by = 0, bz = 0]) {
  return [ax - bx, ay - by, az - bz];
}

/**
 * @param {Point} a
 * @param {Point} b
 * @returns {Point}
 */
function cross([ax = 0, ay = 0, az = 0], [bx = 0, by = 0, bz = 0]) {
  return [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
}

/**
 * @param {Point} point
 * @returns {Point}
 */
function unit(point) {
  const length = Math.sqrt(dot(point, point)) || 1;
  return point.map((value) => value / length);
}
