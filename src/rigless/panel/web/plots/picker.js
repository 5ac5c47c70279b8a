// The list of signals: by robot and section, with a search over all robots.
import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import * as state from "../core/state.js";
import { activeId, charts, toggleSignal } from "./layout.js";
import { infos, list, notes } from "./signal_store.js";
/** @typedef {import("../core/api_types.js").SignalEntry} SignalEntry */

export const SIGNAL_TYPE = "application/x-rigless-signal"; // of a signal that is dragged
const SEARCH_MS = 200;
const MAX_FOUND = 300;
/** @type {Record<string, string>} */
const SECTIONS = {
  view: "Page",
  truth: "Ground truth",
  metrics: "Metrics",
  input: "Inputs",
  out: "Sent messages",
  in: "Received messages",
  program: "Programs",
};

const search = signal("");
const found = signal(/** @type {SignalEntry[]|null} */ (null)); // of the search
const leftOut = signal(0);
const openRobots = signal(/** @type {ReadonlySet<string>} */ (new Set()));
const openSections = signal(/** @type {ReadonlySet<string>} */ (new Set(["view", "truth"])));
const stageFile = computed(
  () => `${state.source.value} ${state.status.value?.deck?.file ?? ""}`, // each status is new
);
let timer = 0;

/** @param {string} text */
function find(text) {
  search.value = text;
  clearTimeout(timer);
  if (!text.trim()) {
    found.value = null;
    return;
  }
  timer = window.setTimeout(async () => {
    const answer = await list({ text, limit: MAX_FOUND });
    if (search.value !== text || !answer) return;
    [found.value, leftOut.value] = [answer.signals, answer.left_out];
  }, SEARCH_MS);
}

/** @param {string} robot */
function toggleRobot(robot) {
  const open = new Set(openRobots.value);
  if (!open.delete(robot)) {
    open.add(robot);
    void list({ robot }); // new types of messages may have been seen
  }
  openRobots.value = open;
}

/** @param {string} section */
function toggleSection(section) {
  const open = new Set(openSections.value);
  if (!open.delete(section)) open.add(section);
  openSections.value = open;
}

/** Open the list of the shown robot. */
export function startPicker() {
  effect(() => {
    const shown = state.shownRobot.value || state.robotNames.value[0];
    if (state.route.value.view !== "plots" || !shown || openRobots.peek().has(shown)) return;
    openRobots.value = new Set([...openRobots.peek(), shown]);
    void list({ robot: shown });
  });
  effect(() => {
    void stageFile.value;
    found.value = null;
    search.value = "";
    if (state.route.peek().view === "plots")
      for (const robot of openRobots.peek()) void list({ robot });
  });
}

export function picker() {
  return html`<section class="signal-picker" aria-label="Signals">
    <input type="search" placeholder="Search signals" aria-label="Search signals"
      .value=${search.value}
      @input=${(/** @type {{target: HTMLInputElement}} */ event) => find(event.target.value)}>
    <div class="signal-list">${found.value ? results(found.value) : robots()}</div>
    ${notes.value.map((text) => html`<p class="dim note">${text}</p>`)}
  </section>`;
}

/** @param {SignalEntry[]} entries */
function results(entries) {
  if (!entries.length) return html`<p class="dim note">No signal matches.</p>`;
  return html`${entries.map((entry) => item(entry, true))}${leftOut.value ?
    html`<p class="dim note">${leftOut.value} more: search for something narrower.</p>` : nothing}`;
}

function robots() {
  const programs = [...infos.value.values()].some((entry) => entry.robot === "programs");
  return [...state.robotNames.value, ...(programs ? ["programs"] : [])].map((robot) => {
    const open = openRobots.value.has(robot);
    return html`<div class="signal-robot"><button class="fold" aria-expanded=${open}
      @click=${() => toggleRobot(robot)}>${robot}</button>${open ? sections(robot) :
        nothing}</div>`;
  });
}

/** @param {string} robot */
function sections(robot) {
  /** @type {Map<string, SignalEntry[]>} */
  const groups = new Map();
  for (const entry of infos.value.values()) {
    if (entry.robot !== robot) continue;
    const there = groups.get(entry.section);
    if (there) there.push(entry);
    else groups.set(entry.section, [entry]);
  }
  const order = Object.keys(SECTIONS).filter((section) => groups.has(section));
  return order.map((section) => {
    const open = openSections.value.has(section);
    const entries = groups.get(section) ?? [];
    return html`<div class="signal-section"><button class="fold" aria-expanded=${open}
      @click=${() => toggleSection(section)}>${SECTIONS[section]} <small
      class="dim">${entries.length}</small></button>${open ?
        entries.map((entry) => item(entry, false)) : nothing}</div>`;
  });
}

/**
 * @param {SignalEntry} entry
 * @param {boolean} full with the robot
 */
function item(entry, full) {
  const active = charts.value.find((chart) => chart.id === activeId.value);
  const on = active?.signals.includes(entry.name) ?? false;
  const detail = entry.section === "out" || entry.section === "in" ? `${port(entry)} · ` : "";
  return html`<button class="signal" aria-pressed=${on} title=${entry.name} draggable="true"
    @click=${() => toggleSignal(entry.name)}
    @dragstart=${(/** @type {DragEvent} */ event) =>
      event.dataTransfer?.setData(SIGNAL_TYPE, entry.name)}><i
    aria-hidden="true"></i><span>${full ? html`<small class="dim">${entry.robot} · </small>` :
      nothing}${detail ? html`<small class="dim">${detail}</small>` :
        nothing}${entry.label}</span>${
    entry.unit ? html`<small class="dim">${entry.unit}</small>` : nothing}</button>`;
}

/** @param {SignalEntry} entry */
const port = (entry) => entry.name.split("/")[2] ?? "";
