// The cursor of all charts, and a second one that a click pins.
import { signal } from "@preact/signals-core";
import { post } from "../core/api.js";
import { source } from "../core/state.js";

export const cursor_s = signal(/** @type {number|null} */ (null));
export const pinned_s = signal(/** @type {number|null} */ (null));

/** @param {import("uplot")} u */
export function move(u) {
  const left = u.cursor.left ?? -1;
  cursor_s.value = left < 0 ? null : u.posToVal(left, "x");
}

/** Pin the cursor, or release it; in a recording, go to that time. @param {number} time_s */
export function click(time_s) {
  if (source.value === "recording") void post("/api/deck/seek", { time_s });
  else pinned_s.value = pinned_s.value === null ? time_s : null;
}
