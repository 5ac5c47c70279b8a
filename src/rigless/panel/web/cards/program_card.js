// A program file for a robot: open or drop it, see the findings of its check, run it, hold it, go
// block by block, or start from a line. Only the visible lines are in the page.
import { effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { ref } from "lit-html/directives/ref.js";
import { call, post, robotPath } from "../core/api.js";
import { notice, shownRobot, shownState } from "../core/state.js";
import { listing } from "./listing.js";
import { button } from "./widgets.js";
/** @typedef {import("../core/types.js").Part} Part */
/** @typedef {import("../core/api_types.js").ProgramContent} Content */

const LINE_PX = 22;
const MARGIN = 10; // lines that are drawn above and below the visible ones
const LARGEST = 1_000_000;
const content = signal(/** @type {{robot: string, revision: number, of: Content}|null} */ (null));
const scrolled = signal({ top: 0, height: 300 });
const firstLine = signal(1); // the line to start from
const readFinding = signal(0); // the number of the finding below the summary
const dragging = signal(false);
let loading = "";

export const programOf = () => shownState.value?.program;

export function startPrograms() {
  effect(() => {
    const now = programOf();
    const robot = shownRobot.value;
    const key = `${robot} ${now?.revision}`;
    const known = content.peek();
    if (!now || loading === key || (known?.robot === robot && known.revision === now.revision))
      return;
    loading = key;
    void call("GET", `${robotPath(robot)}/program`).then((found) => {
      if (found) content.value = { robot, revision: now.revision, of: found };
    });
  });
  addEventListener("dragover", (event) => {
    if (!programOf() || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    dragging.value = true;
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) dragging.value = false;
  });
  addEventListener("drop", (event) => {
    dragging.value = false;
    const file = event.dataTransfer?.files[0];
    if (!file || !programOf() || /\.mcap$/i.test(file.name)) return;
    event.preventDefault();
    void open(file);
  });
}

/** @param {File} file */
async function open(file) {
  if (file.size > LARGEST) return notice(`${file.name} is larger than 1 MB`, "bad");
  const text = await file.text();
  if (text.includes("\0")) return notice(`${file.name} is not a text file`, "bad");
  firstLine.value = 1;
  readFinding.value = 0;
  const done = await post(`${robotPath(shownRobot.value)}/program`, { name: file.name, text });
  if (done) notice(`${file.name}: ${done.lines.length} lines`);
}

const act = (/** @type {string} */ verb, /** @type {object} */ body = {}) =>
  post(`${robotPath(shownRobot.value)}/program/${verb}`, body);

/**
 * The listing of a robot that runs program files. Without a file it shows what a sender streams.
 * @param {Part} part
 */
export function programListing(part) {
  const now = programOf();
  if (!now) return listing(part);
  const loaded = content.value?.robot === shownRobot.value ? content.value.of : null;
  const active = ["running", "holding", "waiting"].includes(now.state);
  return html`<div class="program ${dragging.value ? "drop" : ""}">
    <div class="program-file">
      <label class="button text ${active ? "off" : ""}">Open…<input type="file" class="hidden"
        accept=".nc,.ngc,.gcode,.tap,.txt,text/plain" aria-label="Open a program file"
        ?disabled=${active}
        @change=${(/** @type {{target: HTMLInputElement}} */ event) => {
          const file = event.target.files?.[0];
          event.target.value = "";
          if (file) void open(file);
        }}></label>
      <span class="clip" title=${now.name}>${now.name ||
        (dragging.value ? "drop it here" : "or drop a G-code file")}</span>
      ${now.checking ? html`<span class="dim" role="status">checking…</span>` : nothing}
    </div>
    ${loaded?.summary ? html`<div class="program-summary ${loaded.findings.some((one) =>
      one.level === "error") ? "bad" : ""}" role="status">${loaded.summary}</div>` : nothing}
    ${loaded ? findingText(loaded) : nothing}
    ${loaded?.lines.length ? html`${controls(active)}${lines(loaded)}` : listing(part)}
  </div>`;
}

/**
 * Errors come first, then the order of the lines.
 * @param {{level: string, line: number}} a
 * @param {{level: string, line: number}} b
 */
const byWeight = (a, b) =>
  Number(b.level === "error") - Number(a.level === "error") || a.line - b.line;

/** One finding in full, errors first, with a button to the next one. @param {Content} loaded */
function findingText(loaded) {
  const all = [...loaded.findings].sort(byWeight);
  const count = all.length;
  const shown = all[readFinding.value % Math.max(count, 1)];
  if (!shown) return nothing;
  const next = () => {
    readFinding.value = (readFinding.value + 1) % count;
    const list = document.querySelector(".listing.file");
    if (list) list.scrollTop = ((all[readFinding.value]?.line ?? 1) - 3) * LINE_PX;
  };
  return html`<div class="program-finding" data-level=${shown.level}>
    <p><b>line ${shown.line}</b> ${shown.text} <span class="dim">${shown.fix}</span></p>
    ${count > 1 ? button(`${(readFinding.value % count) + 1}/${count}`,
      `Finding ${(readFinding.value % count) + 1}/${count}: show the next`, next) : nothing}</div>`;
}

/** @param {boolean} active */
function controls(active) {
  const now = programOf();
  const first = Math.min(firstLine.value, content.value?.of.lines.length ?? 1);
  const holding = now?.state === "holding" || now?.state === "waiting";
  const run = (/** @type {boolean} */ single) =>
    active ? act("resume", { single }) : act("run", { first, single });
  return html`<div class="row program-buttons" role="group" aria-label="Program">
    ${button(holding ? "Resume" : first > 1 && !active ? `Run from ${first}` : "Run",
      holding ? "Go on to the end" : "Stream the program to the robot", () => void run(false),
      { kind: "text", off: active && !holding })}
    ${button("Single block", "Run one block, then wait", () => void run(true),
      { kind: "text", off: active && !holding })}
    ${button("Hold", "Hold the motion", () => void act("hold"),
      { kind: "text", off: !active || holding })}
    ${button("Stop", "Stop and forget the rest", () => void act("stop"),
      { kind: "text", off: !active })}
  </div>
  ${now?.problem ? html`<div class="program-summary bad" role="alert">${now.problem_line ?
    `line ${now.problem_line}: ` : ""}${now.problem}</div>` :
    now && now.state !== "idle" ? html`<div class="dim" role="status">${now.state}${now.line ?
      `, line ${now.line}` : now.state === "waiting" && now.sent_line ?
        ` after line ${now.sent_line}` : ""}</div>` : nothing}`;
}

/** @param {Content} loaded */
function lines(loaded) {
  const now = programOf();
  const waiting = now?.state === "waiting" ? now.sent_line : 0;
  const current = now?.line || now?.problem_line || waiting;
  /** @type {Map<number, {level: string, text: string}>} */
  const findings = new Map();
  for (const one of loaded.findings) {
    const before = findings.get(one.line);
    const text = [before?.text, `${one.text} (${one.fix})`].filter(Boolean).join("\n");
    const level = before?.level === "error" ? "error" : one.level;
    findings.set(one.line, { level, text });
  }
  const begin = Math.max(0, Math.floor(scrolled.value.top / LINE_PX) - MARGIN);
  const end = begin + Math.ceil(scrolled.value.height / LINE_PX) + 2 * MARGIN;
  return html`<ol class="listing file" tabindex="0" aria-label="Program file"
    @scroll=${(/** @type {{target: HTMLElement}} */ { target }) =>
      (scrolled.value = { top: target.scrollTop, height: target.clientHeight })}
    @keydown=${moveLine}
    ${ref((list) => scrollToLine(list, current))}>
    <li class="space" aria-hidden="true" style="height:${begin * LINE_PX}px"></li>
    ${loaded.lines.slice(begin, end).map((text, n) =>
      lineRow(begin + n + 1, text, current, findings.get(begin + n + 1)))}
    <li class="space" aria-hidden="true"
      style="height:${Math.max(0, loaded.lines.length - end) * LINE_PX}px"></li></ol>`;
}

/**
 * @param {number} number
 * @param {string} text
 * @param {number} current
 * @param {{level: string, text: string}|undefined} finding
 */
function lineRow(number, text, current, finding) {
  const failed = programOf()?.problem_line === number;
  const how = failed || finding?.level === "error" ? "wrong" : number === current ? "current" :
    number < current ? "done" : "ahead";
  return html`<li data-how=${how} data-finding=${finding?.level ?? ""}
    class=${number === firstLine.value && number > 1 ? "first" : ""}
    aria-current=${number === current ? "step" : "false"} title=${finding?.text ?? text}
    @click=${() => chooseLine(number)}><span>${number}</span><code>${text}</code></li>`;
}

/** Start from this line, and read its finding. @param {number} number */
function chooseLine(number) {
  const count = content.value?.of.lines.length ?? 1;
  firstLine.value = Math.min(Math.max(number, 1), count);
  const all = [...(content.value?.of.findings ?? [])].sort(byWeight);
  const found = all.findIndex(({ line }) => line === firstLine.value);
  if (found >= 0) readFinding.value = found;
}

/** Choose the line to start from with the arrow keys. @param {KeyboardEvent} event */
function moveLine(event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  chooseLine(firstLine.value + by);
  const list = /** @type {HTMLElement} */ (event.currentTarget);
  const top = (firstLine.value - 1) * LINE_PX;
  if (top < list.scrollTop || top + 2 * LINE_PX > list.scrollTop + list.clientHeight)
    list.scrollTop = top - list.clientHeight / 2;
}

/** The line that each list last scrolled to. @type {WeakMap<Element, number>} */
const lastScrolledTo = new WeakMap();

/**
 * @param {Element|undefined} list
 * @param {number} line
 */
function scrollToLine(list, line) {
  if (!(list instanceof HTMLElement) || !line || lastScrolledTo.get(list) === line) return;
  if (list.matches(":hover")) return;
  lastScrolledTo.set(list, line);
  list.scrollTop = (line - 5) * LINE_PX;
}
