// The card with events, newest first.
import { signal } from "@preact/signals-core";
import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { card } from "./widgets.js";
import { events, shownRobot, source, status } from "../core/state.js";

const SHOWN = 60;
const LATER = 15; // events after the instant of a recording that are shown, if there are many
const only = signal(/** @type {"all"|"abnormal"} */ ("all"));
const ABNORMAL = new Set(["warning", "error", "critical"]);

export function eventCard() {
  const robot = shownRobot.value;
  const found = events.value.filter(
    (event) =>
      (!robot || !event.robot || event.robot === robot) &&
      (only.value === "all" || ABNORMAL.has(event.severity)),
  );
  const now_s = source.value === "recording" ? (status.value?.deck?.time_s ?? 0) : Infinity;
  const begin = Math.max(0, Math.min(laterThan(found, now_s) - LATER, found.length - SHOWN));
  return card(
    "Events",
    html`<ol class="events" tabindex="0" aria-label="Events, newest first">
    ${repeat(
      found.slice(begin, begin + SHOWN),
      (event, n) => `${event.time_s} ${event.code} ${found.length - begin - n}`,
      (event) => html`<li data-severity=${event.severity}
        class=${event.time_s > now_s ? "later" : ""}>
      <time>${event.time_s.toFixed(2)}</time><span>${!robot && event.robot ?
        html`<b>${event.robot}</b> ` : ""}${event.text}</span></li>`,
    )}
    ${found.length ? "" : html`<li class="dim">nothing yet</li>`}</ol>`,
    html`<select class="quiet" aria-label="Filter of events"
      @change=${(/** @type {{target: HTMLSelectElement}} */ event) =>
      (only.value = event.target.value === "all" ? "all" : "abnormal")}>
    <option value="all">all</option><option value="abnormal">abnormal</option></select>`,
  );
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
