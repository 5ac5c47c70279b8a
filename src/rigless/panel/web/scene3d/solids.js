// Solids in 3-D: arms, whose links have poses, and scenes of fixed solids.

import {
  Box3,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  Vector3,
} from "three";
import { bodyMaterial } from "./bodies.js";
import { opacityOf } from "./palette.js";
import { castShadow, disableShadow } from "./floor_shadow.js";
import { edgesOf, shapeOf } from "./geometry.js";

/** @import {MeshStandardMaterial, Raycaster} from "three" */
/** @import {Palette} from "./palette.js" */
/** @import {Paint, Part, Solid} from "../core/types.js" */

const COLUMNS = 8;
const DEPTH_PASS = 5; // render order: after lines and points, before ghosts
const GHOST_PASS = 6;
const ROUGH = 12; // sides of round solids in wire style
const ROUND = 48;
const ROOM_M = 1.9; // larger solids are the room: walls are transparent, floors are below our floor
const WALL_OPACITY = 0.14;
const TARGET_OPACITY = 0.5; // of ghosts at a target
const LOW_M = 0.3; // maximum height of a floor

/** @typedef {"inside"|"wall"|"floor"|"over floor"} Place */

/** The materials of the solids of one part, one per colour. */
class Materials {
  /** @type {Map<string, MeshStandardMaterial>} */
  #materials = new Map();
  #depthOnly = new MeshBasicMaterial({
    colorWrite: false,
    transparent: true,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 8,
  });
  /** @type {Map<Paint, LineBasicMaterial>} */
  #wires = new Map();
  #style;

  /** @param {Part} part */
  constructor(part) {
    this.#style = part.style ?? "solid";
  }

  /**
   * @param {Solid} solid
   * @param {Group} group that it is put into
   * @returns {Mesh|LineSegments}
   */
  add(solid, group) {
    if (this.#style === "wire") {
      const edges = new LineSegments(edgesOf(solid, ROUGH), this.wire(solid.colour));
      edges.renderOrder = GHOST_PASS;
      group.add(edges);
      return edges;
    }
    const mesh = new Mesh(shapeOf(solid), this.of(solid.colour));
    if (this.of(solid.colour).transparent) group.add(this.#veil(mesh));
    else castShadow(mesh);
    group.add(mesh);
    return mesh;
  }

  /**
   * Draw the depth of a ghost first, so that only its nearest surface is visible.
   * @param {Mesh} mesh
   */
  #veil(mesh) {
    const veil = new Mesh(mesh.geometry, this.#depthOnly);
    veil.renderOrder = DEPTH_PASS;
    mesh.renderOrder = GHOST_PASS;
    return veil;
  }

  /**
   * @param {Paint} colour
   * @param {Place} [place]
   */
  of(colour, place = "inside") {
    const key = `${place} ${colour}`;
    let material = this.#materials.get(key);
    if (!material) {
      const opacity =
        place === "wall"
          ? WALL_OPACITY
          : this.#style === "ghost"
            ? TARGET_OPACITY
            : opacityOf(colour);
      material = bodyMaterial(colour, opacity);
      material.roughness = 0.38;
      material.depthWrite = place !== "wall";
      if (place === "floor" || place === "over floor") {
        material.polygonOffset = true;
        material.polygonOffsetFactor = material.polygonOffsetUnits = place === "floor" ? 4 : -4;
      }
      material.userData.colour = colour;
      this.#materials.set(key, material);
    }
    return material;
  }

  /** @param {Paint} colour */
  wire(colour) {
    let material = this.#wires.get(colour);
    if (!material) {
      material = new LineBasicMaterial({ transparent: true, opacity: 0.55, depthWrite: false });
      this.#wires.set(colour, material);
    }
    return material;
  }

  /**
   * @param {Mesh|LineSegments} body
   * @param {Paint} colour
   * @param {Place} [place]
   */
  apply(body, colour, place = "inside") {
    body.material = this.#style === "wire" ? this.wire(colour) : this.of(colour, place);
  }

  /** @param {Palette} palette */
  paint(palette) {
    for (const material of this.#materials.values())
      material.color.copy(palette.of(material.userData.colour));
    for (const [colour, material] of this.#wires) material.color.copy(palette.of(colour));
  }

  dispose() {
    for (const material of [...this.#materials.values(), ...this.#wires.values()])
      material.dispose();
    this.#depthOnly.dispose();
  }
}

export class LinkChain {
  object = new Group();
  #tones;
  #materialsOfPart;
  #bodily;
  /** @type {{group: Group, solids: {body: Mesh|LineSegments, colour: Paint}[]}[]} */
  #links;

  /** @param {Part} part */
  constructor(part) {
    this.#tones = part.tones ?? [];
    this.#materialsOfPart = new Materials(part);
    this.#bodily = part.style !== "wire";
    this.#links = (part.links ?? []).map((solids) => this.#link(solids));
    this.object.add(...this.#links.map(({ group }) => group));
  }

  /** @param {Solid[]} solids */
  #link(solids) {
    const group = new Group();
    group.visible = false;
    return {
      group,
      solids: solids.map((solid) => ({
        body: this.#materialsOfPart.add(solid, group),
        colour: solid.colour,
      })),
    };
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#materialsOfPart.paint(palette);
  }

  /**
   * @param {Float32Array} rows
   * @param {Palette} palette
   */
  show(rows, palette) {
    this.#links.forEach(({ group, solids }, link) => {
      const [x, y, z, qx, qy, qz, qw, tone] = rows.subarray(link * COLUMNS, (link + 1) * COLUMNS);
      group.visible = Number.isFinite(x + y + z + qx + qy + qz + qw);
      if (!group.visible) return;
      group.position.set(x, y, z);
      group.quaternion.set(qx, qy, qz, qw).normalize();
      const painted = tone > 0 ? this.#tones[Math.round(tone) - 1] : undefined;
      for (const { body, colour } of solids) this.#materialsOfPart.apply(body, painted ?? colour);
    });
    this.#materialsOfPart.paint(palette);
  }

  /** @returns {number[][]} x, y, z and the quaternion of each link */
  poses() {
    return this.#links
      .filter(({ group }) => group.visible)
      .map(({ group }) => {
        group.updateWorldMatrix(true, false);
        const copy = new Group();
        group.matrixWorld.decompose(copy.position, copy.quaternion, copy.scale);
        return [...copy.position.toArray(), ...copy.quaternion.toArray()];
      });
  }

  /** @returns {string[]} the colour on the screen of each link, of its largest solid's material */
  paints() {
    return this.#links.map(({ solids }) => paintOf(solids.at(-1)?.body));
  }

  /** @param {Box3} box */
  addTo(box) {
    for (const { group } of this.#links)
      if (group.visible && this.#bodily) box.union(new Box3().setFromObject(group));
  }

  dispose() {
    for (const { solids } of this.#links) for (const { body } of solids) body.geometry.dispose();
    this.#materialsOfPart.dispose();
  }
}

/** Fixed solids. A row is a tone. */
export class SceneSolids {
  object = new Group();
  #tones;
  #stuff;
  /** @type {{body: Mesh|LineSegments, name: string, colour: Paint, box: Box3, place: Place}[]} */
  #things;
  #edges = new LineBasicMaterial({ transparent: true, opacity: 0.4, depthWrite: false });
  /** @type {LineSegments[]} */
  #outlines = [];

  /** @param {Part} part */
  constructor(part) {
    this.#tones = part.tones ?? [];
    this.#stuff = new Materials(part);
    this.#things = (part.solids ?? []).map((solid) => {
      const body = this.#stuff.add(solid, this.object);
      const box = new Box3().setFromObject(body);
      const place = placeOf(box);
      if (place !== "inside") disableShadow(body);
      if (part.style !== "wire" && solid.kind !== "sphere")
        this.#outlines.push(new LineSegments(edgesOf(solid, ROUND), this.#edges));
      return { body, name: solid.name ?? "", colour: solid.colour, box, place };
    });
    this.object.add(...this.#outlines);
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#stuff.paint(palette);
    this.#edges.color.copy(palette.of("text"));
    this.#edges.opacity = palette.dark ? 0.28 : 0.4;
  }

  /**
   * @param {Float32Array} rows
   * @param {Palette} palette
   */
  show(rows, palette) {
    this.#things.forEach(({ body, colour, place }, at) => {
      const tone = rows[at] > 0 ? this.#tones[Math.round(rows[at]) - 1] : undefined;
      this.#stuff.apply(body, tone ?? colour, tone && place === "floor" ? "over floor" : place);
    });
    this.#stuff.paint(palette);
  }

  /**
   * Return the name of the first solid on a ray. Walls and floors count only if there is no other.
   * @param {Raycaster} ray
   */
  nameAt(ray) {
    const hits = (/** @type {boolean} */ inside) =>
      this.#things
        .filter(({ place }) => (place === "inside") === inside)
        .flatMap(({ body, name }) =>
          ray.intersectObject(body, false).map(({ distance }) => ({ distance, name })),
        )
        .sort((a, b) => a.distance - b.distance);
    return [...hits(true), ...hits(false)][0]?.name ?? "";
  }

  /** @returns {number[][]} where the middle of each is */
  poses() {
    return this.#things.map(({ box }) => box.getCenter(new Vector3()).toArray());
  }

  /** @returns {string[]} */
  paints() {
    return this.#things.map(({ body }) => paintOf(body));
  }

  /** Enclose the solids in the room, not the room itself. @param {Box3} box */
  addTo(box) {
    for (const thing of this.#things) if (thing.place === "inside") box.union(thing.box);
  }

  dispose() {
    for (const { geometry } of [...this.#things.map(({ body }) => body), ...this.#outlines])
      geometry.dispose();
    this.#edges.dispose();
    this.#stuff.dispose();
  }
}

/**
 * @param {Box3} box
 * @returns {Place}
 */
function placeOf(box) {
  const size = box.getSize(new Vector3());
  return Math.max(size.x, size.y, size.z) < ROOM_M ? "inside" : size.z < LOW_M ? "floor" : "wall";
}

/** @param {Mesh|LineSegments|undefined} body */
function paintOf(body) {
  const material = /** @type {MeshStandardMaterial|undefined} */ (body?.material);
  return material ? `#${material.color.getHexString()}` : "";
}
