// Numbers to set: a slider, or buttons if only some values are possible.
import { signal } from "@preact/signals-core";
import { html } from "lit-html";
import { post, robotPath } from "../core/api.js";
import { button } from "./widgets.js";
import * as state from "../core/state.js";
/** @typedef {import("../core/types.js").Part} Part */

const CLEAR_DELAY_MS = 500;
/** Requested values by robot and slider, shown until the robot has them. */
const requestedValues = signal(/** @type {Record<string, number>} */ ({}));
/** @type {Set<string>} */
const sending = new Set();

/**
 * Send a value. One request is in flight at a time; after it the newest value is sent.
 * @param {Part} part
 * @param {number} value
 */
async function requestValue(part, value) {
  const robot = state.shownRobot.value;
  const key = `${robot} ${part.name}`;
  requestedValues.value = { ...requestedValues.value, [key]: value };
  if (sending.has(key)) return;
  sending.add(key);
  let sent;
  do {
    sent = requestedValues.value[key];
    await post(`${robotPath(robot)}/sliders`, { name: part.name, value: sent });
  } while (requestedValues.value[key] !== sent);
  sending.delete(key);
  setTimeout(() => clearRequest(key, sent), CLEAR_DELAY_MS);
}

/**
 * Show the measured value again. While time is paused the robot cannot have the value yet.
 * @param {string} key
 * @param {number|undefined} sent
 */
function clearRequest(key, sent) {
  if (requestedValues.value[key] !== sent || sending.has(key)) return;
  if (state.status.value?.state === "paused") {
    setTimeout(() => clearRequest(key, sent), CLEAR_DELAY_MS);
    return;
  }
  const { [key]: _over, ...others } = requestedValues.value;
  requestedValues.value = others;
}

/**
 * @param {Part} part
 * @param {number} measured
 */
export function slider(part, measured) {
  const off = state.source.value !== "live";
  const value = requestedValues.value[`${state.shownRobot.value} ${part.name}`] ?? measured;
  const normal = part.normal ?? null;
  const odd = normal !== null && Number.isFinite(value) && value !== normal;
  const text = Number.isFinite(value) ? `${value} ${part.unit ?? ""}` : "–";
  const id = `slider-${part.name}`;
  if (part.stops?.length) {
    return html`<div class="slider"><span>${part.label}</span><div class="segments even"
      role="group" aria-label=${part.label}>${part.stops.map(
      (stop) =>
        button(
          `${stop} ${part.unit ?? ""}`,
          `${part.label} ${stop} ${part.unit ?? ""}`,
          () => void requestValue(part, stop),
          { on: value === stop, off, kind: odd && value === stop ? "caution" : "" },
        ),
    )}</div></div>`;
  }
  return html`<div class="slider"><label for=${id}>${part.label}</label>
    <input id=${id} type="range" min=${part.low ?? 0} max=${part.high ?? 1} step=${part.step ?? 1}
      aria-label=${part.label} aria-valuetext=${text} ?disabled=${off}
      .value=${String(Number.isFinite(value) ? value : (normal ?? part.low ?? 0))}
      @input=${(/** @type {{target: HTMLInputElement}} */ { target }) => void requestValue(part,
      Number(target.value))}>
    ${
      normal === null
        ? html`<output for=${id}>${text}</output>`
        : html`<button class="button ${odd ? "caution" : ""}" ?disabled=${off}
      aria-label="${part.label} ${text}, back to ${normal}"
      title="Back to ${normal} ${part.unit ?? ""}"
      @click=${() => void requestValue(part, normal)}>${text}</button>`
    }</div>`;
}
