// The health of a robot by its status. Grey and blue are normal, amber needs attention, red is
// broken.
/** @typedef {"ok"|"warn"|"bad"} Health */

const WELL = new Set(["", "ok", "running", "idle"]);
const BAD = /^(error|offline|fault|failed|broken|alarm|e-stop)\b/i;

/**
 * @param {string} status
 * @returns {Health}
 */
export function healthOf(status) {
  return WELL.has(status.toLowerCase()) ? "ok" : BAD.test(status) ? "bad" : "warn";
}

/**
 * Return the colour of a robot by its status.
 * @param {string} status
 * @returns {"accent"|"warn"|"bad"}
 */
export function colourOf(status) {
  const health = healthOf(status);
  return health === "ok" ? "accent" : health;
}
