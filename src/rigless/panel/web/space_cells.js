// A grid map's cells as few flat pieces: rectangles that cover them, borders around them, and the shade they throw on the floor.
// Plain arithmetic over arrays, all in cells; nothing of three.js is known here.

/** @typedef {{width: number, height: number, filled: Uint8Array}} Mask  1 where something is; row 0 is the bottom one */

/**
 * @param {{width: number, height: number, cells: Uint8Array}} grid
 * @param {(cell: number) => boolean} wanted
 * @returns {Mask}
 */
export function mask(grid, wanted) {
  const answer = Uint8Array.from({ length: 256 }, (_, cell) => Number(wanted(cell)));
  const filled = new Uint8Array(grid.width * grid.height);
  for (let at = 0; at < filled.length; at++) filled[at] = answer[grid.cells[at]];
  return { width: grid.width, height: grid.height, filled };
}

/** A list of numbers that grows without making an array of objects. */
class Numbers {
  values = new Int32Array(4096);
  length = 0;

  /**
   * @param {number} a
   * @param {number} b
   * @param {number} c
   * @param {number} d
   */
  push(a, b, c, d) {
    if (this.length + 4 > this.values.length) {
      const more = new Int32Array(this.values.length * 2);
      more.set(this.values);
      this.values = more;
    }
    this.values[this.length++] = a;
    this.values[this.length++] = b;
    this.values[this.length++] = c;
    this.values[this.length++] = d;
  }

  done() {
    return this.values.subarray(0, this.length);
  }
}

/**
 * Rectangles that cover the filled cells once: runs along a row, joined with the same run of the row below.
 * @param {Mask} mask
 * @returns {Int32Array} x0, y0, x1, y1 of each, the upper ends not included
 */
export function rectangles({ width, height, filled }) {
  const found = new Numbers();
  const joinable = new Int32Array(width).fill(-1); // by a run's first column: where its rectangle is in `found`
  for (let y = 0; y < height; y++) {
    const row = y * width;
    for (let x = 0; x < width; x++) {
      if (!filled[row + x]) continue;
      const start = x;
      while (x < width && filled[row + x]) x++;
      const below = joinable[start];
      if (below >= 0 && found.values[below + 3] === y && found.values[below + 2] === x) {
        found.values[below + 3] = y + 1;
      } else {
        joinable[start] = found.length;
        found.push(start, y, x, y + 1);
      }
    }
  }
  return found.done();
}

/**
 * The lines between filled and other cells, as long as they are straight; the filled side is on the left of each.
 * @param {Mask} mask
 * @returns {Int32Array} x0, y0, x1, y1 of each
 */
export function borders({ width, height, filled }) {
  const found = new Numbers();
  for (let y = 0; y < height; y++) {
    const row = y * width;
    borderRuns(width, (x) => filled[row + x] && !(y > 0 && filled[row + x - width]), (from, to) => found.push(from, y, to, y));
    borderRuns(width, (x) => filled[row + x] && !(y + 1 < height && filled[row + x + width]), (from, to) => found.push(to, y + 1, from, y + 1));
  }
  for (let x = 0; x < width; x++) {
    borderRuns(height, (y) => filled[y * width + x] && !(x > 0 && filled[y * width + x - 1]), (from, to) => found.push(x, to, x, from));
    borderRuns(height, (y) => filled[y * width + x] && !(x + 1 < width && filled[y * width + x + 1]), (from, to) => found.push(x + 1, from, x + 1, to));
  }
  return found.done();
}

/**
 * @param {number} length
 * @param {(at: number) => unknown} isBorder
 * @param {(from: number, to: number) => void} found
 */
function borderRuns(length, isBorder, found) {
  for (let at = 0; at < length; at++) {
    if (!isBorder(at)) continue;
    const from = at;
    while (at < length && isBorder(at)) at++;
    found(from, at);
  }
}

/**
 * How dark the floor is beside what stands on it, 0 to 1 a cell: a shadow that falls `fallX`, `fallY` cells far, and the dimness of corners.
 * @param {Mask} mask
 * @param {number} fallX
 * @param {number} fallY
 * @param {number} softness  cells over which both fade
 * @returns {Float32Array}
 */
export function shade(mask, fallX, fallY, softness) {
  const { width, height } = mask;
  const dark = new Float32Array(width * height);
  const steps = Math.max(1, Math.min(24, Math.ceil(Math.max(Math.abs(fallX), Math.abs(fallY)))));
  for (let step = 0; step <= steps; step++) {
    castShifted(mask, dark, Math.round((fallX * step) / steps), Math.round((fallY * step) / steps));
  }
  const other = new Float32Array(dark.length);
  for (let pass = 0; pass < 2; pass++) {
    blurRows(dark, other, width, height, softness);
    blurColumns(other, dark, width, height, softness);
  }
  return dark;
}

/**
 * @param {Mask} mask
 * @param {Float32Array} dark
 * @param {number} dx
 * @param {number} dy
 */
function castShifted({ width, height, filled }, dark, dx, dy) {
  const firstX = Math.max(0, dx);
  const lastX = Math.min(width, width + dx);
  for (let y = Math.max(0, dy); y < Math.min(height, height + dy); y++) {
    const to = y * width;
    const from = (y - dy) * width - dx;
    for (let x = firstX; x < lastX; x++) if (filled[from + x]) dark[to + x] = 1;
  }
}

/**
 * @param {Float32Array} from
 * @param {Float32Array} to
 * @param {number} width
 * @param {number} height
 * @param {number} reach
 */
function blurRows(from, to, width, height, reach) {
  const share = 1 / (2 * reach + 1);
  for (let y = 0; y < height; y++) {
    const row = y * width;
    const last = row + width - 1;
    let sum = 0;
    for (let at = -reach; at <= reach; at++) sum += from[Math.min(last, Math.max(row, row + at))];
    for (let at = row; at <= last; at++) {
      to[at] = sum * share;
      sum += from[Math.min(last, at + reach + 1)] - from[Math.max(row, at - reach)];
    }
  }
}

/**
 * Row by row with one sum a column, because walking down columns misses the cache.
 * @param {Float32Array} from
 * @param {Float32Array} to
 * @param {number} width
 * @param {number} height
 * @param {number} reach
 */
function blurColumns(from, to, width, height, reach) {
  const share = 1 / (2 * reach + 1);
  const sums = new Float32Array(width);
  const rowAt = (/** @type {number} */ y) => Math.min(height - 1, Math.max(0, y)) * width;
  for (let y = -reach; y <= reach; y++) addRow(sums, from, rowAt(y), 1);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) to[y * width + x] = sums[x] * share;
    addRow(sums, from, rowAt(y + reach + 1), 1);
    addRow(sums, from, rowAt(y - reach), -1);
  }
}

/**
 * @param {Float32Array} sums
 * @param {Float32Array} from
 * @param {number} start
 * @param {number} sign
 */
function addRow(sums, from, start, sign) {
  for (let x = 0; x < sums.length; x++) sums[x] = sums[x] + sign * from[start + x];
}
