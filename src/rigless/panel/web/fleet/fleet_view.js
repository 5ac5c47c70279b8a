// The fleet page: all robots of a run on a map and in a table, with selection in step.
import { effect, signal, untracked } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { colourOf } from "../core/health.js";
import { loadMap } from "../core/maps.js";
import * as icons from "../cards/icons.js";
import { button } from "../cards/widgets.js";
import { chosenStatus, searchText } from "../page/robot_list.js";
import { themeColours } from "../page/viewport.js";
import * as state from "../core/state.js";
import { FleetMap } from "./fleet_map.js";
import { counts, ordered, passes } from "./fleet_order.js";
import {
  fleet,
  fleetShown,
  listRevision,
  marked,
  pictureListeners,
  rate,
  select,
  selection,
  startFleetStore,
  tableRevision,
} from "./fleet_store.js";
import { showInTable, startFleetTable, table } from "./fleet_table.js";

/** @typedef {import("./fleet_map.js").Names} Names */

const MANY = 8; // with more robots the fleet page is the first page
const SLOW_MS = 14; // a picture that takes longer is drawn with dots
const FAST_MS = 5; // and again with arrows if dots take less
const BUSY_MS = 500; // of drawing time per second; with less the machine is the reason
const LATE = 0.7; // of the pictures per second; fewer are explained
const SHARE = 0.5; // of the time for drawing; the rest is for the controls
/** @type {Record<Names, string>} */
const NAME_TEXTS = { some: "abnormal and selected", all: "all", none: "none" };

export const fleetView = document.createElement("div");
fleetView.className = "fleet";
const stage = document.createElement("div");
stage.className = "fleet-map";
const tools = document.createElement("div");
tools.className = "overlay";
const bar = document.createElement("div");
bar.className = "fleet-bar";
stage.append(tools);
fleetView.append(stage, bar, table);

const names = signal(/** @type {Names} */ ("some"));
const chosenWorld = signal(-1);
const dots = signal(false);
const drawnHz = signal(0);
const changedHz = signal(0); // pictures in which a robot has moved
const missedHz = signal(0); // pictures that the server had and this page did not draw
/** @type {FleetMap|null} */
let map = null;
let waiting = false;
let restUntil_ms = 0;
let cost_ms = 0;
let drawn = 0;
let drawnBefore = 0;
let picturesBefore = 0;
let shownMap = "";

export const isFleet = () => state.robotList.value.length > 1 && !state.shownRobot.value;
export const isLargeFleet = () => state.robotList.value.length > MANY && !state.shownRobot.value;

/** The number of the world on the map: the chosen one, or that of most robots. */
function shownWorld() {
  /** @type {Map<number, number>} */
  const found = new Map();
  for (const { world } of fleet.rows) found.set(world, (found.get(world) ?? 0) + 1);
  if (found.has(chosenWorld.value)) return chosenWorld.value;
  return [...found].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** For tests and benchmarks. */
export const fleetProbe = {
  fleet,
  map: () => map,
  drawn: () => drawn,
  cost_ms: () => cost_ms,
  dots: () => dots.value,
};

export function startFleet() {
  startFleetStore();
  startFleetTable();
  pictureListeners.add(invalidate);
  effect(() => {
    const shown = fleetShown.value;
    if (shown && !map) untracked(makeMap);
  });
  effect(() => {
    void state.settings.theme.value;
    map?.setPaints(themeColours());
    invalidate();
  });
  effect(() => {
    void [selection.value, marked.value, names.value, searchText.value, chosenStatus.value];
    void [chosenWorld.value, dots.value, state.mapObjects.value];
    invalidate();
  });
  effect(() => {
    void listRevision.value;
    void chosenWorld.value;
    if (!fleetShown.value || state.connection.value !== "live") return;
    const world = shownWorld();
    const robot = fleet.rows.find((row) => row.world === world)?.name ?? "";
    state.backgroundRobot.value = world ? robot : "";
    const key = `${state.source.value} ${listRevision.value} ${world}`;
    if (!robot || shownMap === key) return;
    shownMap = key;
    void untracked(() => loadMap(state.source.value, robot)).then((grid) => {
      if (grid === undefined || shownMap !== key) return;
      map?.setGrid(grid);
      invalidate();
    });
  });
  effect(() => {
    if (!fleetShown.value) state.backgroundRobot.value = "";
  });
  effect(() => {
    if (!fleetShown.value) return;
    render(overlayTools(), tools);
    render(tableBar(), bar);
  });
  setInterval(() => {
    drawnHz.value = drawn - drawnBefore;
    changedHz.value = Math.max(0, fleet.pictures - picturesBefore);
    missedHz.value = Math.max(0, changedHz.value - drawnHz.value);
    [drawnBefore, picturesBefore] = [drawn, fleet.pictures];
  }, 1000);
}

function makeMap() {
  map = new FleetMap(stage);
  stage.append(tools); // above the canvases
  map.setPaints(themeColours());
  map.onview = invalidate;
  map.onmark = (name) => (marked.value = name);
  map.onselect = (found, add) => {
    const before = add ? [...selection.value] : [];
    const [one] = found;
    const removes = add && found.length === 1 && one && selection.value.has(one);
    select(removes ? before.filter((name) => name !== one) : [...before, ...found]);
    if (one) showInTable(one);
  };
}

/** Draw with the next animation frame, and not more than a share of the time. */
function invalidate() {
  if (waiting || !map || !fleetShown.peek() || document.hidden) return;
  waiting = true;
  const frame = () =>
    requestAnimationFrame(() => {
      waiting = false;
      const begin = performance.now();
      draw();
      const took = performance.now() - begin;
      cost_ms = cost_ms ? cost_ms + 0.1 * (took - cost_ms) : took;
      drawn++;
      if (cost_ms > SLOW_MS) dots.value = true;
      else if (cost_ms < FAST_MS && map?.dots) dots.value = false;
      restUntil_ms = performance.now() + took / SHARE - took;
    });
  const wait_ms = restUntil_ms - performance.now();
  if (wait_ms > 2) setTimeout(frame, wait_ms);
  else frame();
}

function draw() {
  if (!map) return;
  const world = untracked(shownWorld);
  const { places, radii } = fleet;
  /** @type {import("./fleet_map.js").Spot[]} */
  const spots = [];
  for (const row of fleet.rows) {
    const at = 3 * row.n;
    const x = places[at] ?? NaN;
    if (row.world !== world || Number.isNaN(x)) continue;
    spots.push({
      name: row.name,
      status: row.stop ? "e-stop" : row.status,
      x,
      y: places[at + 1] ?? 0,
      theta: places[at + 2] ?? 0,
      radius_m: radii[row.n] ?? 0,
      faint: !passes(row),
    });
  }
  map.spots = spots;
  map.selected = selection.peek();
  map.marked = marked.peek();
  map.names = names.peek();
  map.dots = dots.peek();
  const key = `${state.source.peek()}/${world}`;
  map.setObstacles((state.mapObjects.peek()[key] ?? []).filter((object) => !object.robot));
  map.draw();
}

function overlayTools() {
  return html`<div class="legend counts" role="group" aria-label="Robots by status">
      <b>${rate.value.total || state.robotList.value.length} robots</b>${[...counts.value].map(
      ([status, count]) => html`<button class="fleet-chip"
        aria-pressed=${chosenStatus.value === status}
        aria-label="Only ${status}, ${count} ${count === 1 ? "robot" : "robots"}"
        @click=${() => (chosenStatus.value = chosenStatus.value === status ? "" : status)}
        ><i style="background:var(--map-${colourOf(status)})"></i>${status} ${count}</button>`)}
    </div>
    <div class="tools" role="group" aria-label="View">
      ${button(icons.plus, "Zoom in", () => map?.zoom(1.4))}
      ${button(icons.minus, "Zoom out", () => map?.zoom(1 / 1.4))}
      ${button(icons.fit, "Fit the view", () => { map?.fit(); invalidate(); })}</div>
    ${rateText()}`;
}

/** The pictures per second, and the reason if they are fewer than asked for. */
function rateText() {
  const { hz, asked_hz, sent_hz, cost_ms: server_ms, total } = rate.value;
  if (!total) return rateLine("waiting for the first picture");
  if (!changedHz.value) return rateLine("no robot moves");
  const late = drawnHz.value < LATE * hz;
  const busy = late && sent_hz < 0.9 * hz;
  const reasons = [
    ...(hz < asked_hz ? [`the server sends ${hz}/s: reading ${total} robots takes ${
      server_ms} ms`] : []),
    ...(busy ? [`the server manages ${sent_hz} of ${hz}/s: this machine is busy`] : []),
    ...(late && missedHz.value > 0.1 * drawnHz.value ?
      [`this browser leaves out ${missedHz.value}/s: ${cost_ms * hz < BUSY_MS ?
        "this machine is busy" : `one takes ${cost_ms.toFixed(0)} ms`}`] : []),
    ...(dots.value ? [busy ? "dots instead of arrows" :
      `dots instead of arrows: an arrow picture takes over ${SLOW_MS} ms here`] : []),
  ];
  if (late && !reasons.length) reasons.push(`robots move in ${changedHz.value} of ${hz}/s`);
  return rateLine([`${drawnHz.value}/s`, reasons.join("; ")].filter(Boolean).join(" · "),
    reasons.length > 0);
}

/** @param {string} text @param {boolean} thinned */
const rateLine = (text, thinned = false) => html`<div class="fleet-rate ${thinned ? "thinned" : ""}"
  role="status" title="Pictures per second that are drawn">${text}</div>`;

function tableBar() {
  void tableRevision.value;
  const shown = ordered.value.length;
  const chosen = selection.value.size;
  const worlds = [...new Set(fleet.rows.map(({ world }) => world))].sort((a, b) => a - b);
  return html`<input type="search" aria-label="Find robots by name, status, task or error"
      placeholder="find robots" .value=${searchText.value}
      @input=${(/** @type {{target: HTMLInputElement}} */ { target }) =>
        (searchText.value = target.value)}>
    <span class="dim" role="status">${shown < fleet.rows.length ? `${shown} of ` : ""}${
      fleet.rows.length} robots${chosen ? `, ${chosen} selected` : ""}</span>
    ${chosen ? button("Clear", "Clear the selection", () => select([]),
      { kind: "text" }) : nothing}
    <span class="grow"></span>
    ${worlds.length > 1 ? html`<label>Map <select aria-label="Map"
      @change=${(/** @type {{target: HTMLSelectElement}} */ { target }) =>
        (chosenWorld.value = Number(target.value))}>${worlds.map((world) =>
        html`<option value=${world} ?selected=${world === shownWorld()}>${worldName(world)}
        </option>`)}</select></label>` : nothing}
    <label>Names <select aria-label="Names on the map"
      @change=${(/** @type {{target: HTMLSelectElement}} */ { target }) =>
        (names.value = /** @type {Names} */ (target.value))}>${Object.entries(NAME_TEXTS).map(
        ([id, text]) => html`<option value=${id} ?selected=${names.value === id}>${text}
        </option>`)}</select></label>`;
}

/** Name a world by its robots. @param {number} world */
function worldName(world) {
  const there = fleet.rows.filter((row) => row.world === world);
  const more = there.length > 1 ? ` and ${there.length - 1} more` : "";
  return `${there[0]?.name ?? ""}${more}`;
}
