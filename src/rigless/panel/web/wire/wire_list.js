// The list of messages. Only the visible rows are in the document; all have the same height.
import { effect } from "@preact/signals-core";
import { formatSize, topicOf } from "./wire_text.js";
import * as wire from "./wire_state.js";
import { robotNames, shownRobot } from "../core/state.js";

/** @typedef {import("./wire_state.js").Row} Row */
const EXTRA = 6; // rows drawn above and below the visible ones
const NEAR = 4; // pixels from the end at which the list follows
const SUBJECT = 21; // characters of a topic; of a longer one, its end
const COLUMNS = ["Time", "Dir", "Robot", "Port, topic", "Peer", "Type", "Message", "Size"];
const CLASSES = ["time", "direction", "robot", "port", "peer", "kind", "text", "size"];

/**
 * @param {string} role
 * @param {string} className
 */
function cell(role, className, tag = "span") {
  const made = document.createElement(tag);
  if (role) made.setAttribute("role", role);
  made.className = className;
  return made;
}

/** A virtual list in an element of its own. */
export class WireList {
  constructor() {
    this.element = cell("grid", "wire-list", "div");
    this.element.tabIndex = 0;
    this.element.setAttribute("aria-label", "Messages");
    const head = cell("row", "wire-row wire-head", "div");
    head.setAttribute("aria-rowindex", "1");
    COLUMNS.forEach((title, n) => {
      const one = cell("columnheader", CLASSES[n] ?? "");
      one.textContent = title;
      head.append(one);
    });
    this.space = cell("rowgroup", "wire-space", "div");
    this.element.append(head, this.space);
    /** @type {HTMLElement[]} */
    this.pool = [];
    this.due = false;
    this.top = 0; // the position that this list has set
    this.element.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.element.addEventListener("click", (event) => this.clicked(event));
    this.element.addEventListener("keydown", (event) => this.moved(event));
    /** @type {(() => void)[]} */
    this.ends = [];
  }

  start() {
    const observer = new ResizeObserver(() => this.draw());
    observer.observe(this.element);
    this.ends = [
      () => observer.disconnect(),
      effect(() => {
        void wire.revision.value;
        void wire.selected.value;
        void wire.relative.value;
        void wire.playerTime_s.value;
        void wire.follow.value;
        this.request();
      }),
    ];
  }

  stop() {
    for (const end of this.ends) end();
    this.ends = [];
  }

  /** Draw once in the next animation frame. */
  request() {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.draw();
    });
  }

  get rowHeight() {
    return matchMedia("(pointer: coarse)").matches ? 44 : 26;
  }

  scrolled() {
    const { scrollTop, clientHeight, scrollHeight } = this.element;
    if (Math.abs(scrollTop - this.top) > 1) {
      this.top = scrollTop; // the user scrolled, not this list
      wire.follow.value = scrollTop + clientHeight >= scrollHeight - NEAR;
    }
    this.request();
  }

  draw() {
    const height = this.rowHeight;
    const { element, space } = this;
    const head = /** @type {HTMLElement} */ (element.firstElementChild).offsetHeight;
    const { rows } = wire;
    space.style.height = `${rows.length * height}px`;
    element.setAttribute("aria-rowcount", String(rows.length + 1));
    element.classList.toggle("one-robot", Boolean(shownRobot.value) || robotNames.value.length < 2);
    const lost = wire.takeDropped();
    const end = Math.max(0, space.offsetHeight + head - element.clientHeight);
    if (wire.follow.value) this.scrollTo(end);
    else if (lost) this.scrollTo(Math.max(0, element.scrollTop - lost * height));
    const first = Math.max(0, Math.floor(element.scrollTop / height) - EXTRA);
    const last = Math.min(
      rows.length,
      Math.ceil((element.scrollTop + element.clientHeight - head) / height) + EXTRA,
    );
    this.resizePool(Math.max(0, last - first));
    element.removeAttribute("aria-activedescendant"); // a row out of sight is not in the document
    for (let n = first; n < last; n++) {
      const row = rows[n];
      const place = this.pool[n - first];
      if (row && place) this.fill(place, row, n, height);
    }
  }

  /** @param {number} top */
  scrollTo(top) {
    this.element.scrollTop = top;
    this.top = this.element.scrollTop;
  }

  /** @param {number} count */
  resizePool(count) {
    while (this.pool.length < count) {
      const row = cell("row", "wire-row", "div");
      for (const name of CLASSES) row.append(cell("gridcell", name));
      this.space.append(row);
      this.pool.push(row);
    }
    while (this.pool.length > count) this.pool.pop()?.remove();
  }

  /**
   * @param {HTMLElement} place
   * @param {Row} row
   * @param {number} n
   * @param {number} height
   */
  fill(place, row, n, height) {
    const chosen = wire.selected.value;
    const on = chosen?.n === row.n;
    place.style.transform = `translateY(${n * height}px)`;
    place.style.height = `${height}px`;
    place.dataset.n = String(n);
    place.id = `wire-row-${row.n}`;
    place.setAttribute("aria-rowindex", String(n + 2));
    place.setAttribute("aria-selected", String(on));
    place.className = `wire-row ${row.direction} ${row.what} ${health(row)}${
      row.t > wire.playerTime_s.value + 1e-9 ? " later" : ""}${
      row.subject.startsWith("/") ? " has-topic" : ""}${on ? " selected" : ""}`;
    if (on) this.element.setAttribute("aria-activedescendant", place.id);
    const time =
      wire.relative.value && chosen
        ? `${row.t < chosen.t ? "−" : "+"}${Math.abs(row.t - chosen.t).toFixed(6)}`
        : row.t.toFixed(6);
    const texts = [
      time,
      row.what === "jump" ? "" : row.direction === "in" ? "↓ in" : "↑ out",
      row.robot,
      placeOf(row),
      row.peer,
      row.kind || "bytes",
      row.text,
      row.part && row.part > 1 ? "″" : row.size ? formatSize(row.size) : "",
    ];
    texts.forEach((text, at) => {
      const one = /** @type {HTMLElement} */ (place.children[at]);
      if (at === 6) fillText(one, row, text);
      else if (one.textContent !== text) one.textContent = text;
      if (at === 3) one.title = row.subject ? `${row.port} ${row.subject}` : row.port;
    });
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const target = event.target instanceof Element ? event.target.closest("[data-n]") : null;
    const row = wire.rows[Number(/** @type {HTMLElement|null} */ (target)?.dataset.n ?? -1)];
    if (!row) return;
    wire.follow.value = false;
    void wire.select(row);
  }

  /** Choose a neighbour with the arrow keys. @param {KeyboardEvent} event */
  moved(event) {
    const at = wire.rows.findIndex((row) => row.n === wire.selected.value?.n);
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 2);
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at < 0 ? wire.rows.length - 1 : at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: wire.rows.length - 1,
    }[event.key];
    if (to === undefined || !wire.rows.length) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.min(Math.max(to, 0), wire.rows.length - 1);
    wire.follow.value = false;
    this.reveal(next);
    void wire.select(wire.rows[next] ?? null);
  }

  /** Scroll so that a row is visible. @param {number} n */
  reveal(n) {
    const height = this.rowHeight;
    const head = /** @type {HTMLElement} */ (this.element.firstElementChild).offsetHeight;
    const { scrollTop, clientHeight } = this.element;
    if (n * height < scrollTop) this.scrollTo(n * height);
    else if ((n + 1) * height + head > scrollTop + clientHeight)
      this.scrollTo((n + 1) * height + head - clientHeight);
    this.request();
  }
}

/** The topic of a message, or its port. @param {Row} row */
function placeOf({ port, subject }) {
  const topic = topicOf(subject);
  return topic.length > SUBJECT ? `…${topic.slice(1 - SUBJECT)}` : topic || port;
}

/** Return the class of a row: grey unless something is abnormal. @param {Row} row */
function health(row) {
  if (row.refused || row.marks?.some((mark) => mark === "dropped" || mark === "corrupted"))
    return "bad-row";
  return row.marks ? "odd-row" : "";
}

/**
 * The text of a message, after the effects of faults and the reason of a refusal.
 * @param {HTMLElement} place
 * @param {Row} row
 * @param {string} text
 */
function fillText(place, row, text) {
  const whole = { connected: "link opened", disconnected: "link closed", jump: "time jumped" };
  const shown = row.what in whole ? whole[/** @type {keyof typeof whole} */ (row.what)] : text;
  const chips = [
    ...(row.marks ?? []).map((mark) =>
      mark === "delayed" && row.delay_ms ? `delayed ${row.delay_ms.toFixed(1)} ms` : mark,
    ),
    ...(row.refused ? [`refused: ${row.refused}`] : []),
    ...(row.what === "local" ? ["not over the wire"] : []),
    ...(row.what === "unsent" ? ["no client"] : []),
    ...(row.parts ? [`${row.part}/${row.parts}`] : []),
  ];
  const key = `${chips.join("\u0000")}\u0001${shown}`;
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  place.replaceChildren(
    ...chips.map((chip) => {
      const word = chip.split(/[ :]/)[0];
      const made = cell("", `wire-chip ${word}`, "i");
      made.textContent = chip;
      return made;
    }),
    shown,
  );
}
