// The obstacles and zones on the map as a list, for the keyboard and for small screens.
import { html, nothing } from "lit-html";
import { blockZone, deleteZone, removeObstacle } from "../tools/actions.js";
import { isLive, objects, zones } from "../tools/tool_state.js";
import { copyIcon } from "./copy_button.js";
import * as icons from "./icons.js";
import { button, card } from "./widgets.js";

const MOST = 50;

export function placeCard() {
  const obstacles = objects.value.filter((one) => !one.robot);
  if (!isLive() || !(obstacles.length + zones.value.length)) return nothing;
  return card(
    "Obstacles and zones",
    html`<ul class="place-list">${obstacles.slice(0, MOST).map(
      ({ name, pose: [x, y] }) => html`<li><span>${name} <small>x ${x.toFixed(2)}, y
        ${y.toFixed(2)} m</small></span>${button(icons.bin, `Delete the obstacle ${name}`,
        () => void removeObstacle(name))}</li>`,
    )}${zones.value.map(
      (zone) => html`<li><span>${zone.name}${zone.blocked.length ?
        html` <small>forbidden</small>` : nothing}</span>${copyIcon(zone.toml,
        `the expectation of ${zone.name} (TOML)`)}${zone.blockable ?
        button(zone.blocked.length ? "Allow" : "Forbid", `${zone.blocked.length ? "Allow" :
        "Forbid"} ${zone.name} to AGVs`, () => void blockZone(zone, !zone.blocked.length),
        { kind: "text" }) : nothing}${button(icons.bin, `Delete the zone ${zone.name}`,
        () => void deleteZone(zone))}</li>`,
    )}</ul>`,
  );
}
