// Keyboard shortcuts, and the list of them.
import { html } from "lit-html";
import { stepPlayer, togglePlay } from "./player_bar.js";
import { handleDriveKey } from "../cards/drive_card.js";
import { settings, source, toggleTheme } from "../core/state.js";
import { chooseByKey, TOOLS } from "../tools/tool_bar.js";
import { handleUndoKey } from "../tools/tool_keys.js";
import { escapeTool } from "../tools/tool_state.js";
import { CAMERAS, fit, lookFrom, toggleFollow, zoom } from "./viewport.js";
import { showResetDialog, stepOnce, togglePause } from "../cards/time_control.js";

const live = () => source.value === "live";
/** @type {Record<string, {what: string, act: () => unknown}>} */
const SHORTCUTS = {
  " ": { what: "play or pause", act: () => (live() ? togglePause() : togglePlay()) },
  ".": { what: "one step", act: () => (live() ? stepOnce() : stepPlayer(1)) },
  ",": { what: "one step back, in a recording", act: () => (live() ? undefined : stepPlayer(-1)) },
  r: { what: "reset (asks first)", act: () => live() && showResetDialog() },
  "+": { what: "zoom in", act: () => zoom(1.4) },
  "-": { what: "zoom out", act: () => zoom(1 / 1.4) },
  0: { what: "fit the view", act: fit },
  ...Object.fromEntries(
    Object.entries(CAMERAS).map(([key, [name, place]]) => [
      key,
      { what: `${name.toLowerCase()} view, in 3-D`, act: () => lookFrom(place) },
    ]),
  ),
  f: { what: "follow the robot", act: toggleFollow },
  t: {
    what: "light or dark theme",
    act: toggleTheme,
  },
  p: { what: "plots", act: () => (settings.showPlots.value = !settings.showPlots.value) },
  c: {
    what: "controls on the right",
    act: () => (settings.showControls.value = !settings.showControls.value),
  },
  ...Object.fromEntries(
    Object.entries(TOOLS).map(([key, { label }]) => [
      key,
      { what: `${label.toLowerCase()}, on the 2-D map`, act: () => chooseByKey(key) },
    ]),
  ),
  Escape: { what: "end the tool on the map", act: escapeTool },
  "?": { what: "this list", act: showHelp },
};

export function showHelp() {
  const dialog = /** @type {HTMLDialogElement|null} */ (document.getElementById("help"));
  dialog?.showModal();
}

export function helpDialog() {
  return html`<dialog id="help" aria-labelledby="help-title"><form method="dialog">
    <h2 id="help-title">Keyboard</h2>
    <dl>${Object.entries(SHORTCUTS).map(([key, { what }]) =>
      html`<dt><kbd>${key === " " ? "space" : key}</kbd></dt><dd>${what}</dd>`)}
      <dt><kbd>Ctrl Z</kbd></dt><dd>undo on the map</dd>
      <dt><kbd>W A S D</kbd></dt><dd>drive (after unlocking)</dd></dl>
    <menu><button class="button" autofocus>Close</button></menu></form></dialog>`;
}

/**
 * The button that a pointer gave the focus, unless it acts while it is held: then keys hold it too.
 * @type {Element|null}
 */
let pointedButton = null;
addEventListener("pointerdown", ({ target }) => {
  pointedButton = target instanceof Element ? target.closest("button:not([data-hold]), a") : null;
}, { capture: true });
addEventListener("focusin", ({ target }) => {
  if (target !== pointedButton) pointedButton = null;
});

/** Let space play and pause after a click: it does not press the clicked button again. */
function leavePointedButton() {
  if (!pointedButton || document.activeElement !== pointedButton) return;
  /** @type {HTMLElement} */ (pointedButton).blur();
  pointedButton = null;
}

/**
 * True if the key belongs to a dialog, a menu, or the focused field or button.
 * @param {KeyboardEvent} event
 */
function isForFocusedElement(event) {
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (!target || document.querySelector("dialog[open]"))
    return Boolean(document.querySelector("dialog[open]"));
  if (target.closest("select, textarea, input:not([type=checkbox])")) return true;
  if (event.key === "Escape") return Boolean(document.querySelector(":popover-open"));
  if (event.key !== " " || !target.closest("button, a, input, summary")) return false;
  leavePointedButton();
  return document.activeElement === target;
}

export function startShortcuts() {
  const listen = (/** @type {KeyboardEvent} */ event) => {
    if (isForFocusedElement(event)) return;
    if (handleDriveKey(event) || handleUndoKey(event)) {
      event.preventDefault();
      return;
    }
    const found = SHORTCUTS[event.key];
    if (event.type !== "keydown" || !found || event.ctrlKey || event.metaKey || event.altKey)
      return;
    event.preventDefault();
    void found.act();
  };
  addEventListener("keydown", listen);
  addEventListener("keyup", listen);
}
