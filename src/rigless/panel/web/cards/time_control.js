// Time control in the header (play, pause, step, stop, reset, speed), and the menu with simulated
// and real time.
import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { post } from "../core/api.js";
import * as icons from "./icons.js";
import { menu } from "./menu.js";
import { button, card, formatTime } from "./widgets.js";
import { isWide } from "../core/screen.js";
import { notice, status } from "../core/state.js";

const STEP_MS = 10;
const STATUS_DELAY_MS = 2000; // by then no status from before the request is in flight
const ROUND_SPEEDS = [0.1, 0.2, 0.5, 1, 2, 5, 10];
const stepMs = signal(STEP_MS);
// the requested speed, shown until the status has it
const requestedSpeed = signal(/** @type {number|null} */ (null));
let speedRequests = 0;
let speedBeforeFast = 1;

export const play = () => post("/api/resume");
export const pause = () => post("/api/pause");
export const stepOnce = () => post("/api/step", { ms: stepMs.value });
const stop = () => post("/api/stop");

export function togglePause() {
  return status.value?.state === "running" ? pause() : play();
}

/** Ask before a reset, which cannot be undone. */
export function showResetDialog() {
  const dialog = /** @type {HTMLDialogElement|null} */ (document.getElementById("ask-reset"));
  dialog?.showModal();
}

/** @param {Event} event */
async function handleResetAnswer(event) {
  const dialog = /** @type {HTMLDialogElement} */ (event.currentTarget);
  const yes = dialog.returnValue === "reset";
  dialog.returnValue = "";
  if (yes && (await post("/api/reset"))) notice("reset to time zero");
}

export function resetDialog() {
  return html`<dialog id="ask-reset" aria-labelledby="ask-reset-title" @close=${handleResetAnswer}>
    <form method="dialog">
      <h2 id="ask-reset-title">Reset the simulation?</h2>
      <p>Time returns to zero and every robot restarts. Clients stay connected.
        Take a snapshot first if you want to return to this point.</p>
      <menu><button class="button" value="" autofocus>Keep running</button><button
        class="button danger" value="reset">Reset</button></menu>
    </form>
  </dialog>`;
}

/** @param {number} speed */
export async function setSpeed(speed) {
  const mine = ++speedRequests;
  requestedSpeed.value = speed;
  const found = await post("/api/speed", { speed: Number(speed.toFixed(3)) });
  if (mine !== speedRequests) return; // a newer request is in flight
  if (found && status.value)
    status.value = { ...status.value, pace: found.pace, speed: found.speed };
  setTimeout(
    () => mine === speedRequests && (requestedSpeed.value = null),
    found ? STATUS_DELAY_MS : 0,
  );
}

/** Run as fast as possible, or at the speed before that. */
function toggleFast() {
  const now = status.value;
  if (now?.pace === "fast") return setSpeed(speedBeforeFast);
  speedBeforeFast = now?.speed ?? 1;
  return post("/api/speed", { speed: "fast" });
}

/**
 * Set the next round speed with the arrow keys; the slider's own steps are too small to be useful.
 * @param {KeyboardEvent} event
 */
function stepSpeed(event) {
  const up = event.key === "ArrowUp" || event.key === "ArrowRight";
  if (!up && event.key !== "ArrowDown" && event.key !== "ArrowLeft") return;
  event.preventDefault();
  const speed = requestedSpeed.value ?? status.value?.speed ?? 1;
  const next = up
    ? ROUND_SPEEDS.find((one) => one > speed * 1.001)
    : ROUND_SPEEDS.findLast((one) => one < speed / 1.001);
  if (next) void setSpeed(next);
}

/**
 * Return the speed of a slider position: logarithmic, and it snaps to round values.
 * @param {string} text
 */
function speedFromSlider(text) {
  const speed = 10 ** Number(text);
  return ROUND_SPEEDS.find((nice) => Math.abs(Math.log10(speed / nice)) < 0.03) ?? speed;
}

/** The buttons of time control. The speed is in the menu of the clock if the window is narrow. */
export function timeControl() {
  const state = status.value?.state ?? "paused";
  const off = state === "failed";
  return html`<div class="time-control" role="group" aria-label="Time control"
    data-card="Time control">
    ${state === "running" ? button(icons.pause, "Pause (space)", pause) :
      button(icons.play, "Play (space)", play, { off })}
    ${button(icons.step, `Step ${stepMs.value} ms (.)`, stepOnce, { off })}
    ${button(icons.stop, "Stop: pause and finish the recording", stop,
      { on: state === "stopped", off })}
    ${button(icons.reset, "Reset to time zero (r)", showResetDialog)}
    ${isWide.value ? speedControl() : nothing}
  </div>`;
}

function speedControl() {
  const now = status.value;
  const fast = now?.pace === "fast";
  const speed = requestedSpeed.value ?? now?.speed ?? 1;
  return html`<div class="speed">
    <input id="speed" type="range" min="-1" max="1" step="0.01"
      aria-label="Speed, logarithmic, 0.1 to 10 times real time"
      aria-valuetext="${speed.toFixed(2)} times" title="Speed; double-click for real time"
      .value=${String(Math.log10(Math.min(10, Math.max(0.1, speed))))} ?disabled=${fast}
      @input=${(/** @type {{target: HTMLInputElement}} */ event) =>
      setSpeed(speedFromSlider(event.target.value))}
      @keydown=${stepSpeed} @dblclick=${() => setSpeed(1)}>
    <output for="speed">${fast ? "max" : `${speed.toFixed(speed < 1 ? 2 : 1)}×`}</output>
    ${button(icons.fast, "As fast as possible", toggleFast, { on: fast })}
  </div>`;
}

const RECENT_MS = 10_000;
let lost = { s: 0, at: -Infinity };
/** True if time was lost recently. @param {number} lost_s in all */
function isLosing(lost_s) {
  if (lost_s !== lost.s) lost = { s: lost_s, at: lost_s > lost.s ? performance.now() : -Infinity };
  return performance.now() - lost.at < RECENT_MS;
}

/** Simulated time and the state; a click opens the details. */
export function clock() {
  const now = status.value;
  const state = now?.state ?? "paused";
  const late = now && isLosing(now.lost_s);
  const face = html`<small data-fact="state" data-state=${state}>${now?.state ?? "…"}</small> <b
    data-fact="time">${formatTime(now?.time_s ?? 0)}</b>`;
  return html`${menu("clock", face, "Simulated time: details", clockDetails(Boolean(late)),
    "fact clock", true)}
    <div class="fact factor"><small>Real-time factor</small><b data-fact="factor"
      class=${late ? "warn" : ""}>${(now?.real_time_factor ?? 0).toFixed(2)}×</b></div>`;
}

/** @param {boolean} late */
function clockDetails(late) {
  const now = status.value;
  return card(
    "Simulation time",
    html`<div class="big" aria-label="Simulated time">${formatTime(now?.time_s ?? 0)}</div>
    <div class="dim">Real ${(now?.wall_s ?? 0).toFixed(2)} s · ${(now?.real_time_factor ??
      0).toFixed(2)}× · seed ${now?.seed ?? 0}</div>
    ${late ? html`<div class="warn">${now?.lost_s.toFixed(1)} s behind real time</div>` : nothing}
    ${isWide.value ? nothing : html`<div class="row">Speed ${speedControl()}</div>`}
    <div class="row">
      <label for="step-ms">Step</label>
      <input id="step-ms" type="number" min="0.1" max="60000" step="any"
        aria-label="Step size in milliseconds" .value=${String(stepMs.value)}
        @change=${(/** @type {{target: HTMLInputElement}} */ event) => (stepMs.value = Math.min(6e4,
        Math.max(0.1, Number(event.target.value) || STEP_MS)))}>
      <span class="dim">ms</span>
    </div>`,
  );
}
