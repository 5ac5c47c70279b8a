// The layout of the panel: header, navigation, viewport, plots and cards.
import { html, nothing } from "lit-html";
import { postInOrder } from "../core/api.js";
import { playerBar } from "./player_bar.js";
import { driveCard } from "../cards/drive_card.js";
import { eventCard } from "../cards/event_card.js";
import { faultCard } from "../cards/fault_card.js";
import { robotListCard, navigation } from "./robot_list.js";
import { overview } from "./overview.js";
import * as icons from "../cards/icons.js";
import { helpDialog, showHelp } from "./shortcuts.js";
import { button, formatTime } from "../cards/widgets.js";
import { hasPlots, spanButtons, plotStrip } from "./plots.js";
import {
  connectionCard,
  dockCards,
  hasDock,
  metricsCard,
  partCards,
} from "../cards/robot_cards.js";
import * as state from "../core/state.js";
import { recordingCard, snapshotCard } from "../cards/recording_cards.js";
import { hasViewport, viewport } from "./viewport.js";
import { clockCard, resetDialog, timeCard } from "../cards/time_card.js";

const CONNECTION_TEXTS = {
  connecting: "connecting…",
  live: "live",
  lost: "connection lost; trying again…",
  refused: "rigless was restarted: open the URL that it printed",
};

export function shell() {
  const wide = state.settings.showControls.value;
  const many = state.inOverview.value;
  const ground = hasViewport() || many;
  const dock = hasDock();
  const plots = hasPlots() && (state.settings.showPlots.value || !ground);
  return html`<div class="shell ${wide ? "" : "narrow"}" data-connection=${state.connection.value}>
    ${header()} ${navigation()}
    <main
      class="${plots ? "with-plots" : ""} ${ground ? "" : "no-map"} ${dock ? "with-dock" : ""}">${
      dock ? html`<section class="dock" aria-label="Program">${dockCards()}</section>` : nothing}${
        many ? overview : ground ? viewport : html`<div class="span-row">${spanButtons()}</div>`}${
          playerBar()}${plots ? plotStrip : nothing}</main>
    ${wide ? html`<aside aria-label="Controls"><div class="cards">${cards()}</div></aside>` :
      nothing}
    <div class="notices" role="status"
      aria-live="polite">${state.notices.value.map((one) =>
      html`<div class="notice ${one.kind}">${one.text}</div>`)}</div>
    ${resetDialog()}${helpDialog()}
  </div>`;
}

function header() {
  const now = state.status.value;
  const recording = state.source.value === "recording";
  const connection = state.connection.value;
  const dark = state.settings.theme.value === "dark";
  return html`<header>
    <strong class="brand" title=${now?.name ?? ""}>rig<i>·</i>less</strong>
    ${recording ? html`<span class="badge replay">Recording</span>` :
      html`<span class="badge">Simulation mode</span>`}
    <div class="fact name"><small>Scenario</small><b data-fact="name"
      class="clip">${now?.name ?? "…"}</b></div>
    <div class="fact"><small>Sim time</small><b
      data-fact="time">${formatTime((recording ? now?.deck?.time_s : now?.time_s) ?? 0)}</b></div>
    <div class="fact"><small>State</small><b data-fact="state"
      class=${now?.state === "failed" ? "bad" : ""}>${recording ? (now?.deck?.playing ? "playing" :
      "paused") : (now?.state ?? "…")}</b></div>
    ${recording ? nothing :
      html`<div class="fact factor"><small>Real-time factor</small><b
        data-fact="factor">${(now?.real_time_factor ?? 0).toFixed(2)}×</b></div>`}
    ${now?.failure ? html`<span class="trouble-line" role="alert">${now.failure}</span>` : nothing}
    <span class="grow"></span>
    ${faultChip()}
    ${now?.deck && !state.onlyRecording.value ? sourceSwitch(recording) : nothing}
    ${connection === "live" ? rateButton() :
      html`<span class="connection ${connection}"
        role="status"><i></i>${CONNECTION_TEXTS[connection]}</span>`}
    ${button(icons.bottom, "Plots (p)", () =>
      (state.settings.showPlots.value = !state.settings.showPlots.value),
        { on: state.settings.showPlots.value })}
    ${button(icons.side, "Controls (c)", () =>
      (state.settings.showControls.value = !state.settings.showControls.value),
        { on: state.settings.showControls.value })}
    ${button(dark ? icons.sun : icons.moon, dark ? "Light (t)" : "Dark (t)", () =>
      (state.settings.theme.value = dark ? "light" : "dark"))}
    ${button(icons.help, "Keyboard shortcuts (?)", showHelp)}
    ${emergencyStop()}
  </header>`;
}

/** The number of active faults. A click shows the card with faults. */
function faultChip() {
  const count = state.shownState.value?.faults.length ?? 0;
  if (!count) return nothing;
  const go = () => {
    state.settings.showControls.value = true;
    state.settings.foldedCards.value = state.settings.foldedCards.value.filter(
      (one) => one !== "Faults",
    );
    requestAnimationFrame(() =>
      document.querySelector('[data-card="Faults"]')?.scrollIntoView({ block: "start" }),
    );
  };
  return html`<button class="chip"
    aria-label="${count} active ${count === 1 ? "fault" : "faults"}: show"
    @click=${go}>${count} ${count === 1 ? "fault" : "faults"}</button>`;
}

/** The frame rate. A click switches between 60 and 20 Hz. */
function rateButton() {
  const other = state.settings.frameHz.value === 60 ? 20 : 60;
  return html`<button class="connection live"
    aria-label="Live, ${state.settings.frameHz.value} frames per second; click for ${other}"
    title="Click for ${other} frames per second"
    @click=${() => (state.settings.frameHz.value = other)}><i></i>${state.source.value === "live" ?
    "live" : "connected"} · ${state.frameRate.value} Hz</button>`;
}

/** @param {boolean} recording */
function sourceSwitch(recording) {
  return html`<div class="segments" role="group" aria-label="Source">
    ${button("Live", "Show the live simulation", () => (state.source.value = "live"),
      { on: !recording, kind: "text" })}
    ${button("Recording", "Show the recording", () => (state.source.value = "recording"),
      { on: recording, kind: "text" })}</div>`;
}

/**
 * The emergency stop of all robots that have one. It acts on pointer down. Releasing takes a whole
 * click, not within a second of the stop: a second hit in panic must not release it.
 */
function emergencyStop() {
  const able = (state.status.value?.robots ?? []).filter((robot) => robot.stop !== null);
  if (!able.length) return nothing;
  // stop again while one of them may still move
  const on = able.every((robot) => robot.stop === true);
  const press = (/** @type {Event} */ event) => {
    if (on) return;
    stoppedAt = event.timeStamp; // the time of the event, even if the page is late
    void stopAll(true);
  };
  return html`<button class="estop ${on ? "released" : ""}"
    aria-label=${on ? "Release the emergency stop" : "Emergency stop of all robots"}
    @pointerdown=${press}
    @click=${(/** @type {Event} */ event) => on && event.timeStamp - stoppedAt > RELEASE_DELAY_MS &&
    void stopAll(false)}
    @keydown=${(/** @type {KeyboardEvent} */ event) => {
      if ((event.key === "Enter" || event.key === " ") && !event.repeat) press(event);
    }}>${on ? "Release" : "E-STOP"}</button>`;
}

const RELEASE_DELAY_MS = 1000;
let stoppedAt = -Infinity;

/** @param {boolean} on */
async function stopAll(on) {
  const done = await postInOrder("/api/estop", { on });
  if (done)
    state.notice(
      `${on ? "emergency stop" : "released"}: ${done.robots.join(", ")}`,
      on ? "bad" : "info",
    );
}

function cards() {
  const live = state.source.value === "live";
  if (!state.shownRobot.value)
    return html`${live ? html`${timeCard()}${clockCard()}` : nothing}${robotListCard()}${
      eventCard()}${live ? html`${recordingCard()}${snapshotCard()}` : nothing}`;
  return html`${live ? html`${timeCard()}${clockCard()}` : nothing}
    ${driveCard()}${partCards()}${faultCard()}${eventCard()}${metricsCard()}
    ${live ? html`${recordingCard()}${snapshotCard()}${connectionCard()}` : nothing}`;
}
