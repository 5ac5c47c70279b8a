// The views of the main area, as data: #/robot/NAME/ID shows that of a robot, #/ID that of all.
//
// To add a view, write a function that renders it and add an entry to `mainViews`. The element that
// it returns fills the main area. A view is offered while `available()` is true.
import { html, nothing } from "lit-html";
import { dockCards, hasDock } from "../cards/robot_cards.js";
import { fleetView, isFleet, isLargeFleet } from "../fleet/fleet_view.js";
import { overview } from "./overview.js";
import { hasPlots, plotStrip, spanButtons } from "./plots.js";
import { plotsView } from "../plots/plots_view.js";
import * as state from "../core/state.js";
import { isComparing } from "../recordings/compare.js";
import { compareView } from "../recordings/compare_view.js";
import { recordingsView } from "../recordings/recordings_view.js";
import { hasViewport, viewport } from "./viewport.js";
import { wireView } from "../wire/wire_panel.js";

/**
 * @typedef {object} MainView
 * @property {string} id as in the URL
 * @property {string} label
 * @property {() => unknown} render
 * @property {() => boolean} available
 */

/** @type {MainView[]} */
export const mainViews = [
  { id: "view", label: "View", available: () => true, render: pictures },
  { id: "fleet", label: "Fleet", available: isFleet, render: () => fleetView },
  {
    id: "wire",
    label: "Wire",
    available: () => state.robotNames.value.length > 0,
    render: wireView,
  },
  { id: "plots", label: "Plots", available: () => true, render: () => plotsView },
  { id: "recordings", label: "Recordings", available: () => true, render: recordingsView },
  {
    id: "compare",
    label: "Compare",
    available: () => isComparing.value,
    render: compareView,
  },
];

/** The map, the scene or the tiles of all worlds, with a program on the left and plots below. */
function pictures() {
  const many = state.inOverview.value;
  const ground = hasViewport() || many;
  const dock = hasDock();
  const plots = hasPlots() && (state.settings.showPlots.value || !ground);
  return html`<div class="pictures ${plots ? "with-plots" : ""} ${ground ? "" : "no-map"} ${
    dock ? "with-dock" : ""}">${
    dock ? html`<div class="dock" role="group"
      aria-label="Work">${dockCards()}</div>` : nothing}${
      many ? overview : ground ? viewport : html`<div class="span-row">${spanButtons()}</div>`}${
        plots ? plotStrip : nothing}</div>`;
}

/** The view without an id in the URL: the map, or with many robots on it the fleet page. */
const defaultId = () => (isLargeFleet() && !state.inOverview.value ? "fleet" : "view");

/** The view in the URL, or the default if that is not available. */
export function currentView() {
  const shown = mainViews.filter((view) => view.available());
  return (
    shown.find(({ id }) => id === state.route.value.view) ??
    shown.find(({ id }) => id === defaultId()) ??
    shown[0]
  );
}

/** Links to the available views; nothing if there is only one. */
export function viewSwitch() {
  const shown = mainViews.filter((view) => view.available());
  if (shown.length < 2) return nothing;
  const current = currentView();
  return html`<div class="view-switch segments" role="group"
    aria-label="Views">${shown.map(
    (view) => html`<a class="button text" aria-current=${view === current ? "page" : "false"}
      href=${state.hashFor(state.shownRobot.value, view.id === defaultId() ? "" : view.id)}
      >${view.label}</a>`,
  )}</div>`;
}
