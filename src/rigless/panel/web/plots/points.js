// Points of signals: decoded from blocks of the server, joined for a chart, read at a cursor. The
// layout of the bytes is described in history/points.py.

/** Times and values in the order of time; null breaks the line. */
/** @typedef {{times: number[], values: (number|null)[]}} Series */

export const BLOCK = 4; // the kind of a block
const HEADER = 24;

/**
 * @param {ArrayBuffer} data
 * @returns {{number: number, generation: number, end_s: number, series: Map<number, Series>}}
 */
export function decodeBlock(data) {
  const view = new DataView(data);
  const count = view.getUint32(12, true);
  /** @type {Map<number, Series>} */
  const series = new Map();
  let at = HEADER + 8 * count;
  for (let n = 0; n < count; n++) {
    const size = view.getUint32(HEADER + 8 * n + 4, true);
    const times = Array.from(new Float64Array(data, at, size));
    const values = Array.from(new Float64Array(data, at + 8 * size, size), finiteOrNull);
    series.set(view.getUint32(HEADER + 8 * n, true), { times, values });
    at += 16 * size;
  }
  return {
    number: view.getUint16(2, true),
    generation: view.getUint32(8, true),
    end_s: view.getFloat64(16, true),
    series,
  };
}

/**
 * Return a number, or null for a gap: uPlot takes NaN for a value and loses its scale.
 * @param {number} value
 */
export const finiteOrNull = (value) => (Number.isFinite(value) ? value : null);

/**
 * Add the points of `more` that are later than those of `series`.
 * @param {Series} series
 * @param {Series} more
 */
export function extend(series, more) {
  const first = firstAfter(more.times, series.times.at(-1) ?? -Infinity);
  for (let n = first; n < more.times.length; n++) {
    series.times.push(/** @type {number} */ (more.times[n]));
    series.values.push(more.values[n] ?? null);
  }
}

/**
 * Return the number of times that are not later than a time.
 * @param {ArrayLike<number>} times
 * @param {number} time
 */
export function firstAfter(times, time) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (/** @type {number} */ (times[middle]) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Join series on one time axis, as uPlot needs it. Where a series has no point, the value is
 * undefined, which does not break its line.
 * @param {Series[]} all
 * @returns {[number[], ...(number|null|undefined)[][]]}
 */
export function join(all) {
  const places = all.map(() => 0);
  /** @type {number[]} */
  const times = [];
  /** @type {(number|null|undefined)[][]} */
  const columns = all.map(() => []);
  for (;;) {
    let next = Infinity;
    all.forEach((one, n) => {
      const time = one.times[places[n] ?? 0];
      if (time !== undefined && time < next) next = time;
    });
    if (next === Infinity) return [times, ...columns];
    times.push(next);
    all.forEach((one, n) => {
      const place = places[n] ?? 0;
      if (one.times[place] === next) {
        columns[n]?.push(one.values[place] ?? null);
        places[n] = place + 1;
      } else columns[n]?.push(undefined);
    });
  }
}

/**
 * Return the last value at a time or before it; null before the first.
 * @param {Series|undefined} series
 * @param {number} time
 */
export function valueAt(series, time) {
  if (!series) return null;
  return series.values[firstAfter(series.times, time + 1e-9) - 1] ?? null;
}

/**
 * Return the least, the largest and the mean value of a time range.
 * @param {Series|undefined} series
 * @param {number} from
 * @param {number} to
 */
export function summary(series, from, to) {
  let [low, high, sum, count] = [Infinity, -Infinity, 0, 0];
  for (let n = series ? firstAfter(series.times, from - 1e-9) : 0; series; n++) {
    const time = series.times[n];
    if (time === undefined || time > to) break;
    const value = series.values[n];
    if (value === null || value === undefined) continue;
    [low, high, sum, count] = [Math.min(low, value), Math.max(high, value), sum + value, count + 1];
  }
  return count ? { low, high, mean: sum / count } : null;
}
