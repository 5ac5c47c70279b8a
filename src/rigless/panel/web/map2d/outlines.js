// The outline of a solid from above: the convex hull of its points.
/** @typedef {import("../core/types.js").Solid} Solid */
/** @typedef {{points: number[][], top: number}} Outline x, y pairs, and how high it reaches */

const TURNS = 24;
/** @type {WeakMap<Solid, Outline>} */
const outlineCache = new WeakMap();

/**
 * @param {Solid} solid
 * @returns {Outline}
 */
export function outlineOf(solid) {
  let found = outlineCache.get(solid);
  if (!found) {
    const points = cornersOf(solid).map((corner) => rotated(corner, solid));
    found = { points: hullOf(points), top: Math.max(...points.map(([, , z]) => z ?? 0)) };
    outlineCache.set(solid, found);
  }
  return found;
}

/**
 * @param {Solid} solid
 * @returns {number[][]}
 */
function cornersOf({ kind, size_m: [a = 0, b = a, c = b], points = "" }) {
  if (kind === "mesh") {
    const floats = new Float32Array(
      Uint8Array.from(atob(points), (letter) => letter.charCodeAt(0)).buffer,
    );
    return Array.from({ length: floats.length / 3 }, (_, at) => [
      ...floats.subarray(3 * at, 3 * at + 3),
    ]);
  }
  const signs = [-1, 1];
  if (kind === "box")
    return signs.flatMap((x) =>
      signs.flatMap((y) => signs.map((z) => [(x * a) / 2, (y * b) / 2, (z * c) / 2])),
    );
  const around = Array.from({ length: TURNS }, (_, turn) => [
    a * Math.cos((2 * Math.PI * turn) / TURNS),
    a * Math.sin((2 * Math.PI * turn) / TURNS),
  ]);
  return kind === "cylinder"
    ? signs.flatMap((z) => around.map(([x = 0, y = 0]) => [x, y, (z * b) / 2]))
    : around.map(([x = 0, y = 0]) => [x, y, 0]);
}

/**
 * @param {number[]} point
 * @param {Solid} solid
 */
function rotated([x = 0, y = 0, z = 0], { at, turn = [0, 0, 0, 1], kind }) {
  const [qx = 0, qy = 0, qz = 0, qw = 1] = kind === "sphere" ? [0, 0, 0, 1] : turn;
  const [tx, ty, tz] = [2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)];
  return [
    x + qw * tx + qy * tz - qz * ty + (at[0] ?? 0),
    y + qw * ty + qz * tx - qx * tz + (at[1] ?? 0),
    z + qw * tz + qx * ty - qy * tx + (at[2] ?? 0),
  ];
}

/** Return the convex hull, by a monotone chain. @param {number[][]} points */
function hullOf(points) {
  const sorted = [...points].sort(([ax = 0, ay = 0], [bx = 0, by = 0]) => ax - bx || ay - by);
  const half = (/** @type {number[][]} */ some) => {
    /** @type {number[][]} */
    const chain = [];
    for (const point of some) {
      while (chain.length > 1 && !left(chain.at(-2), chain.at(-1), point)) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

/**
 * @param {number[]} [a]
 * @param {number[]} [b]
 * @param {number[]} [c]
 */
const left = ([ax = 0, ay = 0] = [], [bx = 0, by = 0] = [], [cx = 0, cy = 0] = []) =>
  (bx - ax) * (cy - ay) > (by - ay) * (cx - ax);
