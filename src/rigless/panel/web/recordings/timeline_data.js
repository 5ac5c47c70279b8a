// The overview of the open recording, loaded once, and the marks at a place of the timeline.
import { effect, signal } from "@preact/signals-core";
import { call } from "../core/api.js";
import * as state from "../core/state.js";
/** @typedef {import("../core/api_types.js").RecordingOverview} RecordingOverview */

const NEAR_PX = 5; // of a mark to the pointer
const MAX_TEXTS = 3;

export const overview = signal(/** @type {RecordingOverview|null} */ (null));
/** The time of the first difference, while two recordings are compared. */
export const differenceAt_s = signal(/** @type {number|null} */ (null));

/** Load the overview whenever another recording is opened, or the open one has grown. */
export function startTimelineData() {
  let before = "";
  effect(() => {
    const player = state.status.value?.deck;
    const key = player ? `${player.file} ${player.end_s} ${player.events}` : "";
    if (key === before) return;
    before = key;
    if (!key) overview.value = null;
    else
      void call("GET", "/api/deck/overview").then((found) => {
        if (found?.file && key === before) overview.value = found;
      });
  });
}

/** The sum of a row of the overview. @param {string} name */
export const total = (name) =>
  (overview.value?.counts[name] ?? []).reduce((sum, count) => sum + count, 0);

/** Warnings and errors of the robot that is shown, or of all. */
const abnormalEvents = () =>
  state.events.value.filter(
    ({ severity, robot }) => severity !== "debug" && severity !== "info" && isShown(robot),
  );

/** @param {string} robot empty for the host */
const isShown = (robot) =>
  !robot || !state.shownRobot.value || robot === state.shownRobot.value;

export const faults = () => (overview.value?.faults ?? []).filter(({ robot }) => isShown(robot));
export const collisions = () =>
  (overview.value?.collisions ?? []).filter(({ robot }) => isShown(robot));

/**
 * Describe what is at a time.
 * @param {number} time_s
 * @param {number} px_s seconds of one pixel
 * @returns {string[]}
 */
export function textsAt(time_s, px_s) {
  const found = overview.value;
  if (!found) return [];
  const near = (/** @type {number} */ at) => Math.abs(at - time_s) <= NEAR_PX * px_s;
  const name = (/** @type {string} */ robot) =>
    robot && state.robotNames.value.length > 1 ? `${robot} ` : "";
  const marks = [
    ...faults()
      .filter(({ begin_s, end_s }) => begin_s <= time_s && time_s <= (end_s ?? Infinity))
      .map(({ robot, target, kind }) => `${name(robot)}${target} ${kind}`),
    ...collisions().filter((one) => near(one.time_s)).map(({ text }) => text),
    ...abnormalEvents().filter((one) => near(one.time_s)).map(({ text }) => text),
  ];
  const difference = differenceAt_s.value;
  if (difference !== null && near(difference)) marks.unshift("first difference");
  const texts = [...new Set(marks)];
  const more = texts.length - MAX_TEXTS;
  const rate = (/** @type {string} */ row) =>
    (found.counts[row]?.[Math.floor((time_s - found.begin_s) / found.step_s)] ?? 0) / found.step_s;
  return [
    ...texts.slice(0, MAX_TEXTS),
    ...(more > 0 ? [`and ${more} more`] : []),
    `${rateText(rate("received"))} received, ${rateText(rate("sent"))} sent per second`,
  ];
}

/** @param {number} rate */
const rateText = (rate) => (rate >= 10 || rate === 0 ? rate.toFixed(0) : rate.toFixed(1));
