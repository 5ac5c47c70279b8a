// The WebSocket. It reconnects by itself and renews the subscriptions.
import { batch, computed, effect } from "@preact/signals-core";
import { call, robotPath } from "./api.js";
import { FrameStore, pageIdOf } from "./frames.js";
import * as state from "./state.js";

/** @type {Map<number, FrameStore>} */
const storesByPageId = new Map();
/** @type {Map<string, FrameStore>} */
const storesByRobot = new Map();
/** @type {WebSocket|null} */
let socket = null;
let framesReceived = 0;
let lastFrame_ms = 0;
let attempts = 0;

/** Return the frames of a page. The key is SOURCE/ROBOT. @param {string} key */
export const framesOf = (key) => storesByRobot.get(key) ?? null;

/**
 * Functions for binary messages that are no frames, by kind.
 * @type {Map<number, (data: ArrayBuffer) => void>}
 */
export const blockListeners = new Map();

/** Functions to call after each frame. @type {Set<() => void>} */
export const frameListeners = new Set();

/**
 * Functions that receive rows of the Wire tab.
 * @type {Set<(message: import("./api_types.js").WireMessage) => void>}
 */
export const wireListeners = new Set();

/**
 * Functions that receive lines of the fleet page.
 * @type {Set<(message: import("./api_types.js").FleetMessage) => void>}
 */
export const fleetListeners = new Set();

/** @param {import("./api_types.js").ClientMessage} message */
export function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

export function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/ws?truth_hz=0`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    attempts = 0;
    storesByPageId.clear(); // a restarted server numbers its pages from 1 and may have other robots
    state.robotInfo.value = {};
    const robot = state.shownRobot.value;
    if (robot && state.source.value === "live") void loadRobotInfo(robot);
    sendSubscriptions();
    void loadEvents();
  };
  socket.onmessage = ({ data }) =>
    typeof data === "string" ? handleMessage(JSON.parse(data)) : handleFrame(data);
  socket.onclose = () => void reconnect();
}

async function reconnect() {
  if (state.connection.value !== "refused") state.connection.value = "lost";
  const wait = Math.min(2000, 200 * 2 ** attempts++);
  await new Promise((done) => setTimeout(done, wait));
  try {
    const answer = await fetch("/api/status");
    state.connection.value = answer.status === 401 ? "refused" : "lost";
  } catch {
    state.connection.value = "lost";
  }
  connect();
}

function sendSubscriptions() {
  send({ type: "look", stage: state.source.value, robots: JSON.parse(subscriptionText.value) });
}

/** @param {import("./api_types.js").ServerMessage} message */
function handleMessage(message) {
  batch(() => {
    switch (message.type) {
      case "status":
        state.connection.value = "live";
        // the recording was closed
        if (!message.deck && state.status.value?.deck) state.source.value = "live";
        // with many robots, not each status lists them
        state.status.value = {
          ...message,
          robots: message.robots ?? state.status.value?.robots ?? [],
        };
        if (message.deck && state.onlyRecording.value) state.source.value = "recording";
        break;
      case "robot":
        state.robotStates.value = {
          ...state.robotStates.value,
          [`${message.stage}/${message.name}`]: message,
        };
        break;
      case "around": {
        // on the common map, these messages are the frames
        if (!state.shownRobot.value) countFrame();
        const key = `${message.stage}/${message.world}`;
        // They also come while time is paused. Drawing the same again is slow without a GPU.
        if (JSON.stringify(state.mapObjects.value[key]) === JSON.stringify(message.things)) break;
        state.mapObjects.value = { ...state.mapObjects.value, [key]: message.things };
        for (const tell of frameListeners) tell();
        break;
      }
      case "page":
        handlePage(message);
        break;
      case "listings":
        state.listings.value = {
          ...state.listings.value,
          [`${message.stage}/${message.robot}`]: message.listings,
        };
        break;
      case "event":
        queueEvent(message);
        break;
      case "dropped": // there were too many events: read the list when there are fewer
        clearTimeout(reloading);
        reloading = setTimeout(() => void loadEvents(), RELOAD_MS);
        break;
      case "trouble":
        state.viewErrors.value = { ...state.viewErrors.value, [message.robot]: message.text };
        break;
      case "wire":
        for (const take of wireListeners) take(message);
        break;
      case "fleet":
        for (const take of fleetListeners) take(message);
        break;
      case "error":
        for (const problem of message.problems)
          state.notice(`${problem.where}: ${problem.what}`, "bad");
        break;
    }
  });
}

/** @param {import("./types.js").Page} page */
function handlePage(page) {
  const key = `${page.stage}/${page.robot}`;
  const frames = new FrameStore(page);
  storesByRobot.set(key, frames);
  storesByPageId.set(page.id, frames);
  state.pages.value = { ...state.pages.value, [key]: page };
}

/**
 * Count a frame for the frame rate. Frames of several robots, and frames that waited while the page
 * was busy, come at the same time: they are one picture.
 */
export function countFrame() {
  const now = performance.now();
  if (now - lastFrame_ms < 500 / state.settings.frameHz.value) return;
  lastFrame_ms = now;
  framesReceived++;
}

/** @param {ArrayBuffer} data */
function handleFrame(data) {
  const listener = blockListeners.get(new Uint8Array(data, 0, 1)[0] ?? 0);
  if (listener) return listener(data);
  countFrame();
  const frames = storesByPageId.get(pageIdOf(data));
  frames?.decode(data);
  if (frames && state.viewErrors.value[frames.page.robot]) {
    const { [frames.page.robot]: _over, ...others } = state.viewErrors.value;
    state.viewErrors.value = others;
  }
  for (const tell of frameListeners) tell();
}

const RELOAD_MS = 500;
/** @type {ReturnType<typeof setTimeout>|undefined} */
let reloading;
/** @typedef {import("./state.js").Event} Event */
/** Events that are not in the list yet. @type {Event[]} */
let unlistedEvents = [];
/**
 * Events received since the list was requested. The response may have some of them.
 * @type {Event[]}
 */
let since = [];
let eventRequests = 0;
/** Add an event to the list, which is rendered once per animation frame. @param {Event} event */
function queueEvent(event) {
  // live events are loaded when the live simulation is shown again
  if (state.source.value === "recording") return;
  if (!unlistedEvents.length) {
    requestAnimationFrame(() => {
      state.events.value = [...unlistedEvents.reverse(), ...state.events.value].slice(
        0,
        state.EVENTS_KEPT,
      );
      unlistedEvents = [];
    });
  }
  unlistedEvents.push(event);
  since.push(event);
  for (const few of [unlistedEvents, since]) if (few.length > state.EVENTS_KEPT) few.shift();
}

async function loadEvents() {
  const path =
    state.source.value === "recording"
      ? "/api/deck/events"
      : `/api/events?limit=${state.EVENTS_KEPT}`;
  const mine = ++eventRequests;
  since = [];
  const found = await call("GET", path);
  if (!Array.isArray(found) || mine !== eventRequests) return;
  const plain = found.map((event) => ({ ...event, time_s: event.time_s ?? event.time_ns / 1e9 }));
  state.events.value = [...plain, ...since.slice(overlap(plain, since))]
    .reverse()
    .slice(0, state.source.value === "recording" ? plain.length : state.EVENTS_KEPT);
  unlistedEvents = [];
}

/**
 * Return the number of events at the end of one list that begin the other.
 * @param {Event[]} old
 * @param {Event[]} young
 */
function overlap(old, young) {
  const same = (/** @type {Event|undefined} */ a, /** @type {Event|undefined} */ b) =>
    a?.time_s === b?.time_s && a?.robot === b?.robot && a?.code === b?.code && a?.text === b?.text;
  for (let count = Math.min(old.length, young.length); count > 0; count--) {
    if (young.slice(0, count).every((event, n) => same(event, old[old.length - count + n])))
      return count;
  }
  return 0;
}

const playerFile = computed(() => state.status.value?.deck?.file);
// as text, because each status makes a new object
const subscriptionText = computed(() => JSON.stringify(state.subscriptions.value));
const epoch = computed(() => state.status.value?.epoch ?? 0);

/** Connect, keep the subscriptions up to date, and load what each robot offers once. */
export function startConnection() {
  connect();
  effect(() => {
    const robot = state.shownRobot.value;
    void state.source.value;
    void subscriptionText.value;
    void playerFile.value;
    sendSubscriptions();
    if (robot && state.source.value === "live" && !state.robotInfo.peek()[robot])
      void loadRobotInfo(robot);
  });
  let before = "";
  effect(() => {
    const now =
      state.source.value === "live" ? `live ${epoch.value}` : `recording ${playerFile.value}`;
    if (before !== now && before) void loadEvents();
    before = now;
  });
  let since = performance.now();
  setInterval(() => {
    const now = performance.now();
    state.frameRate.value = Math.round((1000 * framesReceived) / (now - since));
    [framesReceived, since] = [0, now];
  }, 1000);
}

/** @param {string} robot */
async function loadRobotInfo(robot) {
  const found = await call("GET", robotPath(robot));
  if (found) state.robotInfo.value = { ...state.robotInfo.value, [robot]: found };
}
