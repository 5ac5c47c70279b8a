// Bodies in space: arms, whose links are put where their rows say, and scenes of things that stay where they are.

import { Box3, EdgesGeometry, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, Ray, Vector3 } from "three";
import { bodyMaterial } from "./space_bodies.js";
import { GHOST_OPACITY, opacityOf } from "./space_paints.js";
import { castShadow } from "./space_shadow.js";
import { shapeOf } from "./space_shapes.js";

/** @import {MeshStandardMaterial} from "three" */
/** @import {Palette} from "./space_paints.js" */
/** @import {Paint, Part, Solid} from "./types.js" */

const COLUMNS = 8;
const VEILS = 5; // drawn after lines and dots, and before the ghosts
const GHOSTS = 6;
const FOLDED_DEG = 25; // faces that meet at less are one
const VEILED = 0.1; // of a thing that stands between the eye and what it looks at
const ROOM_M = 1.9; // what is larger is the room, not what is in it

/** What the solids of one part are made of: a material for each paint. */
class Stuff {
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
   * @param {Group} group  that it is put into
   * @returns {Mesh|LineSegments}
   */
  add(solid, group) {
    const shape = shapeOf(solid);
    if (this.#style === "wire") {
      const edges = new LineSegments(new EdgesGeometry(shape, FOLDED_DEG), this.wire(solid.colour));
      shape.dispose();
      edges.renderOrder = GHOSTS;
      group.add(edges);
      return edges;
    }
    const mesh = new Mesh(shape, this.of(solid.colour));
    if (this.of(solid.colour).transparent) group.add(this.#veil(mesh));
    else castShadow(mesh);
    group.add(mesh);
    return mesh;
  }

  /**
   * Only the nearest surface of a ghost is to be seen, not the insides of its solids: their depths are drawn first.
   * @param {Mesh} mesh
   */
  #veil(mesh) {
    const veil = new Mesh(mesh.geometry, this.#depthOnly);
    veil.renderOrder = VEILS;
    mesh.renderOrder = GHOSTS;
    return veil;
  }

  /**
   * @param {Paint} colour
   * @param {boolean} [veiled]
   */
  of(colour, veiled = false) {
    const key = veiled ? `veiled ${colour}` : colour;
    let material = this.#materials.get(key);
    if (!material) {
      const opacity = veiled ? VEILED : this.#style === "ghost" ? GHOST_OPACITY : opacityOf(colour);
      material = bodyMaterial(colour, opacity);
      material.roughness = 0.38;
      material.depthWrite = !veiled;
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
   * @param {boolean} [veiled]
   */
  dress(body, colour, veiled = false) {
    body.material = this.#style === "wire" ? this.wire(colour) : this.of(colour, veiled);
  }

  /** @param {Palette} palette */
  paint(palette) {
    for (const material of this.#materials.values()) material.color.copy(palette.of(material.userData.colour));
    for (const [colour, material] of this.#wires) material.color.copy(palette.of(colour));
  }

  dispose() {
    for (const material of [...this.#materials.values(), ...this.#wires.values()]) material.dispose();
    this.#depthOnly.dispose();
  }
}

export class Chain {
  object = new Group();
  #tones;
  #stuff;
  /** @type {{group: Group, solids: {body: Mesh|LineSegments, colour: Paint}[]}[]} */
  #links;

  /** @param {Part} part */
  constructor(part) {
    this.#tones = part.tones ?? [];
    this.#stuff = new Stuff(part);
    this.#links = (part.links ?? []).map((solids) => this.#link(solids));
    this.object.add(...this.#links.map(({ group }) => group));
  }

  /** @param {Solid[]} solids */
  #link(solids) {
    const group = new Group();
    group.visible = false;
    return { group, solids: solids.map((solid) => ({ body: this.#stuff.add(solid, group), colour: solid.colour })) };
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#stuff.paint(palette);
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
      for (const { body, colour } of solids) this.#stuff.dress(body, painted ?? colour);
    });
    this.#stuff.paint(palette);
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
    for (const { group } of this.#links) if (group.visible) box.union(new Box3().setFromObject(group));
  }

  dispose() {
    for (const { solids } of this.#links) for (const { body } of solids) body.geometry.dispose();
    this.#stuff.dispose();
  }
}

/** Things that stay: a row is a tone. What stands between the eye and what it looks at is seen through. */
export class Stand {
  object = new Group();
  #tones;
  #stuff;
  /** @type {{body: Mesh|LineSegments, colour: Paint, box: Box3, tone: Paint|undefined, edges: LineSegments|null}[]} */
  #things;
  #line = new LineBasicMaterial({ transparent: true, opacity: 0.35, depthWrite: false });

  /** @param {Part} part */
  constructor(part) {
    this.#tones = part.tones ?? [];
    this.#stuff = new Stuff(part);
    this.#things = (part.solids ?? []).map((solid) => {
      const body = this.#stuff.add(solid, this.object);
      const edges = body instanceof Mesh && solid.kind !== "sphere" ? new LineSegments(new EdgesGeometry(body.geometry, FOLDED_DEG), this.#line) : null;
      if (edges) this.object.add(edges);
      return { body, colour: solid.colour, box: new Box3().setFromObject(body), tone: undefined, edges };
    });
  }

  /** @param {Palette} palette */
  paint(palette) {
    this.#stuff.paint(palette);
    this.#line.color.copy(palette.of("text"));
  }

  /**
   * @param {Float32Array} rows
   * @param {Palette} palette
   */
  show(rows, palette) {
    this.#things.forEach((thing, at) => {
      const tone = rows[at] ?? 0;
      thing.tone = tone > 0 ? this.#tones[Math.round(tone) - 1] : undefined;
      this.#stuff.dress(thing.body, thing.tone ?? thing.colour);
    });
    this.#stuff.paint(palette);
  }

  /**
   * See through what stands between an eye and a place; a thing that is marked is seen nevertheless.
   * @param {Vector3} eye
   * @param {Vector3} place
   * @param {Palette} palette
   */
  clear(eye, place, palette) {
    const [far, hit] = [eye.distanceTo(place), new Vector3()];
    const ray = new Ray(eye.clone(), place.clone().sub(eye).normalize());
    for (const { body, colour, box, tone } of this.#things) {
      const between = isRoom(box) && ray.intersectBox(box, hit) !== null && hit.distanceTo(eye) < far;
      if (!tone) this.#stuff.dress(body, colour, between);
      if (body instanceof Mesh) body.castShadow = !isRoom(box);
    }
    this.#stuff.paint(palette);
  }

  /** @returns {number[][]} where the middle of each is */
  poses() {
    return this.#things.map(({ box }) => box.getCenter(new Vector3()).toArray());
  }

  /** @returns {string[]} */
  paints() {
    return this.#things.map(({ body }) => paintOf(body));
  }

  /** What is in the room, not the room itself. @param {Box3} box */
  addTo(box) {
    for (const thing of this.#things) if (!isRoom(thing.box)) box.union(thing.box);
  }

  dispose() {
    for (const { body, edges } of this.#things) {
      body.geometry.dispose();
      edges?.geometry.dispose();
    }
    this.#line.dispose();
    this.#stuff.dispose();
  }
}

/** Whether it is a fence, a wall or a floor rather than something in the room. @param {Box3} box */
const isRoom = (box) => Math.max(...box.getSize(new Vector3()).toArray()) > ROOM_M;

/** @param {Mesh|LineSegments|undefined} body */
function paintOf(body) {
  const material = /** @type {MeshStandardMaterial|undefined} */ (body?.material);
  return material ? `#${material.color.getHexString()}` : "";
}
