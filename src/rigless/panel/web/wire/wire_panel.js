// The Wire tab as an element: the list with its filter, and a pane with three tabs.
import { effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { button } from "../cards/widgets.js";
import { connection, robotStates, shownRobot, source } from "../core/state.js";
import { filterBar, statusLine } from "./wire_bar.js";
import { composePane, startCompose } from "./wire_compose.js";
import { closeMessage, messagePane } from "./wire_detail.js";
import { WireList } from "./wire_list.js";
import { statisticsPane } from "./wire_statistics.js";
import * as wire from "./wire_state.js";

const PANES = { message: "Message", statistics: "Statistics", send: "Send" };
const pane = signal(/** @type {keyof typeof PANES} */ ("statistics"));

class WirePanel extends HTMLElement {
  constructor() {
    super();
    this.list = new WireList();
    /** @type {(() => void)[]} */
    this.ends = [];
  }

  connectedCallback() {
    wire.openPanels.value = wire.openPanels.peek() + 1;
    render(
      html`<div class="wire-grid"><section class="wire-main" aria-label="Messages on the wire">
          <div class="wire-top"></div>
          <div class="wire-frame">${this.list.element}<div class="wire-note"></div></div>
          <div class="wire-status" role="status"></div></section>
        <section class="wire-pane" aria-label="Details"></section></div>`,
      this,
    );
    this.list.start();
    this.ends = [
      effect(() => {
        if (wire.selected.value) pane.value = "message";
      }),
      // each part is rendered only if its own data have changed
      this.draw(".wire-top", filterBar),
      this.draw(".wire-note", emptyNote),
      this.draw(".wire-status", statusLine),
      this.draw(".wire-pane", paneContents),
    ];
  }

  /**
   * @param {string} place
   * @param {() => unknown} contents
   */
  draw(place, contents) {
    const element = /** @type {HTMLElement} */ (this.querySelector(place));
    return effect(() => void render(contents(), element));
  }

  disconnectedCallback() {
    wire.openPanels.value = wire.openPanels.peek() - 1;
    for (const end of this.ends) end();
    this.list.stop();
  }
}

function paneContents() {
  return html`<div class="wire-panes segments" role="group" aria-label="Details">${
      Object.entries(PANES).map(([id, label]) => button(label, label, () =>
        (pane.value = /** @type {keyof typeof PANES} */ (id)),
          { on: pane.value === id, kind: "text" }))}<span class="grow"></span>${
      pane.value === "message" && wire.selected.value ? closeMessage() : nothing}</div>
    <div class="wire-body">${pane.value === "message" ? messagePane() :
      pane.value === "statistics" ? statisticsPane() : composePane()}</div>`;
}

/** Why the list is empty, and what to do. */
function emptyNote() {
  const reading = wire.feed.value.loading !== null;
  if (!wire.isEmpty.value || connection.value !== "live" || reading) return nothing;
  const filtered = JSON.stringify(wire.filter.value) !== JSON.stringify(wire.NO_FILTER);
  if (filtered)
    return html`<div class="wire-empty"><p>No message passes the filter.</p>${button(
      "Clear the filter", "Clear the filter", () => (wire.filter.value = wire.NO_FILTER),
        { kind: "text" })}</div>`;
  if (source.value === "recording")
    return html`<div class="wire-empty"><p>No messages in this recording.</p></div>`;
  const ports = robotStates.value[`live/${shownRobot.value}`]?.ports ?? [];
  const links = ports.reduce((sum, port) => sum + port.links, 0);
  return html`<div class="wire-empty"><p>${links ?
    "Waiting for messages." :
    "Nothing is on the wire: no client is connected. A robot sends only to clients."}</p>
    ${button("Send a message", "Compose a message", () => (pane.value = "send"),
      { kind: "text" })}</div>`;
}

customElements.define("wire-panel", WirePanel);

/** The view in the main area, and the tab in the column on the right. */
export const wireView = () => html`<wire-panel class="wire wide" data-card="Wire"></wire-panel>`;
export const wireTab = () => html`<wire-panel class="wire compact" data-card="Wire"></wire-panel>`;

export function startWirePanel() {
  wire.startWire();
  startCompose();
}
