// One message in full: its fields as a tree, its bytes, and ways to copy and to send it again.
import { html, nothing } from "lit-html";
import { post, robotPath } from "../core/api.js";
import * as icons from "../cards/icons.js";
import { button } from "../cards/widgets.js";
import { notice, source } from "../core/state.js";
import { copy, formatSize, hexLines, toBytes, toHex } from "./wire_text.js";
import * as wire from "./wire_state.js";

/** @typedef {import("./wire_state.js").Detail} Detail */
/** @typedef {import("./wire_state.js").Row} Row */
const MAX_ITEMS = 200; // of a list in the tree
const OPEN_DEPTH = 2; // parts deeper than this are folded at first
const MAX_LINES = 512; // of the hex dump

/** The selected message. */
export function messagePane() {
  const row = wire.selected.value;
  const found = wire.detail.value;
  if (!row) return html`<p class="wire-hint">Select a message to see its fields and bytes.</p>`;
  if (found?.row.n !== row.n)
    return html`${heading(row)}<p class="wire-hint">Loading…</p>`;
  const bytes = toBytes(found.data);
  return html`<div class="wire-message"><div>${heading(row)}${fields(found, bytes)}</div>${
    bytes.length ? hexDump(bytes, toBytes(found.original), row.size) : nothing}</div>`;
}

/** @param {Row} row */
function heading(row) {
  const where = row.direction === "in" ? "from" : "to";
  const marks = (row.marks ?? []).map((mark) =>
    mark === "delayed" && row.delay_ms ? `delayed by ${row.delay_ms.toFixed(3)} ms` : mark,
  );
  return html`<div class="wire-title">
      <h2 class="clip" title=${row.kind}>${row.kind || "bytes"}</h2>
      <span class="dim">${row.direction} · ${formatSize(row.size)}</span></div>
    <dl class="wire-facts">
      <dt>Time</dt><dd>${row.t.toFixed(9)} s</dd>
      <dt>Port</dt><dd>${row.robot} / ${row.port}</dd>
      ${row.subject ? html`<dt>Subject</dt><dd>${row.subject}</dd>` : nothing}
      ${row.peer ? html`<dt>${where === "from" ? "From" : "To"}</dt><dd>${row.peer}</dd>` : nothing}
      ${row.parts ? html`<dt>Packet</dt><dd>message ${row.part} of ${row.parts}</dd>` : nothing}
      ${marks.length ? html`<dt>Fault</dt><dd class="warn">${marks.join(", ")}</dd>` : nothing}
      ${row.refused ? html`<dt>Refused</dt><dd class="bad">${row.refused}</dd>` : nothing}
    </dl>`;
}

/**
 * @param {Detail} found
 * @param {Uint8Array} bytes
 */
function fields(found, bytes) {
  return html`<div class="wire-tools">${sendAgain(found)}${copyButtons(found, bytes)}</div>
    ${found.trouble ? html`<p class="warn">${found.trouble}</p>` : nothing}
    ${found.fields === null ? nothing :
      html`<div class="wire-tree" role="group"
        aria-label="Fields">${entries(found.fields, 0)}</div>`}`;
}

/** @param {Detail} found */
function sendAgain(found) {
  const { row } = found;
  if (row.direction !== "in" || (row.what !== "data" && row.what !== "local")) return nothing;
  const late = source.value === "recording";
  const long = row.size > toBytes(found.data).length;
  const label = late ? "Send again: not in a recording" : long ? "Send again: it is too long" :
    "Send this packet again";
  return button("Send again", label, () => void resend(found), { kind: "text", off: late || long });
}

/** @param {Detail} found */
async function resend({ row, data, fields }) {
  const body =
    row.what === "local"
      ? { port: row.port, kind: row.kind, fields }
      : { port: row.port, subject: row.subject, hex: toHex(toBytes(data)) };
  const sent = await post(`${robotPath(row.robot)}/wire`, body);
  if (sent) notice(sent.way === "port" ? `sent to ${sent.url}` : "sent through the API");
}

/**
 * @param {Detail} found
 * @param {Uint8Array} bytes
 */
function copyButtons(found, bytes) {
  /** @type {Record<string, string>} */
  const ways = {
    ...(found.fields === null ? {} : { JSON: JSON.stringify(found.fields, null, 2) }),
    ...(bytes.length ? { Hex: toHex(bytes) } : {}),
    ...found.lines,
  };
  return html`<div class="wire-ways" role="group" aria-label="Copy as">${
    Object.entries(ways).map(([name, text]) =>
      html`<button class="button text" aria-label="Copy as ${name}"
        title="Copy: ${text.slice(0, 300)}" @click=${() => void copy(text, name)}>${name}</button>`)
  }</div>`;
}

/**
 * @param {any} value
 * @param {number} depth
 * @returns {unknown}
 */
function entries(value, depth) {
  if (value === null || typeof value !== "object") return leaf("", value);
  const pairs = Object.entries(value);
  const shown = pairs.slice(0, MAX_ITEMS);
  if (!pairs.length) return html`<div class="wire-leaf dim">no fields</div>`;
  return html`${shown.map(([name, one]) => branch(name, one, depth))}${
    pairs.length > MAX_ITEMS ?
      html`<div class="wire-leaf dim">… ${pairs.length - MAX_ITEMS} more</div>` : nothing}`;
}

/**
 * @param {string} name
 * @param {any} value
 * @param {number} depth
 */
function branch(name, value, depth) {
  if (value === null || typeof value !== "object" || !Object.keys(value).length)
    return leaf(name, value);
  const list = Array.isArray(value);
  const flat = list && value.every((one) => typeof one !== "object");
  const open = depth < OPEN_DEPTH && !(list && value.length > 12) && !flat;
  return html`<details ?open=${open}><summary><span>${name}</span> <span class="dim">${
    list ? `[${value.length}] ${flat ? preview(value) : ""}` : `{${Object.keys(value).length}}`
  }</span></summary><div>${entries(value, depth + 1)}</div></details>`;
}

/** @param {any[]} list */
function preview(list) {
  const text = list.slice(0, 8).map((one) => leafText(one)).join(" ");
  return list.length > 8 ? `${text} …` : text;
}

/** @param {any} value */
const leafText = (value) =>
  typeof value === "number" && !Number.isInteger(value)
    ? String(Number(value.toPrecision(9)))
    : typeof value === "string" ? value : JSON.stringify(value);

/**
 * @param {string} name
 * @param {any} value
 */
function leaf(name, value) {
  return html`<div class="wire-leaf">${name ? html`<span>${name}</span> ` : nothing}<b
    data-type=${value === null ? "null" : typeof value}>${leafText(value)}</b></div>`;
}

/**
 * @param {Uint8Array} bytes
 * @param {Uint8Array} original
 * @param {number} size
 */
function hexDump(bytes, original, size) {
  const lines = hexLines(bytes.subarray(0, 16 * MAX_LINES), original);
  const shown = Math.min(bytes.length, 16 * MAX_LINES);
  return html`<div class="wire-hex" tabindex="0" role="group" aria-label="Bytes">${lines.map(
    ({ offset, part }) => html`<div><i>${offset}</i><span>${part.map(
      (one) => one.changed ? html`<mark>${one.hex}</mark> ` : `${one.hex} `)}</span><b>${part.map(
      (one) => one.changed ? html`<mark>${one.text}</mark>` : one.text)}</b></div>`,
  )}${shown < size ?
    html`<p class="dim">the first ${formatSize(shown)} of ${formatSize(size)}</p>` :
    nothing}${original.length ? html`<p class="dim">Marked bytes were changed by the fault.</p>` :
    nothing}</div>`;
}

export const closeMessage = () =>
  button(icons.close, "Close the message", () => void wire.select(null));
