// Jogging axes: one step per press, or motion while a button is held. Motion stops when the button,
// the focus, the window or the page is left. The server stops it after a second without a command.
import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { button, fixed } from "./widgets.js";
import { framesOf, send } from "../core/socket.js";
import { shownKey } from "../core/state.js";
import { movableRobot, unlocked, unlockSwitch } from "./unlock.js";
/** @typedef {import("../core/types.js").Part} Part */

const REPEAT_MS = 100;
const HOLD = 0; // the choice "hold" instead of a step
const step = signal(1);
const speed = signal(0.3);
const shownSet = signal(0); // of the axes, if the part divides them into sets
/** The axis that is moved now, its direction and its robot. */
const held = signal(/** @type {{robot: string, axis: number, by: number}|null} */ (null));
/** @type {ReturnType<typeof setInterval>|undefined} */
let repeatTimer;

const sendJog = () =>
  held.value && send({ type: "jog", ...held.value, speed: speed.value, hold: true });

/**
 * @param {number} axis
 * @param {number} by
 */
function hold(axis, by) {
  release();
  if (!unlocked.value) return;
  held.value = { robot: movableRobot.value, axis, by };
  sendJog();
  repeatTimer = setInterval(sendJog, REPEAT_MS);
}

function release() {
  clearInterval(repeatTimer);
  const last = held.peek();
  if (!last) return;
  held.value = null;
  send({ type: "jog", robot: last.robot, axis: last.axis, by: 0 });
}

export function startJogging() {
  for (const name of ["blur", "pagehide", "pointerup", "pointercancel"])
    addEventListener(name, release);
  document.addEventListener("visibilitychange", release);
  effect(() => {
    if (!unlocked.value) release();
  });
}

/** @param {Part} part */
export function jogPad(part) {
  const frames = framesOf(shownKey.value);
  const steps = [HOLD, ...(part.steps ?? [])];
  const sets = part.sets ?? [];
  const perSet = (part.axes ?? []).length / Math.max(1, sets.length);
  const begin = perSet * Math.min(shownSet.value, Math.max(0, sets.length - 1));
  const axes = (part.axes ?? []).slice(begin, begin + perSet);
  const units = [...new Set(axes.map((axis) => axis[2]))].join(" or ");
  return html`${unlockSwitch("Unlock jogging")}
    ${sets.length > 1 ? html`<div class="jog-row"><span>Frame</span><div class="segments even"
      role="group" aria-label="Frame of the jog">${sets.map((name, n) => button(name,
      n && name !== "Joints" ? `Move the torch along the axes of the ${name.toLowerCase()}` :
      `Jog: ${name}`, () => (shownSet.value = n), { on: shownSet.value === n }))}</div></div>` :
      nothing}
    <div class="jog-row"><span>Step</span><div class="segments even" role="group"
      aria-label="Step size">${steps.map(
      (one) =>
        button(
          one === HOLD ? "hold" : String(one),
          one === HOLD ? "Move while held" : `Steps of ${one} ${units}`,
          () => (step.value = one),
          { on: step.value === one },
        ),
    )}</div></div>
    <div class="jog-row"><span>Speed</span><div class="segments even" role="group"
      aria-label="Jog speed">${(
      part.speeds ?? []
    ).map((one) =>
      button(`${100 * one} %`, `Jog at ${100 * one} % of full speed`, () => (speed.value = one), {
        on: speed.value === one,
      }),
    )}</div></div>
    <div class="jog ${unlocked.value ? "" : "locked"}" role="group" aria-label=${part.label}>${
    axes.map(
      ([name, label], n) => html`<div>
      ${jogButton(begin + n, -1, "−", label ?? "")}<span><b>${label}</b><small>${
        formatAxis(frames?.measure(name ?? "") ?? NaN)}</small></span>${jogButton(begin + n, 1, "+",
          label ?? "")}</div>`,
    )}</div>`;
}

/** @param {number} value */
const formatAxis = (value) => (Number.isFinite(value) ? fixed(value, 1) : "–");

/**
 * @param {number} axis
 * @param {number} sign
 * @param {string} face
 * @param {string} label
 */
function jogButton(axis, sign, face, label) {
  const on = held.value?.axis === axis && held.value.by === sign;
  const holds = step.value === HOLD;
  const isPress = (/** @type {KeyboardEvent} */ event) =>
    holds && (event.key === " " || event.key === "Enter");
  return html`<button class="key" aria-label="${label} ${sign < 0 ? "minus" : "plus"}"
    aria-pressed=${on} ?disabled=${!unlocked.value} ?data-hold=${holds}
    @pointerdown=${(/** @type {PointerEvent} */ event) => {
      /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
      if (holds && event.button === 0) hold(axis, sign);
    }} @lostpointercapture=${release} @blur=${release}
    @keydown=${(/** @type {KeyboardEvent} */ event) => isPress(event) && !event.repeat && hold(axis,
    sign)}
    @keyup=${(/** @type {KeyboardEvent} */ event) => isPress(event) && release()}
    @click=${() => unlocked.value && step.value !== HOLD &&
    send({ type: "jog", robot: movableRobot.value, axis, by: sign * step.value, speed:
      speed.value })}>${face}</button>`;
}
