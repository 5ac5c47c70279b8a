// Starts the panel: connects, and renders the shell when something that it shows has changed, at
// most once per animation frame.
import { effect, signal } from "@preact/signals-core";
import { render } from "lit-html";
import { startDriving } from "./cards/drive_card.js";
import { startPrograms } from "./cards/program_card.js";
import { startRobotList } from "./page/robot_list.js";
import { startOverview } from "./page/overview.js";
import { startJogging } from "./cards/jog_pad.js";
import { startShortcuts } from "./page/shortcuts.js";
import { startPlots } from "./page/plots.js";
import { startPlotsView } from "./plots/plots_view.js";
import { shell } from "./page/shell.js";
import { startConnection, frameListeners } from "./core/socket.js";
import { shownRobot, status } from "./core/state.js";
import { startRecordingList } from "./cards/recording_cards.js";
import { startViewport, probe } from "./page/viewport.js";
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
startTools();
startViewport();
startRobotList();
startOverview();
startPlots();
startPlotsView();
startRecordingList();
startPrograms();
startWirePanel();
Object.assign(globalThis, { rigless: probe });
