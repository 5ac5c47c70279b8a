// Lines that stay as thick on the screen however far they are: paths, trails and the outlines of ellipses. Each piece
// is a four-cornered face that is made as wide as it must be in the vertex shader. They are not instances: drawing in
// software takes as long for an instance as for a mesh.

import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  RingGeometry,
  ShaderMaterial,
  Vector3,
} from "three";
import { Crowd, poseFrom } from "./space_bodies.js";

/** @import {Vector2} from "three" */
/** @import {Palette} from "./space_paints.js" */
/** @import {Part, Track} from "./types.js" */

/** @typedef {{value: Vector2}} Viewport  the canvas's size in pixels, shared by all */

const LINE_PX = 3;
const PER_PIECE = 16; // numbers: both ends, for each of the four corners
const ON_FLOOR_M = 0.012;
const TURNS = 64;
const WHITE = new Color(1, 1, 1);

const VERTEX = `
attribute vec4 piece;
uniform vec2 viewport;
uniform float width, height;
varying vec3 vFlat;
varying float vDeep, vLong;
void main() {
  vec4 a = modelViewMatrix * vec4(piece.xy, height, 1.0);
  vec4 b = modelViewMatrix * vec4(piece.zw, height, 1.0);
  const float front = -0.02;
  if (a.z > front && b.z < front) a = mix(a, b, (front - a.z) / (b.z - a.z));
  if (b.z > front && a.z < front) b = mix(b, a, (front - b.z) / (a.z - b.z));
  // A little nearer to the eye, along the line of sight: the lower half of a line would sink into the floor.
  a.xyz *= 0.994;
  b.xyz *= 0.994;
  vec4 from = projectionMatrix * a;
  vec4 to = projectionMatrix * b;
  vec2 fromPx = from.xy / from.w * viewport * 0.5;
  vec2 toPx = to.xy / to.w * viewport * 0.5;
  float far = distance(fromPx, toPx);
  vec2 along = far > 1e-4 ? (toPx - fromPx) / far : vec2(1.0, 0.0);
  float half_ = width * 0.5 + 1.0;
  vec2 out_ = (along * (position.x * 2.0 - 1.0) + vec2(-along.y, along.x) * position.y) * half_;
  gl_Position = position.x < 0.5 ? from : to;
  gl_Position.xy += out_ / (viewport * 0.5) * gl_Position.w;
  // Pixels are linear on the screen, what is handed on is linear in space: multiplied and divided by w it comes out
  // right.
  vDeep = gl_Position.w;
  vLong = far;
  vFlat = vec3(position.x < 0.5 ? -half_ : far + half_, position.y * half_, 0.0) * vDeep;
}`;

const FRAGMENT = `
uniform vec3 paint;
uniform float width, opacity;
varying vec3 vFlat;
varying float vDeep, vLong;
void main() {
  vec2 at = vFlat.xy / vDeep;
  float off = length(vec2(max(0.0, max(-at.x, at.x - vLong)), at.y));
  float cover = 1.0 - smoothstep(width * 0.5 - 0.5, width * 0.5 + 0.5, off);
  if (cover < 0.01) discard;
  gl_FragColor = vec4(paint, cover * opacity);
}`;

/** Pieces of line at one height. */
export class Lines {
  #ends = new Float32Array(0);
  #attribute = new BufferAttribute(this.#ends, 4);
  #material;
  object;

  /**
   * @param {Viewport} viewport
   * @param {{width_px: number, height_m: number, opacity: number}} style
   */
  constructor(viewport, { width_px, height_m, opacity }) {
    this.#material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: {
        viewport,
        width: { value: width_px },
        height: { value: height_m },
        opacity: { value: opacity },
        paint: { value: null },
      },
    });
    this.object = new Mesh(new BufferGeometry(), this.#material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 3;
    this.object.visible = false;
    this.count = 0;
  }

  /** @param {Color} colour */
  paint(colour) {
    this.#material.uniforms.paint.value = colour;
  }

  /** @param {number} atMost  how many pieces will follow */
  begin(atMost) {
    this.count = 0;
    if (atMost * PER_PIECE <= this.#ends.length) return;
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(64, atMost)));
    this.#ends = new Float32Array(capacity * PER_PIECE);
    this.#attribute = new BufferAttribute(this.#ends, 4).setUsage(DynamicDrawUsage);
    this.object.geometry.dispose();
    this.object.geometry = facesOf(capacity, this.#attribute);
  }

  /**
   * @param {number} x0
   * @param {number} y0
   * @param {number} x1
   * @param {number} y1
   */
  add(x0, y0, x1, y1) {
    const first = this.count++ * PER_PIECE;
    for (let at = first; at < first + PER_PIECE; at += 4) {
      this.#ends[at] = x0;
      this.#ends[at + 1] = y0;
      this.#ends[at + 2] = x1;
      this.#ends[at + 3] = y1;
    }
  }

  end() {
    this.object.geometry.setDrawRange(0, this.count * 6);
    this.object.visible = this.count > 0;
    this.#attribute.clearUpdateRanges();
    this.#attribute.addUpdateRange(0, this.count * PER_PIECE);
    this.#attribute.needsUpdate = true;
  }

  /** @returns {Float32Array} x0, y0, x1, y1 of each piece, as the GPU has them */
  pieces() {
    if (!this.object.visible) return new Float32Array(0);
    return Float32Array.from(
      { length: this.count * 4 },
      (_, at) => this.#ends[Math.floor(at / 4) * PER_PIECE + (at % 4)],
    );
  }

  /** @param {Box3} box */
  addTo(box) {
    const place = new Vector3();
    for (let at = 0; at < this.count * PER_PIECE; at += PER_PIECE) {
      box.expandByPoint(place.set(this.#ends[at], this.#ends[at + 1], 0));
      box.expandByPoint(place.set(this.#ends[at + 2], this.#ends[at + 3], 0));
    }
  }

  dispose() {
    this.object.geometry.dispose();
    this.#material.dispose();
  }
}

/**
 * @param {number} capacity
 * @param {BufferAttribute} ends
 */
function facesOf(capacity, ends) {
  const corners = new Int8Array(capacity * 16);
  const indices = new Uint32Array(capacity * 6);
  for (let piece = 0; piece < capacity; piece++) {
    // Rows of 4, because the GPU wants them aligned.
    corners.set([0, -1, 0, 0, 1, -1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0], piece * 16);
    indices.set(
      [0, 1, 2, 0, 2, 3].map((corner) => piece * 4 + corner),
      piece * 6,
    );
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(corners, 4));
  geometry.setAttribute("piece", ends);
  geometry.setIndex(new BufferAttribute(indices, 1));
  return geometry;
}

/** A Path or a Trail. */
export class Trace {
  #colour;
  #lines;
  object;

  /**
   * @param {Part} part
   * @param {Viewport} viewport
   */
  constructor(part, viewport) {
    this.#colour = part.colour ?? "path";
    this.#lines = new Lines(viewport, {
      width_px: LINE_PX,
      height_m: ON_FLOOR_M,
      opacity: this.#colour === "ghost" ? 0.7 : 1,
    });
    this.object = this.#lines.object;
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#lines.paint(palette.shown(this.#colour));
  }

  /** @param {Float32Array} rows */
  show(rows) {
    this.showTrack({ points: rows, count: rows.length / 2 });
  }

  /** @param {Track} track */
  showTrack({ points, count }) {
    this.#lines.begin(count);
    for (let at = 2; at < count * 2; at += 2) {
      const [x0, y0, x1, y1] = [points[at - 2], points[at - 1], points[at], points[at + 1]];
      if (Number.isFinite(x0 + y0 + x1 + y1)) this.#lines.add(x0, y0, x1, y1);
    }
    this.#lines.end();
  }

  /** @returns {number[][]} the points it goes through, where pieces join only once */
  poses() {
    const pieces = this.#lines.pieces();
    const found = [];
    for (let at = 0; at < pieces.length; at += 4) {
      if (at === 0 || pieces[at] !== pieces[at - 2] || pieces[at + 1] !== pieces[at - 1])
        found.push([pieces[at], pieces[at + 1], ON_FLOOR_M]);
      found.push([pieces[at + 2], pieces[at + 3], ON_FLOOR_M]);
    }
    return found;
  }

  /** @param {Box3} box */
  addTo(box) {
    this.#lines.addTo(box);
  }

  dispose() {
    this.#lines.dispose();
  }
}

/** Ellipses: an outline and what it encloses. */
export class Ellipses {
  object = new Group();
  #colour;
  #lines;
  #inside = new MeshBasicMaterial({
    transparent: true,
    opacity: 0.16,
    depthWrite: false,
    polygonOffset: true,
    polygonOffsetFactor: -2,
    polygonOffsetUnits: -8,
  });
  #fills = new Crowd(new RingGeometry(0, 1, TURNS, 1), this.#inside, { casts: false });

  /**
   * @param {Part} part
   * @param {Viewport} viewport
   */
  constructor(part, viewport) {
    this.#colour = part.colour ?? "ghost";
    this.#lines = new Lines(viewport, { width_px: 2, height_m: ON_FLOOR_M, opacity: 0.9 });
    this.object.add(this.#lines.object, this.#fills.object);
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#lines.paint(palette.shown(this.#colour));
    this.#inside.color.copy(palette.of(this.#colour));
  }

  /** @param {Float32Array} rows */
  show(rows) {
    const fills = this.#fills.reserve(rows.length / 5);
    const matrix = new Matrix4();
    let shown = 0;
    this.#lines.begin((rows.length / 5) * TURNS);
    for (let at = 0; at < rows.length; at += 5) {
      const [x, y, angle, a, b] = rows.subarray(at, at + 5);
      if (!Number.isFinite(x + y + angle + a + b)) continue;
      matrix
        .makeRotationZ(angle)
        .scale(new Vector3(a, b, 1))
        .setPosition(x, y, ON_FLOOR_M);
      fills.setMatrixAt(shown, matrix);
      fills.setColorAt(shown, WHITE);
      shown++;
      this.#outline(matrix);
    }
    this.#lines.end();
    this.#fills.show(shown);
  }

  /** @param {Matrix4} matrix */
  #outline(matrix) {
    const [here, next] = [new Vector3(), new Vector3(1, 0, 0).applyMatrix4(matrix)];
    for (let turn = 1; turn <= TURNS; turn++) {
      const angle = (2 * Math.PI * turn) / TURNS;
      here.copy(next);
      next.set(Math.cos(angle), Math.sin(angle), 0).applyMatrix4(matrix);
      this.#lines.add(here.x, here.y, next.x, next.y);
    }
  }

  /** @returns {number[][]} x, y, z, angle and both half axes */
  poses() {
    return this.#fills.places().map((matrix) => {
      const scale = new Vector3().setFromMatrixScale(matrix);
      return [...poseFrom(matrix), scale.x, scale.y];
    });
  }

  /** @param {Box3} box */
  addTo(box) {
    for (const [x, y] of this.poses()) box.expandByPoint(new Vector3(x, y, 0));
  }

  dispose() {
    this.#lines.dispose();
    this.#fills.dispose();
  }
}
