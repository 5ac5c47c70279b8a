// Where the scene is seen from: the camera, what the user does to it, and how it goes along with a robot.

import { Box3, PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

const FIELD_DEG = 36;
const FROM_ABOVE = new Vector3(0.16, -0.72, 0.86).normalize(); // over a map: nearly as on the flat view, x to the right
const FROM_ASIDE = new Vector3(0.62, -0.76, 0.42).normalize(); // of an arm or a robot on open ground
/** @type {Record<string, Vector3>} where the camera can be put, from what it looks at */
const VIEW_DIRECTIONS = {
  iso: FROM_ASIDE,
  front: new Vector3(1, 0, 0.12).normalize(),
  side: new Vector3(0, -1, 0.12).normalize(),
  top: new Vector3(0, -0.001, 1).normalize(),
};
const TOOL_DISTANCE_M = 0.75; // how near to a tool
const SMALLEST_M = 0.6; // a box is never taken for smaller than this, or a lone robot would fill the screen
const FILLED = 0.9; // of the screen, when everything is shown

export class OrbitCamera {
  camera = new PerspectiveCamera(FIELD_DEG, 1, 0.01, 1000);
  #controls;
  #syncing = false;
  /** @type {Vector3|null} where what is followed was */
  #followed = null;
  following = false;
  /** whether the user has moved the camera since everything was shown last */
  touched = false;
  onchange = () => {};

  /** @param {HTMLElement} canvas */
  constructor(canvas) {
    this.camera.up.set(0, 0, 1); // before the controls are made: they keep it
    this.camera.position.copy(FROM_ASIDE).multiplyScalar(6);
    this.#controls = new OrbitControls(this.camera, canvas);
    this.#controls.zoomToCursor = true;
    this.#controls.maxPolarAngle = Math.PI * 0.495; // never below the floor
    this.#controls.minDistance = 0.15;
    this.#controls.maxDistance = 2000;
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

  /** @param {number} aspect */
  setAspect(aspect) {
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
  }

  /**
   * All points are seen; from where the user looks, or from a good place if nobody has looked yet.
   * @param {Vector3[]} points
   * @param {boolean} flat  whether they are of a map rather than of a body
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
   * All points are seen from one of the camera's places.
   * @param {Vector3[]} points
   * @param {string} place
   */
  lookFrom(points, place) {
    this.#fitInto(points, VIEW_DIRECTIONS[place] ?? FROM_ASIDE);
    this.touched = true;
  }

  /** Near to a tool. @param {Vector3} place */
  lookAt(place) {
    this.#place(place, FROM_ASIDE, TOOL_DISTANCE_M);
    this.#followed = null;
    this.touched = true;
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
   * How far away all corners fit on the screen.
   * @param {Vector3[]} corners
   * @param {Vector3} centre
   * @param {Vector3} towards
   */
  #distanceFor(corners, centre, towards) {
    const right = new Vector3().crossVectors(this.camera.up, towards).normalize();
    const up = new Vector3().crossVectors(towards, right);
    const tall = Math.tan((FIELD_DEG * Math.PI) / 360) * FILLED;
    const wide = tall * this.camera.aspect;
    return Math.max(
      ...corners.map((corner) => {
        const offset = corner.clone().sub(centre);
        return (
          offset.dot(towards) +
          Math.max(Math.abs(offset.dot(right)) / wide, Math.abs(offset.dot(up)) / tall)
        );
      }),
    );
  }

  /**
   * Perspective makes the near side larger, so the middle of a box is not the middle of its picture.
   * @param {Vector3[]} corners
   * @param {Vector3} centre  moved
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
    centre.add(middle.sub(new Vector3(0, 0, depth).unproject(this.camera)));
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
   * Goes along with what is followed; the user may look from elsewhere meanwhile.
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

  /** Lets the controls see what was done to the camera without taking it for the user's doing. */
  #syncControls() {
    this.#syncing = true;
    this.#controls.update();
    this.#syncing = false;
  }

  /** @param {number} furthest_m  how far away the furthest thing is */
  setDepths(furthest_m) {
    this.camera.near = this.distance_m / 80;
    this.camera.far = Math.max(this.distance_m * 15, furthest_m * 1.1);
    this.camera.updateProjectionMatrix();
  }

  dispose() {
    this.#controls.dispose();
  }
}

/**
 * A box around the same middle, of at least this size.
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
