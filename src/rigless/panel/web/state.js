// What the panel knows, as signals: whatever is drawn from one is drawn again when it changes.
import { computed, effect, signal } from "@preact/signals-core";

/**
 * @typedef {object} Status  the server's JSON of ten times a second
 * @property {string} name
 * @property {"running"|"paused"|"stopped"|"lockstep"|"failed"} state
 * @property {string} failure
 * @property {number} time_s
 * @property {number} wall_s
 * @property {"real"|"fast"|"lockstep"} pace
 * @property {number} speed
 * @property {number} real_time_factor
 * @property {number} lost_s
 * @property {number} seed
 * @property {number} epoch
 * @property {string|null} recording
 * @property {{name: string, time_s: number}[]} snapshots
 * @property {Member[]} robots
 * @property {Deck|null} deck
 */
/** @typedef {{name: string, kind: string, world: number, status: string, stop?: boolean|null}} Member  one of the robots that are there */
/**
 * @typedef {object} Deck  the recording that is open
 * @property {string} file
 * @property {Member[]} robots
 * @property {number} time_s
 * @property {number} begin_s
 * @property {number} end_s
 * @property {boolean} playing
 * @property {number|"fast"} speed
 * @property {number|null} seeking
 * @property {boolean} cut
 * @property {string} note
 * @property {string} failure
 */
/**
 * @typedef {object} RobotState  what a robot's page needs besides its pictures
 * @property {string} stage
 * @property {string} name
 * @property {string} status
 * @property {{name: string, url: string, links: number, dropped: number, example?: string}[]} ports
 * @property {Record<string, boolean|number|string>} inputs
 * @property {Record<string, number>} metrics
 * @property {Fault[]} faults
 */
/** @typedef {{id: number, target: string, kind: string, params: Record<string, number|string>, since_ns: number, until_ns: number|null}} Fault */
/** @typedef {{time_s: number, robot: string, code: string, severity: "debug"|"info"|"warning"|"error"|"critical", text: string}} Event */
/** @typedef {{default: number|string, low: number, high: number, choices: string[]}} FaultParam */
/**
 * @typedef {object} Declared  what a robot offers; asked for once
 * @property {Record<string, {default: boolean|number|string, help: string, label: string, by_host: boolean}>} declared_inputs
 * @property {Record<string, Record<string, Record<string, FaultParam>>>} fault_params
 */

export const EVENTS_KEPT = 500;
export const TOLD_OF_A_WORLD = 4; // robots of one world whose ports the gallery shows
const GALLERY_HZ = 5;
const MOST_LOOKS = 32; // more the server refuses

export const status = signal(/** @type {Status|null} */ (null));
export const connection = signal(/** @type {"connecting"|"live"|"lost"|"refused"} */ ("connecting"));
export const rate = signal(0); // pictures a second that arrive
export const robots = signal(/** @type {Record<string, RobotState>} */ ({})); // by stage and name
export const around = signal(/** @type {Record<string, import("./types.js").Obstacle[]>} */ ({})); // by stage and world
export const pages = signal(/** @type {Record<string, import("./types.js").Page>} */ ({}));
export const listings = signal(/** @type {Record<string, Record<string, import("./types.js").Lines>>} */ ({})); // by stage and robot, then by part
export const declared = signal(/** @type {Record<string, Declared>} */ ({}));
export const events = signal(/** @type {Event[]} */ ([])); // newest first
export const stage = signal(/** @type {"live"|"recording"} */ ("live"));
export const notices = signal(/** @type {{id: number, kind: "info"|"bad", text: string}[]} */ ([]));
export const troubles = signal(/** @type {Record<string, string>} */ ({})); // views that failed, by robot
export const route = signal(routeOf(location.hash));

/** @param {string} hash */
function routeOf(hash) {
  const found = /^#\/robot\/(.+)$/.exec(hash);
  try {
    return found ? decodeURIComponent(found[1] ?? "") : "";
  } catch {
    return "";
  }
}
addEventListener("hashchange", () => (route.value = routeOf(location.hash)));

/** @param {string} robot  empty for the overview */
export function hashOf(robot) {
  return robot ? `#/robot/${encodeURIComponent(robot)}` : "#/";
}

/** The robots there are on this stage. */
export const cast = computed(() => (stage.value === "recording" ? status.value?.deck?.robots : status.value?.robots) ?? []);
export const names = computed(() => cast.value.map((robot) => robot.name));

/** The robot whose page is shown; empty for the overview. */
export const shown = computed(() => {
  const all = names.value;
  if (all.includes(route.value)) return route.value;
  return all.length === 1 ? (all[0] ?? "") : "";
});

/** The key of a robot's world on this stage; of the one that most share for the overview. @param {string} robot */
export const worldKey = (robot) => `${stage.value}/${cast.value.find(({ name }) => name === robot)?.world ?? 0}`;

/** The robots of each world, by its key. */
export const worlds = computed(() => {
  /** @type {Map<string, Member[]>} */
  const found = new Map();
  for (const robot of cast.value) {
    const key = `${stage.value}/${robot.world}`;
    const there = found.get(key);
    if (there) there.push(robot);
    else found.set(key, [robot]);
  }
  return found;
});

/** Whether the overview is a picture of each world; one world alone is a map. */
export const inGallery = computed(() => !shown.value && worlds.value.size > 1);
export const seen = signal(/** @type {ReadonlySet<string>} */ (new Set())); // worlds whose pictures are on the screen, by key

const awake = signal(!document.hidden);
document.addEventListener("visibilitychange", () => (awake.value = !document.hidden));

/** What is looked at, as the server wants it: robot → pictures a second. */
export const looks = computed(() => {
  if (shown.value) return { [shown.value]: kept.hz.value };
  if (!inGallery.value || !awake.value) return {};
  const near = [...worlds.value].filter(([key]) => seen.value.has(key)).flatMap(([, robots]) => robots.slice(0, TOLD_OF_A_WORLD));
  return Object.fromEntries(near.slice(0, MOST_LOOKS).map(({ name }) => [name, GALLERY_HZ]));
});

/** Whether a part of a robot is drawn. @param {string} robot @param {import("./types.js").Part} part */
export const isDrawn = (robot, part) => kept.drawn.value[`${robot} ${part.name}`] ?? part.shown ?? true;

export const shownKey = computed(() => `${stage.value}/${shown.value}`);
export const shownState = computed(() => robots.value[shownKey.value] ?? null);
export const shownPage = computed(() => pages.value[shownKey.value] ?? null);

/** What the user has chosen, kept in this browser. */
export const kept = {
  theme: remembered("theme", /** @type {"dark"|"light"} */ (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark")),
  closed: remembered("closed", /** @type {string[]} */ ([])), // cards that are folded
  drawn: remembered("drawn", /** @type {Record<string, boolean>} */ ({})), // robot and layer → whether it is drawn, where the user has said so
  space: remembered("space", /** @type {Record<string, boolean>} */ ({})), // robot → 3-D instead of the map
  layers: remembered("layers", false), // whether the list of layers is open
  follow: remembered("follow", false),
  side: remembered("side", true), // whether the right column is there
  plots: remembered("plots", true),
  span: remembered("span", 30), // seconds that plots show
  hz: remembered("hz", /** @type {60|20} */ (60)),
};

/** @template T @param {string} name @param {T} initial */
function remembered(name, initial) {
  const key = `rigless.${name}`;
  let value = initial;
  try {
    const text = localStorage.getItem(key);
    if (text !== null) value = JSON.parse(text);
  } catch {
    value = initial; // a private window, or somebody else's text under that name
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
      return; // it is not kept then
    }
  });
  return held;
}

let noticed = 0;
/** Tell the user something for a while. @param {string} text @param {"info"|"bad"} kind */
export function notice(text, kind = "info") {
  const id = ++noticed;
  notices.value = [...notices.value, { id, kind, text }].slice(-4);
  setTimeout(() => (notices.value = notices.value.filter((one) => one.id !== id)), kind === "bad" ? 8000 : 4000);
}
