// Sensor data: the area that beams sweep, single beams, and points that were hit.

import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  DynamicDrawUsage,
  Mesh,
  Points,
  ShaderMaterial,
} from "three";
import { Lines } from "./lines.js";

/** @import {Palette} from "./palette.js" */
/** @import {Viewport} from "./lines.js" */
/** @import {Part} from "../core/types.js" */

const COLUMNS = 4; // of a beam: x, y of its origin and of its end
const LOWEST_M = 0.014; // above the floor and its markings
const DOT_M = 0.045;

const FAN_VERTEX = `
attribute float share;
varying float vShare;
void main() {
  vShare = share;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FAN_FRAGMENT = `
uniform vec3 paint;
uniform float strength;
varying float vShare;
void main() {
  float near = 1.0 - vShare;
  gl_FragColor = vec4(paint, strength * (0.55 + 0.75 * near * near * near));
}`;

const DOT_VERTEX = `
uniform vec2 viewport;
uniform float size;
void main() {
  vec4 seen = modelViewMatrix * vec4(position, 1.0);
  seen.xyz *= 0.992; // nearer to the camera, because half of a point on a wall would be inside it
  gl_Position = projectionMatrix * seen;
  gl_PointSize = clamp(size * projectionMatrix[1][1] * viewport.y * 0.5 / gl_Position.w, 4.0, 11.0);
}`;

const DOT_FRAGMENT = `
uniform vec3 paint;
void main() {
  float off = length(gl_PointCoord - 0.5) * 2.0;
  float cover = 1.0 - smoothstep(0.72, 1.0, off);
  if (cover < 0.02) discard;
  gl_FragColor = vec4(paint, cover);
}`;

/** Vertices that are rewritten in every frame, in buffers that grow as needed. */
class Vertices {
  geometry = new BufferGeometry();
  positions = new Float32Array(0);
  shares = new Float32Array(0);
  count = 0;

  /** @param {number} atMost */
  begin(atMost) {
    this.count = 0;
    if (atMost * 3 <= this.positions.length) return;
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(64, atMost)));
    this.positions = new Float32Array(capacity * 3);
    this.shares = new Float32Array(capacity);
    this.geometry.dispose();
    this.geometry.setAttribute(
      "position",
      new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage),
    );
    this.geometry.setAttribute(
      "share",
      new BufferAttribute(this.shares, 1).setUsage(DynamicDrawUsage),
    );
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} z
   * @param {number} share how far along its beam
   */
  add(x, y, z, share) {
    this.positions[this.count * 3] = x;
    this.positions[this.count * 3 + 1] = y;
    this.positions[this.count * 3 + 2] = z;
    this.shares[this.count++] = share;
  }

  end() {
    this.geometry.setDrawRange(0, this.count);
    for (const name of ["position", "share"]) {
      const attribute = this.geometry.getAttribute(name);
      if (attribute instanceof BufferAttribute) {
        attribute.clearUpdateRanges();
        attribute.addUpdateRange(0, this.count * attribute.itemSize);
        attribute.needsUpdate = true;
      }
    }
  }
}

/** The area between neighbouring beams. */
export class Fan {
  #part;
  #height_m;
  #vertices = new Vertices();
  #rows = /** @type {Float32Array} */ (new Float32Array(0));
  #material = new ShaderMaterial({
    vertexShader: FAN_VERTEX,
    fragmentShader: FAN_FRAGMENT,
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
    uniforms: { paint: { value: null }, strength: { value: 0.2 } },
  });
  object;

  /** @param {Part} part */
  constructor(part) {
    this.#part = part;
    this.#height_m = Math.max(part.height_m ?? 0, LOWEST_M);
    this.object = new Mesh(this.#vertices.geometry, this.#material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 1;
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#material.uniforms.paint.value = palette.shown(this.#part.colour ?? "accent");
    this.#material.uniforms.strength.value = palette.dark ? 0.2 : 0.16;
  }

  /** @param {Float32Array} rows */
  show(rows) {
    this.#rows = rows;
    const count = rows.length / COLUMNS;
    // Beams that are further apart than three even steps of a full turn are not neighbours.
    const widest = Math.min((3 * 2 * Math.PI) / count, (3 * Math.PI) / 4);
    this.#vertices.begin(count * 6);
    for (let beam = 0; beam < count; beam++) this.#wedge(beam, (beam + 1) % count, widest);
    this.#vertices.end();
    this.object.visible = this.#vertices.count > 0;
  }

  /**
   * @param {number} beam
   * @param {number} next
   * @param {number} widest
   */
  #wedge(beam, next, widest) {
    const [x0, y0, x1, y1] = this.#rows.subarray(beam * COLUMNS, beam * COLUMNS + 4);
    const [x2, y2, x3, y3] = this.#rows.subarray(next * COLUMNS, next * COLUMNS + 4);
    const [dx, dy, ex, ey] = [x1 - x0, y1 - y0, x3 - x2, y3 - y2];
    const apart = Math.abs(Math.atan2(dx * ey - dy * ex, dx * ex + dy * ey));
    if (beam === next || !(apart <= widest)) return;
    const z = this.#height_m;
    this.#vertices.add(x0, y0, z, 0);
    this.#vertices.add(x1, y1, z, 1);
    this.#vertices.add(x3, y3, z, 1);
    if (x0 === x2 && y0 === y2) return;
    this.#vertices.add(x0, y0, z, 0);
    this.#vertices.add(x3, y3, z, 1);
    this.#vertices.add(x2, y2, z, 0);
  }

  /** @returns {number[][]} x, y, z of the corners of its triangles, three each */
  poses() {
    const { positions, count } = this.#vertices;
    return this.object.visible
      ? Array.from({ length: count }, (_, at) => [...positions.subarray(at * 3, at * 3 + 3)])
      : [];
  }

  addTo() {} // sensor data do not affect the fitted view

  dispose() {
    this.#vertices.geometry.dispose();
    this.#material.dispose();
  }
}

/** Single beams. */
export class Beams {
  #colour;
  #height_m;
  #lines;
  object;

  /**
   * @param {Part} part
   * @param {Viewport} viewport
   */
  constructor(part, viewport) {
    this.#colour = part.colour ?? "accent";
    this.#height_m = Math.max(part.height_m ?? 0, LOWEST_M);
    this.#lines = new Lines(viewport, { width_px: 1.6, opacity: 0.75 });
    this.object = this.#lines.object;
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#lines.paint(palette.shown(this.#colour));
  }

  /** @param {Float32Array} rows */
  show(rows) {
    this.#lines.begin(rows.length / COLUMNS);
    for (let at = 0; at < rows.length; at += COLUMNS) {
      const [x0, y0, x1, y1] = [rows[at], rows[at + 1], rows[at + 2], rows[at + 3]];
      if (Number.isFinite(x0 + y0 + x1 + y1))
        this.#lines.add(x0, y0, this.#height_m, 0, x1, y1, this.#height_m, 0);
    }
    this.#lines.end();
  }

  /** @returns {number[][]} x, y, z of the origin and x, y, z of the end */
  poses() {
    return this.#lines.pieces();
  }

  addTo() {} // sensor data do not affect the fitted view

  dispose() {
    this.#lines.dispose();
  }
}

/** Points with a size in metres, limited in pixels. */
export class Dots {
  #colour;
  #height_m;
  #vertices = new Vertices();
  #material;
  object;

  /**
   * @param {Part} part
   * @param {Viewport} viewport
   */
  constructor(part, viewport) {
    this.#colour = part.colour ?? "sense";
    this.#height_m = Math.max(part.height_m ?? 0, LOWEST_M);
    this.#material = new ShaderMaterial({
      vertexShader: DOT_VERTEX,
      fragmentShader: DOT_FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: { viewport, size: { value: DOT_M }, paint: { value: null } },
    });
    this.object = new Points(this.#vertices.geometry, this.#material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 4;
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#material.uniforms.paint.value = palette.shown(this.#colour);
  }

  /** @param {Float32Array} rows */
  show(rows) {
    this.#vertices.begin(rows.length / 2);
    for (let at = 0; at < rows.length; at += 2) {
      if (Number.isFinite(rows[at] + rows[at + 1]))
        this.#vertices.add(rows[at], rows[at + 1], this.#height_m, 0);
    }
    this.#vertices.end();
    this.object.visible = this.#vertices.count > 0;
  }

  /** @returns {number[][]} x, y, z */
  poses() {
    const { positions, count } = this.#vertices;
    return this.object.visible
      ? Array.from({ length: count }, (_, at) => [...positions.subarray(at * 3, at * 3 + 3)])
      : [];
  }

  addTo() {} // sensor data do not affect the fitted view

  dispose() {
    this.#vertices.geometry.dispose();
    this.#material.dispose();
  }
}
