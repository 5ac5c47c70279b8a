// The state of the map's tools as signals.
import { computed, effect, signal, untracked } from "@preact/signals-core";
import * as state from "../core/state.js";
/** @typedef {import("../core/types.js").MapObject} MapObject */
/** @typedef {import("../core/api_types.js").Zone} Zone */
/** @typedef {[number, number]} Point metres in the world */
/** @typedef {"" | "goal" | "obstacle" | "move" | "zone" | "measure"} ToolName */

/** The active tool; empty: the map is dragged. */
export const tool = signal(/** @type {ToolName} */ (""));

/**
 * A gesture in progress, from where it began to where the pointer is. `object` is what it moves.
 * @typedef {{from: Point, to: Point, object: MapObject|null}} Draft
 */
export const draft = signal(/** @type {Draft|null} */ (null));
export const hover = signal(/** @type {Point|null} */ (null)); // the pointer over the map
export const crosshair = signal(/** @type {Point|null} */ (null)); // of the keyboard

/** @typedef {{kind: "obstacle"|"robot"|"zone", name: string}} Selected */
export const selected = signal(/** @type {Selected|null} */ (null));
export const obstacleShape = signal({ box: false, radius_m: 0.15, length_m: 0.4, width_m: 0.4 });
export const circularZone = signal(false);
export const measured = signal(/** @type {Point[]} */ ([]));

/** Why the last action was refused, and how to repeat it at the nearest free place. */
export const refusal = signal(
  /** @type {{text: string, retry: (() => void)|null}|null} */ (null),
);

/** Actions that can be undone, newest last. */
export const history = signal(/** @type {{label: string, undo: () => unknown}[]} */ ([]));

export const isLive = () => state.source.value === "live";
export const objects = computed(
  () => state.mapObjects.value[state.worldKey(state.shownRobot.value)] ?? [],
);
const worldNumber = computed(() => Number(state.worldKey(state.shownRobot.value).split("/")[1]));

/** The zones of the world on the map. */
export const zones = computed(() =>
  (state.status.value?.zones ?? []).filter((zone) => zone.world === worldNumber.value),
);
export const goal = computed(() => (isLive() ? (state.shownState.value?.goal ?? null) : null));
export const timeStands = () =>
  ["paused", "stopped", "lockstep"].includes(state.status.value?.state ?? "");

/** The selected obstacle or robot, if it is on the map. */
export const selectedObject = computed(() => {
  const found = selected.value;
  if (!found || found.kind === "zone") return null;
  const robot = found.kind === "robot";
  return objects.value.find((one) => one.name === found.name && one.robot === robot) ?? null;
});
export const selectedZone = computed(() =>
  selected.value?.kind === "zone"
    ? (zones.value.find((zone) => zone.name === selected.value?.name) ?? null)
    : null,
);

/** Choose a tool; the active one again ends it. @param {ToolName} name */
export function chooseTool(name) {
  tool.value = tool.value === name ? "" : name;
  if (tool.value) state.settings.layersOpen.value = false; // the strip is in its place
  draft.value = crosshair.value = selected.value = refusal.value = null;
  if (tool.value !== "measure") measured.value = [];
}

/** End what is in progress: first the gesture, then the tool. Return false if there is nothing. */
export function escapeTool() {
  if (!tool.value) return false;
  if (draft.value) draft.value = null;
  else if (tool.value === "measure" && measured.value.length) measured.value = [];
  else if (selected.value || refusal.value) selected.value = refusal.value = null;
  else chooseTool(tool.value);
  return true;
}

/** Another page has no use for the gesture; after a jump in time nothing can be undone. */
export function startTools() {
  effect(() => {
    void state.shownKey.value;
    untracked(() => chooseTool(""));
    history.value = [];
  });
  const epoch = computed(() => state.status.value?.epoch ?? 0);
  effect(() => {
    void epoch.value;
    history.value = [];
  });
}
