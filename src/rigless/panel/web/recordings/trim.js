// Cutting a part out of the open recording: two sliders on the timeline, and a row to save it.
import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { post } from "../core/api.js";
import { button, formatTime } from "../cards/widgets.js";
import { listRecordings } from "../cards/recording_cards.js";
import * as state from "../core/state.js";
import { openRecording } from "./open.js";
/** @typedef {import("../core/state.js").PlayerStatus} PlayerStatus */
/** @typedef {{target: HTMLInputElement}} Change */

const LEAST_S = 0.001;

/** The chosen part; null while nothing is cut. */
export const part = signal(/** @type {{begin_s: number, end_s: number}|null} */ (null));
const busy = signal(false);
const saved = signal(/** @type {import("../core/api_types.js").NewRecording|null} */ (null));

/** Begin to choose a part, or stop it. @param {PlayerStatus} player */
export function toggleTrim(player) {
  saved.value = null;
  part.value = part.value ? null : { begin_s: player.begin_s, end_s: player.end_s };
}

/**
 * @param {PlayerStatus} player
 * @param {Partial<{begin_s: number, end_s: number}>} change
 */
function choose(player, change) {
  if (!part.value) return;
  const next = { ...part.value, ...change };
  if (!Number.isFinite(next.begin_s) || !Number.isFinite(next.end_s)) return;
  saved.value = null;
  const { begin_s, end_s } = player;
  if (change.begin_s === undefined)
    next.end_s = Math.min(Math.max(next.end_s, next.begin_s + LEAST_S), end_s);
  else next.begin_s = Math.max(Math.min(next.begin_s, next.end_s - LEAST_S), begin_s);
  part.value = next;
}

/** The handles over the timeline. @param {PlayerStatus} player */
export function trimSliders(player) {
  const chosen = part.value;
  if (!chosen) return nothing;
  const slider = (
    /** @type {"begin_s"|"end_s"} */ side,
    /** @type {string} */ label,
  ) => html`<input type="range" class="timeline-handle" min=${player.begin_s} max=${player.end_s}
    step="any" .value=${String(chosen[side])} aria-label=${label}
    aria-valuetext=${formatTime(chosen[side])}
    @input=${(/** @type {Change} */ { target }) => {
      choose(player, { [side]: Number(target.value) });
      target.value = String(part.value?.[side]);
    }}>`;
  return html`${slider("begin_s", "Begin of the part")}${slider("end_s", "End of the part")}`;
}

/** @param {PlayerStatus} player */
async function save(player) {
  if (!part.value || busy.value) return;
  busy.value = true;
  const found = await post("/api/recordings/trim", { file: player.file, ...part.value });
  busy.value = false;
  if (!found) return;
  saved.value = found;
  state.notice(`saved ${found.path}`);
  await listRecordings();
}

/** The row with the chosen times. @param {PlayerStatus} player */
export function trimRow(player) {
  const chosen = part.value;
  if (!chosen) return nothing;
  const field = (/** @type {"begin_s"|"end_s"} */ side, /** @type {string} */ label) =>
    html`<label>${label === "Begin" ? "From" : "to"} <input type="number" step="any"
      min=${player.begin_s} max=${player.end_s} aria-label="${label} of the part in seconds"
      .value=${chosen[side].toFixed(3)} @change=${(/** @type {Change} */ { target }) => {
        choose(player, { [side]: Number(target.value) });
        target.value = (part.value?.[side] ?? 0).toFixed(3);
      }}> s</label>${button(`${label} here`, `${label} here: at the shown time`, () =>
      choose(player, { [side]: player.time_s }), { kind: "text" })}`;
  const found = saved.value;
  return html`<div class="trim-row" role="group" aria-label="Cut out a part">
    ${field("begin_s", "Begin")}${field("end_s", "End")}
    ${busy.value ? html`<progress aria-label="Cutting"></progress>` :
      button(`Save ${formatTime(chosen.end_s - chosen.begin_s)}`,
        `Save ${formatTime(chosen.end_s - chosen.begin_s)} as a new recording`,
        () => void save(player), { kind: "text" })}
    ${found ? html`<span class="clip" role="status">saved ${found.name}</span>
      ${button("Open it", `Open it: ${found.name}`, () => void openRecording(found.path),
        { kind: "text" })}` : nothing}
    <span class="grow"></span>${button("Cancel", "Cancel: cut nothing out", () =>
      toggleTrim(player),
      { kind: "text" })}</div>`;
}

/** Another recording has another length. */
export function startTrim() {
  let file = "";
  effect(() => {
    const now = state.status.value?.deck?.file ?? "";
    if (now !== file) [part.value, saved.value] = [null, null];
    file = now;
  });
}
