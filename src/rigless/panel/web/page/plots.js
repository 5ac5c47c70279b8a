// Plots of numbers over time. Each is one uPlot, made again when the page or the theme changes.
import { effect } from "@preact/signals-core";
import { html, render } from "lit-html";
import uPlot from "uplot";
import { button } from "../cards/widgets.js";
import { frameListeners, framesOf } from "../core/socket.js";
import * as state from "../core/state.js";
/** @typedef {import("../core/types.js").Part} Part */

export const plotStrip = document.createElement("div");
plotStrip.className = "plots";
const UPDATE_MS = 66;
const MAX_VALUES = 4; // with more lines there is only room for the names
const LINES = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5", "--line-6"];

/** @type {{part: Part, plot: uPlot, value: HTMLElement, box: HTMLElement}[]} */
let plots = [];
let due = 0;
let waiting = false;

function rebuildPlots() {
  for (const { plot } of plots) plot.destroy();
  plotStrip.replaceChildren();
  const style = getComputedStyle(document.documentElement);
  const paint = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  plots = (state.shownPage.value?.parts ?? [])
    .filter((part) => part.kind === "Plot")
    .map((part) => makePlot(part, paint));
  resize();
  updatePlots();
}

/**
 * @param {Part} part
 * @param {(name: string) => string} paint
 */
function makePlot(part, paint) {
  const box = document.createElement("figure");
  const title = document.createElement("figcaption");
  const label = document.createElement("span");
  render(html`${part.label} <small>${part.unit ?? ""}</small>`, label);
  const value = document.createElement("b");
  title.append(label, value);
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
      y: { range: (_plot, low, high) => paddedRange(low, high) },
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
  return { part, plot: new uPlot(options, [[]], box), value, box };
}

const now = () => framesOf(state.shownKey.value)?.time_s ?? 0;
/**
 * Return the range of the axis with margins, also around a constant number.
 * @param {number} low
 * @param {number} high
 * @returns {[number, number]}
 */
function paddedRange(low, high) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const air = Math.max(
    (high - low) * 0.08,
    Math.abs(high) * 0.02,
    high === low ? Math.max(Math.abs(high) * 0.1, 1) : 0,
    1e-6,
  );
  return [low - air, high + air];
}

const tickAges = () =>
  [1, 2 / 3, 1 / 3, 0].map((part) => Math.round(state.settings.plotSpan_s.value * part));
/** @returns {[number, number]} */
const range = () => [now() - state.settings.plotSpan_s.value, now()];

function updatePlots() {
  const frames = framesOf(state.shownKey.value);
  if (!frames || !state.settings.showPlots.value) return;
  const first = firstAfter(frames.times, now() - state.settings.plotSpan_s.value - 1);
  const times = frames.times.slice(first);
  for (const { part, plot, value } of plots) {
    const lines = (part.lines ?? []).map(([name]) =>
      (frames.values[frames.page.measures.indexOf(name)] ?? []).slice(first),
    );
    plot.setData([times, ...lines]);
    render(legendValues(part, frames), value);
  }
}

/**
 * The newest value of each line, in the line's colour.
 * @param {Part} part
 * @param {import("../core/frames.js").FrameStore} frames
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
        html`<small>${label}</small> ` : ""}${Number.isFinite(value) ? value.toFixed(digits) :
          "–"}</span>`;
  })}`;
}

/**
 * @param {number[]} times
 * @param {number} time
 */
function firstAfter(times, time) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function resize() {
  for (const { plot, box } of plots)
    plot.setSize({
      width: Math.max(120, box.clientWidth),
      height: Math.max(60, box.clientHeight - 26),
    });
}

export function startPlots() {
  new ResizeObserver(resize).observe(plotStrip);
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
