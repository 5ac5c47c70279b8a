// One chart: signals over time with an axis for each unit, on a uPlot. Dragging zooms, the wheel
// zooms around the cursor, Shift and dragging moves, a double click follows again.
import uPlot from "uplot";
import { formatTime } from "../cards/widgets.js";
import { drawMarks } from "./chart_marks.js";
import * as cursor from "./cursor.js";
import { relative } from "./layout.js";
import { join } from "./points.js";
import { infos, points } from "./signal_store.js";
import * as time from "./time_window.js";

export const COLOURS = [1, 2, 3, 4, 5, 6].map((n) => `--line-${n}`);
const FONT = "12px system-ui, sans-serif";
const AXIS_PX = 58;
const LABEL_PX = 18;
const EDGE_PX = 22; // right of the last label of the time axis
const LABEL_CHARS = 14; // of the label of a vertical axis
const WHEEL = 1.25;
const LEAST_DRAG_PX = 6;

/** @param {string} name of a CSS variable */
const paint = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The unit without its explanation, if it is long. @param {string} unit */
export const shortUnit = (unit) =>
  unit.length > LABEL_CHARS ? (unit.split(",")[0] ?? unit) : unit;

/** The unit of a signal. @param {string} name */
export const unitOf = (name) => infos.value.get(name)?.unit ?? "";

/** The units of signals: a chart has a vertical axis for each. @param {string[]} signals */
export const unitsOf = (signals) => [...new Set(signals.map(unitOf))];

/** Return the range of an axis with margins. @param {number|null} low @param {number|null} high */
export function padded(low, high) {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high))
    return /** @type {[number, number]} */ ([-1, 1]);
  const flat = Math.abs(high) * 0.1 || 1;
  // frames have float32 values, the history float64: a difference below that is none
  const air = high - low <= 1e-6 * Math.abs(high) ? flat : (high - low) * 0.08;
  return /** @type {[number, number]} */ ([low - air, high + air]);
}

/** The uPlot of a chart in an element. */
export class ChartPlot {
  /**
   * @param {HTMLElement} host
   * @param {string[]} signals
   * @param {number} axes the most vertical axes of a chart: times are below each other in all
   */
  constructor(host, signals, axes) {
    this.host = host;
    this.signals = signals;
    this.units = unitsOf(signals);
    this.axes = Math.max(axes, 1);
    this.plot = new uPlot(this.#options(), [[]], host);
    this.#listen(this.plot.over);
  }

  destroy() {
    this.plot.destroy();
  }

  /** Draw the points as they are now. */
  update() {
    const width = Math.max(120, this.host.clientWidth);
    const height = Math.max(80, this.host.clientHeight);
    if (width !== this.plot.width || height !== this.plot.height)
      this.plot.setSize({ width, height });
    const empty = { times: [], values: [] };
    const [from, to] = time.shownWindow.value;
    const data = join(this.signals.map((name) => points.get(name) ?? empty));
    this.plot.batch(() => {
      this.plot.setData(/** @type {uPlot.AlignedData} */ (data), false);
      this.plot.setScale("x", { min: from, max: to });
    });
  }

  /** @returns {uPlot.Options} */
  #options() {
    const missing = this.axes - Math.max(this.units.length, 1);
    const right = missing * (AXIS_PX + LABEL_PX) + (this.axes > 1 ? 0 : EDGE_PX);
    const left = this.units.length ? 0 : AXIS_PX + LABEL_PX;
    const axis = {
      stroke: paint("--dim"),
      grid: { stroke: paint("--edge"), width: 1 },
      ticks: { show: false },
      font: FONT,
      labelFont: FONT,
    };
    /** @type {uPlot.Scales} */
    const scales = { x: { time: false } };
    this.units.forEach((unit) => (scales[`y ${unit}`] = { range: (_u, a, b) => padded(a, b) }));
    return {
      width: 300,
      height: 120,
      padding: [10, right, 0, left],
      legend: { show: false },
      focus: { alpha: 1 },
      cursor: {
        sync: { key: "rigless plots", scales: ["x", null] },
        drag: { x: true, y: false, setScale: false, dist: LEAST_DRAG_PX },
        y: false,
        points: { size: 7 },
        dataIdx: nearest,
        bind: { dblclick: () => null, mousedown: (_u, _t, start) => this.#press(start) },
      },
      hooks: {
        setSelect: [(u) => this.#zoomToSelection(u)],
        setCursor: [(u) => cursor.move(u)],
        drawClear: [(u) => drawMarks(u, this.signals, paint)],
      },
      scales,
      axes: [
        {
          ...axis,
          size: 26,
          space: 70,
          splits: (_u, _n, low, high, step) => ticks(low, high, step),
          values: (_u, splits) => splits.map(timeLabel),
        },
        ...this.units.map((unit, n) => ({
          ...axis,
          scale: `y ${unit}`,
          side: n ? 1 : 3,
          size: AXIS_PX,
          label: shortUnit(unit) || " ",
          labelSize: LABEL_PX,
          labelGap: 0,
          grid: n ? { show: false } : axis.grid,
        })),
      ],
      series: [
        {},
        ...this.signals.map((name, n) => ({
          label: name,
          scale: `y ${unitOf(name)}`,
          stroke: paint(COLOURS[n % COLOURS.length] ?? "--line-1"),
          width: 1.8,
          points: { show: false },
          ...(n >= COLOURS.length ? { dash: [6, 4] } : {}),
        })),
      ],
    };
  }

  /** Zoom by dragging, move with Shift. @param {(event: MouseEvent) => null} start */
  #press(start) {
    return (/** @type {MouseEvent} */ event) => {
      if (event.button === 0 && !event.shiftKey) start(event);
      return null;
    };
  }

  /** @param {uPlot} u */
  #zoomToSelection(u) {
    const { left, width } = u.select;
    if (width < LEAST_DRAG_PX) return;
    time.show(u.posToVal(left, "x"), u.posToVal(left + width, "x"));
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  /** @param {HTMLElement} over */
  #listen(over) {
    const secondsPerPixel = () => {
      const [from, to] = time.shownWindow.value;
      return (to - from) / Math.max(1, over.clientWidth);
    };
    const timeAt = (/** @type {MouseEvent} */ event) =>
      this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
    over.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
          time.pan((event.deltaX || event.deltaY) * secondsPerPixel());
        else time.zoom(event.deltaY > 0 ? WHEEL : 1 / WHEEL, timeAt(event));
      },
      { passive: false },
    );
    over.addEventListener("dblclick", () => time.follow());
    let pressedX = 0;
    over.addEventListener("pointerdown", (event) => {
      pressedX = event.clientX;
      const moves = event.pointerType === "touch" || event.shiftKey || event.button === 1;
      if (!moves) return;
      let last = event.clientX;
      const move = (/** @type {PointerEvent} */ now) => {
        time.pan((last - now.clientX) * secondsPerPixel());
        last = now.clientX;
      };
      const end = () => {
        over.removeEventListener("pointermove", move);
        over.removeEventListener("pointerup", end);
        over.removeEventListener("pointercancel", end);
      };
      over.setPointerCapture(event.pointerId);
      over.addEventListener("pointermove", move);
      over.addEventListener("pointerup", end);
      over.addEventListener("pointercancel", end);
    });
    over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - pressedX) < LEAST_DRAG_PX) cursor.click(timeAt(event));
    });
  }
}

/**
 * Return the index of the nearest value of a series: joined series have none at most times.
 * @param {uPlot} u
 * @param {number} series
 * @param {number} at
 */
function nearest(u, series, at) {
  const values = u.data[series];
  if (!series || !values || values[at] !== undefined) return at;
  for (let far = 1; far < 400; far++) {
    if (values[at - far] !== undefined) return at - far;
    if (values[at + far] !== undefined) return at + far;
  }
  return at;
}

/** The zero of relative time. */
function origin() {
  return cursor.pinned_s.value ?? time.shownWindow.value[1];
}

/**
 * @param {number} low
 * @param {number} high
 * @param {number} step
 */
function ticks(low, high, step) {
  const zero = relative.value ? origin() : 0;
  const found = [];
  for (let n = Math.ceil((low - zero) / step); zero + n * step <= high; n++)
    found.push(zero + n * step);
  return found;
}

/** @param {number} time_s */
function timeLabel(time_s) {
  if (!relative.value) return axisTime(time_s);
  const ahead = time_s - origin();
  if (Math.abs(ahead) < 1e-9) return "0";
  return `${ahead < 0 ? "−" : "+"}${axisTime(Math.abs(ahead))}`;
}

/** @param {number} time_s */
function axisTime(time_s) {
  if (Math.abs(time_s) >= 3600) return formatTime(time_s);
  return `${Number(time_s.toFixed(3))} s`;
}
