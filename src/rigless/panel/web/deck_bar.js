// The player of an open recording: play, step, seek, with the same pages.
import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { call, post } from "./api.js";
import { mapsLoaded } from "./grids.js";
import * as icons from "./icons.js";
import { button, clock } from "./pieces.js";
import { events, stage, status } from "./state.js";

const STEP_MS = 100;
const SPEEDS = [0.1, 0.5, 1, 2, 5, 10];
const AFTER_MS = 250; // by then a status from after the seek is here
let asked = 0;
const wanted = signal(/** @type {number|null} */ (null)); // where the user's finger is

export const togglePlay = () => (status.value?.deck?.playing ? post("/api/deck/pause") : post("/api/deck/play", { speed: speed.value }));
/** @param {1|-1} direction */
export const stepDeck = (direction) => post("/api/deck/step", { ms: direction * STEP_MS });

const speed = signal(/** @type {number|"fast"} */ (1));

async function close() {
  const loaded = mapsLoaded();
  stage.value = "live";
  await loaded;
  await call("DELETE", "/api/deck");
}

/** @param {number} time_s */
async function seek(time_s) {
  wanted.value = time_s;
  const mine = ++asked;
  await post("/api/deck/seek", { time_s });
  setTimeout(() => mine === asked && (wanted.value = null), AFTER_MS);
}

/** @param {string} value */
async function setSpeed(value) {
  speed.value = value === "fast" ? "fast" : Number(value);
  if (status.value?.deck?.playing) await post("/api/deck/play", { speed: speed.value });
}

export function deckBar() {
  const deck = status.value?.deck;
  if (!deck || stage.value !== "recording") return nothing;
  const now = wanted.value ?? deck.time_s;
  return html`<section class="deck" aria-label="Recording player">
    ${button(deck.playing ? icons.pause : icons.play, deck.playing ? "Pause the recording (space)" : "Play the recording (space)", () => void togglePlay(), { on: deck.playing })}
    ${button(icons.back, "Step back 0.1 s (,)", () => void stepDeck(-1))}
    ${button(icons.step, "Step on 0.1 s (.)", () => void stepDeck(1))}
    <div class="scrub">
      <input type="range" min=${deck.begin_s} max=${deck.end_s} step="any" .value=${String(now)} aria-label="Place in the recording" aria-valuetext=${clock(now)}
        @input=${(/** @type {{target: HTMLInputElement}} */ event) => void seek(Number(event.target.value))}>
      <div class="marks" aria-hidden="true">${marks(deck)}</div>
    </div>
    <output aria-label="Time in the recording">${clock(now)} <span class="dim">/ ${clock(deck.end_s)}</span></output>
    <select aria-label="Playing speed" @change=${(/** @type {{target: HTMLSelectElement}} */ event) => void setSpeed(event.target.value)}>
      ${SPEEDS.map((one) => html`<option value=${one} ?selected=${one === speed.value}>${one}×</option>`)}<option value="fast" ?selected=${speed.value === "fast"}>max</option></select>
    <span class="dim clip" title=${deck.file}>${deck.file.split("/").at(-1)}${deck.cut ? " (cut off)" : ""}</span>
    ${deck.seeking !== null ? html`<progress max="1" .value=${deck.seeking} aria-label="Going there"></progress>` : nothing}
    ${deck.failure ? html`<span class="warn">${deck.failure}</span>` : deck.note ? html`<span class="dim">${deck.note}</span>` : nothing}
    ${button(icons.close, "Close the recording", () => void close())}
  </section>`;
}

/** Where something abnormal happened. @param {import("./state.js").Deck} deck */
function marks(deck) {
  const span = deck.end_s - deck.begin_s || 1;
  return events.value.filter((event) => event.severity !== "debug" && event.severity !== "info").slice(0, 200)
    .map((event) => html`<i data-severity=${event.severity} title=${event.text} style="left:${(100 * (event.time_s - deck.begin_s)) / span}%"></i>`);
}
