// The cards with time control (play, pause, stop, step, reset, speed) and simulated time.
import { signal } from "@preact/signals-core";
import { html } from "lit-html";
import { post } from "../core/api.js";
import * as icons from "./icons.js";
import { button, card, formatTime } from "./widgets.js";
import { notice, status } from "../core/state.js";

const STEP_MS = 10;
const STATUS_DELAY_MS = 2000; // by then no status from before the request is in flight
const stepMs = signal(STEP_MS);
// the requested speed, shown until the status has it
const requestedSpeed = signal(/** @type {number|null} */ (null));
let speedRequests = 0;

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

/**
 * Return the speed of a slider position: logarithmic, and it snaps to round values.
 * @param {string} text
 */
function speedFromSlider(text) {
  const speed = 10 ** Number(text);
  const round = [0.1, 0.2, 0.5, 1, 2, 5, 10].find(
    (nice) => Math.abs(Math.log10(speed / nice)) < 0.03,
  );
  return round ?? speed;
}

export function timeCard() {
  const now = status.value;
  const state = now?.state ?? "paused";
  const fast = now?.pace === "fast";
  const speed = requestedSpeed.value ?? now?.speed ?? 1;
  return card(
    "Time control",
    html`
    <div class="row five" role="group" aria-label="Time">
      ${button(icons.play, "Play (space)", play,
        { on: state === "running", off: state === "failed" })}
      ${button(icons.pause, "Pause (space)", pause,
        { on: state === "paused", off: state === "failed" })}
      ${button(icons.stop, "Stop: pause and finish the recording", stop,
        { on: state === "stopped", off: state === "failed" })}
      ${button(icons.step, `Step ${stepMs.value} ms (.)`, stepOnce, { off: state === "failed" })}
      ${button(icons.reset, "Reset to time zero (r)", showResetDialog)}
    </div>
    <div class="row speed">
      <label for="speed">Speed</label>
      <input id="speed" type="range" min="-1" max="1" step="0.01"
        aria-label="Speed, logarithmic, 0.1 to 10 times real time"
        aria-valuetext="${speed.toFixed(2)} times"
        .value=${String(Math.log10(Math.min(10, Math.max(0.1, speed))))} ?disabled=${fast}
        @input=${(/** @type {{target: HTMLInputElement}} */ event) =>
        setSpeed(speedFromSlider(event.target.value))}
        @dblclick=${() => setSpeed(1)}>
      <output for="speed">${fast ? "max" : `${speed.toFixed(speed < 1 ? 2 : 1)}×`}</output>
      ${button(icons.fast, "As fast as possible", () => post("/api/speed",
        { speed: fast ? 1 : "fast" }), { on: fast })}
    </div>
    <div class="row">
      <label for="step-ms">Step</label>
      <input id="step-ms" type="number" min="0.1" max="60000" step="any"
        aria-label="Step size in milliseconds" .value=${String(stepMs.value)}
        @change=${(/** @type {{target: HTMLInputElement}} */ event) => (stepMs.value = Math.min(6e4,
        Math.max(0.1, Number(event.target.value) || STEP_MS)))}>
      <span class="dim">ms</span>
    </div>`,
    html`<span class="tag" data-state=${state}>${state}</span>`,
  );
}

const RECENT_MS = 10_000;
let lost = { s: 0, at: -Infinity };
/** True if time was lost recently. @param {number} lost_s in all */
function isLosing(lost_s) {
  if (lost_s !== lost.s) lost = { s: lost_s, at: lost_s > lost.s ? performance.now() : -Infinity };
  return performance.now() - lost.at < RECENT_MS;
}

export function clockCard() {
  const now = status.value;
  return card(
    "Simulation time",
    html`<div class="big" aria-label="Simulated time">${formatTime(now?.time_s ?? 0)}</div>
    <div class="dim">Real ${(now?.wall_s ?? 0).toFixed(2)} s · ${(now?.real_time_factor ??
      0).toFixed(2)}× · seed ${now?.seed ?? 0}</div>
    ${now && isLosing(now.lost_s) ?
      html`<div class="warn">${now.lost_s.toFixed(1)} s behind real time</div>` : ""}`,
  );
}
