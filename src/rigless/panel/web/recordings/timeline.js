// The timeline of a recording over its whole length: faults as bands, the density of events and
// messages, collisions as diamonds. A slider of the same geometry lies over the canvas, so pointer,
// touch and keys work as for any slider.
import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { formatTime } from "../cards/widgets.js";
import * as state from "../core/state.js";
import {
  AXIS_PX,
  BAND_PX,
  drawAxis,
  drawBands,
  drawEvents,
  drawLine,
  drawMessages,
  EVENTS_PX,
  MESSAGES_PX,
} from "./timeline_drawing.js";
import { collisions, differenceAt_s, faults, overview, textsAt, total } from "./timeline_data.js";
import { part, trimSliders } from "./trim.js";

const EDGE_PX = 8; // half the width of a slider's thumb
const GAP_PX = 5; // below the bands
const MAX_LANES = 3;

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
  drawBands(pen, lanes(), x, paint, player.end_s);
  const eventsTop = laneCount() * BAND_PX + (laneCount() ? GAP_PX : 0);
  const messagesTop = eventsTop + EVENTS_PX;
  drawEvents(pen, found, collisions(), x, paint, eventsTop);
  drawMessages(pen, found, x, paint, messagesTop);
  drawAxis(pen, player, x, paint, messagesTop + MESSAGES_PX);
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
