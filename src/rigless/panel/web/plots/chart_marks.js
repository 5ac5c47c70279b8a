// Faults, events, limits and the positions in time behind the lines of a chart.
import { markedTime_s, source, status } from "../core/state.js";
import { pinned_s } from "./cursor.js";
import { infos, marks } from "./signal_store.js";
import { end_s } from "./time_window.js";

const FEW_EVENTS = 20;
const FAINT = 0.16;

/**
 * @param {import("uplot")} u
 * @param {string[]} signals
 * @param {(name: string) => string} paint
 */
export function drawMarks(u, signals, paint) {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const x = (/** @type {number} */ time_s) => u.valToPos(time_s, "x", true);
  const robots = new Set(signals.map((name) => name.split("/", 1)[0]));
  const found = marks.value;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  const faults = (found?.faults ?? [])
    .filter((fault) => !fault.robot || robots.has(fault.robot))
    .map((fault) => ({
      fault,
      left: Math.max(x(fault.begin_s), bbox.left),
      right: Math.min(x(fault.end_s ?? end_s.value), bbox.left + bbox.width),
    }))
    .filter(({ left, right }) => right >= bbox.left && left <= bbox.left + bbox.width);
  const bands = new Path2D(); // filled at once: bands above each other are no darker
  for (const { left, right } of faults)
    bands.rect(left, bbox.top, Math.max(right - left, ratio), bbox.height);
  ctx.fillStyle = paint("--amber");
  ctx.globalAlpha = 0.13;
  ctx.fill(bands);
  ctx.globalAlpha = 1;
  const labelEnds = /** @type {number[]} */ ([]); // of each line of labels
  for (const { fault, left, right } of faults) {
    const text = `${fault.target} ${fault.kind}`;
    const wide = ctx.measureText(text).width + 8 * ratio;
    if (wide > right - left) continue;
    const free = labelEnds.findIndex((end) => end <= left);
    const line = free < 0 ? labelEnds.length : free;
    labelEnds[line] = left + wide;
    ctx.fillText(text, left + 4 * ratio, bbox.top + (line + 1) * 13 * ratio);
  }
  const events = (found?.events ?? [])
    .filter((event) => !event.robot || robots.has(event.robot))
    .map((event) => ({ event, at: x(event.time_s) }))
    .filter(({ at }) => at >= bbox.left && at <= bbox.left + bbox.width);
  const paints = { amber: paint("--amber"), red: paint("--red") };
  for (const { event, at } of events) {
    ctx.fillStyle = event.severity === "warning" && !event.collision ? paints.amber : paints.red;
    ctx.globalAlpha = events.length > FEW_EVENTS ? FAINT : 0.5; // the lines must stay readable
    ctx.fillRect(at - ratio / 2, bbox.top, ratio, bbox.height);
    ctx.globalAlpha = 1;
    ctx.beginPath();
    ctx.moveTo(at - 4 * ratio, bbox.top + bbox.height);
    ctx.lineTo(at + 4 * ratio, bbox.top + bbox.height);
    ctx.lineTo(at, bbox.top + bbox.height - 7 * ratio);
    ctx.fill();
  }
  for (const limit of found?.limits ?? []) if (signals.includes(limit.signal)) drawLimit(limit);
  const player = source.value === "recording" ? status.value?.deck?.time_s : undefined;
  if (player !== undefined) line(player, "--text", []);
  if (markedTime_s.value !== null) line(markedTime_s.value, "--text", [2, 3]);
  if (pinned_s.value !== null) line(pinned_s.value, "--text", [4, 4]);
  ctx.restore();

  /** @param {import("../core/api_types.js").SignalLimit} limit */
  function drawLimit(limit) {
    const scale = `y ${infos.value.get(limit.signal)?.unit ?? ""}`;
    const left = Math.max(limit.from_s === null ? bbox.left : x(limit.from_s), bbox.left);
    const last = bbox.left + bbox.width;
    const right = Math.max(Math.min(limit.to_s === null ? last : x(limit.to_s), last), left + 8);
    for (const [word, value] of /** @type {const} */ ([
      ["min", limit.low],
      ["max", limit.high],
    ])) {
      if (value === null) continue;
      const y = u.valToPos(value, scale, true);
      ctx.strokeStyle = ctx.fillStyle = paint("--dim");
      ctx.setLineDash([6 * ratio, 4 * ratio]);
      ctx.lineWidth = ratio;
      ctx.beginPath();
      ctx.moveTo(left, y);
      ctx.lineTo(right, y);
      ctx.stroke();
      const text = `${word} ${value}${limit.label ? ` · ${limit.label}` : ""}`;
      ctx.fillText(text, left + 4 * ratio, y - 4 * ratio);
    }
    ctx.setLineDash([]);
  }

  /**
   * @param {number} time_s
   * @param {string} colour
   * @param {number[]} dash
   */
  function line(time_s, colour, dash) {
    ctx.strokeStyle = paint(colour);
    ctx.lineWidth = ratio;
    ctx.setLineDash(dash.map((part) => part * ratio));
    ctx.beginPath();
    ctx.moveTo(x(time_s), bbox.top);
    ctx.lineTo(x(time_s), bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
  }
}
