// The comparison of two recordings: the one in the player is A, the second one is B. The server
// keeps both at the same time and finds the first difference.
import { computed, effect, signal } from "@preact/signals-core";
import { call, post } from "../core/api.js";
import * as state from "../core/state.js";
import { openRecording } from "./open.js";
import { differenceAt_s } from "./timeline_data.js";
/** @typedef {import("../core/api_types.js").ComparedRecordings} ComparedRecordings */

export const comparing = signal(false);
export const result = signal(/** @type {ComparedRecordings|null} */ (null));
/** The row of the table whose fields are shown. */
export const chosenRow = signal(0);

export const second = computed(() => state.status.value?.deck?.second ?? null);
const files = computed(() => {
  const left = state.status.value?.deck?.file;
  const right = second.value?.file;
  return left && right ? JSON.stringify([left, right]) : "";
});
export const isComparing = computed(
  () => state.source.value === "recording" && Boolean(second.value),
);

/**
 * Open two recordings side by side and go to their first difference.
 * @param {string} left
 * @param {string} right
 */
export async function compare(left, right) {
  comparing.value = true;
  try {
    if (!(await openRecording(left))) return;
    if (!(await post("/api/deck/second", { file: right }))) return;
    const found = await load(left, right);
    if (!found) return;
    location.hash = state.hashFor(robotOf(found), "compare");
    if (!found.equal) await goToDifference();
  } finally {
    comparing.value = false;
  }
}

/**
 * @param {string} left
 * @param {string} right
 * @returns {Promise<ComparedRecordings|null>}
 */
async function load(left, right) {
  const key = JSON.stringify([left, right]);
  loaded = key;
  const query = new URLSearchParams({ left, right });
  const found = await call("GET", `/api/recordings/compare?${query}`);
  if (loaded !== key) return null;
  result.value = found ?? null;
  chosenRow.value = found?.first ?? 0;
  return found ?? null;
}
let loaded = "";

/** The robot of the first difference, if it is in the recording; else the first robot. */
function robotOf(/** @type {ComparedRecordings} */ found) {
  const names = state.status.value?.deck?.robots.map(({ name }) => name) ?? [];
  const named = placeOf(found.topic).robot;
  return names.includes(named) ? named : (names[0] ?? "");
}

/**
 * Return the parts of a topic: /ROBOT/PORT/DIRECTION/SUBJECT, or /ROBOT/KIND.
 * @param {string} topic
 */
export function placeOf(topic) {
  const [, robot = "", port = "", direction = "", ...subject] = topic.split("/");
  return { robot, port, direction, subject: subject.length ? `/${subject.join("/")}` : "" };
}

export const goToDifference = () =>
  result.value && post("/api/deck/seek", { time_s: result.value.time_s });

export async function closeComparison() {
  await call("DELETE", "/api/deck/second");
  location.hash = state.hashFor(state.shownRobot.value);
}

export function startComparison() {
  effect(() => {
    const key = files.value;
    if (!key) {
      loaded = "";
      result.value = null;
    } else if (key !== loaded && !comparing.peek()) {
      // another tab has begun it, or this page was loaded again
      const [left = "", right = ""] = /** @type {string[]} */ (JSON.parse(key));
      void load(left, right);
    }
  });
  effect(() => {
    differenceAt_s.value = result.value && !result.value.equal ? result.value.time_s : null;
  });
}
