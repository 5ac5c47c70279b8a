// The maps of worlds, as the server has them.
import { call } from "./api.js";

/** The map of a robot's world, or of the one that most share: null on an open plane, undefined if it cannot be had.
 * @param {string} stage @param {string} robot @returns {Promise<import("./types.js").Grid|null|undefined>} */
export async function loadGrid(stage, robot) {
  const query = `stage=${stage}&robot=${encodeURIComponent(robot)}`;
  const found = await call("GET", `/api/world?${query}`);
  if (!found?.grid) return found && null;
  const cells = await (await fetch(`/api/world/cells?${query}`)).arrayBuffer();
  return { ...found.grid, cells: new Uint8Array(cells) };
}
