// The order of the table: which robots pass the filter, sorted by a column.
import { computed, signal } from "@preact/signals-core";
import { healthOf } from "../core/health.js";
import { chosenStatus, searchText } from "../page/robot_list.js";
import { fleet, numberOf, tableRevision } from "./fleet_store.js";

/** @typedef {import("../core/api_types.js").FleetRow} FleetRow */

/**
 * A column. `text` is shown; `key` sorts: a number, or a text in natural order. `missing` values
 * come last in both directions.
 * @typedef {object} Column
 * @property {string} id
 * @property {string} label
 * @property {string} [unit]
 * @property {boolean} [right] aligned to the right
 * @property {(row: FleetRow) => string} text
 * @property {(row: FleetRow) => number|string} key
 */

const MINUTE_S = 60;
export const STALE_S = 5; // an older last message is abnormal
const LOW_BATTERY = 20;
const SEVERITY = { ok: 2, warn: 1, bad: 0 };

/** @type {Column[]} */
export const COLUMNS = [
  { id: "name", label: "Robot", text: (row) => row.name, key: (row) => row.name },
  {
    id: "status",
    label: "Status",
    text: (row) => row.status,
    // broken ones first
    key: (row) => `${SEVERITY[healthOf(row.status)]} ${row.status}`,
  },
  numberColumn("battery", "Battery", "%", 1, 0),
  { id: "task", label: "Task", text: (row) => row.task, key: (row) => row.task },
  numberColumn("speed", "Speed", "m/s", 0, 2),
  { id: "error", label: "Error", text: errorText, key: errorText },
  {
    id: "age",
    label: "Last message",
    right: true,
    text: (row) => ageText(numberOf(row.n, 2)),
    key: (row) => numberOf(row.n, 2),
  },
];

/**
 * @param {string} id
 * @param {string} label
 * @param {string} unit
 * @param {number} which
 * @param {number} digits
 * @returns {Column}
 */
function numberColumn(id, label, unit, which, digits) {
  const key = (/** @type {FleetRow} */ row) => numberOf(row.n, which);
  const text = (/** @type {FleetRow} */ row) =>
    Number.isFinite(key(row)) ? key(row).toFixed(digits) : "";
  return { id, label, unit, right: true, key, text };
}

/** @param {FleetRow} row */
function errorText(row) {
  if (row.error) return row.error;
  return row.faults ? `${row.faults} ${row.faults === 1 ? "fault" : "faults"} injected` : "";
}

/** @param {number} age_s */
function ageText(age_s) {
  if (!Number.isFinite(age_s)) return "";
  if (age_s < MINUTE_S) return `${age_s.toFixed(1)} s`;
  return `${Math.floor(age_s / MINUTE_S)} min`;
}

/**
 * The health of one value: amber or red if it is abnormal.
 * @param {FleetRow} row
 * @param {string} column
 */
export function healthOfValue(row, column) {
  if (column === "status") return healthOf(row.status);
  if (column === "error") return row.error ? "bad" : row.faults ? "warn" : "ok";
  if (column === "battery") return numberOf(row.n, 1) < LOW_BATTERY ? "warn" : "ok";
  if (column === "age") return numberOf(row.n, 2) > STALE_S ? "warn" : "ok";
  return "ok";
}

export const sorting = signal({ column: "name", down: false });

/** Sort by a column; a second time turns the order round. @param {string} column */
export function sortBy(column) {
  const { column: before, down } = sorting.value;
  sorting.value = { column, down: column === before && !down };
}

/** True if a robot passes the search and the chosen status. @param {FleetRow} row */
export function passes(row) {
  if (!row) return false;
  const status = counts.value.has(chosenStatus.value) ? chosenStatus.value : "";
  if (status && row.status !== status) return false;
  const words = searchText.value.toLowerCase().split(/\s+/);
  const text = `${row.name} ${row.kind} ${row.status} ${row.task} ${row.error}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

const natural = new Intl.Collator("en", { numeric: true });

/** The shown robots in the order of the table. */
export const ordered = computed(() => {
  void tableRevision.value;
  const { column, down } = sorting.value;
  const { key } = COLUMNS.find(({ id }) => id === column) ?? /** @type {Column} */ (COLUMNS[0]);
  const found = fleet.rows.filter(passes).map((row) => ({ row, key: key(row) }));
  const sign = down ? -1 : 1;
  const missing = (/** @type {number|string} */ one) => one === "" || Number.isNaN(one);
  found.sort((a, b) => {
    const [lacksA, lacksB] = [missing(a.key), missing(b.key)];
    if (lacksA !== lacksB) return lacksA ? 1 : -1;
    const first =
      typeof a.key === "number" && typeof b.key === "number"
        ? a.key - b.key
        : natural.compare(String(a.key), String(b.key));
    return sign * (Number.isNaN(first) ? 0 : first) || natural.compare(a.row.name, b.row.name);
  });
  return found.map(({ row }) => row);
});

/** The number of robots by status. */
export const counts = computed(() => {
  void tableRevision.value;
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const row of fleet.rows) found.set(row.status, (found.get(row.status) ?? 0) + 1);
  return new Map([...found].sort(([a], [b]) => a.localeCompare(b))); // each keeps its place
});
