// The middle of the panel: the robot where it is, from above or in space. It draws once per animation frame, and only if
// there is something new.
import { computed, effect, signal, untracked } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { FlatSurface } from "./flat.js";
import { counts, isPassedOver, isSought } from "./fleet.js";
import { loadGrid, mapsLoaded } from "./grids.js";
import { colourOf } from "./health.js";
import * as icons from "./icons.js";
import { button } from "./pieces.js";
import { hasPlots, spans } from "./plots.js";
import { onPicture, picturesOf } from "./socket.js";
import * as state from "./state.js";
/** @typedef {import("./types.js").Surface} Surface */

export const theatre = document.createElement("div");
theatre.className = "theatre";
const ground = document.createElement("div");
ground.className = "ground";
const overlay = document.createElement("div");
overlay.className = "overlay";
theatre.append(ground, overlay);

const DRAWN = new Set(["Disc", "Polygon", "Rays", "Points", "Path", "Ellipse", "Links", "Scene", "Curve", "Cloud", "Axes", "Trail"]);
/** Where the camera can be put, with the keys for it. @type {Record<string, [name: string, place: string]>} */
export const CAMERAS = { 1: ["Iso", "iso"], 2: ["Front", "front"], 3: ["Side", "side"], 4: ["Top", "top"], 5: ["Tool", "tool"] };
const failure = signal("");
const slow = signal(false); // 3-D without a graphics card
const mapped = signal(false); // whether the world has a map
/** @type {Surface|null} */
let surface = null;
let inSpace = false;
let waiting = false;
let rested_ms = 0; // before this it would only make the page slow
let drawn = 0;
/** @type {(() => void)[]} */
const watchers = [];
let partsOf = "";
/** @type {{key: string, grid: import("./types.js").Grid|null}} */
let world = { key: "", grid: null };

/** For tests and measurements: what is drawn, and how often; and when all that has come is drawn. */
export const probe = {
  surface: () => surface,
  drawn: () => drawn,
  settled: () => (waiting ? new Promise((/** @type {(nothing: void) => void} */ done) => watchers.push(done)) : Promise.resolve()),
  loaded: mapsLoaded,
  pictures: () => picturesOf(state.shownKey.value),
};

const inSpaceWanted = computed(() =>
  state.kept.space.value[state.shown.value] ?? state.shownPage.value?.parts.some((part) => part.kind === "Links") ?? false);
const wantsSpace = () => inSpaceWanted.value;

/** Whether there is anything to see of the robot in its world: the generic page of a thermostat has numbers only. */
export const hasGround = () => mapped.value || !state.shownPage.value || state.shownPage.value.parts.some((part) => DRAWN.has(part.kind));

/** Draw with the next animation frame. */
export function invalidate() {
  if (waiting) return;
  waiting = true;
  const frame = () =>
    requestAnimationFrame(() => {
      waiting = false;
      draw();
      for (const tell of watchers.splice(0)) tell();
      rested_ms = surface?.slow ? performance.now() + (surface.cost_ms ?? 0) : 0;
    });
  const wait_ms = rested_ms - performance.now();
  if (wait_ms > 1) setTimeout(frame, wait_ms);
  else frame();
}

/** @param {import("./types.js").Part} part */
const isShown = (part) => state.isDrawn(state.shown.value, part);

function draw() {
  if (!surface || state.inGallery.value) return;
  const key = state.shownKey.value;
  const pictures = picturesOf(key);
  const page = state.shownPage.value;
  if (partsOf !== `${key} ${page?.id}`) {
    partsOf = `${key} ${page?.id}`;
    surface.setParts(page?.parts ?? []);
  }
  const things = (state.around.value[state.worldKey(state.shown.value)] ?? []).filter((thing) => !thing.robot || thing.name !== state.shown.value)
    .map((thing) => (isSought.value && thing.robot && isPassedOver(thing.name) ? { ...thing, faint: true } : thing));
  surface.draw({
    time_s: pictures?.time_s ?? 0,
    rows: state.shown.value && pictures ? pictures.rows : new Map(),
    trails: state.shown.value && pictures ? pictures.trails : new Map(),
    obstacles: things,
    hidden: new Set((page?.parts ?? []).filter((part) => !isShown(part)).map((part) => part.name)),
  });
  drawn++;
  slow.value = surface.slow ?? false;
}

/** @returns {import("./types.js").Paints} */
export function paints() {
  const style = getComputedStyle(document.documentElement);
  const names = ["plain", "accent", "sense", "path", "ghost", "ok", "warn", "bad", "floor", "wall", "unknown", "cliff", "grid", "outside", "text"];
  return /** @type {import("./types.js").Paints} */ (Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--map-${name}`).trim()])));
}

/** @param {boolean} space */
async function change(space) {
  failure.value = "";
  surface?.dispose();
  surface = null;
  partsOf = "";
  inSpace = space;
  try {
    const made = space ? new (await import("./space.js")).SpaceSurface(ground) : new FlatSurface(ground);
    if (inSpace !== space || surface) return made.dispose();
    surface = made;
  } catch (error) {
    failure.value = `no 3-D view here: ${error instanceof Error ? error.message : error}`;
    if (inSpace !== space || surface) return;
    surface = new FlatSurface(ground);
  }
  surface.onview = invalidate;
  if (surface instanceof FlatSurface) surface.onpick = (robot) => (location.hash = state.hashOf(robot));
  surface.setPaints(paints());
  surface.setGrid(world.grid);
  surface.follow(state.kept.follow.value);
  invalidate();
}

/** @param {string} stage @param {string} robot @param {string} key */
async function loadWorld(stage, robot, key) {
  const grid = await loadGrid(stage, robot);
  if (grid === undefined || world.key !== key) return;
  world = { key, grid };
  mapped.value = grid !== null;
  surface?.setGrid(grid);
  invalidate();
}

export function beginTheatre() {
  onPicture.add(invalidate);
  effect(() => {
    const space = wantsSpace();
    untracked(() => void change(space)); // anew only for this, so that the user's view stays
  });
  effect(() => {
    const key = state.connection.value === "live" ? `${state.shownKey.value} ${state.status.value?.deck?.file ?? ""}` : "";
    if (!key || world.key === key) return;
    world = { key, grid: null };
    void loadWorld(state.stage.value, state.shown.value, key);
  });
  effect(() => {
    document.documentElement.dataset.theme = state.kept.theme.value;
    surface?.setPaints(paints());
    invalidate();
  });
  effect(() => surface?.follow(state.kept.follow.value));
  effect(() => {
    void state.kept.drawn.value;
    void state.shownKey.value;
    void state.shownPage.value;
    void isSought.value;
    invalidate();
  });
  effect(() => void render(tools(), overlay));
}

function tools() {
  const page = state.shownPage.value;
  const layers = state.shown.value ? (page?.parts.filter((part) => DRAWN.has(part.kind)) ?? []) : [];
  const trouble = state.troubles.value[state.shown.value] ?? failure.value;
  const space = wantsSpace();
  const flip = (/** @type {import("./types.js").Part} */ part) =>
    (state.kept.drawn.value = { ...state.kept.drawn.value, [`${state.shown.value} ${part.name}`]: !isShown(part) });
  const dot = (/** @type {import("./types.js").Part} */ part) => html`<i style="background:${paintOf(part)}"></i>${part.label}`;
  const coloured = layers.filter((part) => part.colour !== "plain" && isShown(part));
  return html`${layers.length ? html`<details class="legend" ?open=${state.kept.layers.value}
      @toggle=${(/** @type {{target: HTMLDetailsElement}} */ event) => (state.kept.layers.value = event.target.open)}>
      <summary aria-label="Layers"><b>Layers</b>${state.kept.layers.value ? nothing : coloured.map((part) => html`<span>${dot(part)}</span>`)}</summary>
      <div role="group" aria-label="Layers">${layers.map((part) => html`<button class="layer" aria-pressed=${isShown(part)} aria-label="Show ${part.label}"
        @click=${() => flip(part)}>${dot(part)}</button>`)}</div></details>` : nothing}
    ${state.shown.value ? nothing : crowd()}
    ${trouble ? html`<div class="trouble" role="alert">${trouble}</div>` : nothing}
    <div class="tools" role="group" aria-label="View">
      ${button(space ? "2D" : "3D", space ? "From above" : "In space", () => (state.kept.space.value = { ...state.kept.space.value, [state.shown.value]: !space }))}
      ${button(icons.plus, "Zoom in (+)", () => zoom(1.4))}
      ${button(icons.minus, "Zoom out (-)", () => zoom(1 / 1.4))}
      ${button(icons.fit, "See everything (0)", fit)}
      ${button(icons.target, "Follow the robot (f)", toggleFollow, { on: state.kept.follow.value })}
    </div>
    ${space && !failure.value ? html`<div class="cameras" role="group" aria-label="Camera">
      ${Object.entries(CAMERAS).map(([key, [name, place]]) => button(name, `${name} view (${key})`, () => lookFrom(place)))}
      ${slow.value ? html`<span class="dim" title="This browser draws without a graphics card: coarser, and at its own pace">software rendering</span>` : nothing}</div>` : nothing}
    ${state.kept.plots.value && hasPlots() ? html`<div class="spans">${spans()}</div>` : nothing}`;
}

/** @param {import("./types.js").Part} part */
function paintOf({ colour = "accent", ramp }) {
  const css = (/** @type {string} */ paint) => (paint.startsWith("#") ? paint : `var(--map-${paint})`);
  return ramp?.length ? `linear-gradient(90deg, ${ramp.map(css).join(", ")})` : css(colour);
}

/** How many robots there are, and how they are. */
function crowd() {
  return html`<div class="legend crowd"><b>${state.cast.value.length} robots</b>${[...counts.value].map(([status, count]) =>
    html`<span><i style="background:var(--map-${colourOf(status)})"></i>${status} ${count}</span>`)}</div>`;
}

/** @param {number} factor */
export function zoom(factor) {
  surface?.zoom(factor);
  invalidate();
}

/** @param {string} place */
export function lookFrom(place) {
  surface?.lookFrom?.(place);
  invalidate();
}

export function fit() {
  surface?.fit();
  invalidate();
}

export const toggleFollow = () => (state.kept.follow.value = !state.kept.follow.value);
