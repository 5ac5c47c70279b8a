// The 2-D map on a canvas. Drag to pan, use the wheel or two fingers to zoom, double-click to fit.
import { drawMap, drawScaleBar, extentOf, paintCells } from "./ground.js";
import { drawPart, drawObjects } from "./parts.js";
/** @typedef {import("../core/types.js").Picture} Picture */

const MAX_SCALE = 4000; // pixels per metre
const MIN_SCALE = 2;
const MAX_NAMES = 20; // with more robots than this, only abnormal ones show their name
// factor of the extent when the view grows, so that it need not grow again soon
const REFIT_MARGIN = 1.4;
const OUTSIDE_M = 0.8;
const MARGINS_PX = [70, 64, 150]; // above, below and at the sides, for controls over the map

/** The transform between world and canvas. */
export class ViewTransform {
  scale = 60; // pixels per metre
  x = 0; // the world coordinates of the middle
  y = 0;
  width = 1;
  height = 1;
  ratio = 1;

  /** Draw in world units from here on, with y up. @param {CanvasRenderingContext2D} pen */
  useWorldUnits(pen) {
    const s = this.scale * this.ratio;
    pen.setTransform(
      s,
      0,
      0,
      -s,
      (this.width / 2) * this.ratio - this.x * s,
      (this.height / 2) * this.ratio + this.y * s,
    );
  }

  /** @param {CanvasRenderingContext2D} pen */
  usePixels(pen) {
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
  }

  /**
   * @param {number} px
   * @param {number} py
   */
  toWorld(px, py) {
    return [
      this.x + (px - this.width / 2) / this.scale,
      this.y - (py - this.height / 2) / this.scale,
    ];
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  toCanvas(x, y) {
    return [
      this.width / 2 + (x - this.x) * this.scale,
      this.height / 2 - (y - this.y) * this.scale,
    ];
  }

  /** Return a length in pixels as metres. @param {number} pixels */
  px(pixels) {
    return pixels / this.scale;
  }
}

/** The 2-D map, a `Surface` (types.js). */
export class MapView {
  view = new ViewTransform();
  onview = () => {};
  /** Called with the name of a robot that was clicked. @type {(robot: string) => void} */
  onpick = () => {};
  /** @type {[number, number]|null} */
  cursor = null;
  /**
   * What presses and drags do instead of moving the map.
   * @type {import("./map_tool.js").MapTool|null}
   */
  tool = null;
  /** Draws over the map. @type {import("./map_tool.js").Overdraw} */
  overdraw = () => {};
  #toolPointer = -1;
  /** @type {import("../core/types.js").Part[]} */
  #parts = [];
  /** @type {import("../core/types.js").Grid|null} */
  grid = null;
  /** @type {HTMLCanvasElement|null} */
  #map = null;
  /** @type {import("../core/types.js").Colours|null} */
  #paints = null;
  /** @type {Picture|null} */
  picture = null;
  #follow = false;
  #fitted = false;
  /** The extent that was fitted and the resulting view, to notice that the user has moved it. */
  #fit = { extent: [0, 0, 0, 0], x: 0, y: 0, scale: 0 };
  /** @type {Map<number, [number, number]>} */
  #pointers = new Map();
  #moved = 0;

  #margins;

  /**
   * @param {HTMLElement} host
   * @param {number[]} margins above, below and at the sides when the view is fitted
   */
  constructor(host, margins = MARGINS_PX) {
    this.host = host;
    this.#margins = margins;
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute(
      "aria-label",
      "Map. Drag to pan, use the wheel to zoom, double-click to fit.",
    );
    host.append(this.canvas);
    const pen = this.canvas.getContext("2d");
    if (!pen) throw new Error("this browser cannot draw on a canvas");
    this.pen = pen;
    this.#observer = new ResizeObserver(() => this.#resize());
    this.#observer.observe(host);
    this.#resize();
    this.#listen();
  }

  #observer;

  /** @param {import("../core/types.js").Grid|null} grid */
  setGrid(grid) {
    this.grid = grid;
    this.#map = grid && this.#paints ? paintCells(grid, this.#paints) : null;
    this.#fitted = false;
  }

  /** @param {import("../core/types.js").Part[]} parts */
  setParts(parts) {
    this.#parts = parts;
    if (!this.grid) this.#fitted = false;
  }

  /** @param {import("../core/types.js").Colours} paints */
  setPaints(paints) {
    this.#paints = paints;
    this.#map = this.grid ? paintCells(this.grid, paints) : null;
  }

  /** @param {Picture} picture */
  draw(picture) {
    this.picture = picture;
    const { pen, view } = this;
    const paints = this.#paints;
    if (!paints) return;
    if (!this.#fitted) this.fit();
    else if (this.#hasOutgrownView()) this.#fitTo(this.#extent(), REFIT_MARGIN);
    if (this.#follow) this.#centre(picture);
    view.usePixels(pen);
    pen.fillStyle = paints.outside;
    pen.fillRect(0, 0, view.width, view.height);
    view.useWorldUnits(pen);
    drawMap(pen, view, this.grid, this.#map, paints);
    const named = picture.obstacles.filter((object) => !object.faint).length <= MAX_NAMES;
    drawObjects(pen, view, picture.obstacles, paints, named);
    for (const part of this.#parts) {
      if (!picture.hidden.has(part.name)) drawPart(pen, view, part, picture, paints);
    }
    this.overdraw(pen, view, paints);
    view.usePixels(pen);
    drawScaleBar(pen, view, paints, this.cursor);
  }

  /** @param {Picture} picture */
  #centre(picture) {
    const name =
      this.#parts.find((part) => part.name === "body" || part.kind === "Links")?.name ??
      this.#parts.find((part) => part.kind === "Disc" || part.kind === "Polygon")?.name;
    const rows = name ? picture.rows.get(name) : undefined;
    if (rows && rows.length >= 2) [this.view.x, this.view.y] = [rows[0] ?? 0, rows[1] ?? 0];
  }

  fit() {
    this.#fitTo(this.#extent());
  }

  /**
   * @param {[number, number, number, number]} extent
   * @param {number} [room] how much larger than that
   */
  #fitTo([left, bottom, right, top], room = 1) {
    const { view } = this;
    if (view.width < 2) return;
    this.#fitted = true;
    const [above = 0, below = 0, beside = 0] = this.#margins;
    view.scale = clamp(
      Math.min(
        (view.width - beside) / (right - left),
        (view.height - above - below) / (top - bottom),
      ) / room,
    );
    view.x = (left + right) / 2;
    view.y = (bottom + top) / 2 + view.px((above - below) / 2);
    const [wide, high] = [((room - 1) * (right - left)) / 2, ((room - 1) * (top - bottom)) / 2];
    this.#fit = {
      extent: [left - wide, bottom - high, right + wide, top + high],
      x: view.x,
      y: view.y,
      scale: view.scale,
    };
  }

  /**
   * Show the same part of the map as another view of the same size, which is fitted as that one is.
   * @param {MapView} other
   */
  alignWith(other) {
    if (!other.#fitted || other.#isUntouched()) this.#fitted = false;
    else Object.assign(this.view, { x: other.view.x, y: other.view.y, scale: other.view.scale });
  }

  /** True if, on an open plane, something has left the view and the user has not moved it. */
  #hasOutgrownView() {
    if (this.grid || !this.#isUntouched()) return false;
    const { extent } = this.#fit;
    const [left, bottom, right, top] = this.#extent();
    const [l = 0, b = 0, r = 0, t = 0] = extent;
    return (
      left < l - OUTSIDE_M || bottom < b - OUTSIDE_M || right > r + OUTSIDE_M || top > t + OUTSIDE_M
    );
  }

  /** True if the user has not moved the view since it was fitted. */
  #isUntouched() {
    const { view } = this;
    const { x, y, scale } = this.#fit;
    return !this.#follow && view.x === x && view.y === y && view.scale === scale;
  }

  /** @returns {[number, number, number, number]} */
  #extent() {
    const grid = this.grid;
    if (!grid) {
      const spots = (this.picture?.obstacles ?? []).map((object) => object.pose);
      const lone = this.#parts
        .filter((part) => part.kind === "Disc" || part.kind === "Polygon")
        .map((part) => this.picture?.rows.get(part.name));
      const ways = this.#parts
        .filter((part) => part.kind === "Path" && part.colour !== "plain")
        .map((part) => this.picture?.rows.get(part.name) ?? []);
      const rows = [
        ...lone.flatMap((row) => (row?.length === 4 ? [[row[0] ?? 0, row[1] ?? 0]] : [])),
        ...ways.flatMap(pathPoints),
      ];
      const xs = [...spots, ...rows].map((spot) => spot[0] ?? 0);
      const ys = [...spots, ...rows].map((spot) => spot[1] ?? 0);
      // an arm does not move away
      const [least, air] = this.#parts.some((part) => part.kind === "Links") ? [1.2, 0.3] : [3, 1];
      return [
        Math.min(-least, ...xs) - air,
        Math.min(-least, ...ys) - air,
        Math.max(least, ...xs) + air,
        Math.max(least, ...ys) + air,
      ];
    }
    return extentOf(grid);
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
    view.scale = clamp(view.scale * factor);
    const [nx = 0, ny = 0] = view.toWorld(px, py);
    view.x += x - nx;
    view.y += y - ny;
    this.onview();
  }

  /** @param {boolean} on */
  follow(on) {
    this.#follow = on;
    this.onview();
  }

  dispose() {
    this.#observer.disconnect();
    this.canvas.remove();
  }

  #resize() {
    const { view, canvas } = this;
    if (this.#isUntouched()) this.#fitted = false; // fit it into the new size
    const box = this.host.getBoundingClientRect();
    view.ratio = Math.min(devicePixelRatio || 1, 2);
    view.width = Math.max(1, box.width);
    view.height = Math.max(1, box.height);
    canvas.width = Math.round(view.width * view.ratio);
    canvas.height = Math.round(view.height * view.ratio);
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
      if (this.tool) return;
      this.fit();
      this.onview();
    });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      this.#moved = 0;
      this.#pressTool(event);
    });
    canvas.addEventListener("keydown", (event) => {
      if (!this.tool?.key(event, this.view)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerleave", () => {
      this.cursor = null;
      this.tool?.hover(null);
      this.onview();
    });
    const release = (/** @type {PointerEvent} */ event) => {
      if (this.#releaseTool(event)) return;
      if (this.#pointers.delete(event.pointerId) && event.type === "pointerup" && this.#moved < 4)
        this.#pick(event.offsetX, event.offsetY);
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
  }

  /**
   * Begin a gesture of the tool with the first pointer. A second one ends it: two move the map.
   * @param {PointerEvent} event
   */
  #pressTool(event) {
    if (this.#toolPointer >= 0) this.tool?.cancel();
    const first = this.#pointers.size === 1 && event.button === 0;
    this.#toolPointer = this.tool && first ? event.pointerId : -1;
    const [x = 0, y = 0] = this.view.toWorld(event.offsetX, event.offsetY);
    if (this.#toolPointer >= 0) this.tool?.press([x, y], this.view.px(1));
  }

  /** @param {PointerEvent} event */
  #releaseTool(event) {
    if (event.pointerId !== this.#toolPointer) return false;
    this.#toolPointer = -1;
    this.#pointers.delete(event.pointerId);
    const [x = 0, y = 0] = this.view.toWorld(event.offsetX, event.offsetY);
    if (event.type === "pointerup") this.tool?.release([x, y], this.view.px(1));
    else this.tool?.cancel();
    return true;
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const [x = 0, y = 0] = this.view.toWorld(event.offsetX, event.offsetY);
    this.cursor = [x, y];
    const before = this.#pointers.get(event.pointerId);
    if (event.pointerId === this.#toolPointer) this.tool?.drag([x, y]);
    else if (!before) this.tool?.hover([x, y]);
    if (before && event.pointerId === this.#toolPointer) {
      this.#pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
      this.onview();
      return;
    }
    if (before) {
      const [dx, dy] = [event.offsetX - before[0], event.offsetY - before[1]];
      this.#moved += Math.abs(dx) + Math.abs(dy);
      const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const apart = Math.hypot(before[0] - other[0], before[1] - other[1]) || 1;
        const now = Math.hypot(event.offsetX - other[0], event.offsetY - other[1]) || 1;
        this.#zoomAt(now / apart, other[0], other[1]);
      } else {
        this.view.x -= dx / this.view.scale;
        this.view.y += dy / this.view.scale;
      }
      this.#pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    }
    this.onview();
  }

  /**
   * @param {number} px
   * @param {number} py
   */
  #pick(px, py) {
    const [x = 0, y = 0] = this.view.toWorld(px, py);
    const reach = this.view.px(14);
    const hit = (this.picture?.obstacles ?? []).find(
      (object) =>
        object.robot &&
        Math.hypot(object.pose[0] - x, object.pose[1] - y) < Math.max(object.radius_m, reach),
    );
    if (hit) this.onpick(hit.name);
  }
}

/** Return the points of a path, without breaks. @param {ArrayLike<number>} row */
function pathPoints(row) {
  const found = Array.from({ length: row.length / 2 }, (_, at) => [
    row[2 * at] ?? NaN,
    row[2 * at + 1] ?? NaN,
  ]);
  return found.filter(([x]) => Number.isFinite(x));
}

/** @param {number} scale */
function clamp(scale) {
  return Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale));
}
