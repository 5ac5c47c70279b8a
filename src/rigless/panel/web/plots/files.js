// Export: points as CSV, the charts as PNG, the layout as a file.
import { notice, source, status } from "../core/state.js";
import { COLOURS } from "./chart.js";
import { allSignals, charts, fromText, toText } from "./layout.js";
import { infos } from "./signal_store.js";
import { shownWindow } from "./time_window.js";

const TITLE_PX = 26;

/** @param {string} ending */
const fileName = (ending) => `${status.value?.name ?? "rigless"}${ending}`.replaceAll("/", "_");

/**
 * @param {string} url
 * @param {string} name
 */
function download(url, name) {
  const link = document.createElement("a");
  [link.href, link.download] = [url, name];
  link.click();
}

/**
 * @param {Blob} blob
 * @param {string} name
 */
function downloadBlob(blob, name) {
  const url = URL.createObjectURL(blob);
  download(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** All samples of the shown range, as the server has them. */
export function saveCsv() {
  const [from_s, to_s] = shownWindow.value;
  const query = new URLSearchParams({
    stage: source.value,
    from_s: `${from_s}`,
    to_s: `${to_s}`,
  });
  for (const name of allSignals.value) query.append("signal", name);
  download(`/api/signals/csv?${query}`, fileName(".csv"));
}

/** The charts as one picture, with their signals above them. @param {HTMLElement} view */
export function savePng(view) {
  const canvases = [...view.querySelectorAll("canvas")];
  if (!canvases.length) return notice("there is no chart to save", "bad");
  const style = getComputedStyle(document.documentElement);
  const paint = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const title = TITLE_PX * devicePixelRatio;
  const sheet = document.createElement("canvas");
  sheet.width = Math.max(...canvases.map((one) => one.width));
  sheet.height = canvases.reduce((sum, one) => sum + one.height + title, 0);
  const ctx = sheet.getContext("2d");
  if (!ctx) return;
  ctx.fillStyle = paint("--card");
  ctx.fillRect(0, 0, sheet.width, sheet.height);
  ctx.font = `${13 * devicePixelRatio}px system-ui, sans-serif`;
  let top = 0;
  canvases.forEach((canvas, n) => {
    let left = title / 2;
    (charts.value[n]?.signals ?? []).forEach((name, k) => {
      const { robot = "", label = name, unit = "" } = infos.value.get(name) ?? {};
      const text = `${robot} ${label}${unit ? ` (${unit})` : ""}`;
      ctx.fillStyle = paint(COLOURS[k % COLOURS.length] ?? "--line-1");
      ctx.fillText(text, left, top + 0.7 * title);
      left += ctx.measureText(text).width + title;
    });
    ctx.drawImage(canvas, 0, top + title);
    top += canvas.height + title;
  });
  sheet.toBlob((blob) => blob && downloadBlob(blob, fileName(".png")));
}

export function saveLayout() {
  downloadBlob(new Blob([toText()], { type: "application/json" }), fileName(".plots.json"));
}

/** @param {{target: HTMLInputElement}} event */
export async function openLayout(event) {
  const file = event.target.files?.[0];
  if (file && !fromText(await file.text()))
    notice(`${file.name} is not a layout of plots: save one with "Save layout" first`, "bad");
  event.target.value = "";
}
