// What moves a robot by hand is locked until the user unlocks it, and locked again on another page.
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
    unlocked.value = false; // whoever holds something lets go of it, and knows whose it was
    movableRobot.value = now;
  });
}

/** @param {string} label */
export const unlockSwitch = (label) => toggle(label, unlocked.value, (on) => (unlocked.value = on));

export const lockTag = () =>
  html`<span class="tag" data-state=${unlocked.value ? "unlocked" : ""}>${unlocked.value ? "unlocked" : "locked"}</span>`;
