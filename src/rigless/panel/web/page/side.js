// The column on the right: one tab at a time, chosen by pointer or by arrow keys.
import { html, nothing } from "lit-html";
import { settings } from "../core/state.js";
import { sideTabs } from "./side_tabs.js";

/** Show a tab, also if the column was hidden. @param {string} id */
export function showSideTab(id) {
  settings.showControls.value = true;
  settings.sideTab.value = id;
}

export function side() {
  const shown = sideTabs.filter((tab) => tab.available?.() ?? true);
  const current = shown.find(({ id }) => id === settings.sideTab.value) ?? shown[0];
  if (!current) return nothing;
  return html`<aside aria-label="Controls">
    <div class="side-tabs" role="tablist" aria-label="Controls"
      @keydown=${(/** @type {KeyboardEvent} */ event) => moveChoice(event, shown, current)}>${
      shown.map((tab) => {
        const on = tab === current;
        const badge = tab.badge?.() ?? "";
        return html`<button role="tab" id="tab-${tab.id}" aria-selected=${on}
          aria-controls="side-panel" tabindex=${on ? 0 : -1}
          @click=${() => (settings.sideTab.value = tab.id)}>${tab.label}${
          badge ? html` <i>${badge}</i>` : nothing}</button>`;
      })}</div>
    <div id="side-panel" class="cards" role="tabpanel" data-tab=${current.id}
      aria-labelledby="tab-${current.id}" tabindex="0">${current.render()}</div>
  </aside>`;
}

/**
 * Choose a neighbour with the arrow keys, the first or the last tab with Home or End.
 * @param {KeyboardEvent} event
 * @param {import("./side_tabs.js").SideTab[]} shown
 * @param {import("./side_tabs.js").SideTab} current
 */
function moveChoice(event, shown, current) {
  const at = shown.indexOf(current);
  const next = {
    ArrowRight: (at + 1) % shown.length,
    ArrowLeft: (at - 1 + shown.length) % shown.length,
    Home: 0,
    End: shown.length - 1,
  }[event.key];
  const tab = next === undefined ? undefined : shown[next];
  if (!tab) return;
  event.preventDefault();
  event.stopPropagation();
  settings.sideTab.value = tab.id;
  requestAnimationFrame(() => document.getElementById(`tab-${tab.id}`)?.focus());
}
