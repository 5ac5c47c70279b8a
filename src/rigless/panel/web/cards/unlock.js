// The lock of driving and jogging. It is locked until the user unlocks it, and again on another
// page.
import { effect, signal } from "@preact/signals-core";
import { html } from "lit-html";
import { toggle } from "./widgets.js";
import { shownRobot, source } from "../core/state.js";

export const unlocked = signal(false);
/** The robot that may be moved now; empty while a recording is shown. */
export const movableRobot = signal("");

export function startLock() {
  effect(() => {
    const now = source.value === "live" ? shownRobot.value : "";
    if (movableRobot.peek() === now) return;
    // before the robot changes, so that held controls are released for the right robot
    unlocked.value = false;
    movableRobot.value = now;
  });
}

/** @param {string} label */
export const unlockSwitch = (label) => toggle(label, unlocked.value, (on) => (unlocked.value = on));

export const lockTag = () =>
  html`<span class="tag"
    data-state=${unlocked.value ? "unlocked" : ""}>${unlocked.value ? "unlocked" :
    "locked"}</span>`;
