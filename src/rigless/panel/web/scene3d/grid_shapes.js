// Shapes of the cells of a grid map: rectangles that cover them, their borders, and the shadow on
// the floor. All in cells, without three.js.

/**
 * @typedef {{width: number, height: number, filled: Uint8Array}} Mask 1 where something is; row 0
 *   is the bottom one
 */

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

/** A growing list of integers. */
class IntList {
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
 * Return rectangles that cover the filled cells once: runs in a row, merged with the same run of
 * the row below.
 * @param {Mask} mask
 * @returns {Int32Array} x0, y0, x1, y1 of each, the upper ends not included
 */
export function rectangles({ width, height, filled }) {
  const found = new IntList();
  // first column of a run → index of its rectangle in `found`
  const joinable = new Int32Array(width).fill(-1);
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
 * Return the straight lines between filled and other cells, with the filled side on the left.
 * @param {Mask} mask
 * @returns {Int32Array} x0, y0, x1, y1 of each
 */
export function borders(mask) {
  const found = new IntList();
  bordersAlongRows(mask, found);
  bordersAlongColumns(mask, found);
  return found.done();
}

/**
 * @param {Mask} mask
 * @param {IntList} found
 */
function bordersAlongRows({ width, height, filled }, found) {
  for (let y = 0; y <= height; y++) {
    const [above, below] = [y * width, (y - 1) * width];
    let side = 0; // the side of the filled cell: 1 above, -1 below, 0 both or none
    for (let x = 0, start = 0; x <= width; x++) {
      const here =
        x === width ? 0 : (y < height ? filled[above + x] : 0) - (y > 0 ? filled[below + x] : 0);
      if (here === side) continue;
      if (side > 0) found.push(start, y, x, y);
      else if (side < 0) found.push(x, y, start, y);
      side = here;
      start = x;
    }
  }
}

/**
 * Find vertical borders row by row, because going down columns misses the cache. Open lines are
 * kept by column.
 * @param {Mask} mask
 * @param {IntList} found
 */
function bordersAlongColumns({ width, height, filled }, found) {
  const sides = new Int8Array(width + 1); // 1: the filled cell is right of the line, -1: left
  const starts = new Int32Array(width + 1);
  for (let y = 0; y <= height; y++) {
    const row = y * width;
    for (let x = 0; x <= width; x++) {
      const here =
        y === height ? 0 : (x < width ? filled[row + x] : 0) - (x > 0 ? filled[row + x - 1] : 0);
      const side = sides[x];
      if (here === side) continue;
      if (side > 0) found.push(x, y, x, starts[x]);
      else if (side < 0) found.push(x, starts[x], x, y);
      sides[x] = here;
      starts[x] = y;
    }
  }
}

/**
 * Return the darkness of the floor, 0 to 1 per cell: shadows that reach `fallX`, `fallY` cells, and
 * darker corners.
 * @param {Mask} mask
 * @param {number} fallX
 * @param {number} fallY
 * @param {number} softness cells over which both fade
 * @returns {Float32Array}
 */
export function shade(mask, fallX, fallY, softness) {
  const { width, height } = mask;
  const dark = shadowLengths(mask, fallX, fallY);
  for (let at = 0; at < dark.length; at++) if (dark[at] > 1) dark[at] = 1;
  const other = new Float32Array(dark.length);
  for (let pass = 0; pass < 2; pass++) {
    blurRows(dark, other, width, height, softness);
    blurColumns(other, dark, width, height, softness);
  }
  return dark;
}

/**
 * Return the remaining length of the shadow at each cell, propagated away from the light and
 * interpolated between two neighbours.
 * @param {Mask} mask
 * @param {number} fallX
 * @param {number} fallY
 */
function shadowLengths({ width, height, filled }, fallX, fallY) {
  const left = new Float32Array(width * height);
  const [stepX, stepY] = [fallX < 0 ? -1 : 1, (fallY < 0 ? -1 : 1) * width];
  const length = Math.max(Math.abs(fallX), Math.abs(fallY), 1);
  const slant = Math.min(Math.abs(fallX), Math.abs(fallY)) / length;
  const straight = Math.abs(fallX) >= Math.abs(fallY) ? stepX : stepY;
  const sideways = stepX + stepY;
  // At the end of a row a little leaks into the next one, which only affects the edge of the map.
  for (let row = 0; row < height; row++) {
    let at = (stepY > 0 ? row : height - 1 - row) * width + (stepX > 0 ? 0 : width - 1);
    for (let column = 0; column < width; column++, at += stepX) {
      if (filled[at]) left[at] = length;
      else
        left[at] = Math.max(
          0,
          (left[at - straight] || 0) * (1 - slant) + (left[at - sideways] || 0) * slant - 1,
        );
    }
  }
  return left;
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
 * Blur columns row by row with one sum per column, because going down columns misses the cache.
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
