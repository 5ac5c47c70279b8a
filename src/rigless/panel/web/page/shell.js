// The layout of the panel: header, navigation, main area and the column on the right.
import { html, nothing } from "lit-html";
import { alerts } from "./alerts.js";
import { emergencyStop } from "./emergency_stop.js";
import { playerBar } from "./player_bar.js";
import { navigation } from "./robot_list.js";
import * as icons from "../cards/icons.js";
import { helpDialog, showHelp } from "./shortcuts.js";
import { menu } from "../cards/menu.js";
import { button, formatTime } from "../cards/widgets.js";
import { currentView, viewSwitch } from "./main_views.js";
import { isWide } from "../core/screen.js";
import { showSideTab, side } from "./side.js";
import * as state from "../core/state.js";
import { recordingCard, snapshotCard } from "../cards/recording_cards.js";
import { dropOverlay } from "../recordings/drop.js";
import { foxgloveDialog } from "../recordings/foxglove.js";
import { clock, resetDialog, timeControl } from "../cards/time_control.js";

const MAX_NAMES = 20;
const CONNECTION_TEXTS = {
  connecting: "connecting…",
  live: "live",
  lost: "connection lost; trying again…",
  refused: "rigless was restarted: open the URL that it printed",
};

export function shell() {
  const now = state.status.value;
  // two pictures side by side need the room
  const narrow = currentView()?.id === "compare" && !isWide.value;
  const wide = state.settings.showControls.value && !narrow;
  return html`<div class="shell ${wide ? "" : "narrow"}" data-connection=${state.connection.value}>
    ${header()}${alerts()}${navigation()}
    <main><h1 class="unseen">${[state.shownRobot.value, now?.name, "rigless"].filter(Boolean)
      .join(" · ")}</h1>${state.unknownRobot.value ? noSuchRobot() :
      html`${viewSwitch()}${currentView()?.render()}`}${playerBar()}</main>
    ${wide ? side() : nothing}
    <div class="notices" role="status"
      aria-live="polite">${state.notices.value.map((one) =>
      html`<div class="notice ${one.kind}">${one.text}</div>`)}</div>
    ${resetDialog()}${helpDialog()}${foxgloveDialog()}${dropOverlay()}
  </div>`;
}

function noSuchRobot() {
  return html`<div class="empty"><h2>There is no robot named “${state.unknownRobot.value}”</h2>
    <p class="dim">The robots of this run are:</p>
    <ul>${state.robotNames.value.slice(0, MAX_NAMES).map((name) =>
      html`<li><a href=${state.hashFor(name)}>${name}</a></li>`)}</ul>
    <a class="button text" href="#/">All robots</a></div>`;
}

function header() {
  const now = state.status.value;
  const recording = state.source.value === "recording";
  const connection = state.connection.value;
  return html`<header>
    <div class="bar">
      <strong class="brand" title=${now?.name ?? ""}>rig<i>·</i>less</strong>
      <div class="identity">${recording ? html`<span class="badge replay">Recording</span>` :
        html`<span class="badge">Simulation mode</span>`}<b data-fact="name" class="clip"
          title=${now?.name ?? ""}>${now?.name ?? "…"}</b></div>
      ${recording ? playerClock() : html`${clock()}${timeControl()}`}
      <span class="grow"></span>
      ${faultChip()}
      ${now?.deck && !state.onlyRecording.value ? sourceSwitch(recording) : nothing}
      ${recording ? nothing : recordingMenu()}
      ${connection === "live" ? rateButton() :
        html`<span class="connection ${connection}"
          role="status"><i></i><span>${CONNECTION_TEXTS[connection]}</span></span>`}
      ${isWide.value ? viewTools() : menu("more", icons.more, "More", viewTools())}
    </div>
    ${emergencyStop()}
  </header>`;
}

function playerClock() {
  const player = state.status.value?.deck;
  return html`<div class="fact clock"><small
    data-fact="state">${player?.playing ? "playing" : "paused"}</small><b
    data-fact="time">${formatTime(player?.time_s ?? 0)}</b></div>`;
}

/** Recordings and snapshots. The button tells if a recording is being made. */
function recordingMenu() {
  const on = Boolean(state.status.value?.recording);
  return menu(
    "recordings",
    icons.record,
    on ? "Recordings and snapshots; recording" : "Recordings and snapshots",
    html`${recordingCard()}${snapshotCard()}`,
    on ? "button recording" : "button",
  );
}

function viewTools() {
  const { showPlots, showControls } = state.settings;
  const dark = state.settings.theme.value === "dark";
  return html`<div class="view-tools" role="group" aria-label="Page">
    ${button(icons.bottom, "Plots (p)", () => (showPlots.value = !showPlots.value),
      { on: showPlots.value })}
    ${button(icons.side, "Controls (c)", () => (showControls.value = !showControls.value),
      { on: showControls.value })}
    ${button(dark ? icons.sun : icons.moon, dark ? "Light (t)" : "Dark (t)",
      state.toggleTheme)}
    ${button(icons.help, "Keyboard shortcuts (?)", showHelp)}</div>`;
}

/** The number of active faults. A click shows them. */
function faultChip() {
  const count = state.shownState.value?.faults.length ?? 0;
  if (!count) return nothing;
  return html`<button class="chip"
    aria-label="${count} active ${count === 1 ? "fault" : "faults"}: show"
    @click=${() => showSideTab("faults")}>${icons.warning}${count}
      <span>${count === 1 ? "fault" : "faults"}</span></button>`;
}

/** The frame rate. A click switches between 60 and 20 Hz. */
function rateButton() {
  const other = state.settings.frameHz.value === 60 ? 20 : 60;
  const word = state.source.value === "live" ? "live" : "connected";
  return html`<button class="connection live"
    title="Click for ${other} frames per second"
    @click=${() => (state.settings.frameHz.value = other)}><i></i><span>${word} · ${
    state.frameRate.value} Hz</span></button>`;
}

/** @param {boolean} recording */
function sourceSwitch(recording) {
  return html`<div class="segments" role="group" aria-label="Source">
    ${button("Live", "Show the live simulation", () => (state.source.value = "live"),
      { on: !recording, kind: "text" })}
    ${button("Recording", "Show the recording", () => (state.source.value = "recording"),
      { on: recording, kind: "text" })}</div>`;
}
