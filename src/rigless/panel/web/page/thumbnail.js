// A small live picture of one world: its map with robots, an arm in 3-D, or plots of a robot
// without a place.
import { ViewTransform } from "../map2d/map_view.js";
import { drawMap, extentOf, floorOf, paintCells } from "../map2d/ground.js";
import { drawPart, drawObject, drawObjects, colourFor } from "../map2d/parts.js";
import { fixed } from "../cards/widgets.js";
import { drawScene } from "./thumbnail_3d.js";
/** @typedef {import("../core/types.js").Colours} Colours */
/** @typedef {import("../core/frames.js").FrameStore} Pictures */

const AIR_PX = 14;
const EDGE_PX = 5;
const PLANE_M = 2.6; // visible distance around a robot on an open plane
const SMALL_PX = 6; // smaller robots get a mark
const MARK_PX = 9;
const FINE = 0.6;
const SPAN_S = 30;
const PLACED_KINDS = new Set([
  "Disc",
  "Polygon",
  "Rays",
  "Points",
  "Path",
  "Ellipse",
  "Trail",
  "Scene",
  "Curve",
  "Cloud",
]);

/**
 * @typedef {object} ThumbnailContent what a miniature shows
 * @property {Pictures|null} frames of the one robot that is there, if it is alone
 * @property {import("../core/types.js").MapObject[]} objects
 * @property {ReadonlySet<string>} hidden
 */

export class Thumbnail {
  canvas = document.createElement("canvas");
  /** Undefined until it is loaded. @type {import("../core/types.js").Grid|null|undefined} */
  grid = undefined;
  #view = new ViewTransform();
  #fine = new ViewTransform(); // for thinner lines than on the large map
  /** @type {HTMLCanvasElement|null} */
  #map = null;
  #mapPaints = "";
  /** @type {[number, number, number, number]|null} */
  #extent = null;
  /** The bounds of an arm's motion so far, in the image. @type {number[]} */
  #reached = [];

  /** @param {import("../core/types.js").Grid|null} grid */
  setGrid(grid) {
    this.grid = grid;
    this.#map = null;
    this.#extent = grid && extentOf(grid, floorOf(grid));
    this.#reached = [];
  }

  /**
   * @param {ThumbnailContent} glance
   * @param {Colours} paints
   */
  draw({ frames, objects, hidden }, paints) {
    const { canvas } = this;
    const pen = canvas.getContext("2d");
    const view = this.#view;
    view.ratio = Math.min(devicePixelRatio || 1, 2);
    [view.width, view.height] = [canvas.clientWidth, canvas.clientHeight];
    if (!pen || this.grid === undefined || view.width < 2) return;
    const [width, height] = [
      Math.round(view.width * view.ratio),
      Math.round(view.height * view.ratio),
    ];
    if (canvas.width !== width || canvas.height !== height)
      [canvas.width, canvas.height] = [width, height];
    view.usePixels(pen);
    pen.fillStyle = paints.outside;
    pen.fillRect(0, 0, view.width, view.height);
    const parts = (frames?.page.parts ?? []).filter((part) => !hidden.has(part.name));
    if (frames && parts.some((part) => part.kind === "Links"))
      this.#reached = drawScene(pen, view, parts, frames, paints, this.#reached);
    else if (
      !frames ||
      objects.some(({ name, robot }) => robot && name === frames.page.robot) ||
      parts.some((part) => PLACED_KINDS.has(part.kind))
    )
      this.#drawMap(pen, frames, parts, objects, paints);
    else drawNumbers(pen, view, frames, paints);
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Pictures|null} frames
   * @param {import("../core/types.js").Part[]} parts
   * @param {import("../core/types.js").MapObject[]} objects
   * @param {Colours} paints
   */
  #drawMap(pen, frames, parts, objects, paints) {
    const view = this.#view;
    const body =
      parts.find((part) => part.name === "body") ??
      parts.find((part) => part.kind === "Disc" || part.kind === "Polygon");
    const [x = 0, y = 0] =
      (body && frames?.rows.get(body.name)) ?? objects.find((object) => object.robot)?.pose ?? [];
    const [left, bottom, right, top] = this.#extent ?? [
      x - PLANE_M,
      y - PLANE_M,
      x + PLANE_M,
      y + PLANE_M,
    ];
    view.scale = Math.min(
      (view.width - 2 * AIR_PX) / (right - left),
      (view.height - 2 * AIR_PX) / (top - bottom),
    );
    [view.x, view.y] = [(left + right) / 2, (bottom + top) / 2];
    this.#fine.scale = view.scale / FINE;
    pen.save();
    view.useWorldUnits(pen);
    const edge = view.px(EDGE_PX);
    if (this.#extent) {
      pen.beginPath(); // show only a margin of what is behind the walls
      pen.rect(left - edge, bottom - edge, right - left + 2 * edge, top - bottom + 2 * edge);
      pen.clip();
    }
    if (this.grid && (!this.#map || this.#mapPaints !== paints.floor))
      [this.#map, this.#mapPaints] = [paintCells(this.grid, paints), paints.floor];
    drawMap(pen, view, this.grid ?? null, this.#map, paints);
    const alone = frames?.page.robot ?? "";
    const others = objects.filter(({ name, robot }) => name !== alone || !robot);
    drawObjects(pen, view, others, paints, true);
    const picture = {
      time_s: frames?.time_s ?? 0,
      recent_s: (frames?.time_s ?? 0) - SPAN_S,
      rows: frames?.rows ?? new Map(),
      trails: frames?.trails ?? new Map(),
      obstacles: objects,
      hidden: new Set(),
    };
    for (const part of parts) drawPart(pen, this.#fine, part, picture, paints);
    const lost = objects.find(
      (object) => object.robot && object.name === alone && object.radius_m < view.px(SMALL_PX),
    );
    if (lost) markRobot(pen, view, lost, paints);
    pen.restore();
  }
}

/**
 * Mark a robot that is too small to see.
 * @param {CanvasRenderingContext2D} pen
 * @param {ViewTransform} view
 * @param {import("../core/types.js").MapObject} object
 * @param {Colours} paints
 */
function markRobot(pen, view, object, paints) {
  const r = view.px(MARK_PX);
  pen.beginPath();
  pen.arc(object.pose[0], object.pose[1], 1.5 * r, 0, 2 * Math.PI);
  pen.fillStyle = paints.accent;
  pen.globalAlpha = 0.22;
  pen.fill();
  pen.globalAlpha = 1;
  drawObject(pen, view, { ...object, radius_m: r / 0.85 }, paints, false);
}

/**
 * Draw the first readouts of a page and its first plot.
 * @param {CanvasRenderingContext2D} pen
 * @param {ViewTransform} view
 * @param {Pictures} frames
 * @param {Colours} paints
 */
function drawNumbers(pen, view, frames, paints) {
  pen.fillStyle = paints.floor;
  pen.fillRect(0, 0, view.width, view.height);
  const { parts, measures } = frames.page;
  const gauges = parts.filter((part) => part.kind === "Gauge").slice(0, 3);
  gauges.forEach((part, n) => {
    const value = frames.measure(part.name);
    const at = 16 + (n * (view.width - 24)) / gauges.length;
    const room = (view.width - 24) / gauges.length - 8;
    pen.textBaseline = "alphabetic";
    pen.fillStyle = paints.plain;
    pen.font = "12px system-ui, sans-serif";
    pen.fillText(part.label, at, 26, room);
    pen.fillStyle = paints.text;
    pen.font = "600 17px system-ui, sans-serif";
    pen.fillText(
      `${Number.isFinite(value) ? fixed(value, part.digits ?? 2) : "–"} ${part.unit ?? ""}`,
      at,
      48,
      room,
    );
  });
  const lines = (parts.find((part) => part.kind === "Plot")?.lines ?? []).map(
    ([name]) => frames.values[measures.indexOf(name)] ?? [],
  );
  const from = frames.times.findIndex((time) => time >= frames.time_s - SPAN_S);
  const shown = lines.flatMap((values) => values.slice(Math.max(0, from))).filter(Number.isFinite);
  if (shown.length < 2) return;
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  const room = Math.max(high - low, 1e-3 * Math.abs(high), 1e-9);
  const [above, below] = [gauges.length ? 72 : 16, view.height - 16];
  lines.forEach((values, n) => {
    pen.beginPath();
    for (let at = Math.max(0, from); at < values.length; at++) {
      const px = view.width * (1 - (frames.time_s - (frames.times[at] ?? 0)) / SPAN_S);
      pen.lineTo(px, below - ((below - above) * ((values[at] ?? 0) - low)) / room);
    }
    pen.lineWidth = 2;
    pen.lineJoin = "round";
    pen.strokeStyle = pen.fillStyle = colourFor(paints, n ? "ghost" : "accent");
    pen.stroke();
    if (n || from < 0) return;
    pen.lineTo(view.width, view.height);
    pen.lineTo(
      view.width * (1 - (frames.time_s - (frames.times[from] ?? 0)) / SPAN_S),
      view.height,
    );
    pen.globalAlpha = 0.12;
    pen.fill();
    pen.globalAlpha = 1;
  });
}
