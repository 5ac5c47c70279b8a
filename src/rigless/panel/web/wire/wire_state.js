// The state of the Wire tab: the filter, the rows that arrived, and the subscription to them.
import { computed, effect, signal, untracked } from "@preact/signals-core";
import { call } from "../core/api.js";
import { send, wireListeners } from "../core/socket.js";
import * as state from "../core/state.js";

/** @typedef {import("../core/api_types.js").WireRow} Row */
/** @typedef {import("../core/api_types.js").WireDetail} Detail */
/** @typedef {import("../core/api_types.js").WireStatistics} Statistics */
/**
 * @typedef {{port: string, direction: ""|"in"|"out", kind: string, subject: string, text: string,
 *   abnormal: boolean}} Filter
 */

export const MAX_ROWS = 20_000; // of the live simulation; older ones are dropped
const MAX_RECORDED_ROWS = 100_000;
/** @type {Filter} */
export const NO_FILTER = {
  port: "",
  direction: "",
  kind: "",
  subject: "",
  text: "",
  abnormal: false,
};

export const openPanels = signal(0); // elements on the page that show the wire
export const filter = signal(NO_FILTER);
export const paused = signal(false);
export const follow = signal(true);
export const relative = signal(false); // times relative to the selected row
export const selected = signal(/** @type {Row|null} */ (null));
export const detail = signal(/** @type {Detail|null} */ (null));
export const statistics = signal(/** @type {Statistics[]} */ ([]));
/** State of the feed. */
export const feed = signal({
  received: 0,
  skipped: 0,
  perSecond: 0,
  searching: false,
  loading: /** @type {number|null} */ (null),
  until_s: /** @type {number|null} */ (null),
  trouble: "",
});
// a number that changes with the rows; the rows themselves are too many to copy
export const revision = signal(0);
/** @type {Row[]} oldest first */
export let rows = [];
/** @type {Row[]} rows that were on their way when the list was paused */
let late = [];
export const isEmpty = computed(() => {
  void revision.value;
  return rows.length === 0;
});
let dropped = 0; // rows dropped at the beginning since the last look of the list
let serial = 0;

/** Return how many rows were dropped at the beginning since the last call. */
export function takeDropped() {
  const count = dropped;
  dropped = 0;
  return count;
}

/** The time that is shown: that of the player in a recording, else the newest. */
export const playerTime_s = computed(() =>
  state.source.value === "recording" ? (state.status.value?.deck?.time_s ?? 0) : Infinity,
);

const pageVisible = signal(!document.hidden);
document.addEventListener("visibilitychange", () => (pageVisible.value = !document.hidden));
const looking = computed(
  () => openPanels.value > 0 && pageVisible.value && state.connection.value === "live",
);
const playerFile = computed(() => state.status.value?.deck?.file ?? "");
const epoch = computed(() => `${state.source.value} ${playerFile.value} ${state.shownRobot.value}`);

/** @param {Partial<Filter>} change */
export const setFilter = (change) => (filter.value = { ...filter.value, ...change });

/** Forget the rows so far. New ones follow. */
export function clearRows() {
  rows = [];
  late = [];
  dropped = 0;
  feed.value = { ...feed.value, received: 0, skipped: 0 };
  revision.value++;
}

/** Another robot or another simulation is shown. */
function forget() {
  filter.value = NO_FILTER;
  statistics.value = [];
  selected.value = null;
  detail.value = null;
  clearRows();
}

function subscribe() {
  send({
    type: "wire",
    on: true,
    serial,
    stage: state.source.peek(),
    robot: state.shownRobot.peek(),
    ...filter.peek(),
    paused: paused.peek(),
  });
}

let seen = 0; // rows since the last measurement
/** @param {import("../core/api_types.js").WireMessage} message */
function receive(message) {
  if (message.serial !== serial) return; // of an earlier filter
  if (message.reset) clearRows();
  const holds = paused.peek() && !message.reset && !message.searching;
  for (const row of message.rows) (holds ? late : rows).push(row);
  const limit = message.stage === "live" ? MAX_ROWS : MAX_RECORDED_ROWS;
  if (rows.length > limit * 1.1) {
    dropped += rows.length - limit;
    rows = rows.slice(-limit);
  }
  if (!message.searching) seen += message.rows.length; // otherwise they are older ones
  if (message.statistics) statistics.value = message.statistics;
  const { searching, loading, until_s, trouble } = message;
  feed.value = {
    ...feed.value,
    received: feed.value.received + message.rows.length,
    skipped: feed.value.skipped + message.skipped,
    searching,
    loading,
    until_s,
    trouble,
  };
  if (message.rows.length) revision.value++;
}

let requests = 0;
/**
 * Select a row: show it in full, and in a recording go to its instant.
 * @param {Row|null} row
 */
export async function select(row) {
  selected.value = row;
  const mine = ++requests;
  if (!row) {
    detail.value = null;
    return;
  }
  if (state.source.value === "recording") void call("POST", "/api/deck/seek", { time_s: row.t });
  const found = await call("GET", `/api/wire/${row.n}?stage=${state.source.value}`);
  if (mine === requests) detail.value = found ?? null;
}

/** Start the subscription, which lasts while a panel is on the page. */
export function startWire() {
  wireListeners.add(receive);
  effect(() => {
    const on = looking.value;
    void filter.value;
    void epoch.value;
    if (on) {
      serial++;
      subscribe();
    } else if (serial) send({ type: "wire", on: false });
  });
  effect(() => {
    if (!paused.value) {
      rows.push(...late.splice(0));
      untracked(() => revision.value++);
    }
    if (looking.peek()) subscribe();
  });
  effect(() => {
    void epoch.value;
    untracked(forget);
  });
  setInterval(() => {
    if (seen || feed.peek().perSecond) feed.value = { ...feed.peek(), perSecond: seen };
    seen = 0;
  }, 1000);
}
