// The floor: an endless ground that fades into the background, with a grid that adapts to the zoom.
// The floor of a map uses the same shader.

import { Color, Mesh, PlaneGeometry, ShaderMaterial, Vector2, Vector4 } from "three";

/** @import {Texture} from "three" */
/** @import {Palette} from "./palette.js" */
/** @import {Grid} from "../core/types.js" */

const VERTEX = `
uniform vec2 centre;
uniform float reach, spacing;
uniform vec4 holePose;
varying vec2 vOff, vLines, vCell;
void main() {
  vec4 place = modelMatrix * vec4(position, 1.0);
  vOff = (place.xy - centre) / reach;
  vLines = place.xy / spacing;
#ifdef MAP
  vCell = uv;
#else
  vCell = mat2(holePose.z, -holePose.w, holePose.w, holePose.z) * (place.xy - holePose.xy);
#endif
  gl_Position = projectionMatrix * viewMatrix * place;
}`;

const FRAGMENT = `
uniform float glow, fineLines, coarseLines, floorShare;
uniform vec3 floorPaint, outsidePaint, gridPaint;
#ifdef MAP
uniform sampler2D cells;
#else
uniform vec2 holeSize;
#endif
varying vec2 vOff, vLines, vCell;

float fading(float square) {
  float left = max(0.0, 1.0 - square);
  return left * left;
}

void main() {
  float away = dot(vOff, vOff);
  float pool = fading(away * 9.0);
  float haze = fading(away);
#ifdef MAP
  vec3 paint = texture2D(cells, vCell).rgb * (1.0 + glow * (pool - 0.35));
#else
  if (all(greaterThan(vCell, vec2(0.0))) && all(lessThan(vCell, holeSize))) discard;
  vec3 paint = mix(outsidePaint, floorPaint * (1.0 + glow * pool), haze * floorShare);
#endif
  // Distance to the nearest line in pixels; lines that are too dense fade.
  vec2 pixel = fwidth(vLines);
  vec2 perPixel = 1.0 / max(pixel, 1e-6);
  vec2 fine = max(1.0 - abs(fract(vLines - 0.5) - 0.5) * perPixel, 0.0) * (1.15 - 3.0 * pixel);
  vec2 coarse = max(1.0 - abs(fract(vLines * 0.1 - 0.5) - 0.5) * 10.0 * perPixel, 0.0)
    * (1.15 - 0.3 * pixel);
  float line = max(max(fine.x, fine.y) * fineLines, max(coarse.x, coarse.y) * coarseLines);
  gl_FragColor = vec4(mix(paint, gridPaint, clamp(line, 0.0, 1.0) * haze), 1.0);
}`;

/** Materials of floors, which share their uniforms. */
export class FloorMaterials {
  #uniforms;
  #lineStrength = 0.6;

  constructor() {
    this.#uniforms = {
      centre: { value: new Vector2() },
      reach: { value: 10 },
      spacing: { value: 1 },
      fineLines: { value: 0 },
      coarseLines: { value: 0 },
      glow: { value: 0 },
      floorPaint: { value: new Color() },
      outsidePaint: { value: new Color() },
      gridPaint: { value: new Color() },
    };
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#uniforms.floorPaint.value = palette.shown("floor");
    this.#uniforms.outsidePaint.value = palette.shown("outside");
    this.#uniforms.gridPaint.value = palette.shown("grid");
    this.#uniforms.glow.value = palette.dark ? 0.45 : 0;
    this.#lineStrength = palette.dark ? 0.75 : 0.6;
  }

  /**
   * @param {{x: number, y: number}} centre what the camera looks at
   * @param {number} distance_m how far the camera is from it
   */
  look(centre, distance_m) {
    const level = Math.log10(distance_m / 15);
    const coarseness = level - Math.floor(level);
    this.#uniforms.centre.value.set(centre.x, centre.y);
    this.#uniforms.reach.value = distance_m * 3.2;
    this.#uniforms.spacing.value = 10 ** Math.floor(level);
    this.#uniforms.fineLines.value = this.#lineStrength * (0.6 - 0.6 * coarseness);
    this.#uniforms.coarseLines.value = this.#lineStrength * (1 - 0.4 * coarseness);
  }

  /** @param {Texture} cells the colour of each cell */
  forMap(cells) {
    return this.#material({ cells: { value: cells } }, { MAP: "" });
  }

  forGround() {
    return this.#material(
      {
        holePose: { value: new Vector4(0, 0, 1, 0) },
        holeSize: { value: new Vector2() },
        floorShare: { value: 1 },
      },
      {},
    );
  }

  /**
   * @param {Record<string, {value: unknown}>} own
   * @param {Record<string, string>} defines
   */
  #material(own, defines) {
    return new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { ...this.#uniforms, ...own },
      defines,
    });
  }
}

/** The floor is drawn after the bodies, so that hidden pixels are not shaded. */
export const FLOOR_LAST = 10;

const BESIDE_MAP = 0.3; // blend of floor and background around a map
const GROUND_REACH = 12; // in camera distances: the edge is far enough to be invisible

/** The endless ground, with a hole for the map, whose pits are below the ground. */
export class Ground {
  #material;
  object;

  /** @param {FloorMaterials} look */
  constructor(look) {
    this.#material = look.forGround();
    this.object = new Mesh(new PlaneGeometry(2, 2), this.#material);
    this.object.frustumCulled = false;
    this.object.renderOrder = FLOOR_LAST;
  }

  /** @param {Grid|null} grid */
  leaveOut(grid) {
    const { holePose, holeSize, floorShare } = this.#material.uniforms;
    const [x, y, yaw] = grid?.origin ?? [0, 0, 0];
    floorShare.value = grid ? BESIDE_MAP : 1;
    holePose.value.set(x, y, Math.cos(yaw), Math.sin(yaw));
    holeSize.value.set(
      (grid?.width ?? 0) * (grid?.resolution_m ?? 0),
      (grid?.height ?? 0) * (grid?.resolution_m ?? 0),
    );
  }

  /**
   * @param {{x: number, y: number}} centre
   * @param {number} distance_m
   */
  look(centre, distance_m) {
    this.object.position.set(centre.x, centre.y, 0);
    this.object.scale.set(distance_m * GROUND_REACH, distance_m * GROUND_REACH, 1);
  }

  dispose() {
    this.object.geometry.dispose();
    this.#material.dispose();
  }
}
