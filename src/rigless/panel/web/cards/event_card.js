// The card with events, newest first: search, level, robot, export. A click on an event goes to its
// instant in a recording, and marks it in a live run.
import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { post } from "../core/api.js";
import * as icons from "./icons.js";
import { button, card } from "./widgets.js";
import * as state from "../core/state.js";

const SHOWN = 200;
const LATER = 50; // events after the instant of a recording that are shown, if there are many
/** The least severity, by choice. @type {Record<string, number>} */
const LEVELS = { all: 0, abnormal: 2, errors: 3 };
const SEVERITIES = ["debug", "info", "warning", "error", "critical"];
const level = signal("all");
const search = signal("");
const ofRobot = signal("");

/** @typedef {{target: HTMLInputElement & HTMLSelectElement}} Change */

/** The events that pass the filters. @returns {import("../core/state.js").Event[]} */
function filtered() {
  const robot = state.shownRobot.value || ofRobot.value;
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  return state.events.value.filter((event) => {
    const text = `${event.robot} ${event.code} ${event.text}`.toLowerCase();
    return (
      (!robot || !event.robot || event.robot === robot) &&
      SEVERITIES.indexOf(event.severity) >= (LEVELS[level.value] ?? 0) &&
      words.every((word) => text.includes(word))
    );
  });
}

export function eventCard() {
  const found = filtered();
  const now_s =
    state.source.value === "recording" ? (state.status.value?.deck?.time_s ?? 0) : Infinity;
  const begin = Math.max(0, Math.min(laterThan(found, now_s) - LATER, found.length - SHOWN));
  const left = found.length - SHOWN;
  return card(
    "Events",
    html`${filters()}<ol class="events" aria-label="Events, newest first">
    ${repeat(
      found.slice(begin, begin + SHOWN),
      (event, n) => `${event.time_s} ${event.code} ${found.length - begin - n}`,
      (event) => eventLine(event, now_s),
    )}
    ${found.length ? nothing : html`<li class="dim">nothing yet</li>`}</ol>
    ${left > 0 ? html`<p class="dim">${left} more: search for them, or export all</p>` : nothing}`,
    button(icons.download, "Export these events as CSV", exportEvents, { off: !found.length }),
  );
}

function filters() {
  const names = state.shownRobot.value ? [] : state.robotNames.value;
  return html`<div class="event-filters">
    <input type="search" aria-label="Search the events" placeholder="search" .value=${search.value}
      @input=${(/** @type {Change} */ { target }) => (search.value = target.value)}>
    <select aria-label="Filter of events"
      @change=${(/** @type {Change} */ { target }) => (level.value = target.value)}>
      ${Object.keys(LEVELS).map((one) =>
        html`<option value=${one} ?selected=${one === level.value}>${one}</option>`)}</select>
    ${names.length > 1 ?
      html`<select aria-label="Robot of the events"
        @change=${(/** @type {Change} */ { target }) => (ofRobot.value = target.value)}>
        <option value="">every robot</option>
        ${names.map((name) =>
          html`<option value=${name} ?selected=${name === ofRobot.value}>${name}</option>`)}
        </select>` : nothing}</div>`;
}

/**
 * @param {import("../core/state.js").Event} event
 * @param {number} now_s
 */
function eventLine(event, now_s) {
  const recording = state.source.value === "recording";
  const marked = !recording && state.markedTime_s.value === event.time_s;
  const go = () => {
    if (recording) void post("/api/deck/seek", { time_s: event.time_s });
    else state.markedTime_s.value = marked ? null : event.time_s;
  };
  return html`<li data-severity=${event.severity} class=${event.time_s > now_s ? "later" : ""}>
    <button aria-pressed=${marked} @click=${go}
      title=${recording ? "Go to this instant" : "Mark this instant in the plots"}>
      <time>${event.time_s.toFixed(2)}</time><span>${!state.shownRobot.value && event.robot ?
        html`<b>${event.robot}</b> ` : nothing}${event.text}</span></button></li>`;
}

/** Save the filtered events as a file of comma-separated values, oldest first. */
function exportEvents() {
  const quoted = (/** @type {unknown} */ value) => `"${String(value).replaceAll('"', '""')}"`;
  const rows = filtered()
    .toReversed()
    .map((one) => [one.time_s, one.robot, one.severity, one.code, one.text].map(quoted).join());
  const text = ["time_s,robot,severity,code,text", ...rows, ""].join("\n");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = `${state.status.value?.name ?? "rigless"}-events.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/**
 * Return the number of events after an instant. They are ordered newest first.
 * @param {import("../core/state.js").Event[]} found
 * @param {number} time_s
 */
function laterThan(found, time_s) {
  const first = found.findIndex((event) => event.time_s <= time_s);
  return first < 0 ? found.length : first;
}
