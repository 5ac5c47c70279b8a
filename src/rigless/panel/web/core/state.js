// The state of the panel as signals. Whatever reads a signal is rendered again when it changes.
import { computed, effect, signal } from "@preact/signals-core";
import { prefersLight } from "./screen.js";

/** @typedef {import("./api_types.js").StatusMessage &
 *   {robots: import("./api_types.js").LiveRobotSummary[]}} Status */
/** @typedef {import("./api_types.js").RobotSummary & {stop?: boolean|null,
 *   alarm?: import("./api_types.js").AlarmText|null}} RobotSummary */
/** @typedef {import("./api_types.js").OpenPlayer} PlayerStatus */
/** @typedef {import("./api_types.js").RobotMessage} RobotState */
/** @typedef {import("./api_types.js").FaultStatus} Fault */
/** @typedef {Omit<import("./api_types.js").EventMessage, "type">} Event */
/** @typedef {import("./api_types.js").FaultParam} FaultParam */
/** @typedef {import("./api_types.js").RobotDetails} RobotDetails */

export const EVENTS_KEPT = 500;
export const ROBOTS_PER_TILE = 4; // robots of one world that a tile of the overview describes
const OVERVIEW_HZ = 5;
const MAX_SUBSCRIPTIONS = 32; // the limit of the server

export const status = signal(/** @type {Status|null} */ (null));
export const connection = signal(
  /** @type {"connecting"|"live"|"lost"|"refused"} */ ("connecting"),
);
export const frameRate = signal(0); // frames received per second
// by SOURCE/ROBOT
export const robotStates = signal(/** @type {Record<string, RobotState>} */ ({}));
export const mapObjects = signal(
  /** @type {Record<string, import("./types.js").MapObject[]>} */ ({}),
); // by SOURCE/WORLD
export const pages = signal(/** @type {Record<string, import("./types.js").Page>} */ ({}));
export const listings = signal(
  /** @type {Record<string, Record<string, import("./types.js").Lines>>} */ ({}),
); // by SOURCE/ROBOT, then by part
export const robotInfo = signal(/** @type {Record<string, RobotDetails>} */ ({}));
export const events = signal(/** @type {Event[]} */ ([])); // newest first
export const markedTime_s = signal(/** @type {number|null} */ (null)); // an instant of interest
export const source = signal(/** @type {"live"|"recording"} */ ("live"));
export const notices = signal(/** @type {{id: number, kind: "info"|"bad", text: string}[]} */ ([]));
export const viewErrors = signal(/** @type {Record<string, string>} */ ({})); // by robot
export const route = signal(parseHash(location.hash));

/**
 * Parse #/robot/NAME, #/robot/NAME/VIEW or #/VIEW.
 * @param {string} hash
 * @returns {{robot: string, view: string}} empty for the overview, and for the first view
 */
function parseHash(hash) {
  const [, robot = "", view = ""] = /^#(?:\/robot\/([^/]+))?(?:\/([a-z]*))?$/.exec(hash) ?? [];
  try {
    return { robot: decodeURIComponent(robot), view };
  } catch {
    return { robot: "", view };
  }
}
addEventListener("hashchange", () => (route.value = parseHash(location.hash)));

/**
 * @param {string} robot empty for the overview
 * @param {string} view the id of a main view; empty for the first
 */
export function hashFor(robot, view = "") {
  const path = robot ? `#/robot/${encodeURIComponent(robot)}` : "#";
  return view ? `${path}/${view}` : robot ? path : "#/";
}

/** True if there is no live simulation, only a recording: `rigless open`. */
export const onlyRecording = computed(() => status.value?.robots.length === 0);

/** The robots of the live simulation or of the recording. */
export const robotList = computed(
  () => (source.value === "recording" ? status.value?.deck?.robots : status.value?.robots) ?? [],
);
export const robotNames = computed(() => robotList.value.map((robot) => robot.name));

/** The robot whose page is shown; empty for the overview. */
export const shownRobot = computed(() => {
  const all = robotNames.value;
  if (route.value.robot) return all.includes(route.value.robot) ? route.value.robot : "";
  return all.length === 1 ? (all[0] ?? "") : "";
});

/** The robot in the URL, if there is none of this name. */
export const unknownRobot = computed(() => {
  const { robot } = route.value;
  return robot && status.value && !robotNames.value.includes(robot) ? robot : "";
});

/**
 * Return the key of a robot's world, SOURCE/WORLD; without a robot, of the main world.
 * @param {string} robot
 */
export const worldKey = (robot) =>
  `${source.value}/${robotList.value.find(({ name }) => name === robot)?.world ?? 0}`;

/** The robots of each world, by its key. */
export const worlds = computed(() => {
  /** @type {Map<string, RobotSummary[]>} */
  const found = new Map();
  for (const robot of robotList.value) {
    const key = `${source.value}/${robot.world}`;
    const there = found.get(key);
    if (there) there.push(robot);
    else found.set(key, [robot]);
  }
  return found;
});

/** True if the overview has a tile for each world. One world alone is a map. */
export const inOverview = computed(() => !shownRobot.value && worlds.value.size > 1);
// keys of the worlds whose tiles are visible
export const visibleWorlds = signal(/** @type {ReadonlySet<string>} */ (new Set()));

/** A robot whose world the fleet page shows; empty for the main world. */
export const backgroundRobot = signal("");

const pageVisible = signal(!document.hidden);
document.addEventListener("visibilitychange", () => (pageVisible.value = !document.hidden));

/** The subscriptions as the server expects them: robot → frames per second. */
export const subscriptions = computed(() => {
  if (shownRobot.value) return { [shownRobot.value]: settings.frameHz.value };
  if (backgroundRobot.value && pageVisible.value) return { [backgroundRobot.value]: OVERVIEW_HZ };
  if (!inOverview.value || !pageVisible.value) return {};
  const near = [...worlds.value]
    .filter(([key]) => visibleWorlds.value.has(key))
    .flatMap(([, robots]) => robots.slice(0, ROBOTS_PER_TILE));
  return Object.fromEntries(
    near.slice(0, MAX_SUBSCRIPTIONS).map(({ name }) => [name, OVERVIEW_HZ]),
  );
});

/**
 * True if a part of a robot is drawn.
 * @param {string} robot
 * @param {import("./types.js").Part} part
 */
export const isDrawn = (robot, part) =>
  settings.drawnParts.value[`${robot} ${part.name}`] ?? part.shown ?? true;

export const shownKey = computed(() => `${source.value}/${shownRobot.value}`);
export const shownState = computed(() => robotStates.value[shownKey.value] ?? null);
export const shownPage = computed(() => pages.value[shownKey.value] ?? null);

// empty: the theme of the operating system
const chosenTheme = persistentSignal("theme", /** @type {"dark"|"light"|""} */ (""));

/** The settings of the user, stored in the browser. */
export const settings = {
  theme: computed(() => chosenTheme.value || (prefersLight.value ? "light" : "dark")),
  foldedCards: persistentSignal("closed", /** @type {string[]} */ ([])), // titles
  // by robot and part, if the user has set it
  drawnParts: persistentSignal("drawn", /** @type {Record<string, boolean>} */ ({})),
  // by robot: 3-D instead of the map
  in3d: persistentSignal("space", /** @type {Record<string, boolean>} */ ({})),
  layersOpen: persistentSignal("layers", false),
  followRobot: persistentSignal("follow", false),
  showControls: persistentSignal("side", true), // the column on the right
  sideTab: persistentSignal("tab", "control"), // the id of its tab
  showPlots: persistentSignal("plots", true),
  plotSpan_s: persistentSignal("span", 30),
  // by kind of robot: the names of the plots in the strip
  stripPlots: persistentSignal("strip", /** @type {Record<string, string[]>} */ ({})),
  stripHeight: persistentSignal("strip-height", 0), // in pixels; 0 for the usual
  frameHz: persistentSignal("hz", /** @type {60|20} */ (60)),
};

export const toggleTheme = () =>
  (chosenTheme.value = settings.theme.value === "dark" ? "light" : "dark");

/**
 * @template T
 * @param {string} name
 * @param {T} initial
 */
function persistentSignal(name, initial) {
  const key = `rigless.${name}`;
  let value = initial;
  try {
    const text = localStorage.getItem(key);
    if (text !== null) value = JSON.parse(text);
  } catch {
    value = initial; // a private window, or a foreign value
  }
  const held = signal(value);
  let first = true;
  effect(() => {
    const text = JSON.stringify(held.value);
    if (first) {
      first = false;
      return;
    }
    try {
      localStorage.setItem(key, text);
    } catch {
      return; // it is not stored
    }
  });
  return held;
}

let lastNoticeId = 0;
/**
 * Show a notice for some seconds.
 * @param {string} text
 * @param {"info"|"bad"} kind
 */
export function notice(text, kind = "info") {
  const id = ++lastNoticeId;
  notices.value = [...notices.value, { id, kind, text }].slice(-4);
  setTimeout(
    () => (notices.value = notices.value.filter((one) => one.id !== id)),
    kind === "bad" ? 8000 : 4000,
  );
}
