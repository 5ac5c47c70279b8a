// The overview of robots in several worlds: a tile per world with a live thumbnail, its robots with
// status and ports, and an example command. The client subscribes to visible tiles only.
import { effect, untracked } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { loadMap } from "../core/maps.js";
import { healthOf } from "../core/health.js";
import * as icons from "../cards/icons.js";
import { copyButton } from "../cards/copy_button.js";
import { Thumbnail } from "./thumbnail.js";
import { frameListeners, framesOf } from "../core/socket.js";
import * as state from "../core/state.js";
import { themeColours } from "./viewport.js";
/** @typedef {import("../core/state.js").RobotSummary} RobotSummary */

export const overview = document.createElement("div");
overview.className = "overview";
overview.setAttribute("role", "group");
overview.setAttribute("aria-label", "All robots, each in its world");

const DRAW_DELAY_MS = 100;
const MAX_TILES = 60;
const MAX_DESCRIBED = 2; // of more robots in a tile, only the first is described
/** By the key of the world. @type {Map<string, Thumbnail>} */
const thumbnails = new Map();
/** @type {WeakMap<Element, string>} */
const worldKeys = new WeakMap();
let waiting = false;

const visibilityObserver = new IntersectionObserver((entries) => {
  const seen = new Set(state.visibleWorlds.value);
  for (const { target, isIntersecting } of entries) {
    const key = worldKeys.get(target) ?? "";
    if (isIntersecting) seen.add(key);
    else seen.delete(key);
  }
  state.visibleWorlds.value = seen;
});
const resizeObserver = new ResizeObserver(() => invalidate());

export function startOverview() {
  frameListeners.add(invalidate);
  overview.addEventListener("keydown", moveFocus);
  let before = "";
  effect(() => {
    // Another server or recording has other maps; another theme has other colours.
    const now =
      state.connection.value === "live"
        ? `${state.source.value} ${state.status.value?.deck?.file ?? ""}`
        : "";
    void state.settings.theme.value;
    if (now !== before) clearThumbnails();
    before = now;
    invalidate();
  });
  effect(() => {
    if (!state.inOverview.value) return;
    const all = [...state.worlds.value];
    const more = all.length - MAX_TILES;
    render(
      html`${repeat(
        all.slice(0, MAX_TILES),
        ([key]) => key,
        ([key, robots]) => tile(key, robots),
      )}
      ${more > 0 ? html`<p class="dim">and ${more} more worlds: see the list on the left</p>` :
        nothing}`,
      overview,
    );
  });
}

function clearThumbnails() {
  for (const { canvas } of thumbnails.values())
    for (const watcher of [visibilityObserver, resizeObserver]) watcher.unobserve(canvas);
  thumbnails.clear();
  state.visibleWorlds.value = new Set();
}

/**
 * @param {string} key
 * @param {string} robot
 */
function thumbnailFor(key, robot) {
  let found = thumbnails.get(key);
  if (!found) {
    const made = (found = new Thumbnail());
    thumbnails.set(key, made);
    worldKeys.set(made.canvas, key);
    for (const watcher of [visibilityObserver, resizeObserver]) watcher.observe(made.canvas);
    untracked(
      () =>
        void loadMap(state.source.value, robot).then((grid) => {
          if (grid !== undefined) made.setGrid(grid);
          invalidate();
        }),
    );
  }
  return found;
}

/** Draw the visible thumbnails after a short delay. */
function invalidate() {
  if (waiting || !state.inOverview.peek() || document.hidden) return;
  waiting = true;
  setTimeout(
    () =>
      requestAnimationFrame(() => {
        waiting = false;
        draw();
      }),
    DRAW_DELAY_MS,
  );
}

function draw() {
  const colours = themeColours();
  for (const [key, robots] of state.worlds.peek()) {
    if (!state.visibleWorlds.peek().has(key)) continue;
    const alone = robots.length === 1 ? (robots[0]?.name ?? "") : "";
    const frames = alone ? framesOf(`${state.source.peek()}/${alone}`) : null;
    const hidden = new Set(
      (frames?.page.parts ?? [])
        .filter((part) => !state.isDrawn(alone, part))
        .map((part) => part.name),
    );
    thumbnails
      .get(key)
      ?.draw({ frames, objects: state.mapObjects.peek()[key] ?? [], hidden }, colours);
  }
}

/**
 * @param {string} key
 * @param {RobotSummary[]} robots
 */
function tile(key, robots) {
  const [first] = robots;
  if (!first) return nothing;
  const { canvas } = thumbnailFor(key, first.name);
  const described = robots.length > MAX_DESCRIBED ? 1 : robots.length; // a fleet is of one kind
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${robots.map(({ name }) => name).join(", ")}, live view`);
  return html`<article class="tile ${robots.length > 1 ? "shared" : ""}"
    aria-label=${robots.map(({ name }) => name).join(", ")}>
    <div class="picture">${canvas}</div>
    ${robots.slice(0, described).map(robotInfo)}
    ${robots.slice(described, MAX_TILES).map(({ name, kind, status }) => title(name,
      kind, status))}</article>`;
}

/** The description of a robot: status, ports and an example command. @param {RobotSummary} robot */
function robotInfo({ name, kind, status }) {
  const key = `${state.source.value}/${name}`;
  const known = state.robotStates.value[key];
  const ports = known?.ports ?? [];
  const line = ports.find((port) => port.example);
  const trouble = state.viewErrors.value[name];
  return html`<section class="robot-info">
    ${title(name, kind, status)}
    <p class="about"
      title=${state.pages.value[key]?.about ?? ""}>${state.pages.value[key]?.about ?? ""}</p>
    ${trouble ? html`<p class="bad" role="alert">${trouble}</p>` : nothing}
    ${
      (known && !ports.length) || state.source.value === "recording"
        ? nothing
        : html`<div class="ports">${ports.map((port) => copyButton(port.name, port.url))}</div>
      <div class="try">${line ?
        copyButton("try", line.example, line.example_label) : nothing}</div>`
    }
  </section>`;
}

/**
 * @param {string} name
 * @param {string} kind
 * @param {string} status
 */
function title(name, kind, status) {
  return html`<h2><a class="open" href=${state.hashFor(name)}
    aria-label="${name}, ${status}: open its page">${icons.ofKind(kind)}<span
    class="clip">${name}</span></a>
    <span class="status" data-health=${healthOf(status)}><i></i>${status}</span></h2>`;
}

/** Move the focus from tile to tile with the arrow keys. @param {KeyboardEvent} event */
function moveFocus(event) {
  const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[
    event.key
  ];
  const here = document.activeElement?.closest(".tile");
  if (!way || !here) return;
  event.preventDefault();
  event.stopPropagation();
  const links = [...overview.querySelectorAll("a.open")];
  const from = centreOf(
    here.contains(document.activeElement) && document.activeElement?.matches("a.open")
      ? document.activeElement
      : (here.querySelector("a.open") ?? here),
  );
  const [dx = 0, dy = 0] = way;
  let [best, nearest] = [/** @type {Element|null} */ (null), Infinity];
  for (const link of links) {
    const [x, y] = [centreOf(link)[0] - from[0], centreOf(link)[1] - from[1]];
    const along = x * dx + y * dy;
    const cost = along + 3 * Math.abs(x * dy - y * dx);
    if (along > 8 && cost < nearest) [best, nearest] = [link, cost];
  }
  if (best instanceof HTMLElement) best.focus();
}

/**
 * @param {Element} element
 * @returns {[number, number]}
 */
function centreOf(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}
