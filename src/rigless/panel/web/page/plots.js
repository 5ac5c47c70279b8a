// The strip of plots on a robot's page: up to three, of the last seconds. Each is one uPlot, made
// again when the page or the theme changes. Samples from before the page was opened come from the
// server's history.
import { effect } from "@preact/signals-core";
import { html, render } from "lit-html";
import uPlot from "uplot";
import { button, fixed } from "../cards/widgets.js";
import * as icons from "../cards/icons.js";
import { frameListeners, framesOf } from "../core/socket.js";
import * as state from "../core/state.js";
import { padded, shortUnit } from "../plots/chart.js";
import { addChart } from "../plots/layout.js";
import { decodeBlock, finiteOrNull, firstAfter } from "../plots/points.js";
/** @typedef {import("../core/types.js").Part} Part */
/** @typedef {import("../core/frames.js").FrameStore} FrameStore */

export const plotStrip = document.createElement("div");
plotStrip.className = "plots";
const UPDATE_MS = 66;
const MAX_VALUES = 4; // with more lines there is only room for the names
const MAX_PLOTS = 3;
const PAST_POINTS = 600;
const LONGEST_S = 120;
const HEIGHTS = { least: 110, most: 480, step: 20 };
const LINES = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5", "--line-6"];

/** @type {{part: Part, plot: uPlot, value: HTMLElement, box: HTMLElement,
 *   title: HTMLElement}[]} */
let plots = [];
let due = 0;
let waiting = false;

function rebuildPlots() {
  for (const { plot } of plots) plot.destroy();
  plotStrip.replaceChildren();
  sizes.disconnect();
  const style = getComputedStyle(document.documentElement);
  const paint = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  plots = shownParts().map((part, n) => makePlot(part, n, paint));
  if (plots.length) plotStrip.append(handle);
  void loadPast();
  for (const one of [plotStrip, ...plots.map(({ title }) => title)]) sizes.observe(one);
  updatePlots();
}

const allParts = () =>
  (state.shownPage.value?.parts ?? []).filter((part) => part.kind === "Plot");

/** The chosen plots of this kind of robot, else the first. A page without a map shows more. */
function shownParts() {
  const all = allParts();
  const chosen = state.settings.stripPlots.value[state.shownPage.value?.kind ?? ""] ?? [];
  const named = chosen.map((name) => all.find((part) => part.name === name));
  const first = all.filter((part) => !named.includes(part));
  const drawsMap = state.shownPage.value?.parts.some((part) => part.columns > 0);
  const most = drawsMap ? MAX_PLOTS : 2 * MAX_PLOTS;
  return Array.from({ length: Math.min(most, all.length) }, (_, n) => named[n] ?? first.shift())
    .filter((part) => part !== undefined);
}

/**
 * Show another plot at a place of the strip.
 * @param {number} place
 * @param {string} name
 */
function choose(place, name) {
  const kind = state.shownPage.value?.kind ?? "";
  const names = shownParts().map((part) => part.name);
  const other = names.indexOf(name);
  if (other >= 0) names[other] = names[place] ?? name; // the two change places
  names[place] = name;
  state.settings.stripPlots.value = { ...state.settings.stripPlots.value, [kind]: names };
}

/** @param {Part} part */
function openInTab(part) {
  const robot = state.shownRobot.value;
  addChart((part.lines ?? []).map(([name]) => `${robot}/view/${name}`));
  location.hash = state.hashFor(robot, "plots");
}

/**
 * @param {Part} part
 * @param {number} place
 * @param {(name: string) => string} paint
 */
function makePlot(part, place, paint) {
  const box = document.createElement("figure");
  const title = document.createElement("figcaption");
  const label = document.createElement("span");
  const others = allParts();
  const name = others.length > MAX_PLOTS ?
    html`<select class="quiet" aria-label="Plot ${place + 1}"
      @change=${(/** @type {{target: HTMLSelectElement}} */ event) =>
      choose(place, event.target.value)}>${others.map((one) =>
      html`<option value=${one.name} ?selected=${one === part}>${one.label}</option>`)}</select>` :
    html`<span>${part.label}</span>`;
  const { unit = "" } = part;
  render(html`${name} <small title=${unit}>${shortUnit(unit)}</small>`, label);
  const value = document.createElement("b");
  const tool = document.createElement("span");
  tool.className = "strip-tool";
  render(button(icons.fit, `${part.label}: open in the Plots tab`, () => openInTab(part)), tool);
  title.append(label, value, tool);
  box.setAttribute("aria-label", `${part.label} over time`);
  box.append(title);
  plotStrip.append(box);
  const axis = {
    stroke: paint("--dim"),
    grid: { stroke: paint("--edge"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui, sans-serif",
  };
  /** @type {uPlot.Options} */
  const options = {
    width: 300,
    height: 130,
    padding: [6, 16, 0, 0],
    cursor: { y: false, points: { size: 6 } },
    legend: { show: false },
    scales: {
      x: { time: false, range: () => range() },
      y: { range: (_plot, low, high) => padded(low, high) },
    },
    axes: [
      {
        ...axis,
        size: 22,
        splits: () => tickAges().map((before) => now() - before),
        values: () => tickAges().map((before) => (before ? `−${before} s` : "now")),
      },
      { ...axis, size: 46 },
    ],
    series: [
      {},
      ...(part.lines ?? []).map(([, name], n) => ({
        label: name,
        stroke: paint(LINES[n] ?? "--line-1"),
        width: 2,
        points: { show: false },
        ...(part.lines?.length === 1
          ? { fill: `color-mix(in srgb, ${paint("--line-1")} 14%, transparent)` }
          : {}),
      })),
    ],
  };
  return { part, plot: new uPlot(options, [[]], box), value, box, title };
}

const now = () => framesOf(state.shownKey.value)?.time_s ?? 0;
const tickAges = () =>
  [1, 2 / 3, 1 / 3, 0].map((part) => Math.round(state.settings.plotSpan_s.value * part));
/** @returns {[number, number]} */
const range = () => [now() - state.settings.plotSpan_s.value, now()];

/** The samples of the server before those of the page, and where those begin. */
let past = {
  frames: /** @type {FrameStore|null} */ (null),
  epoch: -1,
  from_s: Infinity,
  times: /** @type {number[]} */ ([]),
  of: new Map(),
};

/** Load the samples of the last minutes from before the page was opened. */
async function loadPast() {
  const frames = framesOf(state.shownKey.value);
  const names = [...new Set(plots.flatMap(({ part }) => (part.lines ?? []).map(([one]) => one)))];
  if (!frames || !frames.times.length || !names.length) return;
  const { epoch } = frames;
  let begin = frames.times.length - 1; // a row without any number is a gap
  while (begin > 0 && frames.values.some((series) => Number.isFinite(series[begin - 1]))) begin--;
  const from_s = frames.times[begin] ?? 0;
  past = { frames, epoch, from_s, times: [], of: new Map() };
  const { page } = frames;
  const query = new URLSearchParams({
    stage: page.stage,
    from_s: `${from_s - LONGEST_S}`,
    to_s: `${from_s}`,
    points: `${PAST_POINTS}`,
  });
  for (const name of names) query.append("signal", `${page.robot}/view/${name}`);
  const answer = await fetch(`/api/signals/data?${query}`).catch(() => null);
  if (!answer?.ok || !isPastOf(frames) || epoch !== frames.epoch) return;
  const { series } = decodeBlock(await answer.arrayBuffer());
  const longest = [...series.values()].sort((a, b) => b.times.length - a.times.length)[0];
  const of = new Map(names.map((name, n) => [name, series.get(n)]));
  past = { ...past, times: longest?.times ?? [], of };
  updatePlots();
}

/**
 * A page that is shown again has new frames, after a time without any.
 * @param {FrameStore} frames
 */
const isPastOf = (frames) => past.frames === frames && past.epoch === frames.epoch;

function updatePlots() {
  const frames = framesOf(state.shownKey.value);
  if (!frames || !state.settings.showPlots.value) return;
  if (plots.length && frames.times.length && !isPastOf(frames)) void loadPast();
  const begin_s = now() - state.settings.plotSpan_s.value - 1;
  const own = isPastOf(frames) ? past.from_s : -Infinity;
  const first = firstAfter(frames.times, Math.max(begin_s, own - 1e-9));
  const times = frames.times.slice(first);
  const oldFirst = firstAfter(past.times, begin_s);
  const oldLast = firstAfter(past.times, Math.min(own, times[0] ?? own) - 1e-9);
  const old = own === -Infinity ? [] : past.times.slice(oldFirst, oldLast);
  for (const { part, plot, value } of plots) {
    const lines = (part.lines ?? []).map(([name]) => {
      const series = frames.values[frames.page.measures.indexOf(name)] ?? [];
      const before = old.length ? (past.of.get(name)?.values.slice(oldFirst, oldLast) ?? []) : [];
      return [...before, ...series.slice(first).map(finiteOrNull)];
    });
    plot.setData([[...old, ...times], ...lines]);
    render(legendValues(part, frames), value);
  }
}

/**
 * The newest value of each line, in the line's colour.
 * @param {Part} part
 * @param {FrameStore} frames
 */
function legendValues(part, frames) {
  const lines = part.lines ?? [];
  if (lines.length > MAX_VALUES)
    return html`${lines.map(([, label], n) =>
      html`<span style="color:var(${LINES[n] ?? "--line-1"})">${label}</span>`)}`;
  return html`${lines.map(([name, label], n) => {
    const value = frames.measure(name);
    const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 2;
    return html`<span
      style="color:var(${LINES[n] ?? "--line-1"})">${lines.length > 1 ?
        html`<small>${label}</small> ` : ""}${Number.isFinite(value) ? fixed(value, digits) :
          "–"}</span>`;
  })}`;
}

function resize() {
  for (const { plot, box, title } of plots)
    plot.setSize({
      width: Math.max(120, box.clientWidth - 4),
      height: Math.max(60, box.clientHeight - title.offsetHeight - 6),
    });
}

const sizes = new ResizeObserver(resize);

/** The upper edge of the strip, which changes its height. */
const handle = document.createElement("div");
handle.className = "strip-handle";
for (const [name, value] of Object.entries({
  role: "separator",
  tabindex: "0",
  "aria-orientation": "horizontal",
  "aria-label": "Height of the plots",
  "aria-valuemin": `${HEIGHTS.least}`,
  "aria-valuemax": `${HEIGHTS.most}`,
}))
  handle.setAttribute(name, value);

/** @param {number} height */
function setHeight(height) {
  const { least, most } = HEIGHTS;
  state.settings.stripHeight.value = Math.round(Math.max(least, Math.min(most, height)));
}

handle.addEventListener("pointerdown", (event) => {
  const [from, height] = [event.clientY, plotStrip.clientHeight];
  const move = (/** @type {PointerEvent} */ now) => setHeight(height + from - now.clientY);
  handle.setPointerCapture(event.pointerId);
  handle.addEventListener("pointermove", move);
  handle.addEventListener("pointerup", () => handle.removeEventListener("pointermove", move), {
    once: true,
  });
});
handle.addEventListener("keydown", (event) => {
  const by = { ArrowUp: HEIGHTS.step, ArrowDown: -HEIGHTS.step }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  setHeight(plotStrip.clientHeight + by);
});

export function startPlots() {
  effect(() => {
    const height = state.settings.stripHeight.value;
    handle.setAttribute("aria-valuenow", `${height || 206}`);
    if (height) document.documentElement.style.setProperty("--strip-height", `${height}px`);
  });
  frameListeners.add(() => {
    if (waiting) return;
    waiting = true; // a frame that comes too soon is drawn later: it may be the last one
    setTimeout(
      () =>
        requestAnimationFrame(() => {
          waiting = false;
          due = performance.now() + UPDATE_MS;
          updatePlots();
        }),
      Math.max(0, due - performance.now()),
    );
  });
  effect(() => {
    void state.shownPage.value;
    void state.settings.theme.value;
    void state.settings.stripPlots.value;
    queueMicrotask(rebuildPlots);
  });
  effect(() => {
    void state.settings.plotSpan_s.value;
    queueMicrotask(updatePlots);
  });
}

/** Buttons for the time span of the plots. */
export function spanButtons() {
  return html`<div class="segments" role="group" aria-label="Time span of the plots">
    ${[10, 30, 120].map((span) => button(`${span} s`, `Plot the last ${span} seconds`, () =>
      (state.settings.plotSpan_s.value = span),
        { on: state.settings.plotSpan_s.value === span, kind: "text" }))}</div>`;
}

/** True if this page has plots. */
export const hasPlots = () =>
  state.shownPage.value?.parts.some((part) => part.kind === "Plot") ?? false;
