// The maps of worlds, as the server has them.
import { call } from "./api.js";

/** @typedef {import("./types.js").Grid|null|undefined} MapOrNone  null on an open plane, undefined if it cannot be had */
/** What is on its way. @type {Set<Promise<MapOrNone>>} */
const pendingLoads = new Set();

/** When no map is on its way any more: of a recording that is closed meanwhile there would be none. */
export const allMapsLoaded = () => Promise.all(pendingLoads);

/** The map of a robot's world, or of the one that most share. @param {string} stage @param {string} robot @returns {Promise<MapOrNone>} */
export function loadMap(stage, robot) {
  const load = fetchMap(`stage=${stage}&robot=${encodeURIComponent(robot)}`);
  pendingLoads.add(load);
  void load.then(() => pendingLoads.delete(load));
  return load;
}

/** @param {string} query @returns {Promise<MapOrNone>} */
async function fetchMap(query) {
  const found = await call("GET", `/api/world?${query}`);
  if (!found?.grid) return found && null;
  try {
    const answer = await fetch(`/api/world/cells?${query}`);
    return answer.ok
      ? { ...found.grid, cells: new Uint8Array(await answer.arrayBuffer()) }
      : undefined;
  } catch {
    return undefined;
  }
}
