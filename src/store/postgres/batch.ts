import type pg from 'pg';
import type { Query, Row, Value } from './statement.ts';

/** So many bytes are worth a packet of their own: the server works on them while the rest is made. */
const PACKET = 32 * 1024;

type Message = { readonly fields: readonly (string | null)[] };

/** What the driver's connection offers to queries that speak the protocol themselves. */
type Wire = {
  readonly stream: pg.Connection['stream'];
  parse(query: Statement): void;
  bind(bound: { statement: string; values: readonly Value[]; valueMapper: (value: Value) => unknown }): void;
  execute(): void;
  sync(): void;
};
type Statement = Query['statement'];

/** The statements a session has parsed, and those on their way to be. */
export class Prepared {
  readonly #names = new Set<string>();
  #sent: string[] = [];

  has(name: string): boolean {
    return this.#names.has(name) || this.#sent.includes(name);
  }

  send(name: string): void {
    this.#sent.push(name);
  }

  parsed(): void {
    const name = this.#sent.shift();
    if (name !== undefined) this.#names.add(name);
  }

  /** What the server has not parsed by now it passed over, because of a failure before. */
  forgetSent(): void {
    this.#sent = [];
  }
}

/**
 * Several statements under one Sync: one answer, and one turn of the event loop, for all of them. The server works on
 * each as it arrives; after a failure it passes over the rest. A query object of the driver's, made for one use.
 */
export class Batch {
  readonly done: Promise<void>;
  readonly #prepared: Prepared;
  readonly #queries: Iterable<Query>;
  readonly #takes: Query['take'][] = [];
  readonly #resolve: () => void;
  readonly #reject: (thrown: unknown) => void;
  #answered = 0;
  #rows: Row[] = [];
  #thrown: { readonly error: unknown } | null = null;

  constructor(queries: Iterable<Query>, prepared: Prepared) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#queries = queries;
    this.#prepared = prepared;
    this.done = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** A query that cannot be made ends the batch before it; what was sent by then is answered first. */
  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire;
    const { stream } = wire;
    let held = 0;
    stream.cork();
    try {
      for (const query of this.#queries) {
        held += this.#send(query, wire);
        if (held < PACKET) continue;
        stream.uncork();
        stream.cork();
        held = 0;
      }
    } catch (error) {
      this.#thrown = { error };
    }
    wire.sync();
    stream.uncork();
  }

  #send({ statement, values, take }: Query, wire: Wire): number {
    if (!this.#prepared.has(statement.name)) {
      this.#prepared.send(statement.name);
      wire.parse(statement);
    }
    wire.bind({ statement: statement.name, values, valueMapper });
    wire.execute();
    this.#takes.push(take);
    return values.reduce<number>((sum, value) => sum + (value instanceof Buffer ? value.length : 0), 0);
  }

  handleDataRow({ fields }: Message): void {
    this.#rows.push(fields);
  }

  handleCommandComplete(): void {
    const rows = this.#rows;
    this.#rows = [];
    try {
      this.#takes[this.#answered++]?.(rows);
    } catch (error) {
      this.#thrown ??= { error };
    }
  }

  handleReadyForQuery(): void {
    if (this.#thrown === null) this.#resolve();
    else this.#reject(this.#thrown.error);
  }

  handleError(error: unknown): void {
    this.#prepared.forgetSent();
    this.#reject(error);
  }
}

function valueMapper(value: Value): string | Buffer | null {
  return value === null || value instanceof Buffer ? value : String(value);
}
