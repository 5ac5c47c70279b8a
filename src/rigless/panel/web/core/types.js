// Types that several modules of the panel share. Those of the API are in api_types.js.

/** @typedef {"plain"|"accent"|"sense"|"path"|"ghost"|"ok"|"warn"|"bad"} Colour */

/** A `Colour`, or #rrggbb. @typedef {string} Paint */

/** @typedef {import("./api_types.js").Solid} Solid */

/**
 * A part of a robot's page, as declared in its view.py (rigless.kernel.drawing). `kind` is the name
 * of its class there.
 * @typedef {import("./api_types.js").PagePart} Part
 */

/** @typedef {import("./api_types.js").ListingLines} Lines */

/** @typedef {import("./api_types.js").Page} Page */

/**
 * A map. Its cells are 1 occupied, 2 unknown, 4 cliff; row 0 is at the bottom.
 * @typedef {import("./api_types.js").GridInfo & {cells: Uint8Array}} Grid
 */

/** @typedef {import("./api_types.js").MapObject & {faint?: boolean}} MapObject */

/**
 * The data that a surface draws.
 * @typedef {object} Picture
 * @property {number} time_s
 * @property {number} [recent_s] trails are fainter before this time
 * @property {Map<string, Float32Array>} rows by name of the part
 * @property {Map<string, Track>} trails by name of the part
 * @property {MapObject[]} obstacles obstacles and other robots
 * @property {ReadonlySet<string>} hidden names of the parts not to draw
 */

/**
 * The first `count` points of a trail, x, y, z each, and their times. NaN breaks the line. `speed`
 * is that between the last two points. `seen_s` is the time of the last frame.
 * @typedef {{points: Float32Array, times: Float64Array, count: number, speed: number,
 *   seen_s: number}} Track
 */

/**
 * CSS colours of the theme.
 * @typedef {Record<Colour|"floor"|"wall"|"unknown"|"cliff"|"grid"|"outside"|"text", string>}
 *   Colours
 */

/**
 * A drawing surface: the 2-D map (map2d/map_view.js) or the 3-D scene (scene3d/scene_view.js).
 * @typedef {object} Surface
 * @property {(grid: Grid|null) => void} setGrid
 * @property {(parts: Part[]) => void} setParts
 * @property {(paints: Colours) => void} setPaints
 * @property {(picture: Picture) => void} draw once per animation frame, if something has changed
 * @property {() => void} fit show everything
 * @property {(view: string) => void} [lookFrom] a camera view: iso, front, side, top or tool
 * @property {boolean} [slow] true for software rendering
 * @property {number} [cost_ms] duration of the last draw
 * @property {(factor: number) => void} zoom around the middle
 * @property {(on: boolean) => void} follow keep the first Disc, Polygon or Links in the middle
 * @property {() => void} dispose
 * @property {() => void} onview set by the owner; called when the user has moved the view
 */

export {};
