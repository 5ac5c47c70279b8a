// The list of robots, filtered by name or status. The filter applies to the navigation, the card
// and the map.
import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { healthOf } from "../core/health.js";
import * as icons from "../cards/icons.js";
import { card } from "../cards/widgets.js";
import * as state from "../core/state.js";

const MANY = 8; // with more robots there is a search field
const LISTED = 150; // more robots are found by the search, or on the fleet page
export const searchText = signal(""); // part of a name
export const chosenStatus = signal("");

/** The number of robots by status. */
export const statusCounts = computed(() => {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { status } of state.robotList.value) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
});

const isMany = computed(() => state.robotList.value.length > MANY);
export const isFiltered = computed(
  () =>
    isMany.value && (searchText.value.trim() !== "" || statusCounts.value.has(chosenStatus.value)),
);

/** The robots that pass the filter; all without one. */
export const matches = computed(() => {
  if (!isFiltered.value) return state.robotList.value;
  const words = searchText.value.toLowerCase().split(/\s+/);
  const status = statusCounts.value.has(chosenStatus.value) ? chosenStatus.value : "";
  return state.robotList.value.filter(
    (robot) =>
      (!status || robot.status === status) &&
      words.every((word) => robot.name.toLowerCase().includes(word)),
  );
});
const matchNames = computed(() => new Set(matches.value.map(({ name }) => name)));

/** True if the filter excludes a robot. @param {string} robot */
export const isFilteredOut = (robot) => isFiltered.value && !matchNames.value.has(robot);

/** Changes only if a name or a status changes, to avoid rendering ten times per second. */
const listKey = computed(() =>
  matches.value.map(({ name, status }) => `${name} ${status}`).join("\n"),
);

/** Scroll the navigation to the robot that is shown. */
export function startRobotList() {
  effect(() => {
    void state.shownRobot.value;
    requestAnimationFrame(() =>
      document
        .querySelector('nav a[aria-current="page"]')
        ?.scrollIntoView({ block: "nearest", inline: "nearest" }),
    );
  });
}

/** @param {string} label */
function searchField(label) {
  return html`<input type="search" aria-label=${label} placeholder="find" .value=${searchText.value}
    @input=${(/** @type {{target: HTMLInputElement}} */ { target }) =>
    (searchText.value = target.value)}
    @keydown=${(/** @type {KeyboardEvent} */ event) => {
      const [first] = matches.value;
      if (event.key === "Enter" && first) location.hash = state.hashFor(first.name);
    }}>`;
}

export function navigation() {
  const all = state.robotList.value;
  const item = (
    /** @type {string} */ robot,
    /** @type {unknown} */ face,
    /** @type {string} */ label,
    status = "",
  ) => html`<a href=${state.hashFor(robot)}
    aria-current=${state.shownRobot.value === robot ? "page" : "false"}
    data-health=${healthOf(status)}
    title=${status ? `${label}: ${status}` : label}>${face}<span>${label}</span></a>`;
  return html`<nav
    aria-label="Robots">${all.length > 1 ? item("", icons.all, "All robots") : nothing}
    ${isMany.value ? searchField("Find a robot") : nothing}
    ${guard([listKey.value, state.shownRobot.value], () =>
      matches.value.slice(0, LISTED).map(({ name, kind, status }) => item(name,
        icons.ofKind(kind), name, status)))}${moreRobots()}</nav>`;
}

/** The number of robots that are not listed. */
function moreRobots() {
  const more = matches.value.length - LISTED;
  return more > 0 ? html`<p class="dim more">and ${more} more: search</p>` : nothing;
}

/** A filter button for each status. */
export function statusButtons() {
  return [...statusCounts.value].map(
    ([
      status,
      count,
    ]) => html`<button class="state" aria-pressed=${chosenStatus.value === status}
      data-health=${healthOf(status)}
    aria-label="Only ${status}, ${count} ${count === 1 ? "robot" : "robots"}"
    @click=${() => (chosenStatus.value = chosenStatus.value === status ? "" : status)}><i></i>${
    status} <b>${count}</b></button>`,
  );
}

export function robotListCard() {
  const total = state.robotList.value.length;
  const tag = isFiltered.value ? `${matches.value.length} of ${total}` : `${total}`;
  return card(
    "Robots",
    html`${isMany.value ?
      html`<div class="finder">${searchField("Find a robot by its name")}${statusButtons()}</div>` :
        nothing}
    ${guard([listKey.value], () =>
      matches.value.slice(0, LISTED).map(
        (
          robot,
        ) => html`<a class="readout" data-health=${healthOf(robot.status)}
          href=${state.hashFor(robot.name)}>
      <span>${robot.name}</span><b>${robot.status}</b></a>`,
      ),
    )}
    ${moreRobots()}
    ${matches.value.length ? nothing : html`<p class="dim">no robot matches</p>`}`,
    html`<span class="tag">${tag}</span>`,
  );
}
