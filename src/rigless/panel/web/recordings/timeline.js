// The timeline of a recording over its whole length: faults as bands, the density of events and
// messages, collisions as diamonds. A slider of the same geometry lies over the canvas, so pointer,
// touch and keys work as for any slider.
import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { formatTime } from "../cards/widgets.js";
import * as state from "../core/state.js";
import { collisions, differenceAt_s, faults, overview, textsAt, total } from "./timeline_data.js";
import { part, trimSliders } from "./trim.js";

const EDGE_PX = 8; // half the width of a slider's thumb
const BAND_PX = 13;
const EVENTS_PX = 20;
const MESSAGES_PX = 26;
const AXIS_PX = 17;
const GAP_PX = 5;
const MAX_LANES = 3;
const TICK_PX = 90; // least distance of two labels

const canvas = document.createElement("canvas");
canvas.className = "timeline-canvas";
canvas.setAttribute("aria-hidden", "true");
const hoverX = signal(/** @type {number|null} */ (null));
const width = signal(0);
let drawing = 0;

/** The position that the user has chosen, until the player is there. */
export const wanted_s = signal(/** @type {number|null} */ (null));

const shown_s = () => wanted_s.value ?? state.status.value?.deck?.time_s ?? 0;

/**
 * @param {import("../core/state.js").PlayerStatus} player
 * @param {(time_s: number) => void} seek
 */
export function timeline(player, seek) {
  const now = shown_s();
  return html`<div class="timeline">
    ${legend()}
    <div class="timeline-body" style="height:${height()}px"
      @pointermove=${(/** @type {PointerEvent} */ event) => (hoverX.value = event.clientX -
      canvas.getBoundingClientRect().left)}
      @pointerleave=${() => (hoverX.value = null)}>
      ${canvas}
      <input type="range" class="timeline-seek" min=${player.begin_s} max=${player.end_s} step="any"
        .value=${String(now)} aria-label="Position in the recording"
        aria-valuetext=${formatTime(now)}
        @input=${(/** @type {{target: HTMLInputElement}} */ event) =>
        seek(Number(event.target.value))}>
      ${trimSliders(player)}
      ${tip(player)}
    </div></div>`;
}

/** The marks that are there, each with its number. */
function legend() {
  if (!overview.value) return html`<p class="timeline-legend dim">reading the recording…</p>`;
  const entries = /** @type {[string, number, string, string][]} */ ([
    ["fault", faults().length, "fault", "faults"],
    ["collision", collisions().length, "collision", "collisions"],
    ["errors", total("errors"), "error", "errors"],
    ["warnings", total("warnings"), "warning", "warnings"],
    ["info", total("info"), "other event", "other events"],
    ["received", total("received"), "message received", "messages received"],
    ["sent", total("sent"), "message sent", "messages sent"],
    ["difference", differenceAt_s.value === null ? 0 : 1, "first difference", ""],
  ]);
  return html`<ul class="timeline-legend" aria-label="Marks on the timeline">${entries
    .filter(([, count]) => count)
    .map(
      ([kind, count, one, many]) => html`<li data-kind=${kind}><i></i>${
        kind === "difference" ? one : `${count.toLocaleString("en")} ${count === 1 ? one : many}`
      }</li>`,
    )}</ul>`;
}

/** @param {import("../core/state.js").PlayerStatus} player */
function tip(player) {
  const x = hoverX.value;
  if (x === null || width.value < 1) return nothing;
  const room = width.value - 2 * EDGE_PX;
  const px_s = (player.end_s - player.begin_s) / room;
  const time_s = player.begin_s + Math.min(Math.max(x - EDGE_PX, 0), room) * px_s;
  const side = x > width.value / 2 ? `right:${width.value - x + 10}px` : `left:${x + 10}px`;
  return html`<div class="timeline-tip" style=${side}><b>${formatTime(time_s)}</b>${textsAt(
    time_s,
    px_s,
  ).map((text) => html`<span>${text}</span>`)}</div>`;
}

/** Give each fault a lane in which it overlaps no other, as far as there are lanes. */
function lanes() {
  /** @type {number[]} */
  const ends = [];
  return faults()
    .toSorted((a, b) => a.begin_s - b.begin_s)
    .map((fault) => {
      let lane = ends.findIndex((end) => end <= fault.begin_s);
      if (lane < 0) lane = Math.min(ends.length, MAX_LANES - 1);
      ends[lane] = Math.max(ends[lane] ?? 0, fault.end_s ?? Infinity);
      return { fault, lane };
    });
}

const laneCount = () => Math.max(0, ...lanes().map(({ lane }) => lane + 1));
const height = () =>
  laneCount() * BAND_PX + (laneCount() ? GAP_PX : 0) + EVENTS_PX + MESSAGES_PX + AXIS_PX;

function draw() {
  const found = overview.peek();
  const player = state.status.peek()?.deck;
  const pen = canvas.getContext("2d");
  const [wide, high] = [canvas.clientWidth, canvas.clientHeight];
  if (!pen || !found || !player || wide < 20) return;
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const size = [Math.round(wide * ratio), Math.round(high * ratio)];
  if (canvas.width !== size[0] || canvas.height !== size[1])
    [canvas.width = 1, canvas.height = 1] = size;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, wide, high);
  const style = getComputedStyle(document.documentElement);
  const paint = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const span = player.end_s - player.begin_s || 1;
  const x = (/** @type {number} */ time_s) =>
    EDGE_PX + ((time_s - player.begin_s) / span) * (wide - 2 * EDGE_PX);
  drawBands(pen, x, paint, player.end_s);
  const eventsTop = laneCount() * BAND_PX + (laneCount() ? GAP_PX : 0);
  const messagesTop = eventsTop + EVENTS_PX;
  drawEvents(pen, found, x, paint, eventsTop);
  drawMessages(pen, found, x, paint, messagesTop);
  drawAxis(pen, player, x, paint, messagesTop + MESSAGES_PX, wide);
  const chosen = part.peek();
  if (chosen) {
    pen.fillStyle = paint("--bar");
    pen.globalAlpha = 0.72;
    pen.fillRect(0, 0, x(chosen.begin_s), high - AXIS_PX);
    pen.fillRect(x(chosen.end_s), 0, wide, high - AXIS_PX);
    pen.globalAlpha = 1;
  }
  const difference = differenceAt_s.peek();
  if (difference !== null) drawLine(pen, x(difference), high - AXIS_PX, paint("--line-4"), [3, 3]);
  drawLine(pen, x(shown_s()), high - AXIS_PX, paint("--text"), []);
  pen.fillStyle = paint("--text");
  pen.beginPath();
  pen.moveTo(x(shown_s()) - 6, 0);
  pen.lineTo(x(shown_s()) + 6, 0);
  pen.lineTo(x(shown_s()), 8);
  pen.fill();
}

/**
 * @typedef {CanvasRenderingContext2D} Pen
 * @typedef {(time_s: number) => number} Scale
 * @typedef {(name: string) => string} Paint
 * @typedef {import("./timeline_data.js").RecordingOverview} RecordingOverview
 */

/**
 * @param {Pen} pen
 * @param {Scale} x
 * @param {Paint} paint
 * @param {number} end_s
 */
function drawBands(pen, x, paint, end_s) {
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "middle";
  for (const { fault, lane } of lanes()) {
    const [left, right] = [x(fault.begin_s), x(fault.end_s ?? end_s)];
    pen.fillStyle = paint("--amber");
    pen.globalAlpha = 0.3;
    pen.fillRect(left, lane * BAND_PX, Math.max(right - left, 2), BAND_PX - 1);
    pen.globalAlpha = 1;
    pen.fillRect(left, lane * BAND_PX, 2, BAND_PX - 1);
    const text = `${fault.target} ${fault.kind}`;
    if (pen.measureText(text).width > right - left - 8) continue;
    pen.fillStyle = paint("--text");
    pen.fillText(text, left + 5, lane * BAND_PX + BAND_PX / 2);
  }
}

/**
 * @param {Pen} pen
 * @param {RecordingOverview} found
 * @param {Scale} x
 * @param {Paint} paint
 * @param {number} top
 */
function drawEvents(pen, found, x, paint, top) {
  const rows = /** @type {const} */ ([
    ["info", "--edge-strong"],
    ["warnings", "--amber"],
    ["errors", "--map-bad"],
  ]);
  const most = Math.max(1, ...rows.flatMap(([name]) => found.counts[name] ?? []));
  for (const [name, colour] of rows) {
    pen.fillStyle = paint(colour);
    (found.counts[name] ?? []).forEach((count, n) => {
      if (!count) return;
      const tall = 4 + (EVENTS_PX - 7) * (Math.log1p(count) / Math.log1p(most));
      const left = x(found.begin_s + n * found.step_s);
      const wide = Math.max(2, x(found.begin_s + (n + 1) * found.step_s) - left - 0.5);
      pen.fillRect(left, top + EVENTS_PX - 2 - tall, wide, tall);
    });
  }
  pen.fillStyle = paint("--map-bad");
  for (const { time_s } of collisions()) {
    const [cx, cy] = [x(time_s), top + 6];
    pen.beginPath();
    pen.moveTo(cx, cy - 5.5);
    pen.lineTo(cx + 5, cy);
    pen.lineTo(cx, cy + 5.5);
    pen.lineTo(cx - 5, cy);
    pen.fill();
  }
}

/**
 * Draw received messages upwards and sent ones downwards from the middle.
 * @param {Pen} pen
 * @param {RecordingOverview} found
 * @param {Scale} x
 * @param {Paint} paint
 * @param {number} top
 */
function drawMessages(pen, found, x, paint, top) {
  const { end_s } = found;
  const middle = top + MESSAGES_PX / 2;
  const half = MESSAGES_PX / 2 - 1;
  for (const [name, colour, way] of /** @type {const} */ ([
    ["received", "--line-1", -1],
    ["sent", "--line-6", 1],
  ])) {
    const counts = found.counts[name] ?? [];
    const most = Math.log1p(Math.max(1, ...counts));
    pen.fillStyle = paint(colour);
    pen.globalAlpha = way < 0 ? 1 : 0.6;
    counts.forEach((count, n) => {
      if (!count) return;
      const tall = Math.max(1.5, (half * Math.log1p(count)) / most);
      const left = Math.round(x(found.begin_s + n * found.step_s));
      const right = Math.round(x(found.begin_s + (n + 1) * found.step_s));
      const wide = Math.max(1, Math.min(right, x(end_s)) - left);
      pen.fillRect(left, way < 0 ? middle - tall : middle, wide, tall);
    });
  }
  pen.globalAlpha = 1;
}

/**
 * @param {Pen} pen
 * @param {import("../core/state.js").PlayerStatus} player
 * @param {Scale} x
 * @param {Paint} paint
 * @param {number} top
 * @param {number} wide
 */
function drawAxis(pen, player, x, paint, top, wide) {
  pen.fillStyle = paint("--edge");
  pen.fillRect(EDGE_PX, top, wide - 2 * EDGE_PX, 1);
  const least = ((player.end_s - player.begin_s) * TICK_PX) / wide || 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least) ?? 10 * power;
  pen.fillStyle = paint("--dim");
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "top";
  const digits = Math.max(0, -Math.floor(Math.log10(step)));
  for (let n = Math.ceil(player.begin_s / step); n * step <= player.end_s; n++) {
    const text = `${(n * step).toFixed(digits)} s`;
    const half = pen.measureText(text).width / 2;
    const at = x(n * step);
    pen.fillRect(at, top, 1, 4);
    pen.fillText(text, Math.min(Math.max(at - half, 0), wide - 2 * half), top + 5);
  }
}

/**
 * @param {Pen} pen
 * @param {number} at
 * @param {number} to
 * @param {string} colour
 * @param {number[]} dash
 */
function drawLine(pen, at, to, colour, dash) {
  pen.strokeStyle = colour;
  pen.lineWidth = 1.5;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(at, 0);
  pen.lineTo(at, to);
  pen.stroke();
  pen.setLineDash([]);
}

export function startTimeline() {
  const soon = () => {
    drawing ||= requestAnimationFrame(() => {
      drawing = 0;
      draw();
    });
  };
  new ResizeObserver(() => {
    width.value = canvas.clientWidth;
    soon();
  }).observe(canvas);
  effect(() => {
    void [overview.value, state.settings.theme.value, part.value, differenceAt_s.value];
    void [wanted_s.value, state.status.value?.deck?.time_s, state.status.value?.deck?.end_s];
    void [state.source.value, state.shownRobot.value];
    soon();
  });
}
