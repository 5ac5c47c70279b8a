// Bodies on the floor: discs, polygons and obstacles. There is one draw call per shape.

import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Vector3,
} from "three";
import { opacityOf } from "./palette.js";
import { castShadow } from "./floor_shadow.js";
import { roundedCylinder, roundedPrism } from "./geometry.js";
import { WALL_HEIGHT_M } from "./grid_map.js";

/** @import {Material} from "three" */
/** @import {Palette} from "./palette.js" */
/** @import {MapObject, Paint, Part} from "../core/types.js" */

const FLATTEST_M = 0.02; // height of a body that has none

/**
 * Return the material of a body.
 * @param {Paint} colour
 * @param {number} [opacity]
 */
export function bodyMaterial(colour, opacity = opacityOf(colour)) {
  // drawn a little behind, so that a ghost in place of its body does not flicker
  const seenThrough = opacity < 1;
  return new MeshStandardMaterial({
    roughness: 0.5,
    metalness: 0.08,
    opacity,
    transparent: seenThrough,
    polygonOffset: seenThrough,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 8,
  });
}

/** Instances of one shape, each with a pose and a colour. The buffer grows as needed. */
export class Instances {
  object = new Group();
  #geometry;
  #material;
  /** @type {InstancedMesh|null} */
  #mesh = null;
  #casts;

  /**
   * @param {BufferGeometry} geometry
   * @param {Material} material
   * @param {{casts: boolean}} options
   */
  constructor(geometry, material, { casts }) {
    this.#geometry = geometry;
    this.#material = material;
    this.#casts = casts;
  }

  /**
   * @param {number} count how many there are to be, at most
   * @returns {InstancedMesh}
   */
  reserve(count) {
    if (this.#mesh && this.#mesh.instanceMatrix.count >= count) return this.#mesh;
    this.#drop();
    const mesh = new InstancedMesh(
      this.#geometry,
      this.#material,
      Math.max(4, 2 ** Math.ceil(Math.log2(count))),
    );
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.setColorAt(0, new Color(1, 1, 1));
    mesh.frustumCulled = false; // its extent changes in every frame
    mesh.count = 0;
    if (this.#casts) castShadow(mesh);
    this.#mesh = mesh;
    this.object.add(mesh);
    return mesh;
  }

  /** @param {number} count */
  show(count) {
    if (!this.#mesh) return;
    this.#mesh.count = count;
    this.#mesh.instanceMatrix.needsUpdate = true;
    if (this.#mesh.instanceColor) this.#mesh.instanceColor.needsUpdate = true;
  }

  /** @returns {Matrix4[]} where the copies are, as the scene has them */
  places() {
    const mesh = this.#mesh;
    if (!mesh) return [];
    mesh.updateWorldMatrix(true, false);
    return Array.from({ length: mesh.count }, (_, at) => {
      const matrix = new Matrix4();
      mesh.getMatrixAt(at, matrix);
      return matrix.premultiply(mesh.matrixWorld);
    });
  }

  #drop() {
    if (!this.#mesh) return;
    this.object.remove(this.#mesh);
    this.#mesh.dispose();
    this.#mesh = null;
  }

  dispose() {
    this.#drop();
    this.#geometry.dispose();
    this.#material.dispose();
  }
}

/**
 * @param {Matrix4} matrix
 * @returns {number[]} x, y, z, heading
 */
export function poseFrom({ elements: m }) {
  return [m[12], m[13], m[14], Math.atan2(m[1], m[0])];
}

/** The rows of a Disc or a Polygon. */
export class Bodies {
  object = new Group();
  #part;
  #instances;
  /** @type {Instances|null} */
  #marks = null;
  #markMaterial = new MeshBasicMaterial();
  #radius_m;
  #height_m;

  /** @param {Part} part */
  constructor(part) {
    this.#part = part;
    this.#height_m = Math.max(part.height_m ?? 0, FLATTEST_M);
    this.#radius_m =
      part.kind === "Disc"
        ? (part.radius_m ?? 0.1)
        : Math.max(...(part.points ?? [[0.1, 0]]).map(([x, y]) => Math.hypot(x, y)));
    const solid =
      part.kind === "Disc"
        ? roundedCylinder(this.#radius_m, 0, this.#height_m)
        : roundedPrism(part.points ?? [], 0, this.#height_m);
    const material = bodyMaterial(part.colour ?? "accent");
    this.#instances = new Instances(solid, material, { casts: !material.transparent });
    this.object.add(this.#instances.object);
    if (part.kind === "Disc" && part.heading !== false) {
      this.#marks = new Instances(headingMark(this.#radius_m, this.#height_m), this.#markMaterial, {
        casts: false,
      });
      this.object.add(this.#marks.object);
    }
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#markMaterial.color.copy(palette.of("outside"));
  }

  /**
   * @param {Float32Array} rows
   * @param {Palette} palette
   */
  show(rows, palette) {
    const count = rows.length / 4;
    const [body, mark] = [this.#instances.reserve(count), this.#marks?.reserve(count)];
    const { colour = "accent", tones = [] } = this.#part;
    const matrix = new Matrix4();
    let shown = 0;
    for (let at = 0; at < rows.length; at += 4) {
      if (!Number.isFinite(rows[at] + rows[at + 1] + rows[at + 2])) continue;
      matrix.makeRotationZ(rows[at + 2]).setPosition(rows[at], rows[at + 1], 0);
      body.setMatrixAt(shown, matrix);
      body.setColorAt(shown, palette.ofTone(colour, tones, rows[at + 3]));
      mark?.setMatrixAt(shown, matrix);
      shown++;
    }
    this.#instances.show(shown);
    this.#marks?.show(shown);
  }

  /** @returns {number[][]} */
  poses() {
    return this.#instances.places().map(poseFrom);
  }

  /** @param {Box3} box */
  addTo(box) {
    for (const [x, y] of this.poses()) addUpright(box, x, y, this.#radius_m, this.#height_m);
  }

  dispose() {
    this.#instances.dispose();
    this.#marks?.dispose();
    this.#markMaterial.dispose();
  }
}

/**
 * @param {Box3} box
 * @param {number} x
 * @param {number} y
 * @param {number} radius_m
 * @param {number} height_m
 */
function addUpright(box, x, y, radius_m, height_m) {
  box
    .expandByPoint(new Vector3(x - radius_m, y - radius_m, 0))
    .expandByPoint(new Vector3(x + radius_m, y + radius_m, height_m));
}

/**
 * An arrow head on top of a disc.
 * @param {number} radius_m
 * @param {number} height_m
 */
function headingMark(radius_m, height_m) {
  const z = height_m + Math.max(0.0015, radius_m * 0.006); // above the lid, to avoid flicker
  const corners = [
    [0.68, 0],
    [-0.36, 0.42],
    [-0.14, 0],
    [-0.36, -0.42],
  ];
  const geometry = new BufferGeometry();
  geometry.setAttribute(
    "position",
    new BufferAttribute(
      new Float32Array(corners.flatMap(([x, y]) => [x * radius_m, y * radius_m, z])),
      3,
    ),
  );
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  return geometry;
}

/** Obstacles and other robots: discs and boxes as high as a wall. */
export class Obstacles {
  object = new Group();
  #round = new Instances(roundedCylinder(1, 0, WALL_HEIGHT_M), bodyMaterial("plain"), {
    casts: true,
  });
  #square = new Instances(
    roundedPrism(
      [
        [-0.5, -0.5],
        [0.5, -0.5],
        [0.5, 0.5],
        [-0.5, 0.5],
      ],
      0,
      WALL_HEIGHT_M,
    ),
    bodyMaterial("plain"),
    { casts: true },
  );
  /** @type {{name: string, instances: Instances, at: number, radius_m: number}[]} */
  #shown = [];

  constructor() {
    this.object.add(this.#round.object, this.#square.object);
  }

  /**
   * @param {MapObject[]} obstacles
   * @param {Palette} palette
   */
  show(obstacles, palette) {
    const counts = new Map([
      [this.#round, 0],
      [this.#square, 0],
    ]);
    const matrix = new Matrix4();
    this.#shown = obstacles.map(({ name, radius_m, size_m, pose }) => {
      const instances = size_m ? this.#square : this.#round;
      const at = counts.get(instances) ?? 0;
      const mesh = instances.reserve(obstacles.length);
      const [width, depth] = size_m ?? [radius_m, radius_m];
      matrix
        .makeRotationZ(pose[2])
        .scale(new Vector3(width, depth, 1))
        .setPosition(pose[0], pose[1], 0);
      mesh.setMatrixAt(at, matrix);
      mesh.setColorAt(at, palette.of("plain"));
      counts.set(instances, at + 1);
      return { name, instances, at, radius_m: size_m ? Math.hypot(width, depth) / 2 : radius_m };
    });
    for (const [instances, count] of counts) instances.show(count);
  }

  /**
   * @param {string} name
   * @returns {number[][]}
   */
  posesOf(name) {
    return this.#shown
      .filter((one) => one.name === name)
      .map(({ instances, at }) => poseFrom(instances.places()[at]));
  }

  /** @param {Box3} box */
  addTo(box) {
    for (const { instances, at, radius_m } of this.#shown) {
      const [x, y] = poseFrom(instances.places()[at]);
      addUpright(box, x, y, radius_m, WALL_HEIGHT_M);
    }
  }

  dispose() {
    this.#round.dispose();
    this.#square.dispose();
  }
}
