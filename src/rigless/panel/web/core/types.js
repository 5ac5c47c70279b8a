// Types that several modules of the panel share. Those of the API are in api_types.js.

/** @typedef {"plain"|"accent"|"sense"|"path"|"ghost"|"ok"|"warn"|"bad"} Colour */

/** @typedef {string} Paint a Colour, or one of the user's own as #rrggbb */

/**
 * @typedef {object} Solid
 * @property {"box"|"cylinder"|"sphere"|"mesh"} kind
 * @property {number[]} size_m
 * @property {number[]} at
 * @property {Paint} colour
 * @property {number[]} [turn] a quaternion
 * @property {string} [points] of a mesh: base64 of float32 x, y, z
 * @property {string} [triangles] of a mesh: base64 of three uint32 each
 * @property {string} [name]
 */

/**
 * A part of a robot's page, as declared in its view.py (rigless.kernel.drawing): `kind` is the
 * class's name there.
 * @typedef {object} Part
 * @property {"Disc"| "Polygon"| "Rays"| "Points"| "Path"| "Ellipse"| "Links"| "Scene"| "Curve"|
 *   "Cloud"| "Axes"| "Trail"| "Gauge"| "Word"| "Lamp"| "Plot"| "Switch"| "Button"| "Action"|
 *   "Slider"| "Jog"| "Listing"| "Drive"} kind
 * @property {string} name
 * @property {string} label
 * @property {string} [group] the card that it is on
 * @property {string} [short] what a small square has room for
 * @property {number} columns how many numbers a row of it has in a frame; 0: it is not in frames
 * @property {boolean} [shown] whether it is drawn until somebody says otherwise
 * @property {Paint} [colour]
 * @property {Paint[]} [tones] what tone 1, 2, … mean
 * @property {number} [radius_m]
 * @property {number} [height_m]
 * @property {boolean} [heading]
 * @property {boolean} [fan]
 * @property {number[][]} [points]
 * @property {Solid[][]} [links]
 * @property {Solid[]} [solids]
 * @property {"solid"|"ghost"|"wire"} [style]
 * @property {Paint[]} [ramp] what shades from 0 to 1 are
 * @property {number} [width_px]
 * @property {number} [size_m]
 * @property {number} [length_m]
 * @property {string} [unit]
 * @property {number|null} [low]
 * @property {number|null} [high]
 * @property {number} [digits]
 * @property {[string, string][]} [lines]
 * @property {boolean|number} [pressed]
 * @property {boolean|number} [released]
 * @property {[string, Colour][]} [words]
 * @property {number} [step]
 * @property {number|null} [normal]
 * @property {number[]} [stops]
 * @property {number[]} [steps]
 * @property {number[]} [speeds]
 * @property {string} [empty] what a listing says that has no lines
 * @property {boolean} [wrap] whether its long lines are broken
 * @property {any[]} [axes] what can be driven, or of each axis that can be jogged its number, label
 *   and unit
 */

/**
 * @typedef {{first: number, texts: string[], current: number, read: number, wrong: number[]}} Lines what a listing shows
 */

/**
 * @typedef {object} Page what a robot's page consists of
 * @property {"live"|"recording"} stage
 * @property {string} robot
 * @property {number} id the number its frames carry
 * @property {string} kind
 * @property {string} about what the robot is, in a line
 * @property {Part[]} parts
 * @property {string[]} measures names of the numbers in a frame's first field
 * @property {string[]} traces names of the trails whose ends are in a frame's second field
 */

/**
 * @typedef {object} Grid a map; row 0 is the bottom one
 * @property {number} width
 * @property {number} height
 * @property {number} resolution_m
 * @property {[number, number, number]} origin x, y and yaw of the lower left corner
 * @property {number} wall_m how high its walls stand
 * @property {Uint8Array} cells 1 occupied, 2 unknown, 4 cliff
 */

/**
 * @typedef {{name: string, robot: boolean, status: string, radius_m: number, size_m: [number,
 *   number]| null, pose: [number, number, number], faint?: boolean}} MapObject
 */

/**
 * @typedef {object} Picture what a surface draws: the newest rows of each part, by name
 * @property {number} time_s
 * @property {Map<string, Float32Array>} rows
 * @property {Map<string, Track>} trails
 * @property {MapObject[]} obstacles what else is there, other robots included
 * @property {ReadonlySet<string>} hidden names of the parts not to draw
 */

/**
 * @typedef {{points: Float32Array, count: number}} Track x, y, z each, NaN breaks it; `count`
 *   points are in use
 */

/**
 * @typedef {Record<Colour| "floor"| "wall"| "unknown"| "cliff"| "grid"| "outside"| "text", string>}
 *   Colours CSS colours of the theme
 */

/**
 * @typedef {object} Surface something that draws frames; there is a flat one (flat.js) and one in
 *   space (space.js)
 * @property {(grid: Grid|null) => void} setGrid
 * @property {(parts: Part[]) => void} setParts
 * @property {(paints: Colours) => void} setPaints
 * @property {(picture: Picture) => void} draw once per animation frame, only when something changed
 * @property {() => void} fit show everything
 * @property {(from: string) => void} [lookFrom] one of the camera's places: iso, front, side, top,
 *   tool
 * @property {boolean} [slow] it draws without a graphics card
 * @property {number} [cost_ms] what the last picture took
 * @property {(factor: number) => void} zoom around the middle
 * @property {(on: boolean) => void} follow keep the first Disc, Polygon or Links in the middle
 * @property {() => void} dispose
 * @property {() => void} onview set by the owner; called when the user moved the view, so that it
 *   is drawn again
 */

export {};
