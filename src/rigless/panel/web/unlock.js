// What moves a robot by hand is locked until the user unlocks it, and locked again on another page.
import { effect, signal } from "@preact/signals-core";
import { html } from "lit-html";
import { toggle } from "./pieces.js";
import { shown, stage } from "./state.js";

export const unlocked = signal(false);
/** The robot that may be moved now; empty while a recording is shown. */
export const robot = signal("");

export function beginUnlocking() {
  effect(() => {
    const now = stage.value === "live" ? shown.value : "";
    if (robot.peek() === now) return;
    unlocked.value = false; // whoever holds something lets go of it, and knows whose it was
    robot.value = now;
  });
}

/** @param {string} label */
export const unlockSwitch = (label) => toggle(label, unlocked.value, (on) => (unlocked.value = on));

export const lockTag = () => html`<span class="tag" data-state=${unlocked.value ? "unlocked" : ""}>${unlocked.value ? "unlocked" : "locked"}</span>`;
