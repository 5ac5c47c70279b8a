// The overview of robots that do not share a world: a tile for each world with a live miniature, who is in it, how they are, where they
// can be reached, and a line to try. Only what is on the screen is looked at.
import { effect, untracked } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { loadGrid } from "./grids.js";
import { healthOf } from "./health.js";
import * as icons from "./icons.js";
import { Miniature } from "./miniature.js";
import { onPicture, picturesOf } from "./socket.js";
import * as state from "./state.js";
import { paints } from "./theatre.js";
/** @typedef {import("./state.js").Member} Member */

export const gallery = document.createElement("div");
gallery.className = "gallery";
gallery.setAttribute("role", "group");
gallery.setAttribute("aria-label", "All robots, each in its world");

const EVERY_MS = 100;
const MOST_TILES = 60;
/** By the key of their world. @type {Map<string, Miniature>} */
const miniatures = new Map();
/** @type {WeakMap<Element, string>} */
const keys = new WeakMap();
let waiting = false;

const observer = new IntersectionObserver((entries) => {
  const seen = new Set(state.seen.value);
  for (const { target, isIntersecting } of entries) {
    const key = keys.get(target) ?? "";
    if (isIntersecting) seen.add(key);
    else seen.delete(key);
  }
  state.seen.value = seen;
});
const resized = new ResizeObserver(() => invalidate());

export function beginGallery() {
  onPicture.add(invalidate);
  gallery.addEventListener("keydown", walk);
  let before = "";
  effect(() => {
    // Another server, recording or theme: other maps, or the same ones in other colours.
    const now = state.connection.value === "live" ? `${state.stage.value} ${state.status.value?.deck?.file ?? ""}` : "";
    void state.kept.theme.value;
    if (now !== before) forget();
    before = now;
    invalidate();
  });
  effect(() => {
    if (!state.inGallery.value) return;
    const all = [...state.worlds.value];
    const more = all.length - MOST_TILES;
    render(html`${repeat(all.slice(0, MOST_TILES), ([key]) => key, ([key, robots]) => tile(key, robots))}
      ${more > 0 ? html`<p class="dim">and ${more} more: they are in the left column</p>` : nothing}`, gallery);
  });
}

function forget() {
  for (const { canvas } of miniatures.values()) for (const watcher of [observer, resized]) watcher.unobserve(canvas);
  miniatures.clear();
  state.seen.value = new Set();
}

/** @param {string} key @param {string} robot */
function miniatureOf(key, robot) {
  let found = miniatures.get(key);
  if (!found) {
    const made = (found = new Miniature());
    miniatures.set(key, made);
    keys.set(made.canvas, key);
    for (const watcher of [observer, resized]) watcher.observe(made.canvas);
    untracked(() => void loadGrid(state.stage.value, robot).then((grid) => {
      if (grid !== undefined) made.setGrid(grid);
      invalidate();
    }));
  }
  return found;
}

/** Draw what is seen, soon. */
function invalidate() {
  if (waiting || !state.inGallery.peek() || document.hidden) return;
  waiting = true;
  setTimeout(() => requestAnimationFrame(() => {
    waiting = false;
    draw();
  }), EVERY_MS);
}

function draw() {
  const colours = paints();
  for (const [key, robots] of state.worlds.peek()) {
    if (!state.seen.peek().has(key)) continue;
    const alone = robots.length === 1 ? (robots[0]?.name ?? "") : "";
    const pictures = alone ? picturesOf(`${state.stage.peek()}/${alone}`) : null;
    const hidden = new Set((pictures?.page.parts ?? []).filter((part) => !state.isDrawn(alone, part)).map((part) => part.name));
    miniatures.get(key)?.draw({ pictures, things: state.around.peek()[key] ?? [], hidden }, colours);
  }
}

/** @param {string} key @param {Member[]} robots */
function tile(key, robots) {
  const [first] = robots;
  if (!first) return nothing;
  const { canvas } = miniatureOf(key, first.name);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${robots.map(({ name }) => name).join(", ")}, as it is now`);
  return html`<article class="tile ${robots.length > 1 ? "shared" : ""}" aria-label=${robots.map(({ name }) => name).join(", ")}>
    <div class="picture">${canvas}</div>
    ${robots.slice(0, state.TOLD_OF_A_WORLD).map(told)}
    ${robots.slice(state.TOLD_OF_A_WORLD, MOST_TILES).map(({ name, kind, status }) => title(name, kind, status))}</article>`;
}

/** What there is to know of a robot. @param {Member} robot */
function told({ name, kind, status }) {
  const key = `${state.stage.value}/${name}`;
  const known = state.robots.value[key];
  const ports = known?.ports ?? [];
  const line = ports.find((port) => port.example)?.example;
  const trouble = state.troubles.value[name];
  return html`<section class="told">
    ${title(name, kind, status)}
    <p class="about" title=${state.pages.value[key]?.about ?? ""}>${state.pages.value[key]?.about ?? ""}</p>
    ${trouble ? html`<p class="bad" role="alert">${trouble}</p>` : nothing}
    ${(known && !ports.length) || state.stage.value === "recording" ? nothing : html`<div class="ports">${ports.map((port) => copied(port.name, port.url))}</div>
      <div class="try">${line ? copied("try", line) : nothing}</div>`}
  </section>`;
}

/** @param {string} name @param {string} kind @param {string} status */
function title(name, kind, status) {
  return html`<h2><a class="open" href=${state.hashOf(name)} aria-label="${name}, ${status}: open its page">${icons.ofKind(kind)}<span class="clip">${name}</span></a>
    <span class="status" data-health=${healthOf(status)}><i></i>${status}</span></h2>`;
}

/** A text that a press copies. @param {string} label @param {string} text */
function copied(label, text) {
  return html`<button class="copied" title="Copy ${text}" aria-label="Copy ${label}: ${text}" @click=${(/** @type {{currentTarget: HTMLElement}} */ event) => void copy(text, event.currentTarget)}>
    <small>${label}</small><code class="clip">${text}</code>${icons.copy}</button>`;
}

/** @param {string} text @param {HTMLElement} button */
async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    state.notice(`copied: ${text}`);
  } catch {
    getSelection()?.selectAllChildren(button.querySelector("code") ?? button); // a page from another machine may not write there
    state.notice("selected: press Ctrl+C to copy it");
  }
}

/** Arrow keys go from tile to tile. @param {KeyboardEvent} event */
function walk(event) {
  const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
  const here = document.activeElement?.closest(".tile");
  if (!way || !here) return;
  event.preventDefault();
  event.stopPropagation();
  const links = [...gallery.querySelectorAll("a.open")];
  const from = middle(here.contains(document.activeElement) && document.activeElement?.matches("a.open") ? document.activeElement : (here.querySelector("a.open") ?? here));
  const [dx = 0, dy = 0] = way;
  let [best, nearest] = [/** @type {Element|null} */ (null), Infinity];
  for (const link of links) {
    const [x, y] = [middle(link)[0] - from[0], middle(link)[1] - from[1]];
    const along = x * dx + y * dy;
    const cost = along + 3 * Math.abs(x * dy - y * dx);
    if (along > 8 && cost < nearest) [best, nearest] = [link, cost];
  }
  if (best instanceof HTMLElement) best.focus();
}

/** @param {Element} element @returns {[number, number]} */
function middle(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}
