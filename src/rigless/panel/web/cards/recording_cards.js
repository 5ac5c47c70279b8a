// The cards with recordings (record, open) and snapshots (take, restore).
import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { call, post } from "../core/api.js";
import * as icons from "./icons.js";
import { button, card, formatTime } from "./widgets.js";
import { hashFor, notice, shownRobot, status } from "../core/state.js";
import { openRecording } from "../recordings/open.js";

/** @typedef {import("../core/api_types.js").RecordingFile} RecordingFile */
export const recordingFiles = signal(/** @type {RecordingFile[]} */ ([]));
const snapshotName = signal("");
let listRequests = 0;

export async function listRecordings() {
  const mine = ++listRequests;
  const found = await call("GET", "/api/recordings");
  if (Array.isArray(found) && mine === listRequests) recordingFiles.value = found;
}

async function startRecording() {
  const found = await post("/api/recording", {});
  if (found) notice(`recording to ${found.recording ?? found.file}`);
}

async function stopRecording() {
  const found = await call("DELETE", "/api/recording");
  if (found) notice(`recorded ${found.file}`);
  await listRecordings();
}

const recordingPath = computed(() => status.value && (status.value.recording ?? ""));

/** List the recordings at the start, and whenever one begins or ends. */
export function startRecordingList() {
  effect(() => {
    if (recordingPath.value !== null) void listRecordings();
  });
}

export function recordingCard() {
  const path = status.value?.recording;
  return card(
    "Recording",
    html`<div class="row">
      ${
        path
          ? button(html`${icons.stop} Stop`, "Stop the recording", () => void stopRecording(), {
              kind: "text recording",
            })
          : button(html`${icons.record} Record`, "Start a recording", () => void startRecording(), {
              kind: "text",
            })
      }
      <span class="dim clip"
        title=${path ?? ""}>${path ? path.split("/").at(-1) : "not recording"}</span></div>
    <div class="row"><select class="grow" aria-label="Recordings"
      @pointerdown=${listRecordings} @focus=${listRecordings}
      @change=${(/** @type {{target: HTMLSelectElement}} */ event) => {
        if (event.target.value) void openRecording(event.target.value);
        event.target.value = "";
      }}>
      <option value="">Open a recording…</option>
      ${recordingFiles.value.map((file) =>
        html`<option
          .value=${file.path}>${file.name} (${formatBytes(file.bytes)})</option>`)}</select></div>
    <div class="row"><a class="button text wide" href=${hashFor(shownRobot.value, "recordings")}
      title="Download, compare, open in Foxglove">All recordings</a></div>`,
    path ? html`<span class="tag" data-state="recording">rec</span>` : nothing,
  );
}

/** @param {number} bytes */
export function formatBytes(bytes) {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

async function takeSnapshot() {
  const wanted = snapshotName.value;
  const found = await post("/api/snapshots", { name: wanted.trim() });
  if (found) notice(`snapshot ${found.name}`);
  // keep a name that was typed meanwhile
  if (snapshotName.value === wanted) snapshotName.value = "";
}

/** @param {string} which */
async function restore(which) {
  if (await post("/api/restore", { name: which })) notice(`restored ${which}`);
}

export function snapshotCard() {
  const found = status.value?.snapshots ?? [];
  return card(
    "Snapshots",
    html`<form class="row" @submit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      void takeSnapshot();
    }}>
      <input class="grow" type="text" maxlength="100" pattern="[A-Za-z0-9_. \\-]*"
        placeholder="name (optional)" aria-label="Name of the snapshot" .value=${snapshotName.value}
        @input=${(/** @type {{target: HTMLInputElement}} */ event) =>
        (snapshotName.value = event.target.value)}>
      <button class="button text" aria-label="Take a snapshot">${icons.camera} Take</button></form>
    ${found.map(
      (
        one,
      ) => html`<div class="fault"><span>${one.name} <small>${formatTime(one.time_s)}</small></span>
      ${button("Restore", `Restore ${one.name}`, () => void restore(one.name),
        { kind: "text" })}</div>`,
    )}`,
  );
}
