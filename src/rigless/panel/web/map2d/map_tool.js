// The interface of a tool that uses the pointer on the map. Places are in world metres.

/** @typedef {[number, number]} Point */

/**
 * @typedef {object} MapTool
 * @property {(at: Point, px: number) => void} press `px` is the size of a pixel in metres
 * @property {(at: Point) => void} drag
 * @property {(at: Point, px: number) => void} release
 * @property {() => void} cancel
 * @property {(at: Point|null) => void} hover the pointer moves without a press, or leaves
 * @property {(event: KeyboardEvent, view: import("./map_view.js").ViewTransform) => boolean} key
 *   true if the key is one of the tool's
 */

/**
 * @typedef {(pen: CanvasRenderingContext2D, view: import("./map_view.js").ViewTransform,
 *   paints: import("../core/types.js").Colours) => void} Overdraw
 */

export {};
