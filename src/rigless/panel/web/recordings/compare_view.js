// The view "Compare": two recordings side by side at one time, and their first difference.
import { computed, effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import * as icons from "../cards/icons.js";
import { button, formatTime } from "../cards/widgets.js";
import { frameListeners, framesOf } from "../core/socket.js";
import * as state from "../core/state.js";
import {
  closeComparison,
  goToDifference,
  isComparing,
  placeOf,
  result,
  second,
} from "./compare.js";
import { ComparePane } from "./compare_pane.js";
import { differenceTable, showFirstRecord } from "./compare_table.js";
import { MapView } from "../map2d/map_view.js";
import { SecondStream } from "./second_stream.js";

const LONGEST_VALUE = 40; // characters of a value in the first line

const panes = { left: new ComparePane(), right: new ComparePane() };
const isShown = computed(
  () => isComparing.value && state.route.value.view === "compare",
);
/** @type {SecondStream|null} */
let stream = null;
let drawing = 0;

/** For tests: the times of the two pictures. */
export const compareProbe = {
  compared: () => [
    framesOf(state.shownKey.value)?.time_s ?? null,
    stream?.frames?.time_s ?? null,
  ],
  comparedPose: (/** @type {string} */ name) => [
    Array.from(framesOf(state.shownKey.value)?.rows.get(name) ?? []),
    Array.from(stream?.frames?.rows.get(name) ?? []),
  ],
  comparedViews: () =>
    [panes.left, panes.right].map(({ surface }) => {
      const { x = 0, y = 0, scale = 0 } = surface instanceof MapView ? surface.view : {};
      return [x, y, scale];
    }),
};

export function compareView() {
  const player = state.status.value?.deck;
  const other = second.value;
  if (!player || !other) return nothing;
  return html`<div class="compare-view">
    ${verdict()}
    <div class="compare-panes">
      ${pane("A", panes.left.host, player.file, player.time_s, "")}
      ${pane("B", panes.right.host, other.file, other.time_s, noteOnB())}</div>
    ${result.value && !result.value.equal ? differenceTable(result.value) : nothing}</div>`;
}

/** The result in a sentence, with the place of the first difference. */
function verdict() {
  const found = result.value;
  const close = button(html`${icons.close}<span>Close</span>`, "Close the comparison", () =>
    void closeComparison(), { kind: "text" });
  if (!found) return html`<div class="verdict" role="status"><span>Comparing…</span>
    <progress aria-label="Comparing"></progress><div class="verdict-tools">${close}</div></div>`;
  if (found.equal) return html`<div class="verdict" role="status"><b>No difference</b>
    <span>${found.records.toLocaleString("en")} records are equal.</span>
    <div class="verdict-tools">${close}</div></div>`;
  const { robot, port, direction, subject } = placeOf(found.topic);
  const fact = (/** @type {string} */ name, /** @type {string} */ value) =>
    value ? html`<span class="verdict-fact"><small>${name}</small><b>${value}</b></span>` : nothing;
  const isPort = direction === "in" || direction === "out";
  return html`<div class="verdict different" role="status" aria-label="First difference">
    ${fact("First difference", `${found.time_s.toFixed(6)} s`)}
    ${fact("Robot", robot)}
    ${fact(isPort ? "Port" : "Topic", isPort ? `${port} (${direction})` : port)}
    ${fact("Subject", subject)}
    ${fact("Field", found.field_name || "whole record")}
    ${fact("A", valueIn(found, "left"))}${fact("B", valueIn(found, "right"))}
    <div class="verdict-tools">${button(html`${icons.target}<span>Go to it</span>`,
      "Go to it, the first difference", () => void goToDifference(),
      { kind: "text" })}${close}</div>
  </div>`;
}

/**
 * The value of the field that differs first, on one side.
 * @param {import("./compare.js").ComparedRecordings} found
 * @param {"left"|"right"} side
 */
function valueIn(found, side) {
  const row = found.rows[found.first];
  const time_s = row?.[`${side}_s`] ?? null;
  if (time_s === null) return "no record";
  if (found.field_name === "time") return `${time_s.toFixed(6)} s`;
  const text = row?.[side][found.field_name] ?? "";
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

function noteOnB() {
  const other = second.value;
  const now = state.status.value?.deck?.time_s ?? 0;
  if (!other) return "";
  if (other.failure) return other.failure;
  const robot = state.shownRobot.value;
  if (robot && !other.robots.some(({ name }) => name === robot)) return `B has no robot ${robot}`;
  if (now > other.end_s) return `B ends at ${formatTime(other.end_s)}`;
  if (now < other.begin_s) return `B begins at ${formatTime(other.begin_s)}`;
  return other.level ? "" : "catching up…";
}

/**
 * @param {string} letter
 * @param {HTMLElement} host
 * @param {string|null} file
 * @param {number} time_s
 * @param {string} note
 */
function pane(letter, host, file, time_s, note) {
  return html`<figure class="compare-pane" aria-label="Recording ${letter}">
    <figcaption><b class="letter">${letter}</b><span class="clip"
      title=${file ?? ""}>${file?.split("/").at(-1)}</span>
      <output aria-label="Time of ${letter}">${formatTime(time_s)}</output>${note ?
        html`<span class="warn">${note}</span>` : nothing}</figcaption>
    <div class="pane-body">${host}${state.shownRobot.value ? nothing :
      html`<p class="empty dim">Choose a robot in the list.</p>`}</div></figure>`;
}

function drawSoon() {
  if (!stream) return;
  drawing ||= requestAnimationFrame(() => {
    drawing = 0;
    if (!stream) return;
    const world = state.mapObjects.peek()[state.worldKey(state.shownRobot.peek())] ?? [];
    panes.left.draw(framesOf(state.shownKey.peek()), world);
    panes.right.draw(stream.frames, stream.objects);
  });
}

function close() {
  stream?.close();
  stream = null;
  for (const one of Object.values(panes)) one.dispose();
}

export function startCompareView() {
  for (const [one, other] of [
    [panes.left, panes.right],
    [panes.right, panes.left],
  ]) {
    if (!one || !other) continue;
    one.onview = () => {
      if (one.active) other.align(one);
      drawSoon();
    };
  }
  frameListeners.add(drawSoon);
  effect(() => {
    void [result.value, isShown.value];
    requestAnimationFrame(() => requestAnimationFrame(showFirstRecord));
  });
  effect(() => {
    const file = state.status.value?.deck?.file ?? "";
    const other = second.value?.file ?? "";
    const robot = state.shownRobot.value;
    if (!isShown.value) {
      close();
      return;
    }
    stream ??= new SecondStream(drawSoon);
    const inB = second.value?.robots.some(({ name }) => name === robot) ?? false;
    stream.look(inB ? robot : "", other);
    if (robot) panes.left.setWorld("recording", robot, file);
    if (inB) panes.right.setWorld("second", robot, other);
  });
  effect(() => {
    void state.settings.theme.value;
    for (const one of Object.values(panes)) one.paint();
    drawSoon();
  });
  effect(() => {
    void state.settings.drawnParts.value;
    drawSoon();
  });
}
