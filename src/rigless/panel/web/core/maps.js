// Loads the maps of worlds from the server.
import { call } from "./api.js";

/**
 * @typedef {import("./types.js").Grid|null|undefined} MapOrNone null on an open plane, undefined if
 *   it cannot be had
 */
/** Requests in flight. @type {Set<Promise<MapOrNone>>} */
const pendingLoads = new Set();

/** Wait for all requests. A recording must not be closed before: its maps would be gone. */
export const allMapsLoaded = () => Promise.all(pendingLoads);

/**
 * Load the map of a robot's world, or of the main world.
 * @param {string} source
 * @param {string} robot
 * @returns {Promise<MapOrNone>}
 */
export function loadMap(source, robot) {
  const load = fetchMap(`stage=${source}&robot=${encodeURIComponent(robot)}`);
  pendingLoads.add(load);
  void load.then(() => pendingLoads.delete(load));
  return load;
}

/**
 * @param {string} query
 * @returns {Promise<MapOrNone>}
 */
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
