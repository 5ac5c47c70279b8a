// Lines of constant width in pixels: paths, trails, curves, outlines of ellipses. Each segment is a
// quad that the vertex shader widens. They are not instanced: software rendering takes as long for
// an instance as for a mesh.

import {
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Quaternion,
  RingGeometry,
  ShaderMaterial,
  Vector3,
} from "three";
import { firstAfter } from "../plots/points.js";
import { Instances, poseFrom } from "./bodies.js";

/** @import {Vector2} from "three" */
/** @import {Palette} from "./palette.js" */
/** @import {Part, Track} from "../core/types.js" */

/** @typedef {{value: Vector2}} Viewport the canvas's size in pixels, shared by all */

const LINE_PX = 3;
const PER_CORNER = 8; // values: x, y, z and shade of both ends
const PER_PIECE = 4 * PER_CORNER;
const ON_FLOOR_M = 0.012;
const PAST_FADING = 0.65; // of a trail before the time span of the plots, towards the floor
const TURNS = 64;
const WHITE = new Color(1, 1, 1);

const VERTEX = `
attribute vec4 begin_, end_;
uniform vec2 viewport;
uniform float width;
uniform vec3 ramp[3];
varying vec3 vFlat, vPaint;
varying float vDeep, vLong;
void main() {
  vec4 a = modelViewMatrix * vec4(begin_.xyz, 1.0);
  vec4 b = modelViewMatrix * vec4(end_.xyz, 1.0);
  float shade = clamp(position.x < 0.5 ? begin_.w : end_.w, 0.0, 1.0) * 2.0;
  vPaint = shade < 1.0 ? mix(ramp[0], ramp[1], shade) : mix(ramp[1], ramp[2], shade - 1.0);
  const float front = -0.02;
  if (a.z > front && b.z < front) a = mix(a, b, (front - a.z) / (b.z - a.z));
  if (b.z > front && a.z < front) b = mix(b, a, (front - b.z) / (a.z - b.z));
  // Slightly nearer to the camera, or the lower half of a line would be below the floor.
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
  // Pixels are linear on the screen, varyings are linear in space: multiply and divide by w.
  vDeep = gl_Position.w;
  vLong = far;
  vFlat = vec3(position.x < 0.5 ? -half_ : far + half_, position.y * half_, 0.0) * vDeep;
}`;

const FRAGMENT = `
uniform float width, opacity;
varying vec3 vFlat, vPaint;
varying float vDeep, vLong;
void main() {
  vec2 at = vFlat.xy / vDeep;
  float off = length(vec2(max(0.0, max(-at.x, at.x - vLong)), at.y));
  float cover = 1.0 - smoothstep(width * 0.5 - 0.5, width * 0.5 + 0.5, off);
  if (cover < 0.01) discard;
  gl_FragColor = vec4(vPaint, cover * opacity);
}`;

/** Line segments. */
export class Lines {
  #ends = new Float32Array(0);
  #buffer = new InterleavedBuffer(this.#ends, PER_CORNER);
  #material;
  object;

  /**
   * @param {Viewport} viewport
   * @param {{width_px: number, opacity: number}} style
   */
  constructor(viewport, { width_px, opacity }) {
    this.#material = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: {
        viewport,
        width: { value: width_px },
        opacity: { value: opacity },
        ramp: { value: [new Color(), new Color(), new Color()] },
      },
    });
    this.object = new Mesh(new BufferGeometry(), this.#material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 3;
    this.object.visible = false;
    this.count = 0;
  }

  /**
   * Set the colours of the shades 0, ½ and 1.
   * @param {Color} first
   * @param {Color} [middle]
   * @param {Color} [last]
   */
  paint(first, middle = first, last = middle) {
    this.#material.uniforms.ramp.value = [first, middle, last];
  }

  /** @param {number} atMost how many pieces will follow */
  begin(atMost) {
    this.count = 0;
    if (atMost * PER_PIECE <= this.#ends.length) return;
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(64, atMost)));
    this.#ends = new Float32Array(capacity * PER_PIECE);
    this.#buffer = new InterleavedBuffer(this.#ends, PER_CORNER).setUsage(DynamicDrawUsage);
    this.object.geometry.dispose();
    this.object.geometry = facesOf(capacity, this.#buffer);
  }

  /** @param {...number} ends x, y, z and the shade of its begin, and of its end */
  add(...ends) {
    const first = this.count++ * PER_PIECE;
    for (let at = first; at < first + PER_PIECE; at += PER_CORNER) this.#ends.set(ends, at);
  }

  end() {
    this.object.geometry.setDrawRange(0, this.count * 6);
    this.object.visible = this.count > 0;
    this.#buffer.clearUpdateRanges();
    this.#buffer.addUpdateRange(0, this.count * PER_PIECE);
    this.#buffer.needsUpdate = true;
  }

  /** @returns {number[][]} x, y, z of both ends of each piece, as the GPU has them */
  pieces() {
    return Array.from({ length: this.object.visible ? this.count : 0 }, (_, piece) => {
      const ends = this.#ends.subarray(piece * PER_PIECE, piece * PER_PIECE + PER_CORNER);
      return [...ends.subarray(0, 3), ...ends.subarray(4, 7)];
    });
  }

  /** @returns {number[][]} the points it goes through, where pieces join only once */
  points() {
    /** @type {number[][]} */
    const found = [];
    for (const piece of this.pieces()) {
      if (found.at(-1)?.join() !== piece.slice(0, 3).join()) found.push(piece.slice(0, 3));
      found.push(piece.slice(3));
    }
    return found;
  }

  /** @param {Box3} box */
  addTo(box) {
    const place = new Vector3();
    for (let at = 0; at < this.count * PER_PIECE; at += PER_PIECE) {
      box.expandByPoint(place.fromArray(this.#ends, at));
      box.expandByPoint(place.fromArray(this.#ends, at + 4));
    }
  }

  dispose() {
    this.object.geometry.dispose();
    this.#material.dispose();
  }
}

/**
 * @param {number} capacity
 * @param {InterleavedBuffer} ends
 */
function facesOf(capacity, ends) {
  const corners = new Int8Array(capacity * 16);
  const indices = new Uint32Array(capacity * 6);
  for (let piece = 0; piece < capacity; piece++) {
    // Rows of 4, for alignment on the GPU.
    corners.set([0, -1, 0, 0, 1, -1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0], piece * 16);
    indices.set(
      [0, 1, 2, 0, 2, 3].map((corner) => piece * 4 + corner),
      piece * 6,
    );
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(corners, 4));
  geometry.setAttribute("begin_", new InterleavedBufferAttribute(ends, 4, 0));
  geometry.setAttribute("end_", new InterleavedBufferAttribute(ends, 4, 4));
  geometry.setIndex(new BufferAttribute(indices, 1));
  return geometry;
}

/** A Path, Trail or Curve. Points without a height are on the floor. */
export class Trace {
  #part;
  #lines;
  object;

  /**
   * @param {Part} part
   * @param {Viewport} viewport
   */
  constructor(part, viewport) {
    this.#part = part;
    this.#lines = new Lines(viewport, {
      width_px: part.width_px ?? LINE_PX,
      opacity: part.colour === "ghost" ? 0.7 : 1,
    });
    this.object = this.#lines.object;
  }

  /** @param {Palette} palette */
  paint(palette) {
    const { colour = "path", ramp = [] } = this.#part;
    const [first = colour, middle = first, last = middle] = ramp;
    if (this.#part.kind !== "Trail")
      return this.#lines.paint(palette.shown(first), palette.shown(middle), palette.shown(last));
    const past = palette.shown(colour).clone().lerp(palette.shown("floor"), PAST_FADING);
    this.#lines.paint(palette.shown(colour), past, past);
  }

  /** @param {Float32Array} rows */
  show(rows) {
    const columns = this.#part.kind === "Curve" ? 4 : 2;
    this.#through(rows, rows.length / columns, columns);
  }

  /**
   * @param {Track} track
   * @param {number} recent_s the trail is fainter before this time
   */
  showTrack(track, recent_s) {
    const { points, times, count } = track;
    this.#through(points, count, 3, firstAfter(times.subarray(0, count), recent_s));
  }

  /**
   * @param {Float32Array} points
   * @param {number} count
   * @param {number} columns
   * @param {number} recent number of the first point that is not faint
   */
  #through(points, count, columns, recent = 0) {
    const high = (/** @type {number} */ at) => (columns > 2 ? points[at + 2] : 0) || ON_FLOOR_M;
    const shade = (/** @type {number} */ at) =>
      columns > 3 ? points[at + 3] : Number(at < recent * columns);
    this.#lines.begin(count);
    for (let at = columns; at < count * columns; at += columns) {
      const from = at - columns;
      const piece = [
        points[from],
        points[from + 1],
        high(from),
        shade(from),
        points[at],
        points[at + 1],
        high(at),
        shade(at),
      ];
      if (Number.isFinite(piece.reduce((sum, one) => sum + one, 0))) this.#lines.add(...piece);
    }
    this.#lines.end();
  }

  /** @returns {number[][]} the points it goes through, where pieces join only once */
  poses() {
    return this.#lines.points();
  }

  /** @param {Box3} box */
  addTo(box) {
    if (this.#part.kind !== "Curve") this.#lines.addTo(box);
  }

  dispose() {
    this.#lines.dispose();
  }
}

const DIRECTIONS = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)];
const RED_GREEN_BLUE = ["#e5484d", "#3fb06a", "#3f86f0"];

/** Coordinate frames as x, y and z axes. */
export class Frames {
  #length_m;
  #lines;
  /** @type {Float32Array} */
  #rows = new Float32Array(0);
  object;

  /**
   * @param {Part} part
   * @param {Viewport} viewport
   */
  constructor(part, viewport) {
    this.#length_m = part.length_m ?? 0.1;
    this.#lines = new Lines(viewport, { width_px: LINE_PX, opacity: 1 });
    this.object = this.#lines.object;
  }

  /** @param {Palette} palette */
  paint(palette) {
    const [red, green, blue] = RED_GREEN_BLUE.map((paint) => palette.shown(paint));
    this.#lines.paint(red, green, blue);
  }

  /** @param {Float32Array} rows */
  show(rows) {
    this.#rows = rows;
    this.#lines.begin((3 * rows.length) / 7);
    for (let at = 0; at < rows.length; at += 7) {
      const [origin, turn] = [
        new Vector3().fromArray(rows, at),
        new Quaternion().fromArray(rows, at + 3),
      ];
      DIRECTIONS.forEach((direction, axis) => {
        const end = direction
          .clone()
          .applyQuaternion(turn)
          .multiplyScalar(this.#length_m)
          .add(origin);
        this.#lines.add(...origin.toArray(), axis / 2, ...end.toArray(), axis / 2);
      });
    }
    this.#lines.end();
  }

  /** @returns {number[][]} x, y, z and the quaternion of each */
  poses() {
    return Array.from({ length: this.#rows.length / 7 }, (_, row) => [
      ...this.#rows.subarray(7 * row, 7 * row + 7),
    ]);
  }

  addTo() {} // they are always at another object

  dispose() {
    this.#lines.dispose();
  }
}

/** Ellipses with outline and fill. */
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
  #fills = new Instances(new RingGeometry(0, 1, TURNS, 1), this.#inside, { casts: false });

  /**
   * @param {Part} part
   * @param {Viewport} viewport
   */
  constructor(part, viewport) {
    this.#colour = part.colour ?? "ghost";
    this.#lines = new Lines(viewport, { width_px: 2, opacity: 0.9 });
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
      this.#lines.add(here.x, here.y, ON_FLOOR_M, 0, next.x, next.y, ON_FLOOR_M, 0);
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
