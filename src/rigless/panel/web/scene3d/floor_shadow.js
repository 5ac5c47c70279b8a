// Soft shadows on the floor: the bodies, projected onto the floor along the light, in one small
// image that is blurred. This is much cheaper than a shadow map, so software rendering has it too.

import {
  Box3,
  Camera,
  Color,
  DoubleSide,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  Scene,
  ShaderMaterial,
  Vector2,
  WebGLRenderTarget,
} from "three";
import { SHADOW_FALL } from "./light.js";

/** @import {Object3D, WebGLRenderer} from "three" */
/** @import {Palette} from "./palette.js" */

const CASTER_LAYER = 1; // the layer of bodies that cast shadows
const SHARP_PX = 512;
const SOFT_PX = 256;
const MARGIN_M = 0.15;
const FLAT = 1e-4; // heights are scaled so that the depth range clips no body

const SOFTEN_VERTEX = `
varying vec2 vAt;
void main() {
  vAt = uv;
  gl_Position = vec4(position.xy, 0.0, 1.0);
}`;

const SOFTEN_FRAGMENT = `
uniform sampler2D sharp;
uniform vec2 stride;
varying vec2 vAt;
void main() {
  float sum = 0.0;
  for (int tap = -3; tap <= 3; tap++) {
    sum += texture2D(sharp, vAt + stride * float(tap)).r * (4.0 - abs(float(tap)));
  }
  gl_FragColor = vec4(sum / 16.0);
}`;

const LAID_VERTEX = `
varying vec2 vAt;
void main() {
  vAt = uv;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const LAID_FRAGMENT = `
uniform sampler2D soft;
uniform vec3 paint;
uniform float strength;
varying vec2 vAt;
void main() {
  gl_FragColor = vec4(paint, texture2D(soft, vAt).r * strength);
}`;

/** @param {Object3D} object */
export function castShadow(object) {
  object.layers.enable(CASTER_LAYER);
  object.castShadow = object.receiveShadow = true;
}

/** @param {Object3D} object */
export function disableShadow(object) {
  object.layers.disable(CASTER_LAYER);
  object.castShadow = false;
}

export class FloorShadow {
  #sharp = new WebGLRenderTarget(SHARP_PX, SHARP_PX, { depthBuffer: false });
  #half = new WebGLRenderTarget(SOFT_PX, SOFT_PX, { depthBuffer: false });
  #soft = new WebGLRenderTarget(SOFT_PX, SOFT_PX, { depthBuffer: false });
  #camera = new Camera();
  #flat = new MeshBasicMaterial({
    color: 0xffffff,
    side: DoubleSide,
    depthTest: false,
    depthWrite: false,
  });
  #soften = new ShaderMaterial({
    vertexShader: SOFTEN_VERTEX,
    fragmentShader: SOFTEN_FRAGMENT,
    depthTest: false,
    depthWrite: false,
    uniforms: { sharp: { value: null }, stride: { value: new Vector2() } },
  });
  #laid = new ShaderMaterial({
    vertexShader: LAID_VERTEX,
    fragmentShader: LAID_FRAGMENT,
    transparent: true,
    depthWrite: false,
    polygonOffset: true,
    polygonOffsetFactor: -1,
    polygonOffsetUnits: -4,
    uniforms: {
      soft: { value: this.#soft.texture },
      paint: { value: new Color() },
      strength: { value: 0.5 },
    },
  });
  #screen = new Scene();
  #cleared = new Color();
  object = new Mesh(new PlaneGeometry(1, 1), this.#laid);

  constructor() {
    this.#camera.layers.set(CASTER_LAYER);
    this.#screen.add(new Mesh(new PlaneGeometry(2, 2), this.#soften));
    this.#screen.children[0].frustumCulled = false;
    this.#screen.children[0].layers.enable(CASTER_LAYER);
  }

  /** @param {Palette} palette */
  paint(palette) {
    const { paint, strength } = this.#laid.uniforms;
    paint.value
      .copy(palette.shown(palette.dark ? "outside" : "text"))
      .multiplyScalar(palette.dark ? 0.5 : 1);
    strength.value = palette.dark ? 0.68 : 0.26;
  }

  /**
   * @param {WebGLRenderer} renderer
   * @param {Scene} scene
   * @param {Box3} casters where the bodies are
   */
  update(renderer, scene, casters) {
    this.object.visible = !casters.isEmpty();
    if (!this.object.visible) return;
    this.#frame(casters);
    const background = scene.background;
    const alpha = renderer.getClearAlpha();
    renderer.getClearColor(this.#cleared);
    renderer.setClearColor(0x000000, 0);
    scene.background = null;
    scene.overrideMaterial = this.#flat;
    this.#renderTo(renderer, this.#sharp, scene);
    scene.overrideMaterial = null;
    scene.background = background;
    this.#softenTo(renderer, this.#sharp, this.#half, 1, 0);
    this.#softenTo(renderer, this.#half, this.#soft, 0, 1);
    renderer.setRenderTarget(null);
    renderer.setClearColor(this.#cleared, alpha);
  }

  /**
   * @param {WebGLRenderer} renderer
   * @param {WebGLRenderTarget} from
   * @param {WebGLRenderTarget} to
   * @param {number} x
   * @param {number} y
   */
  #softenTo(renderer, from, to, x, y) {
    this.#soften.uniforms.sharp.value = from.texture;
    this.#soften.uniforms.stride.value.set(x, y).divideScalar(SOFT_PX);
    this.#renderTo(renderer, to, this.#screen);
  }

  /**
   * @param {WebGLRenderer} renderer
   * @param {WebGLRenderTarget} target
   * @param {Scene} scene
   */
  #renderTo(renderer, target, scene) {
    renderer.setRenderTarget(target);
    renderer.render(scene, this.#camera);
  }

  /**
   * Fit the image around the shadows, in steps, so that its pixels stay in place while a body
   * moves.
   * @param {Box3} casters
   */
  #frame({ min, max }) {
    const fallX = SHADOW_FALL.x * Math.max(0, max.z);
    const fallY = SHADOW_FALL.y * Math.max(0, max.z);
    const left = min.x + Math.min(0, fallX) - MARGIN_M;
    const right = max.x + Math.max(0, fallX) + MARGIN_M;
    const bottom = min.y + Math.min(0, fallY) - MARGIN_M;
    const top = max.y + Math.max(0, fallY) + MARGIN_M;
    const side = 1.25 ** Math.ceil(Math.log(Math.max(right - left, top - bottom)) / Math.log(1.25));
    const pixel = side / SOFT_PX;
    const x = Math.round((left + right) / 2 / pixel) * pixel;
    const y = Math.round((bottom + top) / 2 / pixel) * pixel;
    this.object.position.set(x, y, 0);
    this.object.scale.set(side, side, 1);
    this.object.updateMatrixWorld();
    const scale = 2 / side;
    this.#camera.projectionMatrix.set(
      scale,
      0,
      SHADOW_FALL.x * scale,
      -x * scale,
      0,
      scale,
      SHADOW_FALL.y * scale,
      -y * scale,
      0,
      0,
      FLAT,
      0,
      0,
      0,
      0,
      1,
    );
    this.#camera.projectionMatrixInverse.copy(this.#camera.projectionMatrix).invert();
  }

  dispose() {
    for (const target of [this.#sharp, this.#half, this.#soft]) target.dispose();
    for (const material of [this.#flat, this.#soften, this.#laid]) material.dispose();
    this.object.geometry.dispose();
    for (const child of this.#screen.children) if (child instanceof Mesh) child.geometry.dispose();
  }
}
