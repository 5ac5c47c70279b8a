// Geometries of bodies, z up, with slightly rounded edges that catch the light.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CylinderGeometry,
  EdgesGeometry,
  ExtrudeGeometry,
  Quaternion,
  Shape,
  SphereGeometry,
} from "three";

/** @import {Solid} from "../core/types.js" */

const TURNS = 48; // sides of round shapes
const FILLET_STEPS = 3;
const FOLDED_DEG = 25; // there is no edge between faces at a smaller angle

/**
 * @typedef {{r: number, z: number, nr: number, nz: number}} Rib a point of a profile and which way
 *   its surface looks
 */

/**
 * A cylinder along z from `bottom` to `top`.
 * @param {number} radius
 * @param {number} bottom
 * @param {number} top
 */
export function roundedCylinder(radius, bottom, top) {
  const edge = Math.min(radius * 0.12, (top - bottom) * 0.3, 0.012);
  return latheGeometry([
    { r: 0, z: bottom, nr: 0, nz: -1 },
    ...fillet(radius - edge, bottom + edge, edge, -Math.PI / 2, 0),
    ...fillet(radius - edge, top - edge, edge, 0, Math.PI / 2),
    { r: 0, z: top, nr: 0, nz: 1 },
  ]);
}

/**
 * @param {number} r
 * @param {number} z
 * @param {number} edge
 * @param {number} from
 * @param {number} to
 * @returns {Rib[]}
 */
function fillet(r, z, edge, from, to) {
  return Array.from({ length: FILLET_STEPS + 1 }, (_, step) => {
    const angle = from + ((to - from) * step) / FILLET_STEPS;
    const [nr, nz] = [Math.cos(angle), Math.sin(angle)];
    return { r: r + edge * nr, z: z + edge * nz, nr, nz };
  });
}

/** @param {Rib[]} profile from the bottom to the top */
function latheGeometry(profile) {
  const across = TURNS + 1;
  const positions = new Float32Array(profile.length * across * 3);
  const normals = new Float32Array(positions.length);
  profile.forEach(({ r, z, nr, nz }, rib) => {
    for (let turn = 0; turn < across; turn++) {
      const [cos, sin] = [
        Math.cos((2 * Math.PI * turn) / TURNS),
        Math.sin((2 * Math.PI * turn) / TURNS),
      ];
      positions.set([r * cos, r * sin, z], (rib * across + turn) * 3);
      normals.set([nr * cos, nr * sin, nz], (rib * across + turn) * 3);
    }
  });
  const indices = [];
  for (let rib = 0; rib + 1 < profile.length; rib++) {
    for (let turn = 0; turn < TURNS; turn++) {
      const here = rib * across + turn;
      indices.push(here, here + 1, here + across, here + 1, here + across + 1, here + across);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  geometry.setIndex(indices);
  return geometry;
}

/**
 * A prism from `bottom` to `top`. Its rounded edges stay within the outline.
 * @param {number[][]} points
 * @param {number} bottom
 * @param {number} top
 */
export function roundedPrism(points, bottom, top) {
  const shape = new Shape();
  points.forEach(([x, y], at) => (at ? shape.lineTo(x, y) : shape.moveTo(x, y)));
  shape.closePath();
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const across = Math.min(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  const edge = Math.min(across * 0.08, (top - bottom) * 0.3, 0.01);
  const geometry = new ExtrudeGeometry(shape, {
    depth: top - bottom - 2 * edge,
    bevelSize: edge,
    bevelThickness: edge,
    bevelOffset: -edge,
    bevelSegments: 2,
    steps: 1,
  });
  return geometry.translate(0, 0, bottom + edge);
}

/**
 * @param {Solid} solid
 * @returns {BufferGeometry} in its link's frame
 */
export function shapeOf(solid) {
  return placeSolid(
    solid.kind === "mesh" ? meshOf(solid) : centredShape(solid.kind, solid.size_m),
    solid,
  );
}

/**
 * Return the edges of a solid. Round shapes have this many `sides`.
 * @param {Solid} solid
 * @param {number} sides
 */
export function edgesOf(solid, sides) {
  const [a = 0.1, b = a, c = b] = solid.size_m;
  const shape =
    solid.kind === "mesh"
      ? meshOf(solid)
      : solid.kind === "box"
        ? new BoxGeometry(a, b, c)
        : solid.kind === "sphere"
          ? new SphereGeometry(a, sides, sides / 2)
          : new CylinderGeometry(a, a, b, sides).rotateX(Math.PI / 2);
  const edges = new EdgesGeometry(placeSolid(shape, solid), FOLDED_DEG);
  shape.dispose();
  return edges;
}

/**
 * @template {BufferGeometry} T
 * @param {T} shape
 * @param {Solid} solid
 */
function placeSolid(shape, { at, turn }) {
  if (turn) shape.applyQuaternion(new Quaternion().fromArray(turn));
  return shape.translate(at[0] ?? 0, at[1] ?? 0, at[2] ?? 0);
}

/** A mesh with flat shading. @param {Solid} solid */
function meshOf({ points = "", triangles = "" }) {
  const indexed = new BufferGeometry();
  indexed.setAttribute("position", new BufferAttribute(new Float32Array(bytesOf(points)), 3));
  indexed.setIndex(new BufferAttribute(new Uint32Array(bytesOf(triangles)), 1));
  const geometry = indexed.toNonIndexed();
  geometry.computeVertexNormals();
  return geometry;
}

/** @param {string} base64 */
function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer;
}

/**
 * @param {Solid["kind"]} kind
 * @param {number[]} size_m
 * @returns {BufferGeometry}
 */
function centredShape(kind, [a = 0.1, b = a, c = b]) {
  if (kind === "sphere") return new SphereGeometry(a, TURNS, TURNS / 2);
  if (kind === "cylinder") return roundedCylinder(a, -b / 2, b / 2);
  return roundedPrism(
    [
      [-a / 2, -b / 2],
      [a / 2, -b / 2],
      [a / 2, b / 2],
      [-a / 2, b / 2],
    ],
    -c / 2,
    c / 2,
  );
}
