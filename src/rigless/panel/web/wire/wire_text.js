// Text for the Wire tab: sizes, hex dumps, and copying to the clipboard.
import { notice } from "../core/state.js";

/** @param {number} bytes */
export function formatSize(bytes) {
  if (bytes < 10_000) return `${bytes} B`;
  return bytes < 10_000_000 ? `${Math.round(bytes / 1000)} kB` : `${Math.round(bytes / 1e6)} MB`;
}

/**
 * Format a rate or a jitter: three digits, and 0 below a thousandth.
 * @param {number} value
 */
export function formatRate(value) {
  if (value < 5e-4) return "0";
  if (value >= 99.95) return Math.round(value).toLocaleString("en");
  return value.toPrecision(3).replace(/\.?0+$/, "");
}

/** @param {string} base64 */
export function toBytes(base64) {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** @param {Uint8Array} bytes */
export const toHex = (bytes) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");

/**
 * Return the lines of a hex dump: the offset, 16 bytes, and their text.
 * @param {Uint8Array} bytes
 * @param {Uint8Array} original the bytes before a fault changed them; empty if they are unchanged
 */
export function hexLines(bytes, original) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const part = Array.from(bytes.subarray(at, at + 16), (byte, n) => ({
      hex: byte.toString(16).padStart(2, "0"),
      text: byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·",
      changed: original.length > 0 && original[at + n] !== byte,
    }));
    lines.push({ offset: at.toString(16).padStart(4, "0"), part });
  }
  return lines;
}

/**
 * @param {string} text
 * @param {string} what
 */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    notice(`${what} copied`);
  } catch {
    notice(`the browser does not allow copying: open the panel at 127.0.0.1 or with https`, "bad");
  }
}

/**
 * The topic of a message. Reports of a link, and frames of a WebSocket, have no topic.
 * @param {string} subject
 */
export const topicOf = (subject) =>
  subject.startsWith("_") || subject === "binary" ? "" : subject;
