// The map from above, on a canvas: pan by dragging, zoom with the wheel or two fingers, all of it by double click.
import { drawMap, drawScale, extentOf, paintGrid } from "./flat_map.js";
import { drawPart, drawThing } from "./flat_parts.js";
/** @typedef {import("./types.js").Picture} Picture */

const CLOSEST = 4000; // pixels a metre
const FARTHEST = 2;
const CROWD = 20; // of more robots not every name is written
const ROOM = 1.4; // of a view that was left, so that it is not left again soon
const EDGE_M = 0.8;
const MARGINS_PX = [70, 64, 150]; // above, below and beside, for what lies over the map

/** Where the world is on the canvas. */
export class Frame {
  scale = 60; // pixels a metre
  x = 0; // the world's place in the middle
  y = 0;
  width = 1;
  height = 1;
  ratio = 1;

  /** World units from here on, so that y points up. @param {CanvasRenderingContext2D} pen */
  enter(pen) {
    const s = this.scale * this.ratio;
    pen.setTransform(s, 0, 0, -s, (this.width / 2) * this.ratio - this.x * s, (this.height / 2) * this.ratio + this.y * s);
  }

  /** @param {CanvasRenderingContext2D} pen */
  leave(pen) {
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
  }

  /** @param {number} px @param {number} py */
  toWorld(px, py) {
    return [this.x + (px - this.width / 2) / this.scale, this.y - (py - this.height / 2) / this.scale];
  }

  /** @param {number} x @param {number} y */
  toCanvas(x, y) {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  /** So many pixels in metres. @param {number} pixels */
  px(pixels) {
    return pixels / this.scale;
  }
}

/** A `Surface` (types.js). */
export class FlatSurface {
  frame = new Frame();
  onview = () => {};
  /** Told the name of a robot that was clicked. @type {(robot: string) => void} */
  onpick = () => {};
  /** @type {[number, number]|null} */
  cursor = null;
  /** @type {import("./types.js").Part[]} */
  #parts = [];
  /** @type {import("./types.js").Grid|null} */
  grid = null;
  /** @type {HTMLCanvasElement|null} */
  #map = null;
  /** @type {import("./types.js").Paints|null} */
  #paints = null;
  /** @type {Picture|null} */
  picture = null;
  #follow = false;
  #fitted = false;
  /** What the view was fitted to, and the view that this gave; who has moved it since wants it so. */
  #fit = { extent: [0, 0, 0, 0], x: 0, y: 0, scale: 0 };
  /** @type {Map<number, [number, number]>} */
  #fingers = new Map();
  #moved = 0;

  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "Map. Drag to move, wheel to zoom, double click to see all.");
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

  /** @param {import("./types.js").Grid|null} grid */
  setGrid(grid) {
    this.grid = grid;
    this.#map = grid && this.#paints ? paintGrid(grid, this.#paints) : null;
    this.#fitted = false;
  }

  /** @param {import("./types.js").Part[]} parts */
  setParts(parts) {
    this.#parts = parts;
    if (!this.grid) this.#fitted = false;
  }

  /** @param {import("./types.js").Paints} paints */
  setPaints(paints) {
    this.#paints = paints;
    this.#map = this.grid ? paintGrid(this.grid, paints) : null;
  }

  /** @param {Picture} picture */
  draw(picture) {
    this.picture = picture;
    const { pen, frame } = this;
    const paints = this.#paints;
    if (!paints) return;
    if (!this.#fitted) this.fit();
    else if (this.#outgrown()) this.#fitTo(this.#extent(), ROOM);
    if (this.#follow) this.#centre(picture);
    frame.leave(pen);
    pen.fillStyle = paints.outside;
    pen.fillRect(0, 0, frame.width, frame.height);
    frame.enter(pen);
    drawMap(pen, frame, this.grid, this.#map, paints);
    const named = picture.obstacles.filter((thing) => !thing.faint).length <= CROWD;
    for (const thing of picture.obstacles) drawThing(pen, frame, thing, paints, named);
    for (const part of this.#parts) {
      if (!picture.hidden.has(part.name)) drawPart(pen, frame, part, picture, paints);
    }
    frame.leave(pen);
    drawScale(pen, frame, paints, this.cursor);
  }

  /** @param {Picture} picture */
  #centre(picture) {
    const name = this.#parts.find((part) => part.name === "body" || part.kind === "Links")?.name
      ?? this.#parts.find((part) => part.kind === "Disc" || part.kind === "Polygon")?.name;
    const rows = name ? picture.rows.get(name) : undefined;
    if (rows && rows.length >= 2) [this.frame.x, this.frame.y] = [rows[0] ?? 0, rows[1] ?? 0];
  }

  fit() {
    this.#fitTo(this.#extent());
  }

  /** @param {[number, number, number, number]} extent @param {number} [room]  how much larger than that */
  #fitTo([left, bottom, right, top], room = 1) {
    const { frame } = this;
    if (frame.width < 2) return;
    this.#fitted = true;
    const [above, below, beside] = MARGINS_PX;
    frame.scale = clamp(Math.min((frame.width - beside) / (right - left), (frame.height - above - below) / (top - bottom)) / room);
    frame.x = (left + right) / 2;
    frame.y = (bottom + top) / 2 + frame.px((above - below) / 2);
    const [wide, high] = [((room - 1) * (right - left)) / 2, ((room - 1) * (top - bottom)) / 2];
    this.#fit = { extent: [left - wide, bottom - high, right + wide, top + high], x: frame.x, y: frame.y, scale: frame.scale };
  }

  /** Whether what is to be seen of an open plane has left the view, and nobody has chosen another. */
  #outgrown() {
    const { frame } = this;
    const { extent, x, y, scale } = this.#fit;
    if (this.grid || this.#follow || frame.x !== x || frame.y !== y || frame.scale !== scale) return false;
    const [left, bottom, right, top] = this.#extent();
    const [l = 0, b = 0, r = 0, t = 0] = extent;
    return left < l - EDGE_M || bottom < b - EDGE_M || right > r + EDGE_M || top > t + EDGE_M;
  }

  /** @returns {[number, number, number, number]} */
  #extent() {
    const grid = this.grid;
    if (!grid) {
      const spots = (this.picture?.obstacles ?? []).map((thing) => thing.pose);
      const lone = this.#parts.filter((part) => part.kind === "Disc" || part.kind === "Polygon").map((part) => this.picture?.rows.get(part.name));
      const ways = this.#parts.filter((part) => part.kind === "Path" && part.colour !== "plain").map((part) => this.picture?.rows.get(part.name) ?? []);
      const rows = [...lone.flatMap((row) => (row?.length === 4 ? [[row[0] ?? 0, row[1] ?? 0]] : [])), ...ways.flatMap(pairs)];
      const xs = [...spots, ...rows].map((spot) => spot[0] ?? 0);
      const ys = [...spots, ...rows].map((spot) => spot[1] ?? 0);
      const [least, air] = this.#parts.some((part) => part.kind === "Links") ? [1.2, 0.3] : [3, 1]; // an arm stays where it is
      return [Math.min(-least, ...xs) - air, Math.min(-least, ...ys) - air, Math.max(least, ...xs) + air, Math.max(least, ...ys) + air];
    }
    return extentOf(grid);
  }

  /** @param {number} factor */
  zoom(factor) {
    this.#zoomAt(factor, this.frame.width / 2, this.frame.height / 2);
  }

  /** @param {number} factor @param {number} px @param {number} py */
  #zoomAt(factor, px, py) {
    const { frame } = this;
    const [x = 0, y = 0] = frame.toWorld(px, py);
    frame.scale = clamp(frame.scale * factor);
    const [nx = 0, ny = 0] = frame.toWorld(px, py);
    frame.x += x - nx;
    frame.y += y - ny;
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
    const { frame, canvas } = this;
    const box = this.host.getBoundingClientRect();
    frame.ratio = Math.min(devicePixelRatio || 1, 2);
    frame.width = Math.max(1, box.width);
    frame.height = Math.max(1, box.height);
    canvas.width = Math.round(frame.width * frame.ratio);
    canvas.height = Math.round(frame.height * frame.ratio);
    this.onview();
  }

  #listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.#zoomAt(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("dblclick", () => {
      this.fit();
      this.onview();
    });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
      this.#moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    canvas.addEventListener("pointerleave", () => {
      this.cursor = null;
      this.onview();
    });
    const release = (/** @type {PointerEvent} */ event) => {
      if (this.#fingers.delete(event.pointerId) && event.type === "pointerup" && this.#moved < 4) this.#pick(event.offsetX, event.offsetY);
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const [x = 0, y = 0] = this.frame.toWorld(event.offsetX, event.offsetY);
    this.cursor = [x, y];
    const before = this.#fingers.get(event.pointerId);
    if (before) {
      const [dx, dy] = [event.offsetX - before[0], event.offsetY - before[1]];
      this.#moved += Math.abs(dx) + Math.abs(dy);
      const other = [...this.#fingers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const apart = Math.hypot(before[0] - other[0], before[1] - other[1]) || 1;
        const now = Math.hypot(event.offsetX - other[0], event.offsetY - other[1]) || 1;
        this.#zoomAt(now / apart, other[0], other[1]);
      } else {
        this.frame.x -= dx / this.frame.scale;
        this.frame.y += dy / this.frame.scale;
      }
      this.#fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    }
    this.onview();
  }

  /** @param {number} px @param {number} py */
  #pick(px, py) {
    const [x = 0, y = 0] = this.frame.toWorld(px, py);
    const reach = this.frame.px(14);
    const hit = (this.picture?.obstacles ?? []).find((thing) =>
      thing.robot && Math.hypot(thing.pose[0] - x, thing.pose[1] - y) < Math.max(thing.radius_m, reach));
    if (hit) this.onpick(hit.name);
  }
}

/** The points of a way. @param {ArrayLike<number>} row */
function pairs(row) {
  const found = Array.from({ length: row.length / 2 }, (_, at) => [row[2 * at] ?? NaN, row[2 * at + 1] ?? NaN]);
  return found.filter(([x]) => Number.isFinite(x));
}

/** @param {number} scale */
function clamp(scale) {
  return Math.min(CLOSEST, Math.max(FARTHEST, scale));
}
