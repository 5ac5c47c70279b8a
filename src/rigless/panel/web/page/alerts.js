// The strips below the header: conditions that stop robots or the run, and what ends them.
import { html, nothing } from "lit-html";
import { formatTime } from "../cards/widgets.js";
import { stoppedRobots } from "./emergency_stop.js";
import * as state from "../core/state.js";
import { fleetShown } from "../fleet/fleet_store.js";

const MAX_ALARMS = 3; // of all robots; a fleet may have many
const NAMED = 6; // robots that the strip of the emergency stop names

export function alerts() {
  const live = state.source.value === "live";
  return html`<div class="alerts">${state.status.value?.failure ?
    strip("bad", html`<b>The simulation has failed:</b> ${state.status.value.failure}`) : nothing}${
    live ? html`${stopStrip()}${alarmStrips()}${outcomeStrip()}` : nothing}</div>`;
}

/**
 * @param {"bad"|"warn"|"info"} kind
 * @param {unknown} body
 */
export const strip = (kind, body) =>
  html`<div class="strip ${kind}" role=${kind === "info" ? "status" : "alert"}>${body}</div>`;

function stopStrip() {
  const names = stoppedRobots();
  if (!names.length) return nothing;
  const all = names.length === state.robotList.value.length && names.length > 1;
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return strip(
    "bad",
    html`<b>Emergency stop:</b> ${all ? "all robots" : names.slice(0, NAMED).join(", ")}${
      all ? "" : more} ${names.length === 1 ? "is" : "are"} stopped.
      <span>Press Release to let ${names.length === 1 ? "it" : "them"} move again.</span>`,
  );
}

/** The result of a scenario whose duration is over, with its expectations. */
function outcomeStrip() {
  const outcome = state.status.value?.outcome;
  if (!outcome) return nothing;
  const found = [...outcome.expectations].sort((a, b) => Number(a.passed) - Number(b.passed));
  return strip(
    outcome.passed ? "info" : "warn",
    html`<details class="outcome" ?open=${!outcome.passed}><summary><b>${outcome.text}</b>
      <span class="dim">after ${formatTime(outcome.time_s)}; Play continues, Reset starts
        again</span></summary>
      <ul>${found.map((one) =>
        html`<li class=${one.passed ? "" : "bad"}><b>${one.passed ? "holds" : "fails"}</b>
          ${one.text} <span class="dim">· ${one.detail} · ${one.place}</span></li>`,
      )}</ul></details>`,
  );
}

/** One line for all alarms: the table of the fleet page has the texts. @param {string[]} names */
function fleetStrip(names) {
  const more = names.length - NAMED;
  return strip(
    "bad",
    html`<b>${names.length} robots have an alarm:</b> ${names.slice(0, NAMED).map((name) =>
      html`<a href=${state.hashFor(name)}>${name}</a> `)}${
      more > 0 ? html`<span>and ${more} more</span>` : nothing}`,
  );
}

/** The alarm of the shown robot, or the first alarms of all robots. */
function alarmStrips() {
  const found = (state.status.value?.robots ?? []).filter(
    ({ name, alarm }) => alarm && (!state.shownRobot.value || name === state.shownRobot.value),
  );
  if (fleetShown.value && found.length > 1) return fleetStrip(found.map(({ name }) => name));
  const more = found.length - MAX_ALARMS;
  return html`${found.slice(0, MAX_ALARMS).map(({ name, alarm }) =>
    strip(
      "bad",
      html`${state.shownRobot.value ? nothing :
        html`<a href=${state.hashFor(name)}>${name}</a> `}<b>${alarm?.text}</b>
        ${alarm?.fix ? html`<span>To continue: ${alarm.fix}.</span>` : nothing}`,
    ))}${more > 0 ? strip("bad", html`${more} more robots have an alarm`) : nothing}`;
}
