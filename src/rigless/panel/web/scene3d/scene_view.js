// The 3-D scene: draws the parts of rigless.kernel.drawing with three.js, z up, in metres. It has
// no loop of its own; its owner calls draw() when something has changed, or after onview().

import { Box3, Group, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from "three";
import { Beams, Dots, Fan } from "./beams.js";
import { Bodies, Obstacles } from "./bodies.js";
import { cornersOf, OrbitCamera } from "./camera.js";
import { FloorMaterials, Ground } from "./floor.js";
import { Light } from "./light.js";
import { Ellipses, Frames, Trace } from "./lines.js";
import { Cloud } from "./point_cloud.js";
import { LayoutLines } from "./layout_lines.js";
import { LinkChain, SceneSolids } from "./solids.js";
import { GridMap, WALL_HEIGHT_M } from "./grid_map.js";
import { Palette } from "./palette.js";
import { FloorShadow } from "./floor_shadow.js";

/** @import {Object3D} from "three" */
/** @import {Viewport} from "./lines.js" */
/** @import {Grid, Colours, Part, Picture, Surface, Track} from "../core/types.js" */

/**
 * The three.js object of a part.
 * @typedef {object} PartObject
 * @property {Object3D} object
 * @property {(palette: Palette) => void} paint
 * @property {(rows: Float32Array, palette: Palette) => void} show
 * @property {(track: Track, recent_s: number) => void} [showTrack]
 * @property {() => number[][]} poses read back from what is in the scene
 * @property {() => string[]} [paints] of each body, as they are on the screen
 * @property {(box: Box3) => void} addTo makes the box enclose it
 * @property {() => void} dispose
 */

/** @typedef {{part: Part, drawn: PartObject, group: Group}} Entry */

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
const SLOW_MS = 100; // a slower frame was not drawn by a fast GPU
const FRAMES_TO_WATCH = 3;
const HOVER_MS = 80;
const NOTHING = new Float32Array(0);
const NO_TRACK = { points: NOTHING, times: new Float64Array(0), count: 0, speed: 0, seen_s: NaN };
const SLOW_RATIO = 0.75; // pixel ratio of the canvas for very slow renderers
const BODIES = new Set(["Disc", "Polygon", "Links", "Scene"]);

/**
 * @param {Part} part
 * @param {Viewport} viewport
 * @returns {PartObject|null} null: it is not drawn on the map
 */
function objectFor(part, viewport) {
  switch (part.kind) {
    case "Disc":
    case "Polygon":
      return new Bodies(part);
    case "Links":
      return new LinkChain(part);
    case "Rays":
      return part.fan === false ? new Beams(part, viewport) : new Fan(part);
    case "Points":
      return new Dots(part, viewport);
    case "Scene":
      return new SceneSolids(part);
    case "Axes":
      return new Frames(part, viewport);
    case "Cloud":
      return new Cloud(part, viewport);
    case "Path":
    case "Trail":
    case "Curve":
      return new Trace(part, viewport);
    case "Ellipse":
      return new Ellipses(part, viewport);
    default:
      return null;
  }
}

/** @implements {Surface} */
export class SceneView {
  onview = () => {};
  #canvas = document.createElement("canvas");
  #palette = new Palette();
  #scene = new Scene();
  #light = new Light();
  #shadow = new FloorShadow();
  #floorMaterials = new FloorMaterials();
  #ground = new Ground(this.#floorMaterials);
  #obstacles = new Obstacles();
  #viewport = { value: new Vector2(1, 1) };
  #size = new Vector2(1, 1);
  /** @type {Entry[]} */
  #entries = [];
  /** @type {GridMap|null} */
  #map = null;
  /** @type {LayoutLines|null} */
  #layout = null;
  #fitPending = true;
  #lastHover_ms = 0;
  #pendingView = "";
  #framesSeen;
  #renderer;
  #context;
  #software;
  #tooSlow = false;
  cost_ms = 0;
  #camera;
  #watcher;

  /**
   * @param {HTMLElement} host
   * @param {{fine?: boolean}} [options] fine: smooth edges and all shadows even in software, where
   *   they make a frame take thrice as long
   */
  constructor(host, { fine = false } = {}) {
    this.#context = contextOf(this.#canvas, true);
    this.#software = !fine && isSoftware(this.#context);
    if (this.#software) {
      this.#context.getExtension("WEBGL_lose_context")?.loseContext();
      this.#canvas = document.createElement("canvas");
      this.#context = contextOf(this.#canvas, false);
    }
    this.#renderer = new WebGLRenderer({ canvas: this.#canvas, context: this.#context });
    this.#renderer.shadowMap.enabled = true;
    // otherwise it is rendered again for every pass of the floor shadow
    this.#renderer.shadowMap.autoUpdate = false;
    this.#light.shadows = !this.#software;
    this.#framesSeen = fine ? FRAMES_TO_WATCH + 1 : 0;
    this.#camera = new OrbitCamera(this.#canvas);
    this.#camera.onchange = () => this.onview();
    this.#scene.add(
      this.#light.object,
      this.#ground.object,
      this.#shadow.object,
      this.#obstacles.object,
    );
    this.#canvas.style.cssText =
      "display:block;position:absolute;inset:0;width:100%;height:100%;outline:none";
    this.#canvas.setAttribute("role", "img");
    this.#canvas.setAttribute("aria-label", "3-D view");
    if (getComputedStyle(host).position === "static") host.style.position = "relative";
    this.#canvas.addEventListener("webglcontextrestored", () => this.onview());
    this.#canvas.addEventListener("pointermove", (event) => this.#hover(event));
    host.append(this.#canvas);
    this.#size.set(host.clientWidth, host.clientHeight);
    this.#watcher = new ResizeObserver(() => {
      this.#size.set(host.clientWidth, host.clientHeight);
      this.onview();
    });
    this.#watcher.observe(host);
    this.#repaint();
  }

  /** Show the name of the solid under the pointer. @param {PointerEvent} event */
  #hover({ offsetX, offsetY, buttons, timeStamp }) {
    if (buttons || timeStamp < this.#lastHover_ms + HOVER_MS) return;
    this.#lastHover_ms = timeStamp;
    const ray = new Raycaster();
    ray.setFromCamera(
      new Vector2((2 * offsetX) / this.#size.x - 1, 1 - (2 * offsetY) / this.#size.y),
      this.#camera.camera,
    );
    const stands = this.#entries.flatMap(({ drawn, group }) =>
      group.visible && drawn instanceof SceneSolids ? [drawn] : [],
    );
    this.#canvas.title = stands.map((stand) => stand.nameAt(ray)).find((name) => name) ?? "";
  }

  /** @param {Grid|null} grid */
  setGrid(grid) {
    if (this.#map) {
      this.#scene.remove(this.#map.object);
      this.#map.dispose();
      this.#map = null;
    }
    this.#layout?.dispose();
    this.#layout = null;
    if (grid) {
      this.#map = new GridMap(grid, this.#floorMaterials);
      this.#map.paint(this.#palette);
      this.#scene.add(this.#map.object);
      this.#layout = grid.layout && new LayoutLines(grid.layout, this.#viewport);
      this.#layout?.paint(this.#palette);
      this.#layout?.addTo(this.#scene);
    }
    this.#ground.leaveOut(grid);
    this.#camera.touched = false;
    this.#fitPending = true;
    this.onview();
  }

  /** @param {Part[]} parts */
  setParts(parts) {
    this.#dropEntries();
    for (const part of parts) {
      const drawn = objectFor(part, this.#viewport);
      if (!drawn) continue;
      const group = new Group();
      group.add(drawn.object);
      drawn.paint(this.#palette);
      this.#scene.add(group);
      this.#entries.push({ part, drawn, group });
    }
    if (!this.#camera.touched) this.#fitPending = true;
    this.onview();
  }

  /** @param {Colours} paints */
  setPaints(paints) {
    this.#palette.set(paints);
    this.#repaint();
    this.onview();
  }

  #repaint() {
    this.#scene.background = this.#palette.of("outside");
    this.#light.paint(this.#palette);
    this.#floorMaterials.paint(this.#palette);
    this.#shadow.paint(this.#palette);
    this.#map?.paint(this.#palette);
    this.#layout?.paint(this.#palette);
    for (const { drawn } of this.#entries) drawn.paint(this.#palette);
  }

  /** @param {Picture} picture */
  draw(picture) {
    this.#resize();
    this.#update(picture);
    if (this.#fitPending) this.#fitNow();
    if (this.#pendingView) this.#lookNow();
    this.#camera.track(this.#followedPlace());
    this.#render();
  }

  /** Resize only before drawing, because a resized canvas is empty. */
  #resize() {
    const most = this.#tooSlow ? SLOW_RATIO : this.#software ? 1 : 2;
    const ratio = Math.min(most, window.devicePixelRatio || 1);
    const [width, height] = [Math.max(1, this.#size.x), Math.max(1, this.#size.y)];
    if (
      this.#viewport.value.x === Math.floor(width * ratio) &&
      this.#viewport.value.y === Math.floor(height * ratio)
    )
      return;
    this.#renderer.setPixelRatio(ratio);
    this.#renderer.setSize(width, height, false);
    this.#renderer.getDrawingBufferSize(this.#viewport.value);
    this.#camera.setSize(width, height);
    if (!this.#camera.touched) this.#fitPending = true;
  }

  /** @param {Picture} picture */
  #update({ rows, trails, obstacles, hidden, recent_s = -Infinity }) {
    for (const { part, drawn, group } of this.#entries) {
      group.visible = !hidden.has(part.name);
      if (!group.visible) continue;
      if (part.kind === "Trail" && drawn.showTrack)
        drawn.showTrack(trails.get(part.name) ?? NO_TRACK, recent_s);
      else drawn.show(rows.get(part.name) ?? NOTHING, this.#palette);
    }
    this.#obstacles.show(obstacles, this.#palette);
  }

  #render() {
    const started = performance.now();
    const { target, distance_m } = this.#camera;
    const casters = this.#casters();
    this.#camera.setDepths(this.#extent_m(casters));
    this.#ground.look(target, distance_m);
    this.#floorMaterials.look(target, distance_m);
    this.#castShadows(casters);
    this.#renderer.render(this.#scene, this.#camera.camera);
    this.#watchSpeed(started);
    this.cost_ms = performance.now() - started;
  }

  /** True if rendering is slow, without a fast GPU. */
  get slow() {
    return this.#software;
  }

  /** @param {Box3} casters */
  #castShadows(casters) {
    this.#shadow.update(this.#renderer, this.#scene, casters);
    if (!this.#light.shadows) return;
    this.#light.shineOn(casters);
    this.#renderer.shadowMap.needsUpdate = true;
  }

  /**
   * Detect a slow renderer by the time of the first frames. A software renderer is always waited
   * for, because without it `cost_ms` has only the time of the calls.
   * @param {number} started_ms
   */
  #watchSpeed(started_ms) {
    const known = this.#framesSeen > FRAMES_TO_WATCH;
    if (known && !this.#software) return;
    // readPixels waits until the frame is drawn.
    this.#context.readPixels(
      0,
      0,
      1,
      1,
      this.#context.RGBA,
      this.#context.UNSIGNED_BYTE,
      new Uint8Array(4),
    );
    if (known) return;
    const compiling = this.#framesSeen++ === 0;
    if (compiling || performance.now() - started_ms < SLOW_MS) return;
    this.#tooSlow = this.#software;
    this.#software = true;
    this.#light.shadows = false;
  }

  #casters() {
    const box = new Box3();
    for (const { part, drawn, group } of this.#entries)
      if (BODIES.has(part.kind) && group.visible) drawn.addTo(box);
    this.#obstacles.addTo(box);
    return box;
  }

  /** @returns {Vector3[]} the outermost points of all there is to see */
  #visiblePoints() {
    const box = new Box3();
    for (const { drawn, group } of this.#entries) if (group.visible) drawn.addTo(box);
    this.#obstacles.addTo(box);
    return [...cornersOf(box), ...this.#mapCorners()];
  }

  #mapCorners() {
    return (this.#map?.corners ?? []).flatMap(([x, y]) => [
      new Vector3(x, y, 0),
      new Vector3(x, y, WALL_HEIGHT_M),
    ]);
  }

  /** Return the distance of the furthest point, for the far plane. @param {Box3} casters */
  #extent_m(casters) {
    const { position } = this.#camera.camera;
    return Math.max(
      0,
      ...[...cornersOf(casters), ...this.#mapCorners()].map((point) => point.distanceTo(position)),
    );
  }

  #followedPlace() {
    const entry = this.#entries.find(({ part }) => BODIES.has(part.kind));
    const pose = entry?.group.visible
      ? entry.drawn.poses().at(entry.part.kind === "Links" ? -1 : 0)
      : null;
    return pose ? new Vector3(pose[0], pose[1], pose[2]) : null;
  }

  fit() {
    this.#fitPending = true;
    this.onview();
  }

  /**
   * Look from one of the camera views; "tool" looks at the last link of the first arm.
   * @param {string} from
   */
  lookFrom(from) {
    this.#pendingView = from;
    this.onview();
  }

  #lookNow() {
    const tool = this.#pendingView === "tool" ? this.#followedPlace() : null;
    if (tool) this.#camera.lookAt(tool);
    else this.#camera.lookFrom(this.#visiblePoints(), this.#pendingView);
    this.#pendingView = "";
  }

  #fitNow() {
    this.#fitPending = false;
    this.#camera.fit(this.#visiblePoints(), this.#map !== null);
  }

  /** @param {number} factor */
  zoom(factor) {
    this.#camera.zoom(factor);
    this.onview();
  }

  /** @param {boolean} on */
  follow(on) {
    this.#camera.follow(on);
    this.onview();
  }

  /**
   * Return the poses of what is drawn under this name (of a part, an obstacle, or "map"), read back
   * from the scene; empty if hidden. Disc, Polygon, obstacle, map: x, y, z, heading. Links: x, y,
   * z, qx, qy, qz, qw. Points, Path, Trail: x, y, z. Ellipse: x, y, z, angle, both half axes. Rays:
   * x, y, z twice, or the corners of the fan's triangles.
   * @param {string} name
   * @returns {number[][]}
   */
  poseOf(name) {
    if (name === "map" && this.#map) return [this.#map.pose()];
    const entry = this.#entries.find(({ part }) => part.name === name);
    if (!entry) return this.#obstacles.posesOf(name);
    return entry.group.visible ? entry.drawn.poses() : [];
  }

  /** Return the position of the camera and its target. */
  cameraPose() {
    return { at: this.#camera.camera.position.toArray(), to: this.#camera.target.toArray() };
  }

  /**
   * Return the colours of the bodies of a part as on the screen.
   * @param {string} name
   * @returns {string[]}
   */
  paintsOf(name) {
    const entry = this.#entries.find(({ part }) => part.name === name);
    return entry?.group.visible ? (entry.drawn.paints?.() ?? []) : [];
  }

  #dropEntries() {
    for (const { drawn, group } of this.#entries) {
      this.#scene.remove(group);
      drawn.dispose();
    }
    this.#entries = [];
  }

  dispose() {
    this.onview = () => {};
    this.#watcher.disconnect();
    this.#camera.dispose();
    this.#dropEntries();
    this.#map?.dispose();
    this.#layout?.dispose();
    this.#obstacles.dispose();
    this.#ground.dispose();
    this.#shadow.dispose();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss(); // browsers allow few contexts and free them late
    this.#canvas.remove();
  }
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {boolean} antialias
 */
function contextOf(canvas, antialias) {
  const context = canvas.getContext("webgl2", {
    antialias,
    alpha: false,
    depth: true,
    powerPreference: "high-performance",
  });
  if (!context)
    throw new Error(
      "The 3-D view needs WebGL 2, which this browser does not offer; the 2-D view shows the same.",
    );
  return context;
}

/** @param {WebGL2RenderingContext} context */
function isSoftware(context) {
  const names = context.getExtension("WEBGL_debug_renderer_info");
  return (
    names !== null && SOFTWARE.test(String(context.getParameter(names.UNMASKED_RENDERER_WEBGL)))
  );
}
