// All robots of the shown simulation: words and numbers for the table, places for the map. The
// layout of the bytes is described in fleet/feed.py.
import { computed, effect, signal } from "@preact/signals-core";
import { blockListeners, countFrame, fleetListeners, send } from "../core/socket.js";
import * as state from "../core/state.js";

/** @typedef {import("../core/api_types.js").FleetRow} FleetRow */

const BLOCK = 5; // the kind of a block
const HEADER = 24;
const HZ = 30;
export const NUMBERS = 3; // of a robot: speed in m/s, battery in percent, age of its last message

/** The newest of everything. `places` has x, y and heading of each robot. */
export const fleet = {
  number: -1, // of the list of robots
  epoch: -1,
  time_s: 0,
  /** @type {FleetRow[]} */
  rows: [],
  places: new Float32Array(),
  numbers: new Float32Array(),
  radii: new Float32Array(),
  blocks: 0,
  pictures: 0, // the number of the last picture; it counts also those that did not come
};

export const tableRevision = signal(0); // increases when words or numbers change
export const listRevision = signal(0); // increases when the robots are others
export const rate = signal({ hz: HZ, asked_hz: HZ, sent_hz: HZ, cost_ms: 0, total: 0 });
/** Names of the selected robots. */
export const selection = signal(/** @type {ReadonlySet<string>} */ (new Set()));
/** The robot at the pointer or at the cursor of the table; its name, or "". */
export const marked = signal("");
/** True while the fleet page is shown. */
export const fleetShown = signal(false);

/** Functions to call after each block. @type {Set<() => void>} */
export const pictureListeners = new Set();

const pageVisible = signal(!document.hidden);
document.addEventListener("visibilitychange", () => (pageVisible.value = !document.hidden));
const wanted = computed(() => fleetShown.value && pageVisible.value);
const playerFile = computed(() => state.status.value?.deck?.file);

export function startFleetStore() {
  blockListeners.set(BLOCK, takeBlock);
  fleetListeners.add(takeWords);
  let subscribed = false;
  effect(() => {
    void playerFile.value;
    if (state.connection.value !== "live") subscribed = false;
    else if (wanted.value) {
      fleet.number = -1;
      subscribed = true;
      send({ type: "fleet", stage: state.source.value, hz: HZ });
    } else if (subscribed) {
      subscribed = false;
      send({ type: "fleet", hz: 0 });
    }
  });
  effect(() => {
    // robots of another simulation cannot be selected
    void listRevision.value;
    const names = new Set(fleet.rows.map(({ name }) => name));
    const kept = [...selection.peek()].filter((name) => names.has(name));
    if (kept.length !== selection.peek().size) selection.value = new Set(kept);
  });
}

/** @param {import("../core/api_types.js").FleetMessage} message */
function takeWords(message) {
  if (message.stage !== state.source.value) return;
  if (message.first) {
    fleet.number = message.number;
    fleet.rows = message.rows;
    listRevision.value++;
  } else if (message.number === fleet.number) {
    for (const row of message.rows) fleet.rows[row.n] = row;
  } else return;
  const { hz, asked_hz, sent_hz, cost_ms, total } = message;
  rate.value = { hz, asked_hz, sent_hz, cost_ms, total };
  tableRevision.value++;
  for (const tell of pictureListeners) tell();
}

/** @param {ArrayBuffer} data */
function takeBlock(data) {
  const view = new DataView(data);
  fleet.epoch = view.getUint32(8, true);
  fleet.time_s = view.getFloat64(16, true);
  const count = view.getUint32(12, true);
  let at = HEADER + 8 * count;
  let table = false;
  for (let n = 0; n < count; n++) {
    const size = view.getUint32(HEADER + 8 * n + 4, true);
    const values = new Float32Array(data, at, size);
    const field = view.getUint32(HEADER + 8 * n, true);
    if (field === 0) fleet.places = values;
    else if (field === 1) [fleet.numbers, table] = [values, true];
    else fleet.radii = values;
    at += 4 * size;
  }
  fleet.blocks++;
  fleet.pictures = view.getUint32(4, true);
  countFrame();
  if (table) tableRevision.value++;
  for (const tell of pictureListeners) tell();
}

/** @param {number} n @param {number} which */
export const numberOf = (n, which) => fleet.numbers[NUMBERS * n + which] ?? NaN;

/** @param {Iterable<string>} names */
export const select = (names) => (selection.value = new Set(names));

/** @param {string} name */
export function toggleSelected(name) {
  const next = new Set(selection.value);
  if (!next.delete(name)) next.add(name);
  selection.value = next;
}

/** The robots of the selection that still exist, in the order of the run. */
export const selectedRows = () => fleet.rows.filter(({ name }) => selection.value.has(name));
