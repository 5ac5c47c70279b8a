// Driving by keyboard or buttons. Driving is locked until the user unlocks it, and stops when the
// window loses the focus.
import { effect, signal, untracked } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { card } from "./widgets.js";
import { send } from "../core/socket.js";
import { shownPage, source } from "../core/state.js";
import { lockTag, movableRobot, unlocked, unlockSwitch } from "./unlock.js";

const REPEAT_MS = 100; // the server stops the robot after a second without a command
const SLOW = 0.35;
/** @type {Record<string, [number, number, number]>} forward, left, turn */
const KEYS = {
  w: [1, 0, 0],
  s: [-1, 0, 0],
  a: [0, 0, 1],
  d: [0, 0, -1],
  q: [0, 1, 0],
  e: [0, -1, 0],
  arrowup: [1, 0, 0],
  arrowdown: [-1, 0, 0],
  arrowleft: [0, 0, 1],
  arrowright: [0, 0, -1],
};

const held = signal(/** @type {string[]} */ ([]));
const slow = signal(false);
/** @type {ReturnType<typeof setInterval>|undefined} */
let repeatTimer;

const drivePart = () =>
  source.value === "live" && shownPage.value?.parts.find((part) => part.kind === "Drive");

/** @returns {[number, number, number]} */
function axes() {
  const keys = held.value.map((key) => KEYS[key] ?? [0, 0, 0]);
  const sum = (/** @type {number} */ axis) =>
    Math.max(-1, Math.min(1, keys.reduce((total, key) => total + (key[axis] ?? 0), 0)));
  const factor = slow.value ? SLOW : 1;
  return [sum(0) * factor, sum(1) * factor, sum(2) * factor];
}

function sendDrive() {
  send({ type: "drive", robot: movableRobot.value, axes: axes() });
}

/** @param {string[]} keys */
function setHeldKeys(keys) {
  const before = held.value.length;
  held.value = keys;
  if (keys.length && !repeatTimer) repeatTimer = setInterval(sendDrive, REPEAT_MS);
  if (!keys.length) {
    clearInterval(repeatTimer);
    repeatTimer = undefined;
  }
  if (keys.length || before) sendDrive();
}

/** Handle a key for driving. Return true if it is one. @param {KeyboardEvent} event */
export function handleDriveKey(event) {
  const key = event.key.toLowerCase();
  if (
    !unlocked.value ||
    !drivePart() ||
    !(key in KEYS) ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey
  )
    return false;
  slow.value = event.shiftKey;
  if (event.type === "keydown" && !held.value.includes(key)) setHeldKeys([...held.value, key]);
  if (event.type === "keyup") setHeldKeys(held.value.filter((one) => one !== key));
  return true;
}

export function startDriving() {
  addEventListener("blur", () => setHeldKeys([]));
  document.addEventListener("visibilitychange", () => setHeldKeys([]));
  effect(() => {
    if (!unlocked.value) untracked(() => setHeldKeys([]));
  });
}

/**
 * A button for a driving key, to hold by touch or mouse.
 * @param {string} key
 * @param {string} face
 * @param {string} label
 */
function driveButton(key, face, label) {
  const on = held.value.includes(key);
  const release = () => setHeldKeys(held.value.filter((one) => one !== key));
  return html`<button class="key" aria-label="${label} (${face})" aria-pressed=${on}
    ?disabled=${!unlocked.value}
    @pointerdown=${(/** @type {PointerEvent} */ event) => {
      /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
      if (!on) setHeldKeys([...held.value, key]);
    }} @pointerup=${release} @pointercancel=${release}>${face}</button>`;
}

export function driveCard() {
  const part = drivePart();
  if (!part) return nothing;
  const sideways = /** @type {string[]} */ (part.axes ?? []).includes("left");
  return card(
    "Drive",
    html`${unlockSwitch("Unlock keyboard driving")}
    <div class="keys ${unlocked.value ? "" : "locked"}" role="group" aria-label="Drive">
      ${sideways ? driveButton("q", "Q", "Left") : html`<span></span>`}${driveButton("w", "W",
        "Forward")}${sideways ? driveButton("e", "E", "Right") : html`<span></span>`}
      ${driveButton("a", "A", "Turn left")}${driveButton("s", "S", "Backward")}${driveButton("d",
        "D", "Turn right")}
    </div><div
      class="dim">W A S D or arrow keys${sideways ? ", Q E sideways" :
      ""}; hold Shift to drive slowly</div>`,
    lockTag(),
  );
}
