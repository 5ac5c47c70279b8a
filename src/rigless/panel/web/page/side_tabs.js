// The tabs of the column on the right, as data.
//
// To add a tab, write a function that renders its body (cards/*.js) and add an entry to `sideTabs`.
// The tab is shown while `available()` is true; `badge()` returns a short text after its label.
import { html } from "lit-html";
import { driveCard } from "../cards/drive_card.js";
import { goalCard } from "../cards/goal_card.js";
import { eventCard } from "../cards/event_card.js";
import { faultCard } from "../cards/fault_card.js";
import {
  hasInputsOutputs,
  inputOutputCards,
  metricsCard,
  partCards,
} from "../cards/robot_cards.js";
import { placeCard } from "../cards/place_card.js";
import { portCards } from "../cards/port_cards.js";
import { deviceCard } from "../fleet/device_card.js";
import { fleetCard } from "../fleet/fleet_card.js";
import { fleetShown } from "../fleet/fleet_store.js";
import { robotListCard } from "./robot_list.js";
import { wireTab } from "../wire/wire_panel.js";
import * as state from "../core/state.js";

/**
 * @typedef {object} SideTab
 * @property {string} id as stored in the settings
 * @property {string} label
 * @property {() => unknown} render
 * @property {() => string} [badge]
 * @property {() => boolean} [available] always, if it is not given
 */

const isRobot = () => state.shownRobot.value !== "";
const isLive = () => state.source.value === "live";
const faultCount = () => state.shownState.value?.faults.length ?? 0;

/** @type {SideTab[]} */
export const sideTabs = [
  {
    id: "control",
    label: "Control",
    render: () =>
      isRobot()
        ? html`${goalCard()}${driveCard()}${placeCard()}${partCards()}${metricsCard()}`
        : fleetShown.value ? html`${fleetCard()}${deviceCard()}`
        : html`${robotListCard()}${state.inOverview.value ? "" : placeCard()}`,
  },
  {
    id: "io",
    label: "I/O",
    available: () => isRobot() && hasInputsOutputs(),
    render: inputOutputCards,
  },
  {
    id: "faults",
    label: "Faults",
    available: () => isRobot() && (isLive() || faultCount() > 0),
    badge: () => (faultCount() ? String(faultCount()) : ""),
    render: faultCard,
  },
  { id: "events", label: "Events", render: eventCard },
  {
    id: "wire",
    label: "Wire",
    available: () => state.route.value.view !== "wire", // it is in the main area already
    render: wireTab,
  },
  {
    id: "ports",
    label: "Ports",
    available: () => isLive() && (!isRobot() || Boolean(state.shownState.value?.ports.length)),
    render: portCards,
  },
];
