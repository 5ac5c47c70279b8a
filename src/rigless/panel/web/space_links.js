// Arms and other chains of bodies: every link is a group that is put where its row says, with its solids in it.

import { Box3, Group, Mesh, MeshBasicMaterial } from "three";
import { bodyMaterial } from "./space_bodies.js";
import { castShadow } from "./space_shadow.js";
import { shapeOf } from "./space_shapes.js";

/** @import {MeshStandardMaterial} from "three" */
/** @import {Palette} from "./space_paints.js" */
/** @import {Colour, Part, Solid} from "./types.js" */

const COLUMNS = 8;
const VEILS = 5; // drawn after lines and dots, and before the ghosts
const GHOSTS = 6;

export class Chain {
  object = new Group();
  #tones;
  /** @type {Map<Colour, MeshStandardMaterial>} */
  #materials = new Map();
  #depthOnly = new MeshBasicMaterial({
    colorWrite: false,
    transparent: true,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 8,
  });
  /** @type {{group: Group, solids: {mesh: Mesh, colour: Colour}[]}[]} */
  #links;

  /** @param {Part} part */
  constructor(part) {
    this.#tones = part.tones ?? [];
    this.#links = (part.links ?? []).map((solids) => this.#link(solids));
    this.object.add(...this.#links.map(({ group }) => group));
  }

  /** @param {Solid[]} solids */
  #link(solids) {
    const group = new Group();
    group.visible = false;
    const meshes = solids.map((solid) => {
      const mesh = new Mesh(shapeOf(solid), this.#material(solid.colour));
      if (this.#material(solid.colour).transparent) group.add(this.#veil(mesh));
      else castShadow(mesh);
      group.add(mesh);
      return { mesh, colour: solid.colour };
    });
    return { group, solids: meshes };
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

  /** @param {Colour} colour */
  #material(colour) {
    let material = this.#materials.get(colour);
    if (!material) {
      material = bodyMaterial(colour);
      material.roughness = 0.38;
      this.#materials.set(colour, material);
    }
    return material;
  }

  /** @param {Palette} palette */
  paint(palette) {
    for (const colour of this.#tones) this.#material(colour);
    for (const [colour, material] of this.#materials) material.color.copy(palette.of(colour));
  }

  /** @param {Float32Array} rows */
  show(rows) {
    this.#links.forEach(({ group, solids }, link) => {
      const [x, y, z, qx, qy, qz, qw, tone] = rows.subarray(link * COLUMNS, (link + 1) * COLUMNS);
      group.visible = Number.isFinite(x + y + z + qx + qy + qz + qw);
      if (!group.visible) return;
      group.position.set(x, y, z);
      group.quaternion.set(qx, qy, qz, qw).normalize();
      const painted = tone > 0 ? this.#tones[Math.round(tone) - 1] : undefined;
      for (const { mesh, colour } of solids) mesh.material = this.#material(painted ?? colour);
    });
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

  /** @param {Box3} box */
  addTo(box) {
    for (const { group } of this.#links) if (group.visible) box.union(new Box3().setFromObject(group));
  }

  dispose() {
    for (const { solids } of this.#links) for (const { mesh } of solids) mesh.geometry.dispose();
    for (const material of this.#materials.values()) material.dispose();
    this.#depthOnly.dispose();
  }
}
