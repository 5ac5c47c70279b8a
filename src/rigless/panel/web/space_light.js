// The light of the scene. A surface that looks up shows exactly its paint, so that the theme's colours mean the same in 2-D and in space.

import { DirectionalLight, Group, HemisphereLight, Vector2, Vector3 } from "three";

/** @import {Palette} from "./space_paints.js" */

export const TOWARDS_SUN = new Vector3(-0.42, -0.3, 0.86).normalize();
const SKY = 1.75;
const SUN = (Math.PI - SKY) / TOWARDS_SUN.z; // Lambert: a surface shows its paint when all light on it adds up to π

/** How far the shadow of a point one metre up falls on the floor. */
export const SHADOW_FALL = new Vector2(-TOWARDS_SUN.x, -TOWARDS_SUN.y).divideScalar(TOWARDS_SUN.z);

export class Light {
  object = new Group();
  #sky = new HemisphereLight(0xffffff, 0x000000, SKY);
  #sun = new DirectionalLight(0xffffff, SUN);
  #rim = new DirectionalLight(0xffffff, 0.5);

  constructor() {
    this.#sun.position.copy(TOWARDS_SUN);
    this.#sky.position.set(0, 0, 1);
    this.#rim.position.set(0.8, 0.6, -0.05); // from behind and not from above: it must not brighten what looks up
    this.object.add(this.#sky, this.#sun, this.#rim);
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#sky.groundColor.copy(palette.of("floor")).lerp(palette.of("wall"), palette.dark ? 0.22 : 0.1);
    this.#rim.color.copy(palette.of("path")).lerp(palette.of("text"), palette.dark ? 0.45 : 0);
    this.#rim.intensity = palette.dark ? 0.9 : 0.3;
  }
}
