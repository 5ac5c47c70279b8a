// The card of the fleet page: actions and faults on all selected robots at once.
import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { call, post, robotPath } from "../core/api.js";
import { faultForm } from "../cards/fault_card.js";
import { button, card } from "../cards/widgets.js";
import { healthOf } from "../core/health.js";
import * as state from "../core/state.js";
import { ordered } from "./fleet_order.js";
import {
  fleet,
  fleetShown,
  select,
  selectedRows,
  selection,
  tableRevision,
} from "./fleet_store.js";

const NAMED = 6;
const FAILURES_SHOWN = 3;

/**
 * What a kind of robot offers: the actions of its page, and its faults.
 * @typedef {object} Offer
 * @property {{name: string, label: string, colour: string}[]} actions
 * @property {import("../core/state.js").RobotDetails["fault_params"]} faults
 */

/** By kind of robot. @type {import("@preact/signals-core").Signal<Record<string, Offer>>} */
const offers = signal({});
const loading = new Set();

const chosen = computed(() => {
  void tableRevision.value;
  void selection.value;
  return selectedRows();
});
const kinds = computed(() => [...new Set(chosen.value.map(({ kind }) => kind))].sort());

export function startFleetCard() {
  effect(() => {
    if (!fleetShown.value || state.source.value !== "live") return;
    for (const kind of kinds.value) void load(kind);
  });
}

/** Ask the first selected robot of a kind once. @param {string} kind */
async function load(kind) {
  const robot = chosen.peek().find((row) => row.kind === kind)?.name;
  if (!robot || offers.peek()[kind] || loading.has(kind)) return;
  loading.add(kind);
  const [page, details] = await Promise.all([
    call("GET", `${robotPath(robot)}/page`),
    call("GET", robotPath(robot)),
  ]);
  loading.delete(kind);
  if (!page || !details) return;
  const parts = /** @type {import("../core/types.js").Part[]} */ (page.parts);
  const actions = parts
    .filter((part) => part.kind === "Action")
    .map(({ name, label, colour = "plain" }) => ({ name, label, colour }));
  offers.value = { ...offers.value, [kind]: { actions, faults: details.fault_params } };
}

export function fleetCard() {
  const rows = chosen.value;
  if (state.source.value === "recording") {
    return card("Selected robots", html`<p class="dim">A recording cannot be changed.</p>`);
  }
  return card(
    "Selected robots",
    rows.length ? selected(rows) : hint(),
    html`<span class="tag">${rows.length} of ${fleet.rows.length}</span>`,
  );
}

function hint() {
  const odd = fleet.rows.filter((row) => healthOf(row.status) !== "ok" || row.error || row.faults);
  return html`<p class="dim">Select robots on the map or in the table: click one, hold
      <kbd>Ctrl</kbd> to add one, hold <kbd>Shift</kbd> and drag for several.</p>
    <div class="row">${button("Select all", "Select all shown robots", () =>
      select(ordered.value.map(({ name }) => name)), { kind: "text" })}
    ${odd.length ? button(`Select ${odd.length} abnormal`, "Select all abnormal robots", () =>
      select(odd.map(({ name }) => name)), { kind: "text" }) : nothing}</div>`;
}

/** @param {import("./fleet_order.js").FleetRow[]} rows */
function selected(rows) {
  const names = rows.map(({ name }) => name);
  const stoppable = rows.filter(({ stop }) => stop !== null);
  const stopped = stoppable.filter(({ stop }) => stop);
  const faulty = rows.filter(({ faults }) => faults);
  const more = names.length - NAMED;
  return html`<p class="fleet-names">${names.slice(0, NAMED).map((name) =>
      html`<a href=${state.hashFor(name)}>${name}</a> `)}${
      more > 0 ? html`<span class="dim">and ${more} more</span>` : nothing}</p>
    <div class="row fleet-stop">
      ${button("E-stop", "Emergency stop of the selected robots", () =>
        void onMany("estop", names, { on: true }, "emergency stop"),
        { kind: "text danger", off: stopped.length === stoppable.length })}
      ${button("Release", "Release the emergency stop of the selected robots", () =>
        void onMany("estop", names, { on: false }, "released"),
        { kind: "text", off: !stopped.length })}</div>
    ${actionButtons(names)}
    ${faultPart(names, faulty)}`;
}

/** The actions of each kind; with several kinds, under its name. @param {string[]} names */
function actionButtons(names) {
  const many = kinds.value.length > 1;
  return kinds.value.map((kind) => {
    const offer = offers.value[kind];
    const of = chosen.value.filter((row) => row.kind === kind).map(({ name }) => name);
    if (!offer?.actions.length) return nothing;
    return html`<h3>Commands${many ? ` of ${kind}` : ""}</h3><div class="commands long">${
      offer.actions.map(({ name, label, colour }) => button(label, label, () =>
        void onMany("actions", many ? of : names, { name }, label), {
        kind: colour === "bad" ? "text danger" : colour === "warn" ? "text caution" : "text" }))
    }</div>`;
  });
}

/**
 * @param {string[]} names
 * @param {import("./fleet_order.js").FleetRow[]} faulty
 */
function faultPart(names, faulty) {
  const [kind, ...others] = kinds.value;
  const offer = offers.value[kind ?? ""];
  return html`<h3>Faults</h3>
    ${others.length ? html`<p class="dim">Select robots of one kind to inject a fault.</p>` :
      offer ? faultForm(offer.faults, (fault) =>
        void onMany("faults", names, fault, `${fault.target} ${fault.kind}`)) : nothing}
    ${faulty.length ? button(`Clear the faults of ${faulty.length}`,
      "Clear all faults of the selected robots", () =>
      void onMany("clear", faulty.map(({ name }) => name), {}, "faults cleared"),
      { kind: "text wide" }) : nothing}`;
}

/**
 * Do something on many robots and tell the result.
 * @param {"estop"|"actions"|"faults"|"clear"} route
 * @param {string[]} robots
 * @param {object} body
 * @param {string} text
 */
async function onMany(route, robots, body, text) {
  const found = await post(`/api/fleet/${route}`, { robots, ...body });
  if (!found) return;
  const { done, failed } = /** @type {import("../core/api_types.js").DoneOnMany} */ (found);
  if (done.length)
    state.notice(`${text}: ${done.length === 1 ? done[0] : `${done.length} robots`}`);
  for (const { robot, problem } of failed.slice(0, FAILURES_SHOWN))
    state.notice(`${robot}: ${problem}`, "bad");
  if (failed.length > FAILURES_SHOWN)
    state.notice(`and ${failed.length - FAILURES_SHOWN} more robots failed`, "bad");
}
