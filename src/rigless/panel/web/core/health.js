// What a robot's own word for how it is means. Grey and blue are well, amber wants somebody to look, red is broken.
/** @typedef {"ok"|"warn"|"bad"} Health */

const WELL = new Set(["", "ok", "running", "idle"]);
const BAD = /^(error|offline|fault|failed|broken)\b/i;

/** @param {string} status @returns {Health} */
export function healthOf(status) {
  return WELL.has(status.toLowerCase()) ? "ok" : BAD.test(status) ? "bad" : "warn";
}

/** The colour of a robot that is well enough is the one of all robots. @param {string} status @returns {"accent"|"warn"|"bad"} */
export function colourOf(status) {
  const health = healthOf(status);
  return health === "ok" ? "accent" : health;
}
