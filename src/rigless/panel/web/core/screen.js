// The width of the window, as signals. The limits are those of the media queries in the styles.
import { signal } from "@preact/signals-core";

/** True if the window has room for all tools in the header and for a dock. */
export const isWide = mediaSignal("(min-width: 1240.1px)");

/** True if the operating system has a light theme. */
export const prefersLight = mediaSignal("(prefers-color-scheme: light)");

/** @param {string} query */
function mediaSignal(query) {
  const media = matchMedia(query);
  const held = signal(media.matches);
  media.addEventListener("change", () => (held.value = media.matches));
  return held;
}
