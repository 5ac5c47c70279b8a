// The values of all signals at the cursor, at the pinned one, and over the shown range.
import { html, nothing } from "lit-html";
import { formatTime } from "../cards/widgets.js";
import { COLOURS, shortUnit, unitOf } from "./chart.js";
import { cursor_s, pinned_s } from "./cursor.js";
import { charts } from "./layout.js";
import { summary, valueAt } from "./points.js";
import { infos, marks, points } from "./signal_store.js";
import * as time from "./time_window.js";

const NEAR = 0.008; // of the shown range: events so near the cursor are named

/** @param {number|null|undefined} value */
export function valueText(value) {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential(3);
  return value.toFixed(size >= 1000 ? 1 : size >= 10 ? 2 : 4);
}

/** The label of a signal, with the robot if there are several. @param {string} name */
export function labelOf(name) {
  const robot = name.split("/", 1)[0] ?? "";
  const label = infos.value.get(name)?.label ?? name.slice(robot.length + 1);
  const several = charts.value.some((chart) =>
    chart.signals.some((one) => !one.startsWith(`${robot}/`)),
  );
  return several ? `${robot} · ${label}` : label;
}

/** The time of the cursor, or of the newest sample. */
export const readTime = () =>
  cursor_s.value ?? Math.min(time.shownWindow.value[1], time.newest_s.value);

export function cursorTable() {
  const at = readTime();
  const pin = pinned_s.value;
  const [from, to] = time.shownWindow.value;
  const rows = charts.value.flatMap((chart, c) => chart.signals.map((name, n) => ({ name, n, c })));
  if (!rows.length) return nothing;
  const near = nearEvent(at, (to - from) * NEAR);
  return html`<div class="cursor-table" tabindex="0" role="region" aria-label="Values"><table>
    <caption class="dim">${cursor_s.value === null ? "Newest" : "Cursor"}
      <b data-fact="cursor">${formatTime(at)}</b>${pin === null ? nothing :
        html` · pinned <b>${formatTime(pin)}</b> · Δt <b>${(at - pin).toFixed(3)} s</b>`}${near ?
          html` · <span class="warn">${near}</span>` : nothing}</caption>
    <thead><tr><th scope="col">Signal</th><th scope="col">Value</th>${pin === null ? nothing :
      html`<th scope="col">Pinned</th><th scope="col">Δ</th>`}<th scope="col">Min</th><th
        scope="col">Max</th><th scope="col">Mean</th></tr></thead>
    <tbody>${rows.map(({ name, n }) => {
      const series = points.get(name);
      const value = valueAt(series, at);
      const old = pin === null ? null : valueAt(series, pin);
      const over = summary(series, from, to);
      return html`<tr><th scope="row"><i
        style="background:var(${COLOURS[n % COLOURS.length]})"></i>${labelOf(name)} <small
        class="dim" title=${unitOf(name)}>${shortUnit(unitOf(name))}</small></th><td
        data-signal=${name}>${valueText(value)}</td>${
          pin === null ? nothing : html`<td>${valueText(old)}</td><td>${valueText(
            value === null || old === null ? null : value - old)}</td>`}<td>${
          valueText(over?.low)}</td><td>${valueText(over?.high)}</td><td>${
          valueText(over?.mean)}</td></tr>`;
    })}</tbody></table></div>`;
}

/**
 * Return the text of an event near a time, or of a fault at that time.
 * @param {number} at
 * @param {number} within
 */
function nearEvent(at, within) {
  if (cursor_s.value === null) return "";
  const found = marks.value?.events.find((event) => Math.abs(event.time_s - at) < within);
  if (found) return `${formatTime(found.time_s)} ${found.robot} ${found.text}`;
  const fault = marks.value?.faults.find(
    (one) => one.begin_s <= at && at <= (one.end_s ?? Infinity),
  );
  return fault ? `fault: ${fault.robot} ${fault.target} ${fault.kind}` : "";
}
