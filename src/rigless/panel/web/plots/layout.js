// The charts and their signals. The browser keeps them per scenario; a file can hold them too.
import { computed, effect, signal } from "@preact/signals-core";
import { notice, status } from "../core/state.js";

/** @typedef {{id: number, signals: string[]}} Chart */
/** @typedef {{charts: Chart[], relative: boolean}} Layout */

const FORMAT = "rigless-plots";
const MAX_CHARTS = 8;
export const MAX_SIGNALS = 12; // of one chart
const MAX_LENGTH = 200;

export const charts = signal(/** @type {Chart[]} */ ([]));
export const activeId = signal(0);
export const relative = signal(false); // time before the end or after the pinned cursor
/** All signals, each once. */
export const allSignals = computed(() => [
  ...new Set(charts.value.flatMap((chart) => chart.signals)),
]);

const storageKey = computed(() => (status.value ? `rigless.plots.${status.value.name}` : ""));
let lastId = 0;

/** @param {string[]} signals */
export function addChart(signals = []) {
  if (charts.value.length >= MAX_CHARTS) return notice(`at most ${MAX_CHARTS} charts`, "bad");
  const chart = { id: ++lastId, signals };
  charts.value = [...charts.value, chart];
  activeId.value = chart.id;
}

/** @param {number} id */
export function removeChart(id) {
  charts.value = charts.value.filter((chart) => chart.id !== id);
  if (activeId.value === id) activeId.value = charts.value.at(-1)?.id ?? 0;
}

/**
 * Add a signal to a chart, or remove it.
 * @param {string} name
 * @param {number} id
 * @param {boolean} [on]
 */
export function toggleSignal(name, id = activeId.value, on = undefined) {
  if (!charts.value.some((chart) => chart.id === id)) return addChart([name]);
  charts.value = charts.value.map((chart) => {
    if (chart.id !== id) return chart;
    const has = chart.signals.includes(name);
    if (has === on) return chart;
    if (has) return { ...chart, signals: chart.signals.filter((one) => one !== name) };
    if (chart.signals.length < MAX_SIGNALS) return { ...chart, signals: [...chart.signals, name] };
    notice(`at most ${MAX_SIGNALS} signals in a chart: add another chart`, "bad");
    return chart;
  });
}

/** @returns {string} */
export const toText = () =>
  JSON.stringify(
    {
      format: FORMAT,
      relative: relative.value,
      charts: charts.value.map(({ signals }) => ({ signals })),
    },
    null,
    2,
  );

/**
 * Replace the layout by one from a file or from the browser.
 * @param {string} text
 * @returns {boolean} false if it is not a layout
 */
export function fromText(text) {
  try {
    const found = JSON.parse(text);
    if (found?.format !== FORMAT || !Array.isArray(found.charts)) return false;
    const read = found.charts.slice(0, MAX_CHARTS).map((/** @type {any} */ chart) => ({
      id: ++lastId,
      signals: [...new Set(Array.isArray(chart?.signals) ? chart.signals : [])]
        .filter((name) => typeof name === "string" && name.length <= MAX_LENGTH)
        .slice(0, MAX_SIGNALS),
    }));
    charts.value = read;
    activeId.value = read[0]?.id ?? 0;
    relative.value = found.relative === true;
    return true;
  } catch {
    return false;
  }
}

/** Load the layout of the scenario, and keep it when it changes. */
export function startLayout() {
  let key = "";
  effect(() => {
    if (key === storageKey.value || !storageKey.value) return;
    key = storageKey.value;
    let text = null;
    try {
      text = localStorage.getItem(key);
    } catch {
      text = null; // a private window
    }
    if (!text || !fromText(text)) charts.value = [];
  });
  effect(() => {
    const text = toText();
    if (!key) return;
    try {
      if (charts.value.length) localStorage.setItem(key, text);
      else localStorage.removeItem(key);
    } catch {
      return; // it is not kept
    }
  });
}
