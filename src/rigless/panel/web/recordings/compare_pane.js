// One of the two pictures of a comparison: a map, or a 3-D scene for an arm.
import { MapView } from "../map2d/map_view.js";
import { loadMap } from "../core/maps.js";
import * as state from "../core/state.js";
import { themeColours } from "../page/viewport.js";
/** @typedef {import("../core/frames.js").FrameStore} FrameStore */
/** @typedef {import("../core/types.js").Surface} Surface */

const MARGINS_PX = [14, 44, 28]; // above, below for the scale bar, and at the sides

export class ComparePane {
  host = document.createElement("div");
  /** Called when the user has moved this view. */
  onview = () => {};
  /** True while the pointer is over it. */
  active = false;
  /** @type {Surface|null} */
  surface = null;
  #kind = "";
  #pageId = -1;
  #world = "";
  /** @type {import("../core/types.js").Grid|null} */
  #grid = null;

  constructor() {
    this.host.className = "canvas-host";
    this.host.addEventListener("pointerenter", () => (this.active = true));
    this.host.addEventListener("pointerleave", () => (this.active = false));
  }

  /**
   * Load the map of a robot's world if another one is shown.
   * @param {string} stage
   * @param {string} robot
   * @param {string} file
   */
  setWorld(stage, robot, file) {
    const key = `${stage} ${robot} ${file}`;
    if (key === this.#world) return;
    this.#world = key;
    void loadMap(stage, robot).then((grid) => {
      if (grid === undefined || key !== this.#world) return;
      this.#grid = grid;
      this.surface?.setGrid(grid);
      this.onview();
    });
  }

  /**
   * @param {FrameStore|null} frames
   * @param {import("../core/types.js").MapObject[]} objects
   */
  draw(frames, objects) {
    if (!frames) return;
    const { page } = frames;
    void this.#prepare(page.parts.some(({ kind }) => kind === "Links") ? "scene" : "map");
    if (!this.surface) return;
    if (this.#pageId !== page.id) {
      this.#pageId = page.id;
      this.surface.setParts(page.parts);
    }
    const hidden = page.parts.filter((part) => !state.isDrawn(page.robot, part));
    this.surface.draw({
      time_s: frames.time_s,
      rows: frames.rows,
      trails: frames.trails,
      obstacles: objects.filter(({ robot, name }) => !robot || name !== page.robot),
      hidden: new Set(hidden.map(({ name }) => name)),
    });
  }

  /** Make the surface for what is shown. @param {string} kind */
  async #prepare(kind) {
    if (kind === this.#kind) return;
    this.#kind = kind;
    this.surface?.dispose();
    this.surface = null;
    this.#pageId = -1;
    /** @type {Surface} */
    let made;
    try {
      made =
        kind === "scene"
          ? new (await import("../scene3d/scene_view.js")).SceneView(this.host)
          : new MapView(this.host, MARGINS_PX);
    } catch {
      made = new MapView(this.host, MARGINS_PX); // there is no WebGL
    }
    if (kind !== this.#kind) return made.dispose();
    this.surface = made;
    made.onview = () => this.onview();
    this.paint();
    made.setGrid(this.#grid);
    this.onview();
  }

  /** Take the colours of the theme. */
  paint() {
    this.surface?.setPaints(themeColours());
  }

  /** Show the same part of the map as another pane. @param {ComparePane} other */
  align(other) {
    if (!(this.surface instanceof MapView) || !(other.surface instanceof MapView)) return;
    this.surface.alignWith(other.surface);
  }

  dispose() {
    this.surface?.dispose();
    this.surface = null;
    this.#kind = this.#world = "";
  }
}
