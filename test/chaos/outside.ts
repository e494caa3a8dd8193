import { createServer, type Server, type Socket } from 'node:net';
import { type FromEngine, onLines, type Submission, sendLine, type ToEngine } from './lines.ts';

/** One connection of an engine's process, from its start to its death. */
export type Line = {
  readonly socket: Socket;
  readonly pending: Map<number, readonly Submission[]>;
  readonly inFlight: Set<number>;
  readonly firstCompletion: Promise<number>;
  readonly ready: Promise<void>;
};

const PER_CALL = 20;
const OUTSTANDING = 20;
const CHAIN_EVERY = 10;

/**
 * What is not the engine: it submits, makes the calls, and writes down what was accepted and what was executed. It
 * lives through all kills; what was sent to an engine that died unanswered is sent again under the same key.
 */
export class Outside {
  /** Key → task ids as acknowledged. A key that is answered with other ids is a fault of its own. */
  readonly accepted = new Map<string, readonly string[]>();
  readonly contradictions: string[] = [];
  acceptedTasks = 0;
  /** Task id → how often it was executed. */
  readonly executed = new Map<string, number>();
  readonly #random: () => number;
  readonly #unanswered: Submission[] = [];
  #server: Server | null = null;
  #connected: (line: Line) => void = () => {};
  #lastId = 0;
  #lastKey = 0;
  #submitting = true;

  constructor(random: () => number) {
    this.#random = random;
  }

  async listen(path: string, connected: (line: Line) => void): Promise<void> {
    this.#connected = connected;
    const server = createServer((socket) => this.#serve(socket));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(path, resolve));
  }

  /** No new work; what was not answered yet is still sent again. */
  finish(): void {
    this.#submitting = false;
  }

  get unanswered(): number {
    return this.#unanswered.length;
  }

  close(): void {
    this.#server?.close();
  }

  #serve(socket: Socket): void {
    const ready = Promise.withResolvers<void>();
    const first = Promise.withResolvers<number>();
    const line: Line = {
      socket,
      pending: new Map(),
      inFlight: new Set(),
      ready: ready.promise,
      firstCompletion: first.promise,
    };
    onLines(socket, (message: FromEngine) => {
      if (message.kind === 'execute') this.#execute(line, message);
      else if (message.kind === 'accepted') this.#acknowledge(line, message);
      else if (message.kind === 'completed') first.resolve(performance.now());
      else if (message.kind === 'refused') this.#sendAgain(line, message.id);
      else {
        ready.resolve();
        for (let index = 0; index < OUTSTANDING; index++) this.#submit(line);
      }
    });
    socket.on('close', () => {
      for (const id of [...line.pending.keys()]) this.#sendAgain(line, id);
      line.inFlight.clear();
    });
    this.#connected(line);
  }

  #submit(line: Line): void {
    if (line.socket.destroyed) return;
    const work = this.#unanswered.splice(0, PER_CALL);
    while (this.#submitting && work.length < PER_CALL) work.push(this.#newSubmission());
    if (work.length === 0) return;
    const id = ++this.#lastId;
    line.pending.set(id, work);
    this.#send(line, { kind: 'submit', id, work });
  }

  #newSubmission(): Submission {
    const n = ++this.#lastKey;
    return { key: `key-${n}`, n, length: n % CHAIN_EVERY === 0 ? 3 : 1 };
  }

  #acknowledge(line: Line, message: FromEngine & { kind: 'accepted' }): void {
    line.pending.delete(message.id);
    for (const { key, task_ids } of message.tasks) {
      const before = this.accepted.get(key);
      if (before === undefined) this.acceptedTasks += task_ids.length;
      else if (before.join() !== task_ids.join()) this.contradictions.push(key);
      this.accepted.set(key, task_ids);
    }
    this.#submit(line);
  }

  #sendAgain(line: Line, id: number): void {
    this.#unanswered.push(...(line.pending.get(id) ?? []));
    line.pending.delete(id);
    setTimeout(() => this.#submit(line), 20);
  }

  #execute(line: Line, call: FromEngine & { kind: 'execute' }): void {
    this.executed.set(call.task_id, (this.executed.get(call.task_id) ?? 0) + 1);
    line.inFlight.add(call.id);
    const ms = 15 + this.#random() * 30;
    setTimeout(() => {
      line.inFlight.delete(call.id);
      this.#send(line, { kind: 'executed', id: call.id, result: call.n });
    }, ms);
  }

  #send(line: Line, message: ToEngine): void {
    sendLine(line.socket, message);
  }
}
