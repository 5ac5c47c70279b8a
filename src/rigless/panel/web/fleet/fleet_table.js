// The table of the fleet page. Only the visible rows are in the document, so a thousand robots cost
// no more than twenty.
import { effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import * as state from "../core/state.js";
import { COLUMNS, healthOfValue, ordered, sortBy, sorting } from "./fleet_order.js";
import { fleetShown, marked, select, selection, toggleSelected } from "./fleet_store.js";

/** @typedef {import("../core/api_types.js").FleetRow} FleetRow */

const ROW_PX = 44;
const SPARE = 4; // rows above and below the visible ones

export const table = document.createElement("div");
table.className = "fleet-table";
const first = signal(0);
const visible = signal(12);
let anchor = ""; // the other end of a range

const measure = () => {
  first.value = Math.max(0, Math.floor(table.scrollTop / ROW_PX) - SPARE);
  visible.value = Math.ceil(table.clientHeight / ROW_PX) + 2 * SPARE;
};

export function startFleetTable() {
  table.addEventListener("scroll", measure, { passive: true });
  new ResizeObserver(measure).observe(table);
  effect(() => {
    if (fleetShown.value) render(content(ordered.value), table);
  });
}

/** @param {FleetRow[]} rows */
function content(rows) {
  const from = Math.min(first.value, Math.max(0, rows.length - visible.value));
  const shown = rows.slice(from, from + visible.value);
  const all = rows.length > 0 && rows.every(({ name }) => selection.value.has(name));
  return html`<div class="fleet-grid" role="grid" aria-label="Robots" aria-multiselectable="true"
      aria-rowcount=${rows.length + 1} tabindex="0"
      aria-activedescendant=${shown.some(({ name }) => name === marked.value) ? rowId(marked.value)
        : nothing}
      @keydown=${(/** @type {KeyboardEvent} */ event) => press(event, rows)}>
    <div class="fleet-row head" role="row" aria-rowindex="1">
      <span role="columnheader" class="pick"><input type="checkbox" tabindex="-1"
        aria-label="Select all shown robots" .checked=${all}
        @change=${() => select(all ? [] : rows.map(({ name }) => name))}></span>
      ${COLUMNS.map(heading)}</div>
    <div class="fleet-rows" role="rowgroup" style="height:${rows.length * ROW_PX}px">
      ${repeat(shown, ({ name }) => name, (row, n) => line(row, from + n, rows))}</div>
    ${rows.length ? nothing : html`<p class="dim fleet-none">no robot matches</p>`}
  </div>`;
}

/** @param {import("./fleet_order.js").Column} column */
function heading({ id, label, unit, right }) {
  const { column, down } = sorting.value;
  const order = column === id ? (down ? "descending" : "ascending") : "none";
  return html`<span role="columnheader" class=${right ? `of-${id} right` : `of-${id}`}
    aria-sort=${order}><button tabindex="-1" @click=${() => sortBy(id)}
    >${label}${unit ? html` <small>${unit}</small>` : nothing}</button></span>`;
}

/** @param {string} name */
const rowId = (name) => `fleet-row-${name}`;

/**
 * @param {FleetRow} row
 * @param {number} at
 * @param {FleetRow[]} rows
 */
function line(row, at, rows) {
  const on = selection.value.has(row.name);
  return html`<div class="fleet-row ${on ? "on" : ""} ${marked.value === row.name ? "marked" : ""}"
    role="row" id=${rowId(row.name)} aria-rowindex=${at + 2} aria-selected=${on}
    style="transform:translateY(${at * ROW_PX}px)"
    @pointerenter=${() => (marked.value = row.name)}
    @click=${(/** @type {MouseEvent} */ event) => click(event, row.name, rows)}>
    <span role="gridcell" class="pick"><input type="checkbox" tabindex="-1"
      aria-label="Select ${row.name}" .checked=${on}></span>
    ${COLUMNS.map(({ id, text, right }) => {
      const words = text(row);
      const health = healthOfValue(row, id);
      const classes = right ? `of-${id} right` : `of-${id}`;
      return html`<span role="gridcell" class=${classes} data-health=${health}
        title=${words}>${id === "name" ? html`<a tabindex="-1" href=${state.hashFor(row.name)}
        >${words}</a>` : id === "status" ? html`<i></i>${words}` : words || "–"}</span>`;
    })}</div>`;
}

/**
 * A click selects one robot, with Ctrl it adds or removes one, with Shift it selects a range.
 * @param {MouseEvent} event
 * @param {string} name
 * @param {FleetRow[]} rows
 */
function click(event, name, rows) {
  const target = /** @type {HTMLElement} */ (event.target);
  if (target.closest("a")) return;
  const box = target.closest(".pick");
  if (event.shiftKey && anchor) selectRange(anchor, name, rows);
  else if (box || event.ctrlKey || event.metaKey) toggleSelected(name);
  else select([name]);
  if (!event.shiftKey) anchor = name;
  // the state of the box is that of the selection
  if (target instanceof HTMLInputElement) target.checked = selection.value.has(name);
}

/**
 * @param {string} one
 * @param {string} other
 * @param {FleetRow[]} rows
 */
function selectRange(one, other, rows) {
  const names = rows.map(({ name }) => name);
  const [from, to] = [names.indexOf(one), names.indexOf(other)].sort((a, b) => a - b);
  if (from !== undefined && to !== undefined && from >= 0) select(names.slice(from, to + 1));
}

/**
 * @param {KeyboardEvent} event
 * @param {FleetRow[]} rows
 */
function press(event, rows) {
  const at = rows.findIndex(({ name }) => name === marked.value);
  const page = Math.max(1, visible.value - 2 * SPARE - 2);
  const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page }[event.key];
  const next =
    by !== undefined ? Math.max(0, Math.min(rows.length - 1, at + by))
    : event.key === "Home" ? 0 : event.key === "End" ? rows.length - 1 : -1;
  const name = rows[at]?.name;
  if (next >= 0) {
    marked.value = rows[next]?.name ?? "";
    if (event.shiftKey) selectRange(anchor || marked.value, marked.value, rows);
    else anchor = marked.value;
    scrollTo(next);
  } else if (event.key === " " && name) toggleSelected((anchor = name));
  else if (event.key === "Enter" && name) location.hash = state.hashFor(name);
  else if (event.key === "Escape") select([]);
  else if (event.key === "a" && (event.ctrlKey || event.metaKey))
    select(rows.map((row) => row.name));
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** @param {number} at */
function scrollTo(at) {
  const top = at * ROW_PX;
  const room = table.clientHeight - 2 * ROW_PX; // below the head, with a whole row
  if (top < table.scrollTop) table.scrollTop = top;
  else if (top > table.scrollTop + room) table.scrollTop = top - room;
  measure();
}

/** Scroll to a robot. @param {string} name */
export function showInTable(name) {
  const at = ordered.value.findIndex((row) => row.name === name);
  if (at >= 0) scrollTo(at);
}
