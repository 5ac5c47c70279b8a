// A point cloud: thousands of points, each with a shade.

import { BufferAttribute, BufferGeometry, Points, ShaderMaterial } from "three";

/** @import {Palette} from "./palette.js" */
/** @import {Viewport} from "./lines.js" */
/** @import {Part} from "../core/types.js" */

const COLUMNS = 4;
const VERTEX = `
attribute float shade;
uniform vec3 ramp[3];
uniform vec2 viewport;
uniform float size;
varying vec3 vPaint;
void main() {
  float along = clamp(shade, 0.0, 1.0) * 2.0;
  vPaint = along < 1.0 ? mix(ramp[0], ramp[1], along) : mix(ramp[1], ramp[2], along - 1.0);
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = clamp(size * projectionMatrix[1][1] * viewport.y * 0.5 / gl_Position.w, 1.5, 24.0);
}`;
const FRAGMENT = `
varying vec3 vPaint;
void main() {
  float off = length(gl_PointCoord - 0.5) * 2.0;
  if (off > 1.0) discard;
  gl_FragColor = vec4(vPaint * (1.0 - 0.35 * off * off), 0.7);
}`;

export class Cloud {
  #part;
  #geometry = new BufferGeometry();
  #material;
  /** @type {Float32Array} */
  #rows = new Float32Array(0);
  object;

  /**
   * @param {Part} part
   * @param {Viewport} viewport
   */
  constructor(part, viewport) {
    this.#part = part;
    this.#material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      uniforms: { viewport, size: { value: part.size_m ?? 0.02 }, ramp: { value: [] } },
    });
    this.object = new Points(this.#geometry, this.#material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 4;
  }

  /** @param {Palette} palette */
  paint(palette) {
    const { colour = "sense", ramp = [] } = this.#part;
    const [first = colour, middle = first, last = middle] = ramp;
    this.#material.uniforms.ramp.value = [first, middle, last].map((paint) => palette.shown(paint));
  }

  /** @param {Float32Array} rows */
  show(rows) {
    this.object.visible = rows.length > 0;
    if (rows === this.#rows) return; // large clouds rarely change
    this.#rows = rows;
    const count = rows.length / COLUMNS;
    const [places, shades] = [new Float32Array(3 * count), new Float32Array(count)];
    for (let row = 0; row < count; row++) {
      places.set(rows.subarray(row * COLUMNS, row * COLUMNS + 3), 3 * row);
      shades[row] = rows[row * COLUMNS + 3];
    }
    this.#geometry.setAttribute("position", new BufferAttribute(places, 3));
    this.#geometry.setAttribute("shade", new BufferAttribute(shades, 1));
  }

  /** @returns {number[][]} x, y, z */
  poses() {
    const places = this.#geometry.getAttribute("position");
    if (!this.object.visible || !places) return [];
    return Array.from({ length: places.count }, (_, at) => [
      places.getX(at),
      places.getY(at),
      places.getZ(at),
    ]);
  }

  addTo() {} // it would make everything else small in the fitted view

  dispose() {
    this.#geometry.dispose();
    this.#material.dispose();
  }
}
