// The emergency stop of all robots: the button in the header, and the strip that names the stopped
// robots.
import { html, nothing } from "lit-html";
import { postInOrder } from "../core/api.js";
import * as state from "../core/state.js";

const RELEASE_DELAY_MS = 1000;
const NAMED = 4; // robots
let stoppedAt = -Infinity;

const stoppable = () => (state.status.value?.robots ?? []).filter((robot) => robot.stop !== null);

/** The names of the robots whose emergency stop is on. */
export const stoppedRobots = () =>
  stoppable()
    .filter((robot) => robot.stop)
    .map(({ name }) => name);

/**
 * The button. It stops on pointer down, as long as one robot can still move. Releasing takes a
 * whole click, not within a second of the stop: a second hit in panic must not release it.
 */
export function emergencyStop() {
  const able = stoppable();
  if (!able.length) return nothing;
  const stopped = stoppedRobots();
  const away = state.connection.value !== "live";
  const on = stopped.length === able.length;
  return html`<div class="stops" role="group" aria-label="Emergency stop">${
    stopped.length ? releaseButton(away) : nothing}${on ? nothing : stopButton(away)}</div>`;
}

/** @param {boolean} away */
function stopButton(away) {
  const press = (/** @type {Event} */ event) => {
    stoppedAt = event.timeStamp; // the time of the event, even if the page is late
    void stopAll(true);
  };
  return html`<button class="estop" ?disabled=${away} title=${reason(away, "Stop all robots")}
    @pointerdown=${press}
    @keydown=${(/** @type {KeyboardEvent} */ event) => {
      if ((event.key === "Enter" || event.key === " ") && !event.repeat) press(event);
    }}>E-STOP</button>`;
}

/** @param {boolean} away */
function releaseButton(away) {
  const release = (/** @type {Event} */ event) =>
    event.timeStamp - stoppedAt > RELEASE_DELAY_MS && void stopAll(false);
  return html`<button class="estop released" ?disabled=${away}
    title=${reason(away, "Release the emergency stop of all robots")}
    @click=${release}>Release</button>`;
}

/**
 * @param {boolean} away
 * @param {string} otherwise
 */
const reason = (away, otherwise) =>
  away ? "rigless does not answer: this button has no effect now" : otherwise;

/** @param {string[]} robots */
const namesOf = (robots) =>
  robots.length > NAMED ? `${robots.length} robots` : robots.join(", ");

/** @param {boolean} on */
async function stopAll(on) {
  const done = await postInOrder("/api/estop", { on });
  // the strip names the stopped robots
  if (done && !on) state.notice(`released: ${namesOf(done.robots)}`);
}
