// The time range of all charts: it follows the newest sample, or stands still.
import { computed, signal } from "@preact/signals-core";
import { status, source } from "../core/state.js";

/** `span_s` of Infinity is the whole run. */
/** @typedef {{follow: true, span_s: number}|{follow: false, from_s: number, to_s: number}} Range */

const SHORTEST_S = 0.01;
export const range = signal(/** @type {Range} */ ({ follow: true, span_s: 60 }));
export const begin_s = signal(0); // of the history
export const newest_s = signal(0); // time of the newest sample
/** The span to return to when the charts follow again. */
const lastSpan_s = signal(60);

/** The end of all that can be shown. */
export const end_s = computed(() =>
  source.value === "recording" ? (status.value?.deck?.end_s ?? 0) : newest_s.value,
);

/** @type {import("@preact/signals-core").ReadonlySignal<[number, number]>} */
export const shownWindow = computed(() => {
  const now = range.value;
  if (!now.follow) return [now.from_s, now.to_s];
  const whole = now.span_s === Infinity;
  const last = Math.max(end_s.value, begin_s.value + 1);
  return [whole ? begin_s.value : last - now.span_s, last];
});

/** @param {number} span_s */
export function follow(span_s = lastSpan_s.value) {
  lastSpan_s.value = span_s;
  range.value = { follow: true, span_s };
}

/**
 * @param {number} from_s
 * @param {number} to_s
 */
export function show(from_s, to_s) {
  const middle = (from_s + to_s) / 2;
  const half = Math.max(Math.abs(to_s - from_s), SHORTEST_S) / 2;
  range.value = { follow: false, from_s: middle - half, to_s: middle + half };
}

/**
 * Zoom around a time. Charts that follow keep their end.
 * @param {number} factor below 1: in
 * @param {number} around_s
 */
export function zoom(factor, around_s) {
  const [from, to] = shownWindow.value;
  if (range.value.follow) {
    const longest = Math.max(end_s.value - begin_s.value, 1);
    const span = (to - from) * factor;
    follow(span >= longest && factor > 1 ? Infinity : Math.max(span, SHORTEST_S));
  } else show(around_s - (around_s - from) * factor, around_s + (to - around_s) * factor);
}

/** Move the range. @param {number} by_s */
export function pan(by_s) {
  const [from, to] = shownWindow.value;
  show(from + by_s, to + by_s);
}
