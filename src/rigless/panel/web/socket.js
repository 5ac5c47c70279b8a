// The one WebSocket: it comes back by itself, and says again what is looked at.
import { batch, computed, effect } from "@preact/signals-core";
import { call, robotPath } from "./api.js";
import { Pictures, pageOf } from "./pictures.js";
import * as state from "./state.js";

/** @type {Map<number, Pictures>} */
const byNumber = new Map();
/** @type {Map<string, Pictures>} */
const byKey = new Map();
/** @type {WebSocket|null} */
let socket = null;
let arrived = 0;
let tries = 0;

/** The pictures of a page, by stage and robot. @param {string} key */
export const picturesOf = (key) => byKey.get(key) ?? null;

/** Called after each picture. @type {Set<() => void>} */
export const onPicture = new Set();

/** @param {object} message */
export function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

export function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/ws?truth_hz=0`);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => {
    tries = 0;
    byNumber.clear(); // a new server counts its pages anew, and may have other robots of the same names
    state.declared.value = {};
    const robot = state.shown.value;
    if (robot && state.stage.value === "live") void askDeclared(robot);
    look();
    void loadEvents();
  };
  socket.onmessage = ({ data }) => (typeof data === "string" ? takeJson(JSON.parse(data)) : takePicture(data));
  socket.onclose = () => void again();
}

async function again() {
  if (state.connection.value !== "refused") state.connection.value = "lost";
  const wait = Math.min(2000, 200 * 2 ** tries++);
  await new Promise((done) => setTimeout(done, wait));
  try {
    const answer = await fetch("/api/status");
    state.connection.value = answer.status === 401 ? "refused" : "lost";
  } catch {
    state.connection.value = "lost";
  }
  connect();
}

function look() {
  send({ type: "look", stage: state.stage.value, robots: JSON.parse(looks.value) });
}

/** @param {any} message */
function takeJson(message) {
  batch(() => {
    switch (message.type) {
      case "status":
        state.connection.value = "live";
        if (!message.deck && state.status.value?.deck) state.stage.value = "live"; // taken out; just opened, the news may be on its way
        state.status.value = message;
        break;
      case "robot":
        state.robots.value = { ...state.robots.value, [`${message.stage}/${message.name}`]: message };
        break;
      case "around":
        state.around.value = { ...state.around.value, [`${message.stage}/${message.world}`]: message.things };
        if (!state.shown.value) arrived++; // of the map of all, this is the picture
        for (const tell of onPicture) tell();
        break;
      case "page":
        takePage(message);
        break;
      case "listings":
        state.listings.value = { ...state.listings.value, [`${message.stage}/${message.robot}`]: message.listings };
        break;
      case "event":
        takeEvent(message);
        break;
      case "trouble":
        state.troubles.value = { ...state.troubles.value, [message.robot]: message.text };
        break;
      case "error":
        for (const problem of message.problems) state.notice(`${problem.where}: ${problem.what}`, "bad");
        break;
    }
  });
}

/** @param {import("./types.js").Page} page */
function takePage(page) {
  const key = `${page.stage}/${page.robot}`;
  const pictures = new Pictures(page);
  byKey.set(key, pictures);
  byNumber.set(page.id, pictures);
  state.pages.value = { ...state.pages.value, [key]: page };
}

/** @param {ArrayBuffer} data */
function takePicture(data) {
  arrived++;
  const pictures = byNumber.get(pageOf(data));
  pictures?.take(data);
  if (pictures && state.troubles.value[pictures.page.robot]) {
    const { [pictures.page.robot]: _over, ...others } = state.troubles.value;
    state.troubles.value = others;
  }
  for (const tell of onPicture) tell();
}

/** @typedef {import("./state.js").Event} Event */
/** What has come and is not listed yet. @type {Event[]} */
let fresh = [];
/** What has come since the list was asked for; the answer may have it, or be older. @type {Event[]} */
let since = [];
let asks = 0;
/** Events may come by the thousand; the list is made anew once a frame. @param {Event} event */
function takeEvent(event) {
  if (state.stage.value === "recording") return; // these are the live ones; they are loaded on the way back
  if (!fresh.length) {
    requestAnimationFrame(() => {
      state.events.value = [...fresh.reverse(), ...state.events.value].slice(0, state.EVENTS_KEPT);
      fresh = [];
    });
  }
  fresh.push(event);
  since.push(event);
  for (const few of [fresh, since]) if (few.length > state.EVENTS_KEPT) few.shift();
}

async function loadEvents() {
  const path = state.stage.value === "recording" ? "/api/deck/events" : `/api/events?limit=${state.EVENTS_KEPT}`;
  const mine = ++asks;
  since = [];
  const found = await call("GET", path);
  if (!Array.isArray(found) || mine !== asks) return;
  const plain = found.map((event) => ({ ...event, time_s: event.time_s ?? event.time_ns / 1e9 }));
  state.events.value = [...plain, ...since.slice(overlap(plain, since))].reverse().slice(0, state.EVENTS_KEPT);
  fresh = [];
}

/** How many events at the end of the one list are at the beginning of the other. @param {Event[]} old @param {Event[]} young */
function overlap(old, young) {
  const same = (/** @type {Event|undefined} */ a, /** @type {Event|undefined} */ b) => a?.time_s === b?.time_s && a?.robot === b?.robot && a?.code === b?.code && a?.text === b?.text;
  for (let count = Math.min(old.length, young.length); count > 0; count--) {
    if (young.slice(0, count).every((event, n) => same(event, old[old.length - count + n]))) return count;
  }
  return 0;
}

const deckFile = computed(() => state.status.value?.deck?.file);
const looks = computed(() => JSON.stringify(state.looks.value)); // a status comes ten times a second, and mostly changes nothing here
const epoch = computed(() => state.status.value?.epoch ?? 0);

/** Look at what is shown, and ask once what each robot offers. */
export function begin() {
  connect();
  effect(() => {
    const robot = state.shown.value;
    void state.stage.value;
    void looks.value;
    void deckFile.value;
    look();
    if (robot && state.stage.value === "live" && !state.declared.peek()[robot]) void askDeclared(robot);
  });
  let before = "";
  effect(() => {
    const now = state.stage.value === "live" ? `live ${epoch.value}` : `recording ${deckFile.value}`;
    if (before !== now && before) void loadEvents();
    before = now;
  });
  let since = performance.now();
  setInterval(() => {
    const now = performance.now();
    state.rate.value = Math.round((1000 * arrived) / (now - since));
    [arrived, since] = [0, now];
  }, 1000);
}

/** @param {string} robot */
async function askDeclared(robot) {
  const found = await call("GET", robotPath(robot));
  if (found) state.declared.value = { ...state.declared.value, [robot]: found };
}
