// Many robots: find one by its name, or those that are in some state. What is found is in the left column, on the card and on the map.
import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { healthOf } from "./health.js";
import * as icons from "./icons.js";
import { card } from "./pieces.js";
import * as state from "./state.js";

const MANY = 8; // robots among which one is sought
export const sought = signal(""); // letters of a name
export const chosen = signal(""); // a status

/** Each status, and how many robots have it. */
export const counts = computed(() => {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const { status } of state.cast.value) found.set(status, (found.get(status) ?? 0) + 1);
  return found;
});

const isMany = computed(() => state.cast.value.length > MANY);
export const isSought = computed(() => isMany.value && (sought.value.trim() !== "" || counts.value.has(chosen.value)));

/** The robots that are sought; all, if none is. */
export const found = computed(() => {
  if (!isSought.value) return state.cast.value;
  const words = sought.value.toLowerCase().split(/\s+/);
  const status = counts.value.has(chosen.value) ? chosen.value : "";
  return state.cast.value.filter((robot) => (!status || robot.status === status) && words.every((word) => robot.name.toLowerCase().includes(word)));
});
const foundNames = computed(() => new Set(found.value.map(({ name }) => name)));

/** Whether a robot is not among those that are sought. @param {string} robot */
export const isPassedOver = (robot) => isSought.value && !foundNames.value.has(robot);

/** Names and states change seldom, but come ten times a second. */
const told = computed(() => found.value.map(({ name, status }) => `${name} ${status}`).join("\n"));

/** The one that is shown is also seen in the left column. */
export function beginFleet() {
  effect(() => {
    void state.shown.value;
    requestAnimationFrame(() => document.querySelector('nav a[aria-current="page"]')?.scrollIntoView({ block: "nearest", inline: "nearest" }));
  });
}

/** @param {string} label */
function field(label) {
  return html`<input type="search" aria-label=${label} placeholder="find" .value=${sought.value}
    @input=${(/** @type {{target: HTMLInputElement}} */ { target }) => (sought.value = target.value)}
    @keydown=${(/** @type {KeyboardEvent} */ event) => {
      const [first] = found.value;
      if (event.key === "Enter" && first) location.hash = state.hashOf(first.name);
    }}>`;
}

export function navigation() {
  const all = state.cast.value;
  const item = (/** @type {string} */ robot, /** @type {unknown} */ face, /** @type {string} */ label, status = "") => html`<a href=${state.hashOf(robot)}
    aria-current=${state.shown.value === robot ? "page" : "false"} data-health=${healthOf(status)} title=${status ? `${label}: ${status}` : label}>${face}<span>${label}</span></a>`;
  return html`<nav aria-label="Robots">${all.length > 1 ? item("", icons.all, "All robots") : nothing}
    ${isMany.value ? field("Find a robot") : nothing}
    ${guard([told.value, state.shown.value], () => found.value.map(({ name, kind, status }) => item(name, icons.ofKind(kind), name, status)))}</nav>`;
}

/** A button for each status: those robots only. */
export function statusButtons() {
  return [...counts.value].map(([status, count]) => html`<button class="state" aria-pressed=${chosen.value === status} data-health=${healthOf(status)}
    aria-label="Only ${status}, ${count} ${count === 1 ? "robot" : "robots"}" @click=${() => (chosen.value = chosen.value === status ? "" : status)}><i></i>${status} <b>${count}</b></button>`);
}

export function fleetCard() {
  const total = state.cast.value.length;
  const tag = isSought.value ? `${found.value.length} of ${total}` : `${total}`;
  return card("Robots", html`${isMany.value ? html`<div class="finder">${field("Find a robot by its name")}${statusButtons()}</div>` : nothing}
    ${guard([told.value], () => found.value.map((robot) => html`<a class="readout" data-health=${healthOf(robot.status)} href=${state.hashOf(robot.name)}>
      <span>${robot.name}</span><b>${robot.status}</b></a>`))}
    ${found.value.length ? nothing : html`<p class="dim">no robot is so</p>`}`, html`<span class="tag">${tag}</span>`);
}
