// The light of the scene. A horizontal surface shows exactly its colour, so that colours are the
// same in 2-D and 3-D.

import { Box3, DirectionalLight, Group, HemisphereLight, Sphere, Vector2, Vector3 } from "three";

/** @import {Palette} from "./palette.js" */

export const TOWARDS_SUN = new Vector3(-0.42, -0.3, 0.86).normalize();
const SKY = 1.75;
// Lambert: the sum of all light on a horizontal surface is π
const SUN = (Math.PI - SKY) / TOWARDS_SUN.z;

/** The offset of the shadow of a point one metre above the floor. */
export const SHADOW_FALL = new Vector2(-TOWARDS_SUN.x, -TOWARDS_SUN.y).divideScalar(TOWARDS_SUN.z);

export class Light {
  object = new Group();
  #sky = new HemisphereLight(0xffffff, 0x000000, SKY);
  #sun = new DirectionalLight(0xffffff, SUN);
  #rim = new DirectionalLight(0xffffff, 0.5);

  constructor() {
    this.#sun.position.copy(TOWARDS_SUN);
    this.#sky.position.set(0, 0, 1);
    // from behind, not from above: it must not brighten horizontal surfaces
    this.#rim.position.set(0.8, 0.6, -0.05);
    this.object.add(this.#sky, this.#sun, this.#sun.target, this.#rim);
    this.#sun.shadow.mapSize.set(2048, 2048);
    this.#sun.shadow.radius = 3;
  }

  /** Whether bodies cast shadows on each other. Those on the floor are made in floor_shadow.js. */
  get shadows() {
    return this.#sun.castShadow;
  }

  set shadows(on) {
    this.#sun.castShadow = on;
  }

  /** @param {Box3} bodies what the shadow map has to cover */
  shineOn(bodies) {
    if (bodies.isEmpty()) return;
    const { center, radius } = bodies.getBoundingSphere(new Sphere());
    const { camera } = this.#sun.shadow;
    this.#sun.target.position.copy(center);
    this.#sun.position.copy(center).addScaledVector(TOWARDS_SUN, radius * 2);
    camera.left = camera.bottom = -radius;
    camera.right = camera.top = radius;
    camera.near = radius * 0.5;
    camera.far = radius * 3.5;
    camera.updateProjectionMatrix();
    // two pixels of the shadow map; less causes shadow acne
    this.#sun.shadow.normalBias = radius * 0.004;
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#sky.groundColor
      .copy(palette.of("floor"))
      .lerp(palette.of("wall"), palette.dark ? 0.22 : 0.1);
    this.#rim.color.copy(palette.of("path")).lerp(palette.of("text"), palette.dark ? 0.45 : 0);
    this.#rim.intensity = palette.dark ? 0.9 : 0.3;
  }
}
