// The middle of the panel: a 2-D map or a 3-D scene. It draws once per animation frame, and only if
// something has changed.
import { computed, effect, signal, untracked } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { MapView } from "../map2d/map_view.js";
import { statusCounts, isFilteredOut, isFiltered } from "./robot_list.js";
import { loadMap, allMapsLoaded } from "../core/maps.js";
import { colourOf } from "../core/health.js";
import * as icons from "../cards/icons.js";
import { button } from "../cards/widgets.js";
import { hints } from "./hints.js";
import { hasPlots, spanButtons } from "./plots.js";
import { drawTools } from "../tools/draw_tools.js";
import { gestures, grabbed } from "../tools/gestures.js";
import { toolBar, toolStrip } from "../tools/tool_bar.js";
import { handleToolKey } from "../tools/tool_keys.js";
import * as tools from "../tools/tool_state.js";
import { frameListeners, framesOf } from "../core/socket.js";
import * as state from "../core/state.js";
/** @typedef {import("../core/types.js").Surface} Surface */

export const viewport = document.createElement("div");
viewport.className = "viewport";
const canvasHost = document.createElement("div");
canvasHost.className = "canvas-host";
const overlay = document.createElement("div");
overlay.className = "overlay";
viewport.append(canvasHost, overlay);

const DRAWN_KINDS = new Set([
  "Disc",
  "Polygon",
  "Rays",
  "Points",
  "Path",
  "Ellipse",
  "Links",
  "Scene",
  "Curve",
  "Cloud",
  "Axes",
  "Trail",
]);
/** Camera views by shortcut key. @type {Record<string, [name: string, place: string]>} */
export const CAMERAS = {
  1: ["Iso", "iso"],
  2: ["Front", "front"],
  3: ["Side", "side"],
  4: ["Top", "top"],
  5: ["Tool", "tool"],
};
const surfaceError = signal("");
const slow = signal(false); // software rendering
const hasMap = signal(false);
/** @type {Surface|null} */
let surface = null;
let in3d = false;
let waiting = false;
let restUntil_ms = 0; // with a slow renderer, do not draw before this time
let drawn = 0;
/** @type {(() => void)[]} */
const settleCallbacks = [];
let shownPartsKey = "";
/** @type {{key: string, place: string, grid: import("../core/types.js").Grid|null}} */
let world = { key: "", place: "", grid: null };

/** For tests: what is drawn, how often, and when everything received is drawn. */
export const probe = {
  surface: () => surface,
  drawn: () => drawn,
  settled: () =>
    waiting
      ? new Promise((/** @type {(nothing: void) => void} */ done) => settleCallbacks.push(done))
      : Promise.resolve(),
  loaded: allMapsLoaded,
  frames: () => framesOf(state.shownKey.value),
};

/** True for an arm: it has orthographic views instead of a 2-D map. */
const hasArm = () => state.shownPage.value?.parts.some((part) => part.kind === "Links") ?? false;
const in3dWanted = computed(
  () => state.settings.in3d.value[state.shownRobot.value] ?? hasArm(),
);
const wants3d = () => in3dWanted.value;

/**
 * True if there is something to draw. A robot without a place, such as a thermostat, has numbers
 * only.
 */
export const hasViewport = () =>
  hasMap.value ||
  !state.shownPage.value ||
  state.shownPage.value.parts.some((part) => DRAWN_KINDS.has(part.kind));

/** Draw with the next animation frame. */
export function invalidate() {
  if (waiting) return;
  waiting = true;
  const frame = () =>
    requestAnimationFrame(() => {
      waiting = false;
      draw();
      for (const tell of settleCallbacks.splice(0)) tell();
      restUntil_ms = surface?.slow ? performance.now() + (surface.cost_ms ?? 0) : 0;
    });
  const wait_ms = restUntil_ms - performance.now();
  if (wait_ms > 1) setTimeout(frame, wait_ms);
  else frame();
}

/** @param {import("../core/types.js").Part} part */
const isShown = (part) => state.isDrawn(state.shownRobot.value, part);

function draw() {
  if (!surface || state.inOverview.value) return;
  const key = state.shownKey.value;
  const frames = framesOf(key);
  const page = state.shownPage.value;
  if (shownPartsKey !== `${key} ${page?.id}`) {
    shownPartsKey = `${key} ${page?.id}`;
    surface.setParts(page?.parts ?? []);
  }
  const objects = (state.mapObjects.value[state.worldKey(state.shownRobot.value)] ?? [])
    .filter((object) => !object.robot || object.name !== state.shownRobot.value)
    .map((object) =>
      isFiltered.value && object.robot && isFilteredOut(object.name)
        ? { ...object, faint: true }
        : object,
    );
  surface.draw({
    time_s: frames?.time_s ?? 0,
    recent_s: (frames?.time_s ?? 0) - state.settings.plotSpan_s.value,
    rows: state.shownRobot.value && frames ? frames.rows : new Map(),
    trails: state.shownRobot.value && frames ? frames.trails : new Map(),
    obstacles: objects,
    hidden: new Set((page?.parts ?? []).filter((part) => !isShown(part)).map((part) => part.name)),
  });
  drawn++;
  slow.value = surface.slow ?? false;
}

/** @returns {import("../core/types.js").Colours} */
export function themeColours() {
  const style = getComputedStyle(document.documentElement);
  const names = [
    "plain",
    "accent",
    "sense",
    "path",
    "ghost",
    "ok",
    "warn",
    "bad",
    "floor",
    "wall",
    "unknown",
    "cliff",
    "grid",
    "outside",
    "text",
  ];
  return /** @type {import("../core/types.js").Colours} */ (
    Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--map-${name}`).trim()]))
  );
}

/** @param {boolean} space */
async function switchSurface(space) {
  surfaceError.value = "";
  surface?.dispose();
  surface = null;
  shownPartsKey = "";
  in3d = space;
  try {
    const made = space
      ? new (await import("../scene3d/scene_view.js")).SceneView(canvasHost)
      : new MapView(canvasHost);
    if (in3d !== space || surface) return made.dispose();
    surface = made;
  } catch (error) {
    surfaceError.value = `3-D view unavailable: ${error instanceof Error ? error.message : error}`;
    if (in3d !== space || surface) return;
    surface = new MapView(canvasHost);
  }
  surface.onview = invalidate;
  if (surface instanceof MapView) {
    surface.onpick = (robot) => (location.hash = state.hashFor(robot));
    surface.overdraw = drawTools;
    useTool();
  }
  surface.setPaints(themeColours());
  surface.setGrid(world.grid);
  surface.follow(state.settings.followRobot.value);
  invalidate();
}

/**
 * @param {string} source
 * @param {string} robot
 * @param {string} key
 */
async function loadWorld(source, robot, key) {
  const grid = await loadMap(source, robot);
  if (grid === undefined || world.key !== key) return;
  world = { ...world, grid };
  hasMap.value = grid !== null;
  surface?.setGrid(grid);
  invalidate();
}

/** Give the pointer to the active tool, or to the map. */
function useTool() {
  if (!(surface instanceof MapView)) return;
  const { canvas, view } = surface;
  const active = tools.tool.value;
  surface.tool = active ? { ...gestures, key: handleToolKey } : null;
  canvas.dataset.tool = active;
  const at = tools.hover.value;
  canvas.dataset.over = String(Boolean(active && at && grabbed(at, view.px(1))));
}

export function startViewport() {
  effect(() => {
    if (tools.tool.value && wants3d()) untracked(() => tools.chooseTool(""));
  });
  effect(() => {
    void [tools.draft, tools.hover, tools.crosshair, tools.selected, tools.measured].map(
      ({ value }) => value,
    );
    void [tools.zones.value, tools.goal.value, tools.obstacleShape.value, tools.circularZone.value];
    void tools.objects.value;
    untracked(useTool);
    invalidate();
  });
  effect(() => {
    void tools.tool.value;
    untracked(useTool);
  });
  frameListeners.add(invalidate);
  effect(() => {
    const space = wants3d();
    // only this makes a new surface, so that the user's view stays
    untracked(() => void switchSurface(space));
  });
  effect(() => {
    const key =
      state.connection.value === "live"
        ? `${state.shownKey.value} ${state.status.value?.deck?.file ?? ""}`
        : "";
    if (!key || world.key === key) return;
    const place = untracked(() => state.worldKey(state.shownRobot.value));
    if (world.place !== place) surface?.setGrid(null); // no robot in the map of another world
    world = { key, place, grid: world.place === place ? world.grid : null };
    void loadWorld(state.source.value, state.shownRobot.value, key);
  });
  effect(() => {
    document.documentElement.dataset.theme = state.settings.theme.value;
    surface?.setPaints(themeColours());
    invalidate();
  });
  effect(() => surface?.follow(state.settings.followRobot.value));
  effect(() => {
    void state.settings.drawnParts.value;
    void state.settings.plotSpan_s.value; // trails are fainter before it
    void state.shownKey.value;
    void state.shownPage.value;
    void isFiltered.value;
    invalidate();
  });
  effect(() => void render(overlayTools(), overlay));
}

function overlayTools() {
  const page = state.shownPage.value;
  const layers = state.shownRobot.value
    ? (page?.parts.filter((part) => DRAWN_KINDS.has(part.kind)) ?? [])
    : [];
  const trouble = state.viewErrors.value[state.shownRobot.value] ?? surfaceError.value;
  const space = wants3d();
  const flip = (/** @type {import("../core/types.js").Part} */ part) =>
    (state.settings.drawnParts.value = {
      ...state.settings.drawnParts.value,
      [`${state.shownRobot.value} ${part.name}`]: !isShown(part),
    });
  const dot = (/** @type {import("../core/types.js").Part} */ part) =>
    html`<i style="background:${paintOf(part)}"></i>${part.label}`;
  const coloured = layers.filter((part) => part.colour !== "plain" && isShown(part));
  return html`<div class="map-left">${
    layers.length
      ? html`<details class="legend" ?open=${state.settings.layersOpen.value}
      @toggle=${(/** @type {{target: HTMLDetailsElement}} */ event) =>
      (state.settings.layersOpen.value = event.target.open)}>
      <summary><b>Layers</b>${state.settings.layersOpen.value ? nothing :
        coloured.map((part) => html` <span>${dot(part)}</span>`)}</summary>
      <div role="group" aria-label="Layers">${layers.map(
        (
          part,
        ) => html`<button class="layer" aria-pressed=${isShown(part)}
          aria-label="Show ${part.label}"
        @click=${() => flip(part)}>${dot(part)}</button>`,
      )}</div></details>`
      : nothing
  }
    ${state.shownRobot.value ? hints() : robotCounts()}
    ${space ? nothing : toolBar()}</div>
    ${space ? nothing : toolStrip()}
    ${trouble ? html`<div class="trouble" role="alert">${trouble}</div>` : nothing}
    <div class="tools" role="group" aria-label="View">
      ${hasArm() && space ? nothing :
        button(space ? "2D" : "3D", space ? "2-D map" : "3-D scene", () =>
        (state.settings.in3d.value = { ...state.settings.in3d.value, [state.shownRobot.value]:
          !space }))}
      ${button(icons.plus, "Zoom in (+)", () => zoom(1.4))}
      ${button(icons.minus, "Zoom out (-)", () => zoom(1 / 1.4))}
      ${button(icons.fit, "Fit the view (0)", fit)}
      ${button(icons.target, "Follow the robot (f)", toggleFollow,
        { on: state.settings.followRobot.value })}
    </div>
    ${
      space && !surfaceError.value
        ? html`<div class="cameras" role="group" aria-label="Camera">
      ${Object.entries(CAMERAS).map(([key, [name, place]]) => button(name, `${name} view (${key})`,
        () => lookFrom(place)))}
      ${slow.value ?
        html`<span class="dim"
          title="No GPU: lower quality and frame rate">software rendering</span>` : nothing}</div>`
        : nothing
    }
    ${state.settings.showPlots.value && hasPlots() ? html`<div class="spans">${spanButtons()}</div>`
      : nothing}`;
}

/** @param {import("../core/types.js").Part} part */
function paintOf({ colour = "accent", ramp }) {
  const css = (/** @type {string} */ paint) =>
    paint.startsWith("#") ? paint : `var(--map-${paint})`;
  return ramp?.length ? `linear-gradient(90deg, ${ramp.map(css).join(", ")})` : css(colour);
}

/** The number of robots, in total and by status. */
function robotCounts() {
  return html`<div class="legend counts"><b>${state.robotList.value.length} robots</b>${[
    ...statusCounts.value,
  ].map(
    ([status, count]) =>
      html`<span><i
        style="background:var(--map-${colourOf(status)})"></i>${status} ${count}</span>`,
  )}</div>`;
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

export const toggleFollow = () =>
  (state.settings.followRobot.value = !state.settings.followRobot.value);
