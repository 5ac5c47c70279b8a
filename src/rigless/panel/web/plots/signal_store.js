// The points of the signals in the charts. A range is requested when the charts need it; new points
// follow on the WebSocket.
import { effect, signal } from "@preact/signals-core";
import { call } from "../core/api.js";
import { blockListeners, send } from "../core/socket.js";
import * as state from "../core/state.js";
import { BLOCK, decodeBlock, extend } from "./points.js";
import * as time from "./time_window.js";
/** @typedef {import("../core/api_types.js").SignalEntry} SignalEntry */
/** @typedef {import("../core/api_types.js").SignalMarks} SignalMarks */
/** @typedef {import("./points.js").Series} Series */

const DELAY_MS = 60; // of a request after a change
const MARKS_MS = 1000;
const MAX_POINTS = 6000; // of a signal before it is requested again, thinned
const MARGIN = 0.5; // of the range that is requested before and after it

const NOTHING = { from: Infinity, to: -Infinity, step_s: Infinity };

/** @type {Map<string, Series>} */
export const points = new Map();
/** Incremented when points or marks have changed. */
export const changed = signal(0);
export const infos = signal(/** @type {ReadonlyMap<string, SignalEntry>} */ (new Map()));
export const marks = signal(/** @type {SignalMarks|null} */ (null));
export const notes = signal(/** @type {string[]} */ ([]));
export const complete = signal(1); // below 1 while a recording is read

let names = /** @type {string[]} */ ([]);
let width = 800;
let number = 0;
let generation = -1;
let requests = 0;
let timer = 0;
/** The range that was requested, and the distance of its points. */
let loaded = NOTHING;

/**
 * Show these signals, in charts of this width; an empty list ends the subscription.
 * @param {string[]} wanted
 * @param {number} width_px
 */
export function plot(wanted, width_px) {
  const same = wanted.length === names.length && wanted.every((name, n) => name === names[n]);
  width = Math.max(200, Math.round(width_px));
  if (same) return requestSoon();
  names = [...wanted];
  for (const name of points.keys()) if (!names.includes(name)) points.delete(name);
  if (!names.length) return send({ type: "plot", number, stage: state.source.value, signals: [] });
  renew();
}

/** Subscribe again and load everything: after a change, or on a new connection. */
export function renew() {
  number = (number + 1) & 0xffff;
  void loadInfos().then(() => {
    send({ type: "plot", number, stage: state.source.value, signals: known() });
    loaded = NOTHING;
    requestSoon();
  });
}

/** The signals whose robots are here: a layout may name others. */
const known = () =>
  names.filter((name) => {
    const robot = name.split("/", 1)[0] ?? "";
    return robot === "programs" || state.robotNames.value.includes(robot);
  });

async function loadInfos() {
  const robots = new Set(known().map((name) => name.split("/", 1)[0] ?? ""));
  for (const robot of robots) {
    if ([...infos.value.values()].some((entry) => entry.robot === robot)) continue;
    await list({ robot });
  }
  await loadMarks();
}

/**
 * Return the signals that match.
 * @param {{robot?: string, text?: string, limit?: number}} query
 * @returns {Promise<import("../core/api_types.js").SignalList|undefined>}
 */
export async function list({ robot = "", text = "", limit = 2000 }) {
  const query = new URLSearchParams({ stage: state.source.value, robot, text, limit: `${limit}` });
  const found = await call("GET", `/api/signals?${query}`);
  if (!found) return undefined;
  const all = new Map(infos.value);
  for (const entry of found.signals) all.set(entry.name, entry);
  infos.value = all;
  [notes.value, complete.value] = [found.notes, found.complete];
  [time.begin_s.value, time.newest_s.value] = [found.begin_s, found.end_s];
  return found;
}

export async function loadMarks() {
  const found = await call("GET", `/api/signals/marks?stage=${state.source.value}`);
  if (found) marks.value = found;
  changed.value++;
}

/** Request the points of the shown range if they are not here, or too coarse. */
export function requestSoon() {
  if (timer) return;
  timer = window.setTimeout(() => {
    timer = 0;
    void request();
  }, DELAY_MS);
}

async function request() {
  const wanted = known();
  if (!wanted.length) {
    changed.value++;
    return;
  }
  const [from, to] = time.shownWindow.value;
  const whole = time.range.value.follow && to - from >= time.end_s.value - time.begin_s.value;
  const fine = loaded.step_s <= (1.5 * (to - from)) / width;
  const many = Math.max(0, ...wanted.map((name) => points.get(name)?.times.length ?? 0));
  const inside = loaded.from <= Math.max(from, time.begin_s.value) && loaded.to >= to;
  if (inside && fine && many < MAX_POINTS) {
    changed.value++;
    return;
  }
  const margin = whole ? 0 : MARGIN * (to - from);
  const span = { from: from - margin, to: time.range.value.follow ? 1e12 : to + margin };
  const asked = Math.min(4000, Math.round(width * (1 + 2 * MARGIN)));
  const query = new URLSearchParams({
    stage: state.source.value,
    from_s: `${span.from}`,
    to_s: `${span.to}`,
    points: `${asked}`,
  });
  for (const name of wanted) query.append("signal", name);
  const mine = ++requests;
  const answer = await fetch(`/api/signals/data?${query}`).catch(() => null);
  if (!answer?.ok || mine !== requests) return;
  const block = decodeBlock(await answer.arrayBuffer());
  const moved = block.generation !== generation;
  generation = block.generation;
  wanted.forEach((name, n) => {
    const found = block.series.get(n) ?? { times: [], values: [] };
    const before = points.get(name);
    if (before && !moved && time.range.value.follow) extend(found, before); // it came meanwhile
    points.set(name, found);
  });
  const following = time.range.value.follow;
  const last = Math.min(span.to, Math.max(block.end_s, to));
  loaded = {
    from: span.from,
    to: following ? Infinity : span.to,
    step_s: (last - Math.max(span.from, time.begin_s.value)) / asked,
  };
  time.newest_s.value = block.end_s;
  changed.value++;
}

/** @param {ArrayBuffer} data */
function takeBlock(data) {
  const block = decodeBlock(data);
  if (block.number !== number) return;
  if (block.generation !== generation) {
    generation = block.generation;
    points.clear();
    infos.value = new Map();
    renew();
    return;
  }
  const wanted = known();
  for (const [n, series] of block.series) {
    const name = wanted[n] ?? "";
    const before = points.get(name);
    if (before) extend(before, series);
  }
  time.newest_s.value = block.end_s;
  const most = Math.max(0, ...wanted.map((name) => points.get(name)?.times.length ?? 0));
  if (most > MAX_POINTS) {
    loaded = NOTHING;
    requestSoon();
  }
  changed.value++;
}

/** Ask how much of the recording is read until all of it is. */
async function watchReading() {
  while (complete.peek() < 1 && names.length) {
    await new Promise((done) => setTimeout(done, MARKS_MS));
    if (!(await list({ limit: 1 }))) return;
  }
}

/** Start to listen, and load the marks again while events come. */
export function startSignals() {
  blockListeners.set(BLOCK, takeBlock);
  effect(() => {
    void time.range.value;
    if (names.length) requestSoon();
  });
  let due = 0;
  effect(() => {
    void state.events.value;
    if (!names.length || due) return;
    due = window.setTimeout(() => {
      due = 0;
      void loadMarks();
    }, MARKS_MS);
  });
  let watching = false;
  effect(() => {
    if (complete.value >= 1 || watching) return;
    watching = true;
    void watchReading().then(() => (watching = false));
  });
  let before = "";
  effect(() => {
    const file = state.status.value?.deck?.file ?? "";
    const now = `${state.source.value} ${file} ${state.connection.value}`;
    if (before && before !== now && state.connection.value === "live") {
      points.clear();
      infos.value = new Map();
      marks.value = null;
      if (names.length) renew();
    }
    before = now;
  });
}
