// The map of the fleet page: the ground on one canvas, the robots on another above it. All robots
// of one colour are one path, so a picture of a thousand takes some milliseconds without a GPU.
import { ViewTransform } from "../map2d/map_view.js";
import { drawMap, drawScaleBar, extentOf, paintCells } from "../map2d/ground.js";
import { drawObject } from "../map2d/parts.js";
import { colourOf } from "../core/health.js";

/** @typedef {import("../core/types.js").Grid} Grid */
/** @typedef {import("../core/types.js").Colours} Colours */
/** @typedef {"all"|"some"|"none"} Names */

/**
 * A robot to draw.
 * @typedef {object} Spot
 * @property {string} name
 * @property {string} status
 * @property {number} x
 * @property {number} y
 * @property {number} theta
 * @property {number} radius_m
 * @property {boolean} faint it does not pass the filter
 */

const LEAST_PX = 6; // half the length of an arrow
const MARGINS_PX = [70, 40, 40]; // above, below and at the sides, for controls over the map
const PICK_PX = 14;
const CLICK_PX = 4; // a pointer that moves less has clicked
const MANY_NAMES = 60; // of robots with a condition; more would hide the map
const MANY_WARNINGS = 12; // with more, only broken robots have names by themselves
const NAME_PX = [26, 15]; // half the width and the height of a name: names do not cover each other
const MAX_SCALE = 2000;
const MIN_SCALE = 1;

export class FleetMap {
  view = new ViewTransform();
  /** @type {Spot[]} */
  spots = [];
  /** @type {ReadonlySet<string>} */
  selected = new Set();
  marked = "";
  /** @type {Names} */
  names = "some";
  dots = false; // instead of arrows, to draw faster
  named = 0; // names in the last picture
  /** Called when the user has moved the view. */
  onview = () => {};
  /**
   * Called with the robots of a click or a rectangle.
   * @type {(names: string[], add: boolean) => void}
   */
  onselect = () => {};
  /** Called with the robot at the pointer, or "". @type {(name: string) => void} */
  onmark = () => {};
  /** @type {Grid|null} */
  grid = null;
  /** @type {import("../core/types.js").MapObject[]} */
  obstacles = [];
  /** @type {HTMLCanvasElement|null} */
  #cells = null;
  /** @type {Colours|null} */
  #paints = null;
  #fitted = false;
  #touched = false;
  #groundDrawn = false;
  /** @type {Map<number, [number, number]>} */
  #pointers = new Map();
  #moved = 0;
  /** The corners of a rectangle in pixels, while it is drawn. @type {number[]|null} */
  #box = null;

  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    this.ground = document.createElement("canvas");
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute(
      "aria-label",
      "Map of the fleet. Click a robot to select it, hold Shift and drag for several.",
    );
    host.append(this.ground, this.canvas);
    const groundPen = this.ground.getContext("2d", { alpha: false });
    const pen = this.canvas.getContext("2d");
    if (!groundPen || !pen) throw new Error("this browser cannot draw on a canvas");
    this.groundPen = groundPen;
    this.pen = pen;
    new ResizeObserver(() => this.#resize()).observe(host);
    this.#listen();
  }

  /** @param {Grid|null} grid */
  setGrid(grid) {
    this.grid = grid;
    this.#cells = grid && this.#paints ? paintCells(grid, this.#paints) : null;
    this.#fitted = this.#groundDrawn = false;
  }

  /** @param {Colours} paints */
  setPaints(paints) {
    this.#paints = paints;
    this.#cells = this.grid ? paintCells(this.grid, paints) : null;
    this.#groundDrawn = false;
  }

  /** @param {import("../core/types.js").MapObject[]} obstacles */
  setObstacles(obstacles) {
    if (JSON.stringify(obstacles) === JSON.stringify(this.obstacles)) return;
    this.obstacles = obstacles;
    this.#groundDrawn = false;
  }

  draw() {
    const paints = this.#paints;
    if (!paints || this.view.width < 2) return;
    if (!this.#fitted) this.fit();
    if (!this.#groundDrawn) this.#drawGround(paints);
    const { pen, view } = this;
    view.usePixels(pen);
    pen.clearRect(0, 0, view.width, view.height);
    this.#drawRobots(paints);
    this.#drawRings(paints);
    this.#drawNames(paints);
    if (this.#box) {
      const [x = 0, y = 0, tx = 0, ty = 0] = this.#box;
      pen.strokeStyle = paints.text;
      pen.setLineDash([4, 3]);
      pen.strokeRect(Math.min(x, tx), Math.min(y, ty), Math.abs(tx - x), Math.abs(ty - y));
      pen.setLineDash([]);
    }
  }

  /** @param {Colours} paints */
  #drawGround(paints) {
    const { groundPen: pen, view } = this;
    this.#groundDrawn = true;
    view.usePixels(pen);
    pen.fillStyle = paints.outside;
    pen.fillRect(0, 0, view.width, view.height);
    view.useWorldUnits(pen);
    drawMap(pen, view, this.grid, this.#cells, paints);
    for (const object of this.obstacles) drawObject(pen, view, object, paints, false);
    view.usePixels(pen);
    drawScaleBar(pen, view, paints, null);
  }

  /** @param {Colours} paints */
  #drawRobots(paints) {
    /** @type {Map<string, Spot[]>} */
    const groups = new Map();
    for (const spot of this.spots) {
      const colour = `${spot.faint ? "faint " : ""}${colourOf(spot.status)}`;
      const group = groups.get(colour);
      if (group) group.push(spot);
      else groups.set(colour, [spot]);
    }
    // abnormal ones above the others
    for (const [colour, group] of [...groups].sort(([a], [b]) => rank(a) - rank(b))) {
      const { pen } = this;
      const name = /** @type {"accent"|"warn"|"bad"} */ (colour.replace("faint ", ""));
      pen.globalAlpha = colour.startsWith("faint") ? 0.22 : 1;
      pen.fillStyle = paints[name];
      pen.beginPath();
      for (const spot of group) this.#shape(spot);
      pen.fill();
    }
    this.pen.globalAlpha = 1;
  }

  /** Add the shape of a robot to the path. @param {Spot} spot */
  #shape(spot) {
    const { pen, view } = this;
    const [x = 0, y = 0] = view.toCanvas(spot.x, spot.y);
    const r = Math.max(0.85 * (spot.radius_m || 0) * view.scale, LEAST_PX);
    if (x < -r || y < -r || x > view.width + r || y > view.height + r) return;
    if (this.dots) {
      pen.rect(x - 3, y - 3, 6, 6);
      return;
    }
    const [c, s] = [r * Math.cos(spot.theta), -r * Math.sin(spot.theta)];
    pen.moveTo(x + c, y + s);
    pen.lineTo(x - 0.8 * c - 0.7 * s, y - 0.8 * s + 0.7 * c);
    pen.lineTo(x - 0.4 * c, y - 0.4 * s);
    pen.lineTo(x - 0.8 * c + 0.7 * s, y - 0.8 * s - 0.7 * c);
    pen.closePath();
  }

  /** Draw rings around the selected robots and the marked one. @param {Colours} paints */
  #drawRings(paints) {
    const { pen, view } = this;
    pen.strokeStyle = paints.text;
    pen.lineWidth = 2;
    pen.beginPath();
    for (const spot of this.spots) {
      if (!this.selected.has(spot.name) && spot.name !== this.marked) continue;
      const [x = 0, y = 0] = view.toCanvas(spot.x, spot.y);
      const r = Math.max((spot.radius_m || 0) * view.scale, LEAST_PX) + 4;
      pen.moveTo(x + r, y);
      pen.arc(x, y, r, 0, 2 * Math.PI);
      if (spot.name !== this.marked) continue;
      pen.moveTo(x + r + 3, y);
      pen.arc(x, y, r + 3, 0, 2 * Math.PI);
    }
    pen.stroke();
  }

  /**
   * Draw the names that are asked for, where they do not cover each other.
   * @param {Colours} paints
   */
  #drawNames(paints) {
    this.named = 0;
    const warned = this.spots.filter(({ status }) => colourOf(status) === "warn").length;
    const warnings = warned <= MANY_WARNINGS;
    const wanted = this.spots.filter((spot) => !spot.faint && this.#isNamed(spot, warnings));
    if (!wanted.length) return;
    const { pen, view } = this;
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.fillStyle = paints.text;
    pen.strokeStyle = paints.floor;
    pen.lineWidth = 3;
    const first = (/** @type {Spot} */ spot) =>
      spot.name === this.marked ? 0 : this.selected.has(spot.name) ? 1 : 2;
    const most = this.names === "all" ? Infinity : MANY_NAMES;
    /** @type {[number, number][]} */
    const taken = [];
    const [wide = 0, high = 0] = NAME_PX;
    for (const spot of wanted.sort((a, b) => first(a) - first(b))) {
      if (this.named >= most) break;
      const [x = 0, y = 0] = view.toCanvas(spot.x, spot.y);
      if (x < 0 || y < 0 || x > view.width || y > view.height) continue;
      const covers = (/** @type {[number, number]} */ [tx, ty]) =>
        Math.abs(tx - x) < 2 * wide && Math.abs(ty - y) < high;
      if (taken.some(covers)) continue;
      taken.push([x, y]);
      const above = y - 8 - Math.max(LEAST_PX, (spot.radius_m || 0) * view.scale);
      pen.strokeText(spot.name, x, above);
      pen.fillText(spot.name, x, above);
      this.named++;
    }
    pen.textAlign = "left";
  }

  /**
   * @param {Spot} spot
   * @param {boolean} warnings
   */
  #isNamed(spot, warnings) {
    if (spot.name === this.marked || this.names === "all") return true;
    if (this.names === "none") return false;
    const colour = colourOf(spot.status);
    return this.selected.has(spot.name) || colour === "bad" || (warnings && colour === "warn");
  }

  fit() {
    const { view } = this;
    if (view.width < 2) return;
    this.#touched = false;
    this.#fitted = this.grid !== null || this.spots.length > 0;
    const [left, bottom, right, top] = this.#extent();
    const [above = 0, below = 0, beside = 0] = MARGINS_PX;
    view.scale = clamp(
      Math.min(
        (view.width - 2 * beside) / (right - left),
        (view.height - above - below) / (top - bottom),
      ),
    );
    view.x = (left + right) / 2;
    view.y = (bottom + top) / 2 + view.px((above - below) / 2);
    this.#groundDrawn = false;
  }

  /** @returns {[number, number, number, number]} */
  #extent() {
    if (this.grid) return extentOf(this.grid);
    let [left, bottom, right, top] = [-3, -3, 3, 3];
    for (const { x, y } of this.spots) {
      [left, bottom] = [Math.min(left, x - 1), Math.min(bottom, y - 1)];
      [right, top] = [Math.max(right, x + 1), Math.max(top, y + 1)];
    }
    return [left, bottom, right, top];
  }

  /** Fit again with the next picture: the robots are others. */
  refit() {
    this.#fitted = false;
  }

  /** Bring a robot into view, if it is not. @param {string} name */
  reveal(name) {
    const spot = this.spots.find((one) => one.name === name);
    if (!spot) return;
    const [x = 0, y = 0] = this.view.toCanvas(spot.x, spot.y);
    if (x > 0 && y > 0 && x < this.view.width && y < this.view.height) return;
    [this.view.x, this.view.y] = [spot.x, spot.y];
    this.#groundDrawn = false;
    this.onview();
  }

  /** @param {number} factor */
  zoom(factor) {
    this.#zoomAt(factor, this.view.width / 2, this.view.height / 2);
  }

  /**
   * @param {number} factor
   * @param {number} px
   * @param {number} py
   */
  #zoomAt(factor, px, py) {
    const { view } = this;
    const [x = 0, y = 0] = view.toWorld(px, py);
    this.#touched = true;
    view.scale = clamp(view.scale * factor);
    const [nx = 0, ny = 0] = view.toWorld(px, py);
    view.x += x - nx;
    view.y += y - ny;
    this.#groundDrawn = false;
    this.onview();
  }

  #resize() {
    const { view } = this;
    const box = this.host.getBoundingClientRect();
    view.ratio = Math.min(devicePixelRatio || 1, 2);
    view.width = Math.max(1, box.width);
    view.height = Math.max(1, box.height);
    for (const canvas of [this.ground, this.canvas]) {
      canvas.width = Math.round(view.width * view.ratio);
      canvas.height = Math.round(view.height * view.ratio);
    }
    this.#fitted = this.#touched; // else fit it into the new size
    this.#groundDrawn = false;
    this.onview();
  }

  #listen() {
    const { canvas } = this;
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.#zoomAt(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
      },
      { passive: false },
    );
    canvas.addEventListener("dblclick", () => {
      this.fit();
      this.onview();
    });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      this.#moved = 0;
      if (event.shiftKey)
        this.#box = [event.offsetX, event.offsetY, event.offsetX, event.offsetY];
    });
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerleave", () => this.onmark(""));
    canvas.addEventListener("pointerup", (event) => this.#release(event));
    canvas.addEventListener("pointercancel", (event) => {
      this.#pointers.delete(event.pointerId);
      this.#box = null;
    });
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const before = this.#pointers.get(event.pointerId);
    if (!before) {
      this.onmark(this.#at(event.offsetX, event.offsetY)?.name ?? "");
      return;
    }
    const [dx, dy] = [event.offsetX - before[0], event.offsetY - before[1]];
    this.#moved += Math.abs(dx) + Math.abs(dy);
    this.#pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (this.#box) [this.#box[2], this.#box[3]] = [event.offsetX, event.offsetY];
    else if (other) {
      const apart = Math.hypot(before[0] - other[0], before[1] - other[1]) || 1;
      const now = Math.hypot(event.offsetX - other[0], event.offsetY - other[1]) || 1;
      this.#zoomAt(now / apart, other[0], other[1]);
    } else {
      this.#touched = true;
      this.view.x -= dx / this.view.scale;
      this.view.y += dy / this.view.scale;
      this.#groundDrawn = false;
    }
    this.onview();
  }

  /** @param {PointerEvent} event */
  #release(event) {
    if (!this.#pointers.delete(event.pointerId)) return;
    const add = event.ctrlKey || event.metaKey;
    const box = this.#box;
    this.#box = null;
    if (this.#moved < CLICK_PX) {
      const found = this.#at(event.offsetX, event.offsetY);
      this.onselect(found ? [found.name] : [], add || event.shiftKey);
    } else if (box) {
      const [x = 0, y = 0, tx = 0, ty = 0] = box;
      const [left, right] = [Math.min(x, tx), Math.max(x, tx)];
      const [high, low] = [Math.min(y, ty), Math.max(y, ty)];
      const inside = this.spots.filter((spot) => {
        const [sx = 0, sy = 0] = this.view.toCanvas(spot.x, spot.y);
        return !spot.faint && sx >= left && sx <= right && sy >= high && sy <= low;
      });
      this.onselect(inside.map(({ name }) => name), add);
    }
    this.onview();
  }

  /**
   * Return the nearest robot at a pixel.
   * @param {number} px
   * @param {number} py
   */
  #at(px, py) {
    /** @type {Spot|undefined} */
    let best;
    let nearest = Infinity;
    for (const spot of this.spots) {
      const [x = 0, y = 0] = this.view.toCanvas(spot.x, spot.y);
      const away = Math.hypot(x - px, y - py);
      const reach = Math.max((spot.radius_m || 0) * this.view.scale, PICK_PX);
      if (away < reach && away < nearest) [best, nearest] = [spot, away];
    }
    return best;
  }
}

/** @param {string} colour */
const rank = (colour) =>
  ["faint accent", "faint warn", "faint bad", "accent", "warn", "bad"].indexOf(colour);

/** @param {number} scale */
const clamp = (scale) => Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale));
