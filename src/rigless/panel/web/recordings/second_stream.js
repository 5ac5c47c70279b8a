// Pictures of the second recording, on a WebSocket of their own: the main one looks at one
// simulation only.
import { FrameStore, pageIdOf } from "../core/frames.js";
/** @typedef {import("../core/types.js").MapObject} MapObject */

const HZ = 20;
const RETRY_MS = 1000;

export class SecondStream {
  /** @type {FrameStore|null} */
  frames = null;
  /** @type {MapObject[]} */
  objects = [];
  #robot = "";
  #file = "";
  /** @type {WebSocket|null} */
  #socket = null;
  #closed = false;
  #timer = 0;

  /** @param {() => void} changed called after each message */
  constructor(changed) {
    this.changed = changed;
    this.#connect();
  }

  /**
   * Show a robot of the open second recording; an empty name shows none.
   * @param {string} robot
   * @param {string} file
   */
  look(robot, file) {
    if (robot === this.#robot && file === this.#file) return;
    [this.#robot, this.#file] = [robot, file];
    [this.frames, this.objects] = [null, []];
    this.#subscribe();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
  }

  #connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(
      `${scheme}://${location.host}/ws?truth_hz=0&events=false&status=false`,
    );
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.#subscribe();
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onclose = () => {
      if (!this.#closed) this.#timer = window.setTimeout(() => this.#connect(), RETRY_MS);
    };
  }

  #subscribe() {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    const robots = this.#robot ? { [this.#robot]: HZ } : {};
    this.#socket.send(JSON.stringify({ type: "look", stage: "second", robots }));
  }

  /** @param {string|ArrayBuffer} data */
  #take(data) {
    if (typeof data === "string") {
      /** @type {import("../core/api_types.js").ServerMessage} */
      const message = JSON.parse(data);
      if (message.type === "page" && message.robot === this.#robot)
        this.frames = new FrameStore(message);
      else if (message.type === "around") this.objects = message.things;
      else return;
    } else if (this.frames && pageIdOf(data) === this.frames.page.id) this.frames.decode(data);
    this.changed();
  }
}
