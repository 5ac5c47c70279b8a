// The Plots tab: charts below each other on one time axis, a list of signals, a table of values.
import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import * as icons from "../cards/icons.js";
import { menu } from "../cards/menu.js";
import { button } from "../cards/widgets.js";
import * as state from "../core/state.js";
import { ChartPlot, COLOURS, shortUnit, unitOf, unitsOf } from "./chart.js";
import { cursor_s, pinned_s } from "./cursor.js";
import { cursorTable, labelOf, readTime, valueText } from "./cursor_table.js";
import { openLayout, saveCsv, saveLayout, savePng } from "./files.js";
import {
  activeId,
  addChart,
  allSignals,
  charts,
  relative,
  removeChart,
  startLayout,
  toggleSignal,
} from "./layout.js";
import { picker, SIGNAL_TYPE, startPicker } from "./picker.js";
import { valueAt } from "./points.js";
import { changed, complete, infos, plot, points, startSignals } from "./signal_store.js";
import * as time from "./time_window.js";
/** @typedef {import("./layout.js").Chart} Chart */

const SPANS = /** @type {[number, string][]} */ ([
  [10, "10 s"],
  [60, "1 min"],
  [600, "10 min"],
  [Infinity, "All"],
]);
const TABLE_MS = 150; // interval of the table while nothing but time changes

export const plotsView = document.createElement("div");
plotsView.className = "plots-tab";
const isShown = computed(() => state.route.value.view === "plots");
const showPicker = signal(innerWidth > 1100);
/** @type {Map<number, {key: string, chart: ChartPlot}>} */
const drawn = new Map();
let suggested = "";
let drawing = 0;

function toolbar() {
  const now = time.range.value;
  return html`<div class="plot-tools" role="toolbar" aria-label="Plots">
    ${button(html`${icons.side}<span>Signals</span>`, "Show the list of signals", () =>
      (showPicker.value = !showPicker.value), { on: showPicker.value, kind: "text" })}
    ${button(html`${icons.plus}<span>Chart</span>`, "Add a chart", () => addChart(),
      { kind: "text" })}
    <div class="segments" role="group" aria-label="Time range">${SPANS.map(([span, text]) =>
      button(text, span === Infinity ? "Show the whole run" : `Follow the last ${text}`, () =>
        time.follow(span), { on: now.follow && now.span_s === span, kind: "text" }))}</div>
    <div class="segments" role="group" aria-label="Zoom">
      ${button(icons.minus, "Zoom out", () => zoomMiddle(2))}
      ${button(icons.plus, "Zoom in", () => zoomMiddle(0.5))}</div>
    ${now.follow ? nothing : button("Follow", "Follow the newest samples", () => time.follow(),
      { kind: "text" })}
    ${button("Relative", "Time relative to the newest sample or the pinned cursor", () =>
      (relative.value = !relative.value), { on: relative.value, kind: "text" })}
    <span class="grow"></span>
    ${complete.value < 1 ? html`<progress max="1" .value=${complete.value}
      aria-label="Reading the recording"></progress>` : nothing}
    ${menu("plot-files", html`${icons.more}<span class="wide">Export</span>`, "Export and layouts",
      html`<div class="menu-list">
        ${menuButton("Save CSV", saveCsv)}${menuButton("Save PNG", () => savePng(plotsView))}
        ${menuButton("Save layout", saveLayout)}
        <label class="button text">Open layout<input type="file" accept=".json,application/json"
          aria-label="Open layout" @change=${openLayout}></label>
        ${menuButton("Remove all charts", () => (charts.value = []))}</div>`, "button text")}
  </div>`;
}

/**
 * @param {string} text
 * @param {() => void} act
 */
const menuButton = (text, act) => html`<button class="button text" @click=${act}>${text}</button>`;

/** @param {number} factor */
function zoomMiddle(factor) {
  const [from, to] = time.shownWindow.value;
  time.zoom(factor, (from + to) / 2);
}

/** @param {Chart} chart */
function chartBox(chart) {
  const active = chart.id === activeId.value;
  const take = (/** @type {DragEvent} */ event) => {
    const name = event.dataTransfer?.getData(SIGNAL_TYPE);
    if (name) toggleSignal(name, chart.id, true);
  };
  return html`<figure class="chart ${active ? "active" : ""}" data-chart=${chart.id}
    aria-label="Chart of ${chart.signals.map(labelOf).join(", ") || "nothing"}"
    @pointerdown=${() => (activeId.value = chart.id)}
    @dragover=${(/** @type {DragEvent} */ event) => event.preventDefault()} @drop=${take}>
    <figcaption><div class="chart-legend">${chart.signals.map((name, n) =>
      legend(chart, name, n))}${
      chart.signals.length ? nothing : html`<span class="dim">Pick signals from the list</span>`}
    </div>${button(icons.close, "Remove this chart", () => removeChart(chart.id))}</figcaption>
    <div class="chart-canvas"></div></figure>`;
}

/**
 * @param {Chart} chart
 * @param {string} name
 * @param {number} n
 */
function legend(chart, name, n) {
  const unit = unitOf(name);
  const shown = unit ? html` <small class="dim" title=${unit}>${shortUnit(unit)}</small>` : nothing;
  return html`<button class="legend-item" title="${name}: click to remove"
    @click=${() => toggleSignal(name, chart.id, false)}><i
    style="background:var(${COLOURS[n % COLOURS.length]})"></i><span>${labelOf(name)}</span> <b
    data-value=${name}></b>${shown}</button>`;
}

function template() {
  return html`${toolbar()}<div class="plot-body ${showPicker.value ? "picking" : ""}">
    ${showPicker.value ? picker() : nothing}
    <div class="charts">${charts.value.length ? charts.value.map(chartBox) :
      html`<p class="empty dim">Pick a signal from the list to plot it. Drag to zoom, turn the wheel
        to zoom around the cursor, hold Shift and drag to move, click to pin the cursor,
        double-click to follow again.${showPicker.value ? nothing : html`<br>${button(
          "Choose signals", "Choose signals", () => (showPicker.value = true),
          { kind: "text" })}`}</p>`}</div></div><div class="cursor-host"></div>`;
}

/** Make the uPlots of the charts that are shown, and remove the others. */
function syncCharts() {
  const theme = state.settings.theme.value;
  for (const [id, { chart }] of drawn)
    if (!charts.value.some((one) => one.id === id)) {
      chart.destroy();
      drawn.delete(id);
    }
  const axes = Math.max(...charts.value.map(({ signals }) => unitsOf(signals).length));
  for (const { id, signals } of charts.value) {
    const host = plotsView.querySelector(`[data-chart="${id}"] .chart-canvas`);
    if (!(host instanceof HTMLElement)) continue;
    const key = JSON.stringify([theme, signals, signals.map(unitOf), axes]);
    const before = drawn.get(id);
    if (before?.key === key && before.chart.host === host) continue;
    before?.chart.destroy();
    drawn.set(id, { key, chart: new ChartPlot(host, signals, axes) });
  }
}

function drawSoon() {
  drawing ||= requestAnimationFrame(() => {
    drawing = 0;
    for (const { chart } of drawn.values()) chart.update();
  });
}

function showValues() {
  const host = plotsView.querySelector(".cursor-host");
  if (host instanceof HTMLElement) render(cursorTable(), host);
  const at = readTime();
  for (const value of plotsView.querySelectorAll("[data-value]"))
    value.textContent = valueText(valueAt(points.get(value.getAttribute("data-value") ?? ""), at));
}

/** Without a layout, plot what the robot's page plots. */
function suggest() {
  const page = state.shownPage.value;
  const name = state.status.value?.name ?? "";
  const none = !charts.value.length;
  if (!isShown.value || !page || suggested === name) return;
  suggested = name; // once: the user may remove all charts
  if (!none) return;
  const parts = page.parts.filter((part) => part.kind === "Plot").slice(0, 2);
  for (const part of parts)
    addChart((part.lines ?? []).map(([line]) => `${page.robot}/view/${line}`));
}

export function startPlotsView() {
  startLayout();
  startSignals();
  startPicker();
  effect(() => {
    suggest();
  });
  effect(() => {
    if (isShown.value) plot(allSignals.value, plotsView.clientWidth - (showPicker.value ? 300 : 0));
    else plot([], 800);
  });
  effect(() => {
    if (!isShown.value) return;
    render(template(), plotsView);
    void infos.value;
    queueMicrotask(() => {
      syncCharts();
      drawSoon();
      showValues();
    });
  });
  effect(() => {
    void [changed.value, time.shownWindow.value, relative.value, pinned_s.value];
    void state.markedTime_s.value;
    void (state.source.value === "recording" && state.status.value?.deck?.time_s);
    if (isShown.value) drawSoon();
  });
  let due = 0;
  let waiting = 0;
  effect(() => {
    void [changed.value, cursor_s.value, pinned_s.value, time.shownWindow.value];
    if (!isShown.value || waiting) return;
    waiting = window.setTimeout(() => {
      waiting = 0;
      due = performance.now() + TABLE_MS;
      showValues();
    }, Math.max(0, Math.min(TABLE_MS, due - performance.now())));
  });
  new ResizeObserver(drawSoon).observe(plotsView);
  let source = state.source.value;
  effect(() => {
    if (state.source.value === source) return;
    source = state.source.value;
    pinned_s.value = null;
    time.follow(source === "recording" ? Infinity : 60);
  });
  plotsView.addEventListener("keydown", (event) => {
    if (event.key === "Escape") pinned_s.value = null;
  });
}
