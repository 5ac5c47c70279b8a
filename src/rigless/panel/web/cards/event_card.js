// The card with events, newest first.
import { signal } from "@preact/signals-core";
import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { card } from "./widgets.js";
import { events, shownRobot } from "../core/state.js";

const SHOWN = 60;
const only = signal(/** @type {"all"|"abnormal"} */ ("all"));
const ABNORMAL = new Set(["warning", "error", "critical"]);

export function eventCard() {
  const robot = shownRobot.value;
  const found = events.value.filter(
    (event) =>
      (!robot || !event.robot || event.robot === robot) &&
      (only.value === "all" || ABNORMAL.has(event.severity)),
  );
  return card(
    "Events",
    html`<ol class="events" tabindex="0" aria-label="Events, newest first">
    ${repeat(
      found.slice(0, SHOWN),
      (event, n) => `${event.time_s} ${event.code} ${found.length - n}`,
      (event) => html`<li data-severity=${event.severity}>
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
