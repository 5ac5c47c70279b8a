// The view "Recordings": all files of the recordings folder, with what can be done with them.
import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { formatBytes, listRecordings, recordingFiles } from "../cards/recording_cards.js";
import * as icons from "../cards/icons.js";
import { button } from "../cards/widgets.js";
import * as state from "../core/state.js";
import { compare, comparing } from "./compare.js";
import { downloadUrl, showFoxglove } from "./foxglove.js";
import { openFile, openRecording } from "./open.js";
/** @typedef {import("../core/api_types.js").RecordingFile} RecordingFile */

const search = signal("");
// the paths of the recordings to compare; empty for those that are suggested
const chosen = signal({ left: "", right: "" });

const isShown = computed(() => state.route.value.view === "recordings");

/** @param {string} path */
async function show(path) {
  if (!(await openRecording(path))) return;
  const robot = state.route.value.robot;
  const there = state.status.value?.deck?.robots.some(({ name }) => name === robot);
  location.hash = state.hashFor(there ? robot : "");
}

export function recordingsView() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = recordingFiles.value;
  const found = all.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
  return html`<div class="recordings-view">
    <div class="recordings-tools">
      <label class="button text file-button">${icons.plus} Add a file…<input type="file"
        accept=".mcap" aria-label="Add a recording from disk"
        @change=${(/** @type {{target: HTMLInputElement}} */ { target }) => {
          const file = target.files?.[0];
          target.value = "";
          if (file) void openFile(file);
        }}></label>
      <span class="dim">or drop one anywhere on the page</span><span class="grow"></span>
      ${all.length ? html`<input type="search" placeholder="search"
        aria-label="Search the recordings" .value=${search.value}
        @input=${(/** @type {{target: HTMLInputElement}} */ { target }) =>
        (search.value = target.value)}>` : nothing}</div>
    ${all.length > 1 ? compareForm(all) : nothing}
    ${found.length ? html`<table class="recordings-list"><thead><tr><th scope="col">Recording</th>
      <th scope="col" class="wide">Made</th><th scope="col">Size</th>
      <th scope="col"><span class="unseen">Actions</span></th></tr></thead>
      <tbody>${found.map(row)}</tbody></table>` :
      html`<p class="empty dim">${all.length ? "No recording has this name." :
        "There are no recordings yet: press Record in the header, or drop a file here."}</p>`}
  </div>`;
}

/** @param {RecordingFile} file */
function row({ name, path, bytes, modified, writing }) {
  const open = state.status.value?.deck?.file === path;
  return html`<tr aria-current=${open ? "true" : "false"}>
    <th scope="row"><div><button class="recording-name" aria-label="Open ${name}" title=${path}
      @click=${() => void show(path)}>${name}</button>${open ? html`<span
      class="tag">open</span>` : nothing}${writing ? html`<span class="tag"
      data-state="recording">recording</span>` : nothing}</div></th>
    <td class="wide dim">${new Date(modified).toLocaleString()}</td>
    <td class="dim number">${formatBytes(bytes)}</td>
    <td><div class="row-tools">
      <a class="button" href=${downloadUrl(path)} download title="Download"
        aria-label="Download ${name}">${icons.download}</a>
      ${button("Foxglove", `Open ${name} in Foxglove`, () => void showFoxglove(path),
        { kind: "text wide" })}</div></td></tr>`;
}

/** Two lists to choose from. Suggested are the open recording, and the newest other one. */
function compareForm(/** @type {RecordingFile[]} */ all) {
  const there = (/** @type {string} */ path) => all.some((file) => file.path === path);
  const open = state.status.value?.deck?.file ?? "";
  const left = [chosen.value.left, open, all[1]?.path ?? ""].find(there) ?? "";
  const right =
    [chosen.value.right, ...all.map(({ path }) => path)].find(
      (path) => path !== left && there(path),
    ) ?? "";
  const list = (
    /** @type {"left"|"right"} */ side,
    /** @type {string} */ label,
    /** @type {string} */ current,
  ) => html`<select aria-label=${label} .value=${current}
    @change=${(/** @type {{target: HTMLSelectElement}} */ { target }) =>
      (chosen.value = { ...{ left, right }, [side]: target.value })}>${all.map(({ name, path }) =>
      html`<option value=${path} ?selected=${path === current}>${name}</option>`)}</select>`;
  return html`<form class="compare-form" aria-label="Compare two recordings"
    @submit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      void compare(left, right);
    }}><label>A ${list("left", "First recording", left)}</label>
    <label>B ${list("right", "Second recording", right)}</label>
    ${comparing.value ? html`<progress aria-label="Comparing"></progress>` :
      html`<button class="button text"
        ?disabled=${!left || !right || left === right}>Compare</button>`}
  </form>`;
}

/** List the files again whenever the view is shown. */
export function startRecordingsView() {
  effect(() => {
    if (isShown.value && state.connection.value === "live") void listRecordings();
  });
}
