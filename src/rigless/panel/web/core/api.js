// Calls to the control API. Errors are shown as notices, in the words of the server.
import { notice } from "./state.js";

/** @typedef {import("./api_types.js").ProblemEntry} Problem */

/**
 * @param {"GET"|"POST"|"DELETE"} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>} undefined if it could not be done
 */
export async function call(method, path, body) {
  const { found, problems } = await attempt(method, path, body);
  for (const problem of problems) notice(problemText(problem), "bad");
  return found;
}

/**
 * Call without a notice: the caller shows the problems.
 * @param {"GET"|"POST"|"DELETE"} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<{found: any, problems: Problem[]}>}
 */
export async function attempt(method, path, body) {
  try {
    const options = {
      method,
      keepalive: method === "POST",
      headers: { "Content-Type": "application/json" },
      body: method === "POST" ? JSON.stringify(body ?? {}) : undefined,
    };
    const answer = await fetch(path, options);
    const found = await answer.json();
    if (answer.ok) return { found, problems: [] };
    return { found: undefined, problems: found.problems ?? [] };
  } catch {
    const problem = { where: "", what: "rigless does not answer", fix: "" };
    return { found: undefined, problems: [problem] };
  }
}

/** @param {{where: string, what: string, fix: string}} problem */
function problemText({ where, what, fix }) {
  return `${where ? `${where}: ` : ""}${what}${fix ? ` (${fix})` : ""}`;
}

/**
 * @param {string} path
 * @param {object} [body]
 */
export const post = (path, body) => call("POST", path, body);

/** The last request of each path. @type {Map<string, Promise<any>>} */
const lastRequests = new Map();
let leaving = false;
addEventListener("pagehide", () => (leaving = true));
addEventListener("pageshow", () => (leaving = false));

/**
 * Post after the last request to this path was answered, because requests may overtake each other:
 * a tapped button must end up released. A page that is being closed cannot wait.
 * @param {string} path
 * @param {object} [body]
 */
export function postInOrder(path, body) {
  const before = leaving ? undefined : lastRequests.get(path);
  const mine = before ? before.then(() => post(path, body)) : post(path, body);
  lastRequests.set(path, mine);
  void mine.then(() => lastRequests.get(path) === mine && lastRequests.delete(path));
  return mine;
}

/** @param {string} robot */
export const robotPath = (robot) => `/api/robots/${encodeURIComponent(robot)}`;
