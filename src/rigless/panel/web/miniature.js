// A small live picture of one world: its map from above with who is on it, an arm in space, or of what has no place its numbers over time.
import { Frame } from "./flat.js";
import { drawMap, extentOf, floorOf, paintGrid } from "./flat_map.js";
import { drawPart, drawThing, paintOf } from "./flat_parts.js";
import { drawSpace } from "./miniature_space.js";
/** @typedef {import("./types.js").Paints} Paints */
/** @typedef {import("./pictures.js").Pictures} Pictures */

const AIR_PX = 14;
const EDGE_PX = 5;
const PLANE_M = 2.6; // how far one sees around a robot on an open plane
const SMALL_PX = 6; // a robot that is smaller than this is marked
const MARK_PX = 9;
const FINE = 0.6;
const SPAN_S = 30;
const PLACED = new Set(["Disc", "Polygon", "Rays", "Points", "Path", "Ellipse", "Trail", "Scene", "Curve", "Cloud"]);

/**
 * @typedef {object} Glance  what a miniature shows
 * @property {Pictures|null} pictures  of the one robot that is there, if it is alone
 * @property {import("./types.js").Obstacle[]} things
 * @property {ReadonlySet<string>} hidden
 */

export class Miniature {
  canvas = document.createElement("canvas");
  /** Undefined until it is known. @type {import("./types.js").Grid|null|undefined} */
  grid = undefined;
  #frame = new Frame();
  #fine = new Frame(); // for lines that are finer than on a large map
  /** @type {HTMLCanvasElement|null} */
  #map = null;
  #mapPaints = "";
  /** @type {[number, number, number, number]|null} */
  #extent = null;
  /** How far an arm has reached, in its picture. @type {number[]} */
  #reached = [];

  /** @param {import("./types.js").Grid|null} grid */
  setGrid(grid) {
    this.grid = grid;
    this.#map = null;
    this.#extent = grid && extentOf(grid, floorOf(grid));
    this.#reached = [];
  }

  /** @param {Glance} glance @param {Paints} paints */
  draw({ pictures, things, hidden }, paints) {
    const { canvas } = this;
    const pen = canvas.getContext("2d");
    const frame = this.#frame;
    frame.ratio = Math.min(devicePixelRatio || 1, 2);
    [frame.width, frame.height] = [canvas.clientWidth, canvas.clientHeight];
    if (!pen || this.grid === undefined || frame.width < 2) return;
    const [width, height] = [Math.round(frame.width * frame.ratio), Math.round(frame.height * frame.ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    frame.leave(pen);
    pen.fillStyle = paints.outside;
    pen.fillRect(0, 0, frame.width, frame.height);
    const parts = (pictures?.page.parts ?? []).filter((part) => !hidden.has(part.name));
    if (pictures && parts.some((part) => part.kind === "Links")) this.#reached = drawSpace(pen, frame, parts, pictures, paints, this.#reached);
    else if (!pictures || things.some(({ name, robot }) => robot && name === pictures.page.robot) || parts.some((part) => PLACED.has(part.kind))) this.#drawFlat(pen, pictures, parts, things, paints);
    else drawNumbers(pen, frame, pictures, paints);
  }

  /** @param {CanvasRenderingContext2D} pen @param {Pictures|null} pictures @param {import("./types.js").Part[]} parts @param {import("./types.js").Obstacle[]} things @param {Paints} paints */
  #drawFlat(pen, pictures, parts, things, paints) {
    const frame = this.#frame;
    const body = parts.find((part) => part.name === "body") ?? parts.find((part) => part.kind === "Disc" || part.kind === "Polygon");
    const [x = 0, y = 0] = (body && pictures?.rows.get(body.name)) ?? things.find((thing) => thing.robot)?.pose ?? [];
    const [left, bottom, right, top] = this.#extent ?? [x - PLANE_M, y - PLANE_M, x + PLANE_M, y + PLANE_M];
    frame.scale = Math.min((frame.width - 2 * AIR_PX) / (right - left), (frame.height - 2 * AIR_PX) / (top - bottom));
    [frame.x, frame.y] = [(left + right) / 2, (bottom + top) / 2];
    this.#fine.scale = frame.scale / FINE;
    pen.save();
    frame.enter(pen);
    const edge = frame.px(EDGE_PX);
    if (this.#extent) {
      pen.beginPath(); // of what lies behind the walls of a room nobody wants to see more than that there is one
      pen.rect(left - edge, bottom - edge, right - left + 2 * edge, top - bottom + 2 * edge);
      pen.clip();
    }
    if (this.grid && (!this.#map || this.#mapPaints !== paints.floor)) [this.#map, this.#mapPaints] = [paintGrid(this.grid, paints), paints.floor];
    drawMap(pen, frame, this.grid ?? null, this.#map, paints);
    const alone = pictures?.page.robot ?? "";
    for (const thing of things) if (thing.name !== alone || !thing.robot) drawThing(pen, frame, thing, paints, true);
    const picture = { time_s: pictures?.time_s ?? 0, rows: pictures?.rows ?? new Map(), trails: pictures?.trails ?? new Map(), obstacles: things, hidden: new Set() };
    for (const part of parts) drawPart(pen, this.#fine, part, picture, paints);
    const lost = things.find((thing) => thing.robot && thing.name === alone && thing.radius_m < frame.px(SMALL_PX));
    if (lost) mark(pen, frame, lost, paints);
    pen.restore();
  }
}

/** Where a robot is that is too small to be seen. @param {CanvasRenderingContext2D} pen @param {Frame} frame @param {import("./types.js").Obstacle} thing @param {Paints} paints */
function mark(pen, frame, thing, paints) {
  const r = frame.px(MARK_PX);
  pen.beginPath();
  pen.arc(thing.pose[0], thing.pose[1], 1.5 * r, 0, 2 * Math.PI);
  pen.fillStyle = paints.accent;
  pen.globalAlpha = 0.22;
  pen.fill();
  pen.globalAlpha = 1;
  drawThing(pen, frame, { ...thing, radius_m: r / 0.85 }, paints, false);
}

/** The first numbers of a page as words, and the first of its plots. @param {CanvasRenderingContext2D} pen @param {Frame} frame @param {Pictures} pictures @param {Paints} paints */
function drawNumbers(pen, frame, pictures, paints) {
  pen.fillStyle = paints.floor;
  pen.fillRect(0, 0, frame.width, frame.height);
  const { parts, measures } = pictures.page;
  const gauges = parts.filter((part) => part.kind === "Gauge").slice(0, 3);
  gauges.forEach((part, n) => {
    const value = pictures.measure(part.name);
    const at = 16 + (n * (frame.width - 24)) / gauges.length;
    const room = (frame.width - 24) / gauges.length - 8;
    pen.textBaseline = "alphabetic";
    pen.fillStyle = paints.plain;
    pen.font = "12px system-ui, sans-serif";
    pen.fillText(part.label, at, 26, room);
    pen.fillStyle = paints.text;
    pen.font = "600 17px system-ui, sans-serif";
    pen.fillText(`${Number.isFinite(value) ? value.toFixed(part.digits ?? 2) : "–"} ${part.unit ?? ""}`, at, 48, room);
  });
  const lines = (parts.find((part) => part.kind === "Plot")?.lines ?? []).map(([name]) => pictures.values[measures.indexOf(name)] ?? []);
  const from = pictures.times.findIndex((time) => time >= pictures.time_s - SPAN_S);
  const shown = lines.flatMap((values) => values.slice(Math.max(0, from))).filter(Number.isFinite);
  if (shown.length < 2) return;
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  const room = Math.max(high - low, 1e-3 * Math.abs(high), 1e-9);
  const [above, below] = [gauges.length ? 72 : 16, frame.height - 16];
  lines.forEach((values, n) => {
    pen.beginPath();
    for (let at = Math.max(0, from); at < values.length; at++) {
      const px = frame.width * (1 - (pictures.time_s - (pictures.times[at] ?? 0)) / SPAN_S);
      pen.lineTo(px, below - ((below - above) * ((values[at] ?? 0) - low)) / room);
    }
    pen.lineWidth = 2;
    pen.lineJoin = "round";
    pen.strokeStyle = pen.fillStyle = paintOf(paints, n ? "ghost" : "accent");
    pen.stroke();
    if (n || from < 0) return;
    pen.lineTo(frame.width, frame.height);
    pen.lineTo(frame.width * (1 - (pictures.time_s - (pictures.times[from] ?? 0)) / SPAN_S), frame.height);
    pen.globalAlpha = 0.12;
    pen.fill();
    pen.globalAlpha = 1;
  });
}
