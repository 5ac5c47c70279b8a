// Widgets of all cards: buttons, switches, readouts, lamps.
import { html, nothing } from "lit-html";
import { settings } from "../core/state.js";

/**
 * A card with a title. It folds, and the browser remembers that.
 * @param {string} title
 * @param {unknown} body
 * @param {unknown} aside
 */
export function card(title, body, aside = nothing) {
  const open = !settings.foldedCards.value.includes(title);
  const id = `card-${title.toLowerCase().replace(/\s+/g, "-")}`;
  return html`<section class="card" aria-label=${title} data-card=${title}>
    <h2><button class="fold" aria-expanded=${open} aria-controls=${id}
      @click=${() => toggleFold(title)}>${title}</button>${aside}</h2>
    <div id=${id} ?hidden=${!open}>${open ? body : nothing}</div>
  </section>`;
}

/** @param {string} title */
function toggleFold(title) {
  const closed = settings.foldedCards.value;
  settings.foldedCards.value = closed.includes(title)
    ? closed.filter((one) => one !== title)
    : [...closed, title];
}

/**
 * A button. Its name has the visible text, so that it can be pressed by voice.
 * @param {unknown} face
 * @param {string} label
 * @param {() => void} act
 * @param {{kind?: string, on?: boolean, off?: boolean}} options
 */
export function button(face, label, act, { kind = "", on = false, off = false } = {}) {
  const name = typeof face === "string" && !hasWords(label, face) ? `${face}: ${label}` : label;
  return html`<button type="button" class="button ${kind}" aria-label=${name} title=${label}
    aria-pressed=${on}
    ?disabled=${off} @click=${act}>${face}</button>`;
}

/**
 * Return whether a text has these words, as whole words.
 * @param {string} text
 * @param {string} words
 */
function hasWords(text, words) {
  const plain = (/** @type {string} */ one) =>
    ` ${one.toLowerCase().split(/[\s(),:;]+/).join(" ")} `;
  return plain(text).includes(plain(words));
}

/**
 * @param {string} label
 * @param {boolean} on
 * @param {(on: boolean) => void} change
 * @param {boolean} off
 */
export function toggle(label, on, change, off = false) {
  return html`<label class="toggle"><input type="checkbox" role="switch" aria-label=${label}
    .checked=${on} ?disabled=${off}
    @change=${(/** @type {{target: HTMLInputElement}} */ event) => {
      const wish = event.target.checked;
      event.target.checked = on; // the next status shows what the server did
      change(wish);
    }}><span class="track" aria-hidden="true"></span><span>${label}</span></label>`;
}

/**
 * @param {string} label
 * @param {number} value
 * @param {string} unit
 * @param {number} digits
 * @param {boolean} odd
 */
export function readout(label, value, unit, digits, odd = false) {
  const text = Number.isFinite(value) ? fixed(value, digits) : "–";
  return html`<div
    class="readout ${odd ? "odd" : ""}"><span>${label}</span><b>${text}${unit ?
    html`<small> ${unit}</small>` : nothing}</b></div>`;
}

/**
 * @param {string} label
 * @param {boolean} on
 * @param {string} colour
 */
export function lamp(label, on, colour) {
  return html`<div class="lamp" role="status" aria-label="${label}: ${on ? "on" : "off"}"><i
    class=${on ? `on ${colour}` : ""}></i>${label}</div>`;
}

/**
 * A small switch, labelled with a number or so.
 * @param {string} face
 * @param {string} label
 * @param {boolean} on
 * @param {(on: boolean) => void} change
 * @param {boolean} off
 */
export function toggleSquare(face, label, on, change, off = false) {
  return html`<button class="square ${on ? "on" : ""}" role="switch" aria-checked=${on}
    aria-label=${label} title=${label} ?disabled=${off}
    @click=${() => change(!on)}>${face}</button>`;
}

/**
 * @param {string} face
 * @param {string} label
 * @param {boolean} on
 * @param {string} colour
 */
export function lampSquare(face, label, on, colour) {
  const text = `${label}: ${on ? "on" : "off"}`;
  return html`<span class="square ${on ? `on ${colour}` : ""}" role="img" aria-label=${text}
    title=${text}>${face}</span>`;
}

/**
 * Format a number with so many decimals, without a sign if they are all zero.
 * @param {number} value
 * @param {number} digits
 */
export function fixed(value, digits) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

/** Format a number for reading. @param {number} value */
export function formatNumber(value) {
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return fixed(value, Math.abs(value) >= 100 ? 1 : 3);
}

/** @param {number} time_s */
export function formatTime(time_s) {
  if (time_s < 3600) return `${time_s.toFixed(2)} s`;
  const whole = Math.floor(time_s);
  return `${Math.floor(whole / 3600)}:${String(Math.floor(whole / 60) % 60).padStart(2,
    "0")}:${String(whole % 60).padStart(2, "0")}`;
}
