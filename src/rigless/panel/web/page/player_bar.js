// The controls of the recording player: play, step, seek, speed.
import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { call, post } from "../core/api.js";
import { allMapsLoaded } from "../core/maps.js";
import * as icons from "../cards/icons.js";
import { button, formatTime } from "../cards/widgets.js";
import { events, onlyRecording, source, status } from "../core/state.js";

const STEP_MS = 100;
const SPEEDS = [0.1, 0.5, 1, 2, 5, 10];
const STATUS_DELAY_MS = 250; // by then a status from after the seek has arrived
let seekRequests = 0;
const requestedTime_s = signal(/** @type {number|null} */ (null)); // shown until the status has it

export const togglePlay = () =>
  status.value?.deck?.playing
    ? post("/api/deck/pause")
    : post("/api/deck/play", { speed: speed.value });
/** @param {1|-1} direction */
export const stepPlayer = (direction) => post("/api/deck/step", { ms: direction * STEP_MS });

const speed = signal(/** @type {number|"fast"} */ (1));

async function close() {
  const loaded = allMapsLoaded();
  source.value = "live";
  await loaded;
  await call("DELETE", "/api/deck");
}

/** @param {number} time_s */
async function seek(time_s) {
  requestedTime_s.value = time_s;
  const mine = ++seekRequests;
  await post("/api/deck/seek", { time_s });
  setTimeout(() => mine === seekRequests && (requestedTime_s.value = null), STATUS_DELAY_MS);
}

/** @param {string} value */
async function setSpeed(value) {
  speed.value = value === "fast" ? "fast" : Number(value);
  if (status.value?.deck?.playing) await post("/api/deck/play", { speed: speed.value });
}

export function playerBar() {
  const player = status.value?.deck;
  if (!player || source.value !== "recording") return nothing;
  const now = requestedTime_s.value ?? player.time_s;
  return html`<section class="player" aria-label="Recording player">
    ${button(player.playing ? icons.pause : icons.play, player.playing ?
      "Pause the recording (space)" : "Play the recording (space)", () => void togglePlay(),
        { on: player.playing })}
    ${button(icons.back, "Step back 0.1 s (,)", () => void stepPlayer(-1))}
    ${button(icons.step, "Step forward 0.1 s (.)", () => void stepPlayer(1))}
    <div class="scrub">
      <input type="range" min=${player.begin_s} max=${player.end_s} step="any" .value=${String(now)}
        aria-label="Position in the recording" aria-valuetext=${formatTime(now)}
        @input=${(/** @type {{target: HTMLInputElement}} */ event) =>
        void seek(Number(event.target.value))}>
      <div class="marks" aria-hidden="true">${marks(player)}</div>
    </div>
    <output aria-label="Time in the recording">${formatTime(now)} <span
      class="dim">/ ${formatTime(player.end_s)}</span></output>
    <select aria-label="Playing speed"
      @change=${(/** @type {{target: HTMLSelectElement}} */ event) =>
      void setSpeed(event.target.value)}>
      ${SPEEDS.map((one) =>
        html`<option value=${one} ?selected=${one === speed.value}>${one}×</option>`)}<option
          value="fast" ?selected=${speed.value === "fast"}>max</option></select>
    <span class="dim clip"
      title=${player.file}>${player.file?.split("/").at(-1)}${player.cut ? " (incomplete)" :
      ""}</span>
    ${player.seeking !== null ?
      html`<progress max="1" .value=${player.seeking} aria-label="Seeking"></progress>` : nothing}
    ${player.failure ? html`<span class="warn">${player.failure}</span>` : player.note ?
      html`<span class="dim">${player.note}</span>` : nothing}
    ${onlyRecording.value ? nothing :
      button(icons.close, "Close the recording", () => void close())}
  </section>`;
}

/**
 * Marks of abnormal events on the timeline.
 * @param {import("../core/state.js").PlayerStatus} player
 */
function marks(player) {
  const span = player.end_s - player.begin_s || 1;
  return events.value
    .filter((event) => event.severity !== "debug" && event.severity !== "info")
    .slice(0, 200)
    .map(
      (event) =>
        html`<i data-severity=${event.severity} title=${event.text}
          style="left:${(100 * (event.time_s - player.begin_s)) / span}%"></i>`,
    );
}
