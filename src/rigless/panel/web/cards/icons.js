// Icons as line drawings. Each has the colour of the text around it.
import { svg } from "lit-html";

/**
 * @param {string} d
 * @param {boolean} filled
 */
const icon = (
  d,
  filled = false,
) => svg`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false"
  fill=${filled ? "currentColor" : "none"} stroke="currentColor" stroke-width=${filled ? 0 : 1.8}
    stroke-linecap="round" stroke-linejoin="round"><path d=${d}></path></svg>`;

export const play = icon("M7 4.5v15l13-7.5z", true);
export const pause = icon("M6 4.5h4.2v15H6zM13.8 4.5H18v15h-4.2z", true);
export const stop = icon("M5.5 5.5h13v13h-13z", true);
export const reset = icon("M4 12a8 8 0 1 0 2.6-5.9M4 3.5v4.3h4.3");
export const step = icon("M5 4.5v15l10-7.5zM17 4.5h2.6v15H17z", true);
export const back = icon("M19 4.5v15L9 12zM7 4.5H4.4v15H7z", true);
export const fast = icon("M3 5v14l9-7zM12 5v14l9-7z", true);
export const robot = icon(
  "M5 9.5h14v9H5zM12 9.5V5M9 13.5v1M15 13.5v1" +
    "M12 5.2a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.4M2.5 12.5v3M21.5 12.5v3",
);
export const warning = icon("M12 4 21 19.5H3zM12 10v4.5M12 17v.2");
export const down = icon("M12 4v13M6 11.5l6 6 6-6M5 20.5h14");
export const bin = icon("M5 7h14M9.5 7V4.5h5V7M7 7l.8 12.5h8.4L17 7M10.4 10.5v5.5M13.6 10.5v5.5");
export const all = icon("M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z");
export const sun = icon(
  "M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4" +
    "M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
);
export const moon = icon("M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5");
export const fit = icon("M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5");
export const plus = icon("M12 5v14M5 12h14");
export const minus = icon("M5 12h14");
export const target = icon("M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v4M12 18v4M2 12h4M18 12h4");
export const side = icon("M4 5h16v14H4zM15 5v14");
export const bottom = icon("M4 5h16v14H4zM4 14h16");
export const record = icon("M12 5.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13", true);
export const camera = icon("M4 7.5h4l1.5-2.5h5L16 7.5h4v11H4zM12 10a3 3 0 1 0 0 6 3 3 0 0 0 0-6");
export const close = icon("M6 6l12 12M18 6 6 18");
export const help = icon(
  "M12 17.5v.1M9.2 9.2A2.9 2.9 0 1 1 12 13.2v1.3M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18",
);
export const more = icon("M5 12h.1M12 12h.1M19 12h.1");
export const download = icon("M12 4v11M7 11l5 5 5-5M5 20h14");
export const flag = icon("M6 21V4M6 4.5c4-2 7 2 12 0v9c-5 2-8-2-12 0");
export const crate = icon("M4 7.5 12 3.5l8 4v9l-8 4-8-4zM4 7.5l8 4 8-4M12 11.5v9");
export const hand = icon(
  "M12 3v18M3 12h18M12 3 9.2 5.8M12 3l2.8 2.8M12 21l-2.8-2.8M12 21l2.8-2.8" +
    "M3 12l2.8-2.8M3 12l2.8 2.8M21 12l-2.8-2.8M21 12l-2.8 2.8",
);
export const zone = icon(
  "M4 4h3M10.5 4h3M17 4h3v3M20 10.5v3M20 17v3h-3" + "M13.5 20h-3M7 20H4v-3M4 13.5v-3M4 7V4",
);
export const ruler = icon("M3.5 16.5 16.5 3.5l4 4-13 13zM7.5 12.5l2 2M10.5 9.5l2 2M13.5 6.5l2 2");
export const undo = icon("M8.5 5 4 9.5 8.5 14M4 9.5h9.5a5.5 5.5 0 0 1 0 11H9");
export const copy = icon("M9 9h11v11H9zM5 15H4V4h11v1");

/** The icon of a robot, by its kind. @type {Record<string, ReturnType<typeof icon>>} */
const KINDS = {
  vacuum: icon(
    "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17" +
      "M12 9.6a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8M5.6 9.5a7 7 0 0 1 12.8 0M12 17.6v.1",
  ),
  pacbot: icon("M19.3 7.6a8.5 8.5 0 1 0 0 8.8L12 12zM12.2 7.2v.1M18 12h.1M21.5 12h.1"),
  rover: icon(
    "M4 13.5h16v-3l-3.5-2H6l-2 2zM7 16.2a2 2 0 1 0 0 4 2 2 0 0 0 0-4" +
      "M17 16.2a2 2 0 1 0 0 4 2 2 0 0 0 0-4M7 13.5v2.7M17 13.5v2.7M12 8.5V5.2" +
      "M9.4 4.4a3.6 3.6 0 0 1 5.2 0M12 5.2v.1",
  ),
  welder: icon(
    "M4 20.5h8M6 20.5v-4h4v4M8 16.5 6.4 8.6M6.2 5.2a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6" +
      "M8 6.9l7.2-1.6M16.8 3.4a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4M17.3 6.8l1 5.2" +
      "M18.4 15v.1M16 17.2l-1.4 1.6M18.6 17.8v2.4M21 17.2l1 1.6",
  ),
  agv: icon(
    "M3 17.5v-5l2-2h11.5l4.5 3v4M3 17.5h2.2M9.8 17.5h4.4M18.8 17.5H21" +
      "M7.5 15.2a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6" +
      "M16.5 15.2a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6M6 10.5v-6h8.5v6M10.2 4.5v2.6",
  ),
};

/** @param {string} kind */
export const ofKind = (kind) => (Object.hasOwn(KINDS, kind) ? KINDS[kind] : robot);
