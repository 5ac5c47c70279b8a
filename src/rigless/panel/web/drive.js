// Driving by keyboard. It is locked until the user unlocks it, and lets go when the window loses the keys.
import { effect, signal, untracked } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { card } from "./pieces.js";
import { send } from "./socket.js";
import { shownPage, stage } from "./state.js";
import { lockTag, robot, unlocked, unlockSwitch } from "./unlock.js";

const REPEAT_MS = 100; // the server lets go by itself when it hears nothing for a second
const SLOW = 0.35;
/** @type {Record<string, [number, number, number]>} forward, left, turn */
const KEYS = {
  w: [1, 0, 0], s: [-1, 0, 0], a: [0, 0, 1], d: [0, 0, -1], q: [0, 1, 0], e: [0, -1, 0],
  arrowup: [1, 0, 0], arrowdown: [-1, 0, 0], arrowleft: [0, 0, 1], arrowright: [0, 0, -1],
};

const held = signal(/** @type {string[]} */ ([]));
const slow = signal(false);
/** @type {ReturnType<typeof setInterval>|undefined} */
let repeating;

const drivable = () => stage.value === "live" && shownPage.value?.parts.find((part) => part.kind === "Drive");

function axes() {
  const sum = [0, 0, 0];
  for (const key of held.value) (KEYS[key] ?? [0, 0, 0]).forEach((part, n) => (sum[n] = (sum[n] ?? 0) + part));
  return sum.map((part) => Math.max(-1, Math.min(1, part)) * (slow.value ? SLOW : 1));
}

function say() {
  send({ type: "drive", robot: robot.value, axes: axes() });
}

/** @param {string[]} keys */
function hold(keys) {
  const before = held.value.length;
  held.value = keys;
  if (keys.length && !repeating) repeating = setInterval(say, REPEAT_MS);
  if (!keys.length) {
    clearInterval(repeating);
    repeating = undefined;
  }
  if (keys.length || before) say();
}

/** Whether a key is for driving; if so it has been used up. @param {KeyboardEvent} event */
export function driveKey(event) {
  const key = event.key.toLowerCase();
  if (!unlocked.value || !drivable() || !(key in KEYS) || event.ctrlKey || event.metaKey || event.altKey) return false;
  slow.value = event.shiftKey;
  if (event.type === "keydown" && !held.value.includes(key)) hold([...held.value, key]);
  if (event.type === "keyup") hold(held.value.filter((one) => one !== key));
  return true;
}

export function beginDriving() {
  addEventListener("blur", () => hold([]));
  document.addEventListener("visibilitychange", () => hold([]));
  effect(() => {
    if (!unlocked.value) untracked(() => hold([]));
  });
}

/** A key that can also be held with finger or mouse. @param {string} key @param {string} face @param {string} label */
function pad(key, face, label) {
  const on = held.value.includes(key);
  const release = () => hold(held.value.filter((one) => one !== key));
  return html`<button class="key" aria-label=${label} aria-pressed=${on} ?disabled=${!unlocked.value}
    @pointerdown=${(/** @type {PointerEvent} */ event) => {
      /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
      if (!on) hold([...held.value, key]);
    }} @pointerup=${release} @pointercancel=${release}>${face}</button>`;
}

export function driveCard() {
  const part = drivable();
  if (!part) return nothing;
  const sideways = part.axes?.includes("left");
  return card("Drive", html`${unlockSwitch("Unlock keyboard driving")}
    <div class="keys ${unlocked.value ? "" : "locked"}" role="group" aria-label="Drive">
      ${sideways ? pad("q", "Q", "Left") : html`<span></span>`}${pad("w", "W", "Forward")}${sideways ? pad("e", "E", "Right") : html`<span></span>`}
      ${pad("a", "A", "Turn left")}${pad("s", "S", "Backward")}${pad("d", "D", "Turn right")}
    </div><div class="dim">W A S D or arrows${sideways ? ", Q E sideways" : ""}; with shift slowly</div>`,
  lockTag());
}
