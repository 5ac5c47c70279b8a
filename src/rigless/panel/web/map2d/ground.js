// The ground of the 2-D map: cells or a metre grid, the scale bar and the cursor's position.
import { drawLayout } from "./layout.js";
/** @typedef {import("./map_view.js").ViewTransform} ViewTransform */
/** @typedef {import("../core/types.js").Grid} Grid */
/** @typedef {import("../core/types.js").Colours} Colours */

const OCCUPIED = 1;
const UNKNOWN = 2;
const CLIFF = 4;

/**
 * Return an image of the cells in the theme's colours, row 0 at the bottom.
 * @param {Grid} grid
 * @param {Colours} paints
 */
export function paintCells(grid, paints) {
  const canvas = document.createElement("canvas");
  canvas.width = grid.width;
  canvas.height = grid.height;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (!pen) return canvas;
  const image = pen.createImageData(grid.width, grid.height);
  const words = new Uint32Array(image.data.buffer);
  const [floor, wall, unknown, cliff] = [
    paints.floor,
    paints.wall,
    paints.unknown,
    paints.cliff,
  ].map((paint) => pixelOf(pen, paint));
  for (let row = 0; row < grid.height; row++) {
    const from = row * grid.width;
    const to = (grid.height - 1 - row) * grid.width;
    for (let column = 0; column < grid.width; column++) {
      const cell = grid.cells[from + column] ?? 0;
      words[to + column] =
        (cell & OCCUPIED ? wall : cell & UNKNOWN ? unknown : cell & CLIFF ? cliff : floor) ?? 0;
    }
  }
  pen.putImageData(image, 0, 0);
  return canvas;
}

/**
 * Return left, bottom, right and top of a map, or of a part of it given in cells, in metres.
 * @param {Grid} grid
 * @param {number[]} cells
 * @returns {[number, number, number, number]}
 */
export function extentOf(grid, [left = 0, bottom = 0, right = grid.width, top = grid.height] = []) {
  const [x, y, yaw] = grid.origin;
  const corners = [
    [left, bottom],
    [right, bottom],
    [left, top],
    [right, top],
  ].map(([a = 0, b = 0]) => [
    x + grid.resolution_m * (a * Math.cos(yaw) - b * Math.sin(yaw)),
    y + grid.resolution_m * (a * Math.sin(yaw) + b * Math.cos(yaw)),
  ]);
  const xs = corners.map((corner) => corner[0] ?? 0);
  const ys = corners.map((corner) => corner[1] ?? 0);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

/** Return the bounds of the free cells; empty if there are none. @param {Grid} grid */
export function floorOf(grid) {
  let [left, bottom, right, top] = [grid.width, grid.height, 0, 0];
  for (let row = 0; row < grid.height; row++) {
    for (let column = 0; column < grid.width; column++) {
      if ((grid.cells[row * grid.width + column] ?? 0) & (OCCUPIED | UNKNOWN)) continue;
      [left, bottom, right, top] = [
        Math.min(left, column),
        Math.min(bottom, row),
        Math.max(right, column + 1),
        Math.max(top, row + 1),
      ];
    }
  }
  return right > left ? [left, bottom, right, top] : [];
}

/**
 * Return a CSS colour as the four bytes of a pixel.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} paint
 */
function pixelOf(pen, paint) {
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = paint;
  pen.fillRect(0, 0, 1, 1);
  return new Uint32Array(pen.getImageData(0, 0, 1, 1).data.buffer)[0] ?? 0;
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {ViewTransform} view
 * @param {Grid|null} grid
 * @param {HTMLCanvasElement|null} map
 * @param {Colours} paints
 */
export function drawMap(pen, view, grid, map, paints) {
  if (!grid || !map) {
    drawMetreGrid(pen, view, paints);
    return;
  }
  const [x, y, yaw] = grid.origin;
  const [w, h] = [grid.width * grid.resolution_m, grid.height * grid.resolution_m];
  pen.save();
  pen.translate(x, y);
  pen.rotate(yaw);
  pen.transform(1, 0, 0, -1, 0, h);
  pen.imageSmoothingEnabled = view.scale * view.ratio * grid.resolution_m < 1;
  pen.imageSmoothingQuality = "high";
  pen.drawImage(map, 0, 0, w, h);
  pen.restore();
  if (grid.layout) drawLayout(pen, view, grid.layout, paints);
}

/**
 * Draw grid lines one metre (or ten) apart on an open plane.
 * @param {CanvasRenderingContext2D} pen
 * @param {ViewTransform} view
 * @param {Colours} paints
 */
function drawMetreGrid(pen, view, paints) {
  const step = view.scale > 12 ? 1 : 10;
  const [left = 0, top = 0] = view.toWorld(0, 0);
  const [right = 0, bottom = 0] = view.toWorld(view.width, view.height);
  pen.fillStyle = paints.floor;
  pen.fillRect(left, bottom, right - left, top - bottom);
  pen.beginPath();
  for (let x = Math.ceil(left / step) * step; x <= right; x += step) {
    pen.moveTo(x, bottom);
    pen.lineTo(x, top);
  }
  for (let y = Math.ceil(bottom / step) * step; y <= top; y += step) {
    pen.moveTo(left, y);
    pen.lineTo(right, y);
  }
  pen.lineWidth = view.px(1);
  pen.strokeStyle = paints.grid;
  pen.stroke();
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {ViewTransform} view
 * @param {Colours} paints
 * @param {[number, number]|null} cursor
 */
export function drawScaleBar(pen, view, paints, cursor) {
  const target = 110 / view.scale;
  const power = 10 ** Math.floor(Math.log10(target));
  const length = [5, 2, 1].map((n) => n * power).find((n) => n <= target) ?? power;
  const [left, bottom, wide] = [16, view.height - 16, length * view.scale];
  const text = length >= 1 ? `${length} m` : `${Math.round(length * 100)} cm`;
  const place = cursor ? `x ${cursor[0].toFixed(2)}  y ${cursor[1].toFixed(2)} m` : "";
  pen.font = "12px system-ui, sans-serif";
  const right = place ? left + wide + 64 + pen.measureText(place).width : left + wide + 8;
  pen.fillStyle = paints.outside; // opaque: walls may be below it
  pen.beginPath();
  pen.roundRect(8, bottom - 18, right + (place ? 0 : pen.measureText(text).width), 28, 6);
  pen.fill();
  pen.strokeStyle = paints.text;
  pen.fillStyle = paints.text;
  pen.lineWidth = 2;
  pen.beginPath();
  pen.moveTo(left, bottom - 5);
  pen.lineTo(left, bottom);
  pen.lineTo(left + wide, bottom);
  pen.lineTo(left + wide, bottom - 5);
  pen.stroke();
  pen.textBaseline = "bottom";
  pen.fillText(text, left + wide + 8, bottom + 5);
  if (place) pen.fillText(place, left + wide + 64, bottom + 5);
}
