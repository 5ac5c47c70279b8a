// The camera of the scene, moved by the user or with a robot.

import { Box3, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

const FIELD_DEG = 36;
const FLAT_DEG = 2; // so far away that parallel lines stay parallel: an orthographic view
// for maps: close to the 2-D view, x to the right
const FROM_ABOVE = new Vector3(0.16, -0.72, 0.86).normalize();
// for an arm, or a robot on an open plane
const FROM_ASIDE = new Vector3(0.62, -0.76, 0.42).normalize();
/** @type {Record<string, Vector3>} where the camera can be put, from what it looks at */
const VIEW_DIRECTIONS = {
  iso: FROM_ASIDE,
  front: new Vector3(1, 0, 0),
  side: new Vector3(0, -1, 0),
  top: new Vector3(0, -0.001, 1).normalize(),
};
const TOOL_DISTANCE_M = 0.75; // distance from a tool
const SMALLEST_M = 0.6; // minimum size to fit, or a single robot would fill the screen
const FILLED = 0.94; // part of the screen between the margins that is filled after a fit
const MARGINS_PX = [60, 56]; // above and below: the list of layers, and the buttons of the camera
const MOST_MARGIN = 0.2; // of the height

export class OrbitCamera {
  camera = new PerspectiveCamera(FIELD_DEG, 1, 0.01, 1000);
  #controls;
  #syncing = false;
  #margins = [0, 0]; // above and below, as parts of the height
  /** @type {Vector3|null} where what is followed was */
  #followed = null;
  following = false;
  /** True if the user has moved the camera since the last fit. */
  touched = false;
  onchange = () => {};

  /** @param {HTMLElement} canvas */
  constructor(canvas) {
    this.camera.up.set(0, 0, 1); // before the controls are made, which copy it
    this.camera.position.copy(FROM_ASIDE).multiplyScalar(6);
    this.#controls = new OrbitControls(this.camera, canvas);
    this.#controls.zoomToCursor = true;
    this.#controls.maxPolarAngle = Math.PI * 0.495; // never below the floor
    this.#controls.minDistance = 0.15;
    this.#controls.maxDistance = 20_000;
    this.#controls.addEventListener("change", () => {
      if (this.#syncing) return;
      this.touched = true;
      this.onchange();
    });
  }

  get target() {
    return this.#controls.target;
  }

  get distance_m() {
    return this.camera.position.distanceTo(this.#controls.target);
  }

  /**
   * @param {number} width
   * @param {number} height in CSS pixels
   */
  setSize(width, height) {
    this.#margins = MARGINS_PX.map((margin) => Math.min(margin / height, MOST_MARGIN));
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  /**
   * Show all points, from the user's direction if they have moved the camera.
   * @param {Vector3[]} points
   * @param {boolean} flat whether they are of a map rather than of a body
   */
  fit(points, flat) {
    this.#fitInto(
      points,
      this.touched
        ? this.camera.position.clone().sub(this.target).normalize()
        : flat
          ? FROM_ABOVE
          : FROM_ASIDE,
    );
  }

  /**
   * Show all points from one of the camera views. Front, side and top are orthographic.
   * @param {Vector3[]} points
   * @param {string} place
   */
  lookFrom(points, place) {
    this.#setField(place === "iso" ? FIELD_DEG : FLAT_DEG);
    this.#fitInto(points, VIEW_DIRECTIONS[place] ?? FROM_ASIDE);
    this.touched = true;
  }

  /** Look at a tool from near. @param {Vector3} place */
  lookAt(place) {
    this.#setField(FIELD_DEG);
    this.#place(place, FROM_ASIDE, TOOL_DISTANCE_M);
    this.#followed = null;
    this.touched = true;
  }

  /** @param {number} degrees */
  #setField(degrees) {
    this.camera.fov = degrees;
    this.camera.updateProjectionMatrix();
  }

  /**
   * @param {Vector3[]} points
   * @param {Vector3} towards
   */
  #fitInto(points, towards) {
    const box = points.length
      ? new Box3().setFromPoints(points)
      : new Box3(new Vector3(-1, -1, 0), new Vector3(1, 1, 0.5));
    const corners = [...points, ...cornersOf(withMinimumSize(box, SMALLEST_M))];
    const centre = box.getCenter(new Vector3());
    let distance = this.#distanceFor(corners, centre, towards);
    for (let round = 0; round < 4; round++) {
      this.#place(centre, towards, distance);
      this.#centreOn(corners, centre);
      distance = this.#distanceFor(corners, centre, towards);
    }
    this.#place(centre, towards, distance);
    this.#followed = null;
  }

  /**
   * Return the distance at which all corners are on the screen.
   * @param {Vector3[]} corners
   * @param {Vector3} centre
   * @param {Vector3} towards
   */
  #distanceFor(corners, centre, towards) {
    const right = new Vector3().crossVectors(this.camera.up, towards).normalize();
    const up = new Vector3().crossVectors(towards, right);
    const [above = 0, below = 0] = this.#margins;
    const half = Math.tan((this.camera.fov * Math.PI) / 360) * FILLED;
    const wide = half * this.camera.aspect;
    return Math.max(
      ...corners.map((corner) => {
        const offset = corner.clone().sub(centre);
        const high = offset.dot(up);
        const tall = half * (1 - 2 * (high > 0 ? above : below));
        return (
          offset.dot(towards) +
          Math.max(Math.abs(offset.dot(right)) / wide, Math.abs(high) / tall)
        );
      }),
    );
  }

  /**
   * Centre the corners between the margins of the screen. Due to perspective, the middle of a box
   * is not the middle of its image.
   * @param {Vector3[]} corners
   * @param {Vector3} centre moved
   */
  #centreOn(corners, centre) {
    this.camera.updateMatrixWorld();
    const seen = new Box3().setFromPoints(
      corners.map((corner) => corner.clone().project(this.camera)),
    );
    const depth = centre.clone().project(this.camera).z;
    const middle = new Vector3(
      (seen.min.x + seen.max.x) / 2,
      (seen.min.y + seen.max.y) / 2,
      depth,
    ).unproject(this.camera);
    const [above = 0, below = 0] = this.#margins;
    centre.add(middle.sub(new Vector3(0, below - above, depth).unproject(this.camera)));
  }

  /** @param {number} factor */
  zoom(factor) {
    this.#place(
      this.target.clone(),
      this.camera.position.clone().sub(this.target).normalize(),
      this.distance_m / factor,
    );
    this.touched = true;
  }

  /** @param {boolean} on */
  follow(on) {
    this.following = on;
    this.#followed = null;
  }

  /**
   * Move with the followed object. The user may change the direction meanwhile.
   * @param {Vector3|null} place
   */
  track(place) {
    if (!this.following || !place) return;
    const step = place.clone().sub(this.#followed ?? this.target);
    this.#followed = place.clone();
    this.camera.position.add(step);
    this.target.add(step);
    this.#syncControls();
  }

  /**
   * @param {Vector3} target
   * @param {Vector3} towards
   * @param {number} distance_m
   */
  #place(target, towards, distance_m) {
    this.target.copy(target);
    this.camera.position.copy(target).addScaledVector(towards, distance_m);
    this.#syncControls();
  }

  /** Update the controls after the camera was moved here, not by the user. */
  #syncControls() {
    this.#syncing = true;
    this.#controls.update();
    this.#syncing = false;
  }

  /** @param {number} furthest_m how far away the furthest thing is */
  setDepths(furthest_m) {
    const flat = this.camera.fov < FIELD_DEG;
    this.camera.near = this.distance_m / (flat ? 4 : 80);
    this.camera.far = Math.max(this.distance_m * (flat ? 4 : 15), furthest_m * 1.1);
    this.camera.updateProjectionMatrix();
  }

  dispose() {
    this.#controls.dispose();
  }
}

/**
 * Return a box of this size around the same middle.
 * @param {Box3} box
 * @param {number} side_m
 */
function withMinimumSize(box, side_m) {
  return new Box3().setFromCenterAndSize(
    box.getCenter(new Vector3()),
    new Vector3(side_m, side_m, 0),
  );
}

/**
 * @param {Box3} box
 * @returns {Vector3[]} none if it is empty
 */
export function cornersOf(box) {
  const { min, max } = box;
  if (box.isEmpty()) return [];
  return [min.x, max.x].flatMap((x) =>
    [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new Vector3(x, y, z))),
  );
}
