// The filter of the Wire tab, its buttons, and the line that says what is shown.
import { html, nothing } from "lit-html";
import * as icons from "../cards/icons.js";
import { button } from "../cards/widgets.js";
import { robotStates, source, shownRobot } from "../core/state.js";
import * as wire from "./wire_state.js";
import { topicOf } from "./wire_text.js";

const TYPING_MS = 250; // after the last key, the text is searched

/** @typedef {{target: HTMLSelectElement}} Chosen */
/** @typedef {{target: HTMLInputElement}} Typed */

export function filterBar() {
  const now = wire.filter.value;
  const kinds = new Set(wire.statistics.value.map(({ kind }) => kind).filter(Boolean));
  return html`<div class="wire-bar" role="search" aria-label="Filter of messages">
    <select aria-label="Port" @change=${(/** @type {Chosen} */ event) => {
      const [port = "", subject = ""] = event.target.value.split("\n");
      wire.setFilter({ port, subject });
    }}>${portOptions(now)}</select>
    <select aria-label="Direction" @change=${(/** @type {Chosen} */ event) =>
      wire.setFilter({ direction: /** @type {""|"in"|"out"} */ (event.target.value) })}>${
      options("in and out", ["in", "out"], now.direction)}</select>
    <select aria-label="Type" @change=${(/** @type {Chosen} */ event) =>
      wire.setFilter({ kind: event.target.value })}>${
      options("all types", [...kinds].sort(), now.kind)}</select>
    <input type="search" aria-label="Text in messages" placeholder="Search" .value=${now.text}
      @input=${(/** @type {Typed} */ event) => typed(event.target.value)}>
    ${button(icons.warning, "Only refused messages and effects of faults", () =>
      wire.setFilter({ abnormal: !now.abnormal }), { on: now.abnormal })}
    <span class="wire-buttons">
    ${button(wire.paused.value ? icons.play : icons.pause, wire.paused.value ?
      "Continue the list" : "Pause the list", () => (wire.paused.value = !wire.paused.value),
        { on: wire.paused.value })}
    ${button(icons.down, "Follow the newest message", () =>
      (wire.follow.value = !wire.follow.value), { on: wire.follow.value })}
    ${button("Δt", "Times relative to the selected message", () =>
      (wire.relative.value = !wire.relative.value), { on: wire.relative.value })}
    ${button(icons.bin, "Clear the list", wire.clearRows)}</span>
  </div>`;
}

/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;
/** @param {string} text */
function typed(text) {
  clearTimeout(timer);
  timer = setTimeout(() => wire.setFilter({ text: text.trim() }), TYPING_MS);
}

/** The ports of the shown robot, or all that had messages. */
function ports() {
  const own = robotStates.value[`live/${shownRobot.value}`]?.ports.map(({ name }) => name) ?? [];
  return [...new Set([...own, ...wire.statistics.value.map(({ port }) => port)])].sort();
}

/** The ports, and below each its topics. @param {import("./wire_state.js").Filter} now */
function portOptions({ port, subject }) {
  const rows = wire.statistics.value;
  const names = ports();
  return html`<option value="" ?selected=${!port}>all ports</option>${
    (port && !names.includes(port) ? [...names, port] : names).map((name) => {
      const of = rows.filter((row) => row.port === name).map((row) => topicOf(row.subject));
      if (name === port && subject) of.push(subject);
      const topics = [...new Set(of)].filter(Boolean).sort();
      return html`<option value=${name} ?selected=${name === port && !subject}>${name}</option>${
        topics.map((topic) => html`<option value="${name}\n${topic}"
          ?selected=${name === port && topic === subject}>${topic}</option>`)}`;
    })}`;
}

/**
 * @param {string} all
 * @param {string[]} names
 * @param {string} chosen
 */
function options(all, names, chosen) {
  const known = chosen && !names.includes(chosen) ? [...names, chosen] : names;
  return html`<option value="" ?selected=${!chosen}>${all}</option>${known.map(
    (name) => html`<option value=${name} ?selected=${name === chosen}>${name}</option>`,
  )}`;
}

/** What is shown, what is left out and why. */
export function statusLine() {
  const { received, skipped, perSecond, searching, loading, until_s, trouble } = wire.feed.value;
  const count = received.toLocaleString("en");
  return html`<span>${count} ${received === 1 ? "message" : "messages"}${
      perSecond ? html` · ${perSecond.toLocaleString("en")}/s` : nothing}</span>
    ${skipped ? html`<span class="warn"
      title="More messages pass the filter than can be read. Counts in the statistics are exact."
      >sampled: ${skipped.toLocaleString("en")} more left out</span>` : nothing}
    ${wire.paused.value ? html`<span class="warn">paused</span>` : nothing}
    ${searching ? html`<span>searching…</span>` : nothing}
    ${loading !== null ? html`<span>reading the recording: ${Math.round(100 * loading)} %</span>` :
      nothing}
    ${until_s !== null ? html`<span class="warn">too long: messages up to ${
      until_s.toFixed(1)} s</span>` : nothing}
    ${trouble ? html`<span class="bad">${trouble}</span>` : nothing}
    ${source.value === "recording" && !trouble ? html`<span class="dim">a click goes to that
      instant</span>` : nothing}`;
}
