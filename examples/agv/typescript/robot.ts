// A typed client of one AGV, over any NATS library.
//
// messages.ts is generated from the robot's contract:
//   rigless agv schema --messages --out contract
//   npx json-schema-to-typescript -i contract/messages.schema.json -o messages.ts --no-additionalProperties

import type {
  AgvMessage, CommandAck, CommandAckMessage, CommandRequest, Event, State, TaskAssign,
} from "./messages.js";

/** The part of a NATS library that the client needs. `publish` is JetStream's, with its acknowledgement. */
export interface Nats {
  publish(subject: string, data: string, headers: Record<string, string>): Promise<void>;
  subscribe(subject: string, received: (data: string) => void): void;
}

type Sent = Extract<AgvMessage, { type: `${string}.request` | `${string}.assign` }>;
type Command = CommandRequest["commandType"];
type ParamsOf<C extends Command> = Extract<CommandRequest, { commandType: C }>["params"];

const FINAL: ReadonlySet<CommandAck["status"]> =
  new Set(["SUCCEEDED", "FAILED", "REJECTED", "CANCELLED", "EXPIRED"]);

export class Robot {
  state?: State;
  onEvent: (event: Event) => void = () => {};
  private readonly boot = crypto.randomUUID();
  private seq = 0;
  private readonly open = new Map<string, (ack: CommandAck) => void>();

  constructor(private readonly nats: Nats, readonly id: string) {
    nats.subscribe(`robot.${id}.>`, (data) => this.receive(JSON.parse(data) as AgvMessage));
  }

  /** Send a command and wait for its final acknowledgement. */
  async command<C extends Command>(commandType: C, params: ParamsOf<C>, validS = 60): Promise<CommandAck> {
    const commandId = crypto.randomUUID();
    const ended = new Promise<CommandAck>((resolve) => this.open.set(commandId, resolve));
    const times = { issuedAt: stamp(0), expiresAt: stamp(validS) };
    const payload = { commandId, commandType, params, ...times } as CommandRequest;
    await this.send({ ...this.envelope(), type: "command.request", payload });
    return ended;
  }

  async assign(task: TaskAssign): Promise<void> {
    await this.send({ ...this.envelope(), type: "task.assign", payload: task });
  }

  private envelope() {
    this.seq += 1;
    const messageId = crypto.randomUUID();
    return { v: 1 as const, messageId, robotId: this.id, bootId: this.boot, seq: this.seq, ts: stamp(0) };
  }

  private send(message: Sent): Promise<void> {
    const subject = `robot.${this.id}.${message.type}`;
    return this.nats.publish(subject, JSON.stringify(message), { "Nats-Msg-Id": message.messageId });
  }

  private receive(message: AgvMessage): void {
    switch (message.type) {
      case "state":
        this.state = message.payload;
        break;
      case "events":
        this.onEvent(message.payload);
        break;
      case "command.ack":
        this.acknowledged(message);
    }
  }

  private acknowledged({ payload }: CommandAckMessage): void {
    if (FINAL.has(payload.status)) {
      this.open.get(payload.commandId)?.(payload);
      this.open.delete(payload.commandId);
    }
  }
}

function stamp(inS: number): string {
  return new Date(Date.now() + 1000 * inS).toISOString();
}
