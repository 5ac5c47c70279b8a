// The ports of the shown robot, or of all robots: URL, clients, and a command to try.
import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { call } from "../core/api.js";
import { copyButton } from "./copy_button.js";
import { card } from "./widgets.js";
import * as state from "../core/state.js";

/** @typedef {import("../core/api_types.js").PortStatus} PortStatus */
const MAX_ROBOTS = 30; // of a fleet; its robots share their ports anyway
const allPorts = signal(/** @type {Map<string, PortStatus[]>|null} */ (null));
let loadedFor = "";

/** Load the ports of all robots, once for each run. */
async function loadPorts() {
  const run = `${state.connection.value} ${state.robotNames.value.length}`;
  if (loadedFor === run) return;
  loadedFor = run;
  const found = await call("GET", "/api/status");
  if (found)
    allPorts.value = new Map(
      found.robots.map((/** @type {{name: string, ports: PortStatus[]}} */ robot) => [
        robot.name,
        robot.ports,
      ]),
    );
}

export function portCards() {
  if (state.shownRobot.value)
    return card("Connections", (state.shownState.value?.ports ?? []).map(portLines));
  void loadPorts();
  const found = [...(allPorts.value ?? [])].filter(([, ports]) => ports.length);
  const more = found.length - MAX_ROBOTS;
  return html`${found
    .slice(0, MAX_ROBOTS)
    .map(([robot, ports]) =>
      card(robot, (state.robotStates.value[`live/${robot}`]?.ports ?? ports).map(portLines)),
    )}${more > 0 ? html`<p class="dim">and ${more} more robots: see their pages</p>` : nothing}`;
}

/** @param {PortStatus} port */
function portLines(port) {
  const clients = `${port.links} ${port.links === 1 ? "client" : "clients"}`;
  return html`<div class="port"><div class="readout"><span>${port.name}
      <small>${port.transport}</small></span><b>${clients}</b></div>
    ${copyButton("URL", port.url)}
    ${port.example ? copyButton("try", port.example, port.example_label) : nothing}
    ${port.dropped ? html`<div class="warn">${port.dropped} messages dropped for slow clients</div>`
      : nothing}
    ${port.problem ? html`<div class="warn">${port.problem}</div>` : nothing}</div>`;
}
