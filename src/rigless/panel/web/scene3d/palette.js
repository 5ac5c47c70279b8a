// The colours of the theme for three.js. The browser parses the CSS colours.

import { Color, LinearSRGBColorSpace, SRGBColorSpace } from "three";

/** @import {Paint, Colours} from "../core/types.js" */
/** @typedef {keyof Colours|Paint} Meaning a colour of the theme, or a paint as it is */

/** @type {Colours} what is drawn before the owner has said anything */
const BEFORE_ANY = {
  plain: "#8a94a6",
  accent: "#f58220",
  sense: "#ff5a5f",
  path: "#4aa3ff",
  ghost: "#6b7d99",
  ok: "#3ecf8e",
  warn: "#f5b324",
  bad: "#f0525f",
  floor: "#1d242e",
  wall: "#c9d1dd",
  unknown: "#12161c",
  cliff: "#0a0c10",
  grid: "#3a4656",
  outside: "#0f1318",
  text: "#e8edf4",
};

const GHOST_OPACITY = 0.32;

/** Reads CSS colours by painting one pixel. */
class Pixel {
  constructor() {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 1;
    this.context = canvas.getContext("2d", { willReadFrequently: true });
  }

  /**
   * @param {string} css
   * @param {string} under what a translucent colour lies on
   * @returns {[number, number, number]}
   */
  read(css, under) {
    if (!this.context) return [128, 128, 128];
    for (const colour of [under, css]) {
      this.context.fillStyle = colour;
      this.context.fillRect(0, 0, 1, 1);
    }
    const [red = 0, green = 0, blue = 0] = this.context.getImageData(0, 0, 1, 1).data;
    return [red, green, blue];
  }
}

/**
 * Colours by name. `of` is linear, for lit materials. `shown` is sRGB as on the screen, for our own
 * shaders, which do no lighting. The objects stay the same when the theme changes, so that uniforms
 * can hold them.
 */
export class Palette {
  #pixel = new Pixel();
  /** @type {Map<Meaning, Color>} */
  #colours = new Map();
  /** @type {Map<Meaning, Color>} */
  #shown = new Map();
  /** True for the dark theme. */
  dark = true;

  constructor() {
    this.set(BEFORE_ANY);
  }

  /** @param {Colours} paints */
  set(paints) {
    for (const [name, css] of Object.entries({ ...BEFORE_ANY, ...paints })) {
      const meaning = /** @type {Meaning} */ (name);
      const [red, green, blue] = this.#pixel.read(css, paints.floor).map((byte) => byte / 255);
      this.shown(meaning).setRGB(red, green, blue, LinearSRGBColorSpace);
      this.of(meaning).setRGB(red, green, blue, SRGBColorSpace);
    }
    const { r, g, b } = this.shown("outside");
    this.dark = r + g + b < 1.5;
  }

  /**
   * @param {Meaning} meaning
   * @returns {Color}
   */
  of(meaning) {
    return kept(this.#colours, meaning, SRGBColorSpace);
  }

  /** @param {Meaning} meaning */
  shown(meaning) {
    return kept(this.#shown, meaning, LinearSRGBColorSpace);
  }

  /**
   * Return the colour of a row by its tone.
   * @param {Paint} colour
   * @param {Paint[]} tones
   * @param {number} tone
   */
  ofTone(colour, tones, tone) {
    return this.of(tone > 0 ? (tones[Math.round(tone) - 1] ?? colour) : colour);
  }
}

/**
 * @param {Map<Meaning, Color>} colours
 * @param {Meaning} meaning
 * @param {string} space that numbers of a paint are taken in
 */
function kept(colours, meaning, space) {
  let colour = colours.get(meaning);
  if (!colour) {
    colours.set(meaning, (colour = new Color()));
    if (/^#[0-9a-f]{6}$/i.test(meaning)) colour.setHex(parseInt(meaning.slice(1), 16), space);
  }
  return colour;
}

/** Return the opacity of a body in this colour. @param {Meaning} meaning */
export function opacityOf(meaning) {
  return meaning === "ghost" ? GHOST_OPACITY : 1;
}
