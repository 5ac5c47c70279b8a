// Calls to the control API. What goes wrong is told to the user in the server's own words.
import { notice } from "./state.js";

/**
 * @param {"GET"|"POST"|"DELETE"} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>} undefined if it could not be done
 */
export async function call(method, path, body) {
  try {
    const options = { method, keepalive: method === "POST", headers: { "Content-Type": "application/json" }, body: method === "POST" ? JSON.stringify(body ?? {}) : undefined };
    const answer = await fetch(path, options);
    const found = await answer.json();
    if (answer.ok) return found;
    for (const problem of found.problems ?? []) notice(sentence(problem), "bad");
  } catch {
    notice("rigless does not answer", "bad");
  }
  return undefined;
}

/** @param {{where: string, what: string, fix: string}} problem */
function sentence({ where, what, fix }) {
  return `${where ? `${where}: ` : ""}${what}${fix ? ` (${fix})` : ""}`;
}

/** @param {string} path @param {object} [body] */
export const post = (path, body) => call("POST", path, body);

/** @param {string} robot */
export const robotPath = (robot) => `/api/robots/${encodeURIComponent(robot)}`;
