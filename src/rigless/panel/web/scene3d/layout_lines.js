// The layout of a warehouse in 3-D: lanes, belts and places as thin lines on the floor.
import { Lines } from "./lines.js";

/** @import {Object3D} from "three" */
/** @import {Viewport} from "./lines.js" */
/** @import {Palette} from "./palette.js" */
/** @import {LayoutPicture, LayoutPlace} from "../core/api_types.js" */

const ABOVE_FLOOR_M = 0.008;
/** Half the length and width of a place in metres. @type {Record<string, [number, number]>} */
const HALVES = {
  parking: [0.65, 0.5],
  charger: [0.65, 0.5],
  station: [0.45, 0.45],
  lift: [0.9, 0.9],
};
const CORNERS = [
  [1, 1],
  [-1, 1],
  [-1, -1],
  [1, -1],
  [1, 1],
];

export class LayoutLines {
  #lanes;
  #chargers;

  /**
   * @param {LayoutPicture} layout
   * @param {Viewport} viewport
   */
  constructor(layout, viewport) {
    this.#lanes = new Lines(viewport, { width_px: 1.2, opacity: 0.55 });
    this.#chargers = new Lines(viewport, { width_px: 2, opacity: 0.9 });
    const paths = [...layout.lanes.map(({ points }) => points), ...layout.belts];
    const places = layout.places.filter(({ kind }) => kind !== "charger");
    fill(this.#lanes, [...paths, ...places.map(outline)]);
    const chargers = layout.places.filter(({ kind }) => kind === "charger");
    fill(this.#chargers, chargers.map(outline));
  }

  /** @param {Object3D} scene */
  addTo(scene) {
    scene.add(this.#lanes.object, this.#chargers.object);
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#lanes.paint(palette.shown("plain"));
    this.#chargers.paint(palette.shown("ok"));
  }

  dispose() {
    this.#lanes.object.removeFromParent();
    this.#chargers.object.removeFromParent();
    this.#lanes.dispose();
    this.#chargers.dispose();
  }
}

/** @param {LayoutPlace} place @returns {[number, number][]} */
function outline({ kind, pose: [x, y, theta] }) {
  const [length, width] = HALVES[kind] ?? [0.5, 0.5];
  const [c, s] = [Math.cos(theta), Math.sin(theta)];
  return CORNERS.map(([i = 0, j = 0]) => [
    x + c * i * length - s * j * width,
    y + s * i * length + c * j * width,
  ]);
}

/**
 * @param {Lines} lines
 * @param {[number, number][][]} paths
 */
function fill(lines, paths) {
  lines.begin(paths.reduce((sum, path) => sum + path.length, 0));
  for (const path of paths) {
    for (let n = 1; n < path.length; n++) {
      const [[ax = 0, ay = 0] = [], [bx = 0, by = 0] = []] = [path[n - 1], path[n]];
      lines.add(ax, ay, ABOVE_FLOOR_M, 0, bx, by, ABOVE_FLOOR_M, 0);
    }
  }
  lines.end();
}
