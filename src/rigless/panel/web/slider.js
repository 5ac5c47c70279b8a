// Numbers that can be set: a slider, or a few buttons where only some values are possible.
import { signal } from "@preact/signals-core";
import { html } from "lit-html";
import { post, robotPath } from "./api.js";
import { button } from "./pieces.js";
import * as state from "./state.js";
/** @typedef {import("./types.js").Part} Part */

const SETTLED_MS = 500;
/** What is wished for, by robot and slider, until the robot has it. */
const wishes = signal(/** @type {Record<string, number>} */ ({}));
/** @type {Set<string>} */
const busy = new Set();

/** Only the newest wish counts; there is one on its way at a time. @param {Part} part @param {number} value */
async function wish(part, value) {
  const robot = state.shown.value;
  const key = `${robot} ${part.name}`;
  wishes.value = { ...wishes.value, [key]: value };
  if (busy.has(key)) return;
  busy.add(key);
  let sent;
  do {
    sent = wishes.value[key];
    await post(`${robotPath(robot)}/sliders`, { name: part.name, value: sent });
  } while (wishes.value[key] !== sent);
  busy.delete(key);
  setTimeout(() => forget(key, sent), SETTLED_MS);
}

/** While time stands still the robot cannot have it yet. @param {string} key @param {number|undefined} sent */
function forget(key, sent) {
  if (wishes.value[key] !== sent || busy.has(key)) return;
  if (state.status.value?.state === "paused") {
    setTimeout(() => forget(key, sent), SETTLED_MS);
    return;
  }
  const { [key]: _over, ...others } = wishes.value;
  wishes.value = others;
}

/** @param {Part} part @param {number} measured */
export function slider(part, measured) {
  const off = state.stage.value !== "live";
  const value = wishes.value[`${state.shown.value} ${part.name}`] ?? measured;
  const normal = part.normal ?? null;
  const odd = normal !== null && Number.isFinite(value) && value !== normal;
  const text = Number.isFinite(value) ? `${value} ${part.unit ?? ""}` : "–";
  const id = `slider-${part.name}`;
  if (part.stops?.length) {
    return html`<div class="slider"><span>${part.label}</span><div class="segments even" role="group" aria-label=${part.label}>${part.stops.map((stop) =>
      button(`${stop} ${part.unit ?? ""}`, `${part.label} ${stop} ${part.unit ?? ""}`, () => void wish(part, stop), { on: value === stop, off, kind: odd && value === stop ? "caution" : "" }))}</div></div>`;
  }
  return html`<div class="slider"><label for=${id}>${part.label}</label>
    <input id=${id} type="range" min=${part.low ?? 0} max=${part.high ?? 1} step=${part.step ?? 1} aria-label=${part.label} aria-valuetext=${text} ?disabled=${off}
      .value=${String(Number.isFinite(value) ? value : (normal ?? part.low ?? 0))}
      @input=${(/** @type {{target: HTMLInputElement}} */ { target }) => void wish(part, Number(target.value))}>
    ${normal === null ? html`<output for=${id}>${text}</output>` : html`<button class="button ${odd ? "caution" : ""}" ?disabled=${off}
      aria-label="${part.label} ${text}, back to ${normal}" title="Back to ${normal} ${part.unit ?? ""}" @click=${() => void wish(part, normal)}>${text}</button>`}</div>`;
}
