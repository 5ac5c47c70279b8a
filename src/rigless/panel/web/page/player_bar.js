// The controls of the recording player: play, step, seek, speed.
import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { call, post } from "../core/api.js";
import { allMapsLoaded } from "../core/maps.js";
import * as icons from "../cards/icons.js";
import { menu } from "../cards/menu.js";
import { button, formatTime } from "../cards/widgets.js";
import { isWide } from "../core/screen.js";
import { onlyRecording, source, status } from "../core/state.js";
import { downloadUrl, showFoxglove } from "../recordings/foxglove.js";
import { timeline, wanted_s } from "../recordings/timeline.js";
import { part, toggleTrim, trimRow } from "../recordings/trim.js";

const STEP_MS = 100;
const SPEEDS = [0.1, 0.5, 1, 2, 5, 10];
const STATUS_DELAY_MS = 250; // by then a status from after the seek has arrived
let seekRequests = 0;

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
  wanted_s.value = time_s;
  const mine = ++seekRequests;
  await post("/api/deck/seek", { time_s });
  setTimeout(() => mine === seekRequests && (wanted_s.value = null), STATUS_DELAY_MS);
}

/** @param {string} value */
async function setSpeed(value) {
  speed.value = value === "fast" ? "fast" : Number(value);
  if (status.value?.deck?.playing) await post("/api/deck/play", { speed: speed.value });
}

export function playerBar() {
  const player = status.value?.deck;
  if (!player || source.value !== "recording") return nothing;
  const now = wanted_s.value ?? player.time_s;
  return html`<section class="player" aria-label="Recording player">
    ${timeline(player, (time_s) => void seek(time_s))}
    <div class="player-tools">
      ${button(player.playing ? icons.pause : icons.play, player.playing ?
        "Pause the recording (space)" : "Play the recording (space)", () => void togglePlay(),
          { on: player.playing })}
      ${button(icons.back, "Step back 0.1 s (,)", () => void stepPlayer(-1))}
      ${button(icons.step, "Step forward 0.1 s (.)", () => void stepPlayer(1))}
      <output aria-label="Time in the recording">${formatTime(now)} <span
        class="dim">/ ${formatTime(player.end_s)}</span></output>
      <select aria-label="Playing speed"
        @change=${(/** @type {{target: HTMLSelectElement}} */ event) =>
        void setSpeed(event.target.value)}>
        ${SPEEDS.map((one) =>
          html`<option value=${one} ?selected=${one === speed.value}>${one}×</option>`)}<option
            value="fast" ?selected=${speed.value === "fast"}>max</option></select>
      <span class="dim clip grow"
        title=${player.file}>${player.file?.split("/").at(-1)}${player.cut ? " (incomplete)" :
        ""}</span>
      ${player.seeking !== null ?
        html`<progress max="1" .value=${player.seeking} aria-label="Seeking"></progress>` : nothing}
      ${player.failure ? html`<span class="warn">${player.failure}</span>` : player.note ?
        html`<span class="dim">${player.note}</span>` : nothing}
      ${isWide.value ? fileTools(player) :
        menu("file-tools", icons.more, "More about this recording",
          html`<div class="menu-list">${fileTools(player)}</div>`)}
      ${onlyRecording.value ? nothing :
        button(icons.close, "Close the recording", () => void close())}
    </div>
    ${trimRow(player)}
  </section>`;
}

/** @param {import("../core/state.js").PlayerStatus} player */
function fileTools(player) {
  const file = player.file ?? "";
  return html`${button("Trim", "Trim: cut out a part of the recording", () => toggleTrim(player),
    { kind: "text", on: part.value !== null })}
    <a class="button" href=${downloadUrl(file)} download title="Download the recording"
      aria-label="Download the recording">${icons.download}${isWide.value ? nothing :
      html`<span>Download</span>`}</a>
    ${button("Foxglove", "Open the recording in Foxglove", () => void showFoxglove(file),
      { kind: "text" })}`;
}
