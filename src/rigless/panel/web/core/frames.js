// The newest frame of a robot's page, its trails, and its numbers over time. The layout of the
// bytes is described in messages.py.
/** @typedef {import("./types.js").Page} Page */
/** @typedef {import("./types.js").Track} Track */

const HEADER = 24;
const NOWHERE = new Float32Array([NaN, NaN, NaN]); // breaks a line
const FRAME = 1;
const HISTORY = 2;
const MAX_TRAIL_POINTS = 20_000;
const MAX_SAMPLES = 8_000;
const MIN_TRAIL_STEP_M = 0.01; // minimum distance between points of a trail
const JUMP_MPS = 4; // a larger rise of the speed breaks a trail: the robot was put elsewhere
const MIN_SAMPLE_GAP_S = 1 / 30; // minimum time between samples of numbers

/** Decodes and keeps the frames of one page. */
export class FrameStore {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.time_s = 0; // of the newest frame
    this.epoch = -1; // of the newest frame; it increases when time jumps
    this.count = 0;
    /** @type {Float32Array} */
    this.measures = new Float32Array(page.measures.length).fill(NaN);
    /** @type {Map<string, Float32Array>} */
    this.rows = new Map();
    /** @type {Map<string, Track>} */
    this.trails = new Map(
      page.traces.map((name) => [name, trackOf(new Float32Array(), [])]),
    );
    /** @type {number[]} */
    this.times = [];
    /** @type {number[][]} */
    this.values = page.measures.map(() => []);
    this.drawn = page.parts.filter((part) => part.columns > 0).map((part) => part.name);
  }

  /** @param {string} name */
  measure(name) {
    return this.measures[this.page.measures.indexOf(name)] ?? NaN;
  }

  /** @param {ArrayBuffer} data */
  decode(data) {
    const view = new DataView(data);
    const kind = view.getUint8(0);
    const fields = fieldsOf(data, view);
    const time_s = view.getFloat64(16, true);
    if (kind === HISTORY) return this.#takeHistory(time_s, fields);
    if (kind !== FRAME) return this.#takeMore(time_s, fields);
    [this.time_s, this.epoch] = [time_s, view.getUint32(8, true)];
    return this.#takeFrame(fields);
  }

  /** @param {Map<number, Float32Array>} fields */
  #takeFrame(fields) {
    this.count++;
    for (const [number, values] of fields) {
      if (number === 0) this.measures = values;
      else if (number === 1)
        this.page.traces.forEach((name, n) =>
          this.#extend(name, values.subarray(3 * n, 3 * n + 3), this.time_s),
        );
      else this.rows.set(this.drawn[number - 2] ?? "", values);
    }
    const last = this.times.at(-1) ?? -Infinity;
    if (this.time_s - last < MIN_SAMPLE_GAP_S) return;
    if (this.times.length >= MAX_SAMPLES) this.#drop(MAX_SAMPLES / 4);
    this.times.push(this.time_s);
    this.values.forEach((series, n) => series.push(this.measures[n] ?? NaN));
  }

  /** @param {number} count */
  #drop(count) {
    this.times.splice(0, count);
    for (const series of this.values) series.splice(0, count);
  }

  /**
   * Replace the samples by a history. `time_s` is the time of the next frame.
   * @param {number} time_s of that picture
   * @param {Map<number, Float32Array>} fields
   */
  #takeHistory(time_s, fields) {
    const before = fields.get(0) ?? new Float32Array();
    const numbers = fields.get(1) ?? new Float32Array();
    const width = this.page.measures.length;
    this.times = Array.from(before, (s) => time_s + s);
    this.values = this.page.measures.map((_, n) =>
      Array.from(before, (_s, row) => numbers[row * width + n] ?? NaN),
    );
    const ages = fields.get(2 + this.page.traces.length) ?? new Float32Array();
    this.page.traces.forEach((name, n) => {
      const points = fields.get(2 + n) ?? new Float32Array();
      this.trails.set(name, trackOf(points, Array.from(ages, (age) => time_s + age)));
    });
  }

  /**
   * Add the samples between the last frame and the next one, which is at `time_s`.
   * @param {number} time_s of the next
   * @param {Map<number, Float32Array>} fields
   */
  #takeMore(time_s, fields) {
    const before = fields.get(0) ?? new Float32Array();
    const numbers = fields.get(1) ?? new Float32Array();
    const width = this.page.measures.length;
    if (this.times.length + before.length >= MAX_SAMPLES) this.#drop(MAX_SAMPLES / 4);
    before.forEach((s, row) => {
      this.times.push(time_s + s);
      this.values.forEach((series, n) => series.push(numbers[row * width + n] ?? NaN));
    });
    const ages = fields.get(2 + this.page.traces.length) ?? new Float32Array();
    this.page.traces.forEach((name, n) => {
      const points = fields.get(2 + n) ?? new Float32Array();
      for (let at = 0; at + 2 < points.length; at += 3)
        this.#extend(name, points.subarray(at, at + 3), time_s + (ages[at / 3] ?? 0));
    });
  }

  /**
   * @param {string} name
   * @param {Float32Array} place
   * @param {number} time_s
   */
  #extend(name, place, time_s) {
    let track = this.trails.get(name);
    if (!track) return;
    const at = 3 * track.count;
    const [x = NaN, y = NaN, z = NaN] = place;
    const [lastX = NaN, lastY = NaN, lastZ = NaN] = track.points.subarray(at - 3, at);
    const step_m = track.count ? Math.hypot(x - lastX, y - lastY, z - lastZ) : NaN;
    const speed = step_m / Math.max(time_s - track.seen_s, 1e-3);
    track.seen_s = time_s;
    if (step_m < MIN_TRAIL_STEP_M) return;
    const jumps = speed - track.speed > JUMP_MPS;
    track.speed = speed || 0;
    if (jumps) this.#extend(name, NOWHERE, time_s);
    if (track.count >= MAX_TRAIL_POINTS) this.trails.set(name, (track = thinned(track)));
    if (track.count === track.times.length) {
      const [points, times] = [track.points, track.times];
      track.points = new Float32Array(Math.max(768, points.length * 2));
      track.times = new Float64Array(track.points.length / 3);
      track.points.set(points);
      track.times.set(times);
    }
    track.points.set(place, 3 * track.count);
    track.times[track.count++] = time_s;
  }
}

/**
 * @param {Float32Array} points
 * @param {number[]} times
 * @returns {import("./types.js").Track}
 */
function trackOf(points, times) {
  const count = times.length;
  return { points: points.slice(), times: Float64Array.from(times), count, speed: 0, seen_s: NaN };
}

/**
 * Drop every second point of the older half. Points without a place break lines; they stay.
 * @param {import("./types.js").Track} track
 */
function thinned({ points, times, count }) {
  const kept = [];
  for (let at = 0; at < count; at++)
    if (at % 2 === 0 || at > count / 2 || Number.isNaN(points[3 * at])) kept.push(at);
  return trackOf(
    Float32Array.from(kept.flatMap((at) => Array.from(points.subarray(3 * at, 3 * at + 3)))),
    kept.map((at) => times[at] ?? NaN),
  );
}

/** Return the number of the page in a binary message. @param {ArrayBuffer} data */
export function pageIdOf(data) {
  return new DataView(data).getUint16(2, true);
}

/**
 * @param {ArrayBuffer} data
 * @param {DataView} view
 */
function fieldsOf(data, view) {
  const count = view.getUint32(12, true);
  /** @type {Map<number, Float32Array>} */
  const fields = new Map();
  let at = HEADER + 8 * count;
  for (let n = 0; n < count; n++) {
    const size = view.getUint32(HEADER + 8 * n + 4, true);
    fields.set(view.getUint32(HEADER + 8 * n, true), new Float32Array(data, at, size));
    at += 4 * size;
  }
  return fields;
}
