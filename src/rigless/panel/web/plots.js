// Numbers over time, under the map. One uPlot each, made again only when the page or the theme changes.
import { effect } from "@preact/signals-core";
import { html, render } from "lit-html";
import uPlot from "uplot";
import { button } from "./pieces.js";
import { onPicture, picturesOf } from "./socket.js";
import * as state from "./state.js";
/** @typedef {import("./types.js").Part} Part */

export const strip = document.createElement("div");
strip.className = "plots";
const EVERY_MS = 66;
const MANY = 4; // of more lines there is room for the names only
const LINES = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5", "--line-6"];

/** @type {{part: Part, plot: uPlot, value: HTMLElement, box: HTMLElement}[]} */
let plots = [];
let due = 0;
let waiting = false;

function build() {
  for (const { plot } of plots) plot.destroy();
  strip.replaceChildren();
  const style = getComputedStyle(document.documentElement);
  const paint = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  plots = (state.shownPage.value?.parts ?? []).filter((part) => part.kind === "Plot").map((part) => make(part, paint));
  resize();
  update();
}

/** @param {Part} part @param {(name: string) => string} paint */
function make(part, paint) {
  const box = document.createElement("figure");
  const title = document.createElement("figcaption");
  const label = document.createElement("span");
  render(html`${part.label} <small>${part.unit ?? ""}</small>`, label);
  const value = document.createElement("b");
  title.append(label, value);
  box.setAttribute("aria-label", `${part.label} over time`);
  box.append(title);
  strip.append(box);
  const axis = { stroke: paint("--dim"), grid: { stroke: paint("--edge"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
  /** @type {uPlot.Options} */
  const options = {
    width: 300,
    height: 130,
    padding: [6, 16, 0, 0],
    cursor: { y: false, points: { size: 6 } },
    legend: { show: false },
    scales: { x: { time: false, range: () => range() }, y: { range: (_plot, low, high) => airy(low, high) } },
    axes: [{ ...axis, size: 22, splits: () => marks().map((before) => now() - before), values: () => marks().map((before) => (before ? `−${before} s` : "now")) }, { ...axis, size: 46 }],
    series: [{}, ...(part.lines ?? []).map(([, name], n) => ({
      label: name, stroke: paint(LINES[n] ?? "--line-1"), width: 2, points: { show: false },
      ...(part.lines?.length === 1 ? { fill: `color-mix(in srgb, ${paint("--line-1")} 14%, transparent)` } : {}),
    }))],
  };
  return { part, plot: new uPlot(options, [[]], box), value, box };
}

const now = () => picturesOf(state.shownKey.value)?.time_s ?? 0;
/** Room above and below, also around a number that stays the same. @param {number} low @param {number} high @returns {[number, number]} */
function airy(low, high) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const air = Math.max((high - low) * 0.08, Math.abs(high) * 0.02, high === low ? Math.max(Math.abs(high) * 0.1, 1) : 0, 1e-6);
  return [low - air, high + air];
}

const marks = () => [1, 2 / 3, 1 / 3, 0].map((part) => Math.round(state.kept.span.value * part));
/** @returns {[number, number]} */
const range = () => [now() - state.kept.span.value, now()];

function update() {
  const pictures = picturesOf(state.shownKey.value);
  if (!pictures || !state.kept.plots.value) return;
  const first = firstAfter(pictures.times, now() - state.kept.span.value - 1);
  const times = pictures.times.slice(first);
  for (const { part, plot, value } of plots) {
    const lines = (part.lines ?? []).map(([name]) => (pictures.values[pictures.page.measures.indexOf(name)] ?? []).slice(first));
    plot.setData([times, ...lines]);
    render(numbers(part, pictures), value);
  }
}

/** The newest number of each line, in the line's colour. @param {Part} part @param {import("./pictures.js").Pictures} pictures */
function numbers(part, pictures) {
  const lines = part.lines ?? [];
  if (lines.length > MANY) return html`${lines.map(([, label], n) => html`<span style="color:var(${LINES[n] ?? "--line-1"})">${label}</span>`)}`;
  return html`${lines.map(([name, label], n) => {
    const value = pictures.measure(name);
    const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 2;
    return html`<span style="color:var(${LINES[n] ?? "--line-1"})">${lines.length > 1 ? html`<small>${label}</small> ` : ""}${Number.isFinite(value) ? value.toFixed(digits) : "–"}</span>`;
  })}`;
}

/** @param {number[]} times @param {number} time */
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
  for (const { plot, box } of plots) plot.setSize({ width: Math.max(120, box.clientWidth), height: Math.max(60, box.clientHeight - 26) });
}

export function beginPlots() {
  new ResizeObserver(resize).observe(strip);
  onPicture.add(() => {
    if (waiting) return;
    waiting = true; // also for what comes too soon: it may be the last for long
    setTimeout(() => requestAnimationFrame(() => {
      waiting = false;
      due = performance.now() + EVERY_MS;
      update();
    }), Math.max(0, due - performance.now()));
  });
  effect(() => {
    void state.shownPage.value;
    void state.kept.theme.value;
    queueMicrotask(build);
  });
  effect(() => {
    void state.kept.span.value;
    queueMicrotask(update);
  });
}

/** How much of the past the plots show. */
export function spans() {
  return html`<div class="segments" role="group" aria-label="Seconds that plots show">
    ${[10, 30, 120].map((span) => button(`${span} s`, `Plot the last ${span} seconds`, () => (state.kept.span.value = span), { on: state.kept.span.value === span, kind: "text" }))}</div>`;
}

/** Whether this page has anything to plot. */
export const hasPlots = () => state.shownPage.value?.parts.some((part) => part.kind === "Plot") ?? false;
