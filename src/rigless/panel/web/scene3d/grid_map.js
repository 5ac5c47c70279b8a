// A grid map in 3-D: walls as blocks, the floor as a texture of the cells with shadows of the
// walls, cliffs as pits. It takes two or three draw calls.

import {
  BufferAttribute,
  BufferGeometry,
  DataTexture,
  Group,
  LinearFilter,
  LinearMipmapLinearFilter,
  Mesh,
  RGBAFormat,
  ShaderMaterial,
  Vector2,
  Vector3,
} from "three";
import { borders, mask, rectangles, shade } from "./grid_shapes.js";
import { FLOOR_LAST } from "./floor.js";
import { SHADOW_FALL, TOWARDS_SUN } from "./light.js";

/** @import {Palette} from "./palette.js" */
/** @import {FloorMaterials} from "./floor.js" */
/** @import {Grid} from "../core/types.js" */

export const WALL_HEIGHT_M = 0.4;
const PIT_DEPTH_M = 0.3;
const OCCUPIED = 1;
const UNKNOWN = 2;
const CLIFF = 4;
const LARGEST_PICTURE = 2048; // pixels per side; the floor of a larger map is coarser
const FOOT = 0.7; // brightness of a wall at its foot
const OVERLAP_M = 0.0008; // of neighbouring faces, to close gaps

const VERTEX = `
attribute float light;
varying float vLight;
void main() {
  vLight = light;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = `
uniform vec3 paint;
varying float vLight;
void main() {
  gl_FragColor = vec4(paint * vLight, 1.0);
}`;

export class GridMap {
  object = new Group();
  #grid;
  #shade;
  #picture;
  #pieces;

  /**
   * @param {Grid} grid
   * @param {FloorMaterials} look
   */
  constructor(grid, look) {
    this.#grid = grid;
    /** The corners of the known part of the map. */
    this.corners = knownCorners(grid);
    const walls = mask(grid, (cell) => (cell & OCCUPIED) !== 0);
    const pits = mask(grid, (cell) => (cell & (CLIFF | OCCUPIED)) === CLIFF);
    const ground = mask(grid, (cell) => (cell & (CLIFF | OCCUPIED)) !== CLIFF);
    this.#shade = wallShade(walls, grid);
    this.#picture = floorPicture(grid);
    this.#pieces = {
      walls: new Mesh(blocks(walls, grid, grid.wall_m), litMaterial()),
      floor: new Mesh(flats(ground, grid.resolution_m), look.forMap(this.#picture)),
      pits: new Mesh(hollows(pits, grid, PIT_DEPTH_M), litMaterial()),
    };
    this.#pieces.floor.renderOrder = FLOOR_LAST;
    this.object.position.set(grid.origin[0], grid.origin[1], 0);
    this.object.rotation.z = grid.origin[2];
    for (const piece of Object.values(this.#pieces))
      if (piece.geometry.getAttribute("position").count > 0) this.object.add(piece);
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#pieces.walls.material.uniforms.paint.value = palette.shown("wall");
    this.#pieces.pits.material.uniforms.paint.value = palette.shown("cliff");
    paintCells(this.#picture, this.#grid, this.#shade, palette);
  }

  /** @returns {number[]} x, y, z and yaw of the lower left corner, as placed */
  pose() {
    this.object.updateMatrixWorld();
    const m = this.object.matrixWorld.elements;
    return [m[12], m[13], m[14], Math.atan2(m[1], m[0])];
  }

  dispose() {
    this.#picture.dispose();
    for (const piece of Object.values(this.#pieces)) {
      piece.geometry.dispose();
      piece.material.dispose();
    }
  }
}

/**
 * @param {Grid} grid
 * @returns {number[][]} x and y, in the world
 */
function knownCorners(grid) {
  const { width, height, resolution_m, origin } = grid;
  const [left, bottom, right, top] = knownExtent(grid) ?? [0, 0, width, height];
  const [cos, sin] = [Math.cos(origin[2]), Math.sin(origin[2])];
  return [
    [left, bottom],
    [right, bottom],
    [right, top],
    [left, top],
  ].map(([x, y]) => [
    origin[0] + (cos * x - sin * y) * resolution_m,
    origin[1] + (sin * x + cos * y) * resolution_m,
  ]);
}

/**
 * @param {Grid} grid
 * @returns {[number, number, number, number]|null} first and last-plus-one column and row with a
 *   known cell
 */
function knownExtent({ width, height, cells }) {
  let [left, bottom, right, top] = [width, height, 0, 0];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (cells[y * width + x] & UNKNOWN) continue;
      if (x < left) left = x;
      if (x >= right) right = x + 1;
      if (y < bottom) bottom = y;
      top = y + 1;
    }
  }
  return right > left ? [left, bottom, right, top] : null;
}

/**
 * @param {import("./grid_shapes.js").Mask} walls
 * @param {Grid} grid
 */
function wallShade(walls, { resolution_m, origin, wall_m }) {
  const fall = SHADOW_FALL.clone()
    .rotateAround(new Vector2(), -origin[2])
    .multiplyScalar(wall_m / resolution_m);
  return shade(walls, fall.x, fall.y, Math.max(1, Math.round(0.07 / resolution_m)));
}

/** @param {Grid} grid */
function floorPicture({ width, height }) {
  const step = Math.ceil(Math.max(width, height) / LARGEST_PICTURE);
  const columns = Math.ceil(width / step);
  const rows = Math.ceil(height / step);
  const picture = new DataTexture(new Uint8Array(columns * rows * 4), columns, rows, RGBAFormat);
  picture.magFilter = LinearFilter;
  picture.minFilter = LinearMipmapLinearFilter;
  picture.generateMipmaps = true;
  picture.anisotropy = 4;
  return picture;
}

/**
 * @param {DataTexture} picture
 * @param {Grid} grid
 * @param {Float32Array} shaded
 * @param {Palette} palette
 */
function paintCells(picture, grid, shaded, palette) {
  const {
    data,
    width: columns,
    height: rows,
  } = /** @type {{data: Uint8Array, width: number, height: number}} */ (picture.image);
  const step = Math.ceil(Math.max(grid.width, grid.height) / LARGEST_PICTURE);
  const [floor, unknown, cliff] = [
    palette.shown("floor"),
    palette.shown("unknown"),
    palette.shown("cliff"),
  ];
  const depth = palette.dark ? 0.62 : 0.3;
  for (let row = 0, to = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, to += 4) {
      const from = row * step * grid.width + column * step;
      const cell = grid.cells[from];
      const paint = cell & UNKNOWN ? unknown : cell & CLIFF ? cliff : floor;
      const light = 255 * (1 - depth * shaded[from]);
      data[to] = paint.r * light;
      data[to + 1] = paint.g * light;
      data[to + 2] = paint.b * light;
      data[to + 3] = 255;
    }
  }
  picture.needsUpdate = true;
}

/**
 * A material for faces in few directions that never move: their light is computed once per vertex.
 */
function litMaterial() {
  return new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: { paint: { value: null } },
  });
}

/**
 * @param {number} nx
 * @param {number} ny where an upright face looks, in the map
 * @param {number} yaw of the map
 */
function lightOnSide(nx, ny, yaw) {
  const normal = new Vector3(nx, ny, 0).applyAxisAngle(new Vector3(0, 0, 1), yaw);
  return 0.62 + 0.3 * normal.dot(TOWARDS_SUN);
}

/** Quads, collected into one geometry. */
class Faces {
  /** @param {number} count */
  constructor(count) {
    this.positions = new Float32Array(count * 12);
    this.lights = new Uint8Array(count * 4);
    this.indices = new Uint32Array(count * 6);
    this.count = 0;
  }

  /**
   * @param {number[]} corners x, y, z of the four, counter-clockwise as seen
   * @param {number} foot how bright the first two corners are, 0 to 1
   * @param {number} head and the last two
   */
  add(corners, foot, head) {
    const first = this.count * 4;
    this.positions.set(corners, first * 3);
    this.lights.fill(foot * 255, first, first + 2).fill(head * 255, first + 2, first + 4);
    const at = this.count * 6;
    this.indices[at] = this.indices[at + 3] = first;
    this.indices[at + 1] = first + 1;
    this.indices[at + 2] = this.indices[at + 4] = first + 2;
    this.indices[at + 5] = first + 3;
    this.count++;
  }

  geometry() {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.positions, 3));
    geometry.setAttribute("light", new BufferAttribute(this.lights, 1, true));
    geometry.setIndex(new BufferAttribute(this.indices, 1));
    return geometry;
  }
}

/**
 * @param {Faces} faces
 * @param {Int32Array} found
 * @param {number} cell_m
 * @param {number} z
 * @param {number} light
 */
function addFlats(faces, found, cell_m, z, light) {
  for (let at = 0; at < found.length; at += 4) {
    const [x0, y0] = [found[at] * cell_m - OVERLAP_M, found[at + 1] * cell_m - OVERLAP_M];
    const [x1, y1] = [found[at + 2] * cell_m + OVERLAP_M, found[at + 3] * cell_m + OVERLAP_M];
    faces.add([x0, y0, z, x1, y0, z, x1, y1, z, x0, y1, z], light, light);
  }
}

/**
 * @param {Faces} faces
 * @param {Int32Array} found borders; the faces look to the right of them
 * @param {Grid} grid
 * @param {[number, number]} foot height and brightness
 * @param {[number, number]} head
 */
function addSides(faces, found, { resolution_m: cell_m, origin }, foot, head) {
  const lights = [-1, 0, 1].map((nx) => [-1, 0, 1].map((ny) => lightOnSide(nx, ny, origin[2])));
  for (let at = 0; at < found.length; at += 4) {
    const [x0, y0, x1, y1] = [
      found[at] * cell_m,
      found[at + 1] * cell_m,
      found[at + 2] * cell_m,
      found[at + 3] * cell_m,
    ];
    const light = lights[1 + Math.sign(y1 - y0)][1 + Math.sign(x0 - x1)];
    faces.add(
      [x0, y0, foot[0], x1, y1, foot[0], x1, y1, head[0], x0, y0, head[0]],
      light * foot[1],
      light * head[1],
    );
  }
}

/**
 * @param {import("./grid_shapes.js").Mask} walls
 * @param {Grid} grid
 * @param {number} height_m
 */
function blocks(walls, grid, height_m) {
  const [tops, sides] = [rectangles(walls), borders(walls)];
  const faces = new Faces((tops.length + sides.length) / 4);
  addFlats(faces, tops, grid.resolution_m, height_m, 1);
  addSides(faces, sides, grid, [0, FOOT], [height_m, 1]);
  return faces.geometry();
}

/**
 * @param {import("./grid_shapes.js").Mask} pits
 * @param {Grid} grid
 * @param {number} depth_m
 */
function hollows(pits, grid, depth_m) {
  const [bottoms, sides] = [rectangles(pits), turned(borders(pits))];
  const faces = new Faces((bottoms.length + sides.length) / 4);
  addFlats(faces, bottoms, grid.resolution_m, -depth_m, 0.3);
  addSides(faces, sides, grid, [-depth_m, 0.35], [0, 1]);
  return faces.geometry();
}

/** @param {Int32Array} found borders, to be seen from the filled side instead */
function turned(found) {
  return found.map((_, at) => found[at ^ 2]);
}

/**
 * @param {import("./grid_shapes.js").Mask} ground
 * @param {number} cell_m
 */
function flats(ground, cell_m) {
  const found = rectangles(ground);
  const faces = new Faces(found.length / 4);
  addFlats(faces, found, cell_m, 0, 1);
  const geometry = faces.geometry();
  const cells = new Float32Array((faces.positions.length / 3) * 2);
  for (let corner = 0; corner < cells.length / 2; corner++) {
    cells[corner * 2] = faces.positions[corner * 3] / (ground.width * cell_m);
    cells[corner * 2 + 1] = faces.positions[corner * 3 + 1] / (ground.height * cell_m);
  }
  geometry.setAttribute("uv", new BufferAttribute(cells, 2));
  return geometry;
}
