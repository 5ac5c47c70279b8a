// Starts the panel: connects, and renders the shell when something that it shows has changed, at
// most once per animation frame.
import { effect, signal } from "@preact/signals-core";
import { render } from "lit-html";
import { startComposeCard } from "./cards/compose_card.js";
import { startDriving } from "./cards/drive_card.js";
import { startPrograms } from "./cards/program_card.js";
import { startFleet, fleetProbe } from "./fleet/fleet_view.js";
import { startDeviceCard } from "./fleet/device_card.js";
import { startFleetCard } from "./fleet/fleet_card.js";
import { fleetShown } from "./fleet/fleet_store.js";
import { currentView } from "./page/main_views.js";
import { startRobotList } from "./page/robot_list.js";
import { startOverview } from "./page/overview.js";
import { startJogging } from "./cards/jog_pad.js";
import { startShortcuts } from "./page/shortcuts.js";
import { startPlots } from "./page/plots.js";
import { startPlotsView } from "./plots/plots_view.js";
import { shell } from "./page/shell.js";
import { startConnection, frameListeners } from "./core/socket.js";
import { route, shownRobot, status, unknownRobot } from "./core/state.js";
import { compareProbe, startCompareView } from "./recordings/compare_view.js";
import { startComparison } from "./recordings/compare.js";
import { startDrop } from "./recordings/drop.js";
import { startRecordingsView } from "./recordings/recordings_view.js";
import { startTimeline } from "./recordings/timeline.js";
import { startTimelineData } from "./recordings/timeline_data.js";
import { startTrim } from "./recordings/trim.js";
import { startRecordingList } from "./cards/recording_cards.js";
import { startViewport, probe } from "./page/viewport.js";
import { startHints } from "./page/hints.js";
import { startLock } from "./cards/unlock.js";
import { startTools } from "./tools/tool_state.js";
import { startWirePanel } from "./wire/wire_panel.js";

const NUMBERS_MS = 100; // interval of the readouts
const app = /** @type {HTMLElement} */ (document.getElementById("app"));
const frame = signal(0);
let due = 0;

startDriving();
startJogging();
startLock();
startComposeCard();
startHints();
startShortcuts();
startConnection();
frameListeners.add(() => {
  if (performance.now() < due) return;
  due = performance.now() + NUMBERS_MS;
  frame.value++;
});
effect(() => {
  void frame.value;
  render(shell(), app);
  document.title = [shownRobot.value, status.value?.name, "rigless"]
    .filter((word, n, all) => word && all.indexOf(word) === n)
    .join(" · ");
});
let routed = route.value;
effect(() => {
  // On a phone all is one column: another page begins at its top.
  if (route.value !== routed) document.querySelector(".shell")?.scrollTo(0, 0);
  routed = route.value;
});
startTools();
startViewport();
startRobotList();
startOverview();
startPlots();
startPlotsView();
startRecordingList();
startRecordingsView();
startTimelineData();
startTimeline();
startTrim();
startComparison();
startCompareView();
startPrograms();
startDrop(); // after the programs, which take their files first
startWirePanel();
startFleet();
startFleetCard();
startDeviceCard();
effect(() => {
  fleetShown.value = currentView()?.id === "fleet" && !unknownRobot.value;
});
Object.assign(globalThis, { rigless: { ...probe, ...compareProbe, fleet: fleetProbe } });
