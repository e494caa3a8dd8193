import type { DatabaseSync } from 'node:sqlite';
import type { Changes } from '../../core/changes.ts';
import { decideAll } from '../../core/decide.ts';
import type { HandOver } from '../../core/hand-over.ts';
import type { ClaimRequest, CommitAnswer, CommitRequest } from '../../core/ports/store.ts';
import { hashText } from '../hash.ts';
import { Applier } from './apply.ts';
import { Carrier } from './carry.ts';
import { type Claimed, Claimer, noClaim } from './claim.ts';
import { Inputs } from './inputs.ts';
import { Memory } from './memory.ts';
import { Payloads } from './payloads.ts';
import { type SourceQueries, SqliteSource, sourceQueries } from './source.ts';

/** A commit's answer with its claim as it came from the tables. */
export type Committed = Omit<CommitAnswer, 'claimed' | 'lease_lost'> & { readonly claim: Claimed };

/** The one that writes. Several requests may share a transaction, and with it the wait for the disk. */
export class Committer {
  readonly memory: Memory;
  readonly #db: DatabaseSync;
  readonly #clock: () => number;
  readonly #payloads: Payloads;
  readonly #queries: SourceQueries;
  readonly #applier: Applier;
  readonly #claimer: Claimer;
  #lost = false;

  /** `clock` is made from the newest time the store has seen. */
  constructor(db: DatabaseSync, clock: (newest: number) => () => number) {
    this.#db = db;
    this.memory = new Memory(db);
    this.#clock = clock(this.memory.newest);
    this.#payloads = new Payloads(db);
    this.#queries = sourceQueries(db);
    this.#applier = new Applier(db, this.memory, this.#payloads);
    const inputs = new Inputs(db, this.#payloads);
    const carrier = new Carrier(db, { memory: this.memory, payloads: this.#payloads, inputs });
    this.#claimer = new Claimer(db, { memory: this.memory, carrier });
  }

  /** What was begun could not be undone: nobody knows what this connection has, and it must not be used any more. */
  get lost(): boolean {
    return this.#lost;
  }

  /** All or nothing: throws what the driver threw, after which nothing of it is there. */
  commit(requests: readonly CommitRequest[]): Committed[] {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const committed = requests.map((request) => this.#one(request));
      this.#db.exec('COMMIT');
      return committed;
    } catch (thrown) {
      this.#rollback();
      throw thrown;
    }
  }

  #one({ writes, claim }: CommitRequest): Committed {
    const now = this.#clock();
    const source = new SqliteSource(this.#queries, this.memory, this.#payloads);
    const decided = decideAll(source, { now, hash: hashText, exclusive: true }, writes);
    const atOnce = claim === null ? null : this.#claimer.handOver(claim, decided.changes, source);
    const changes = atOnce?.changes ?? decided.changes;
    if (writesAnything(changes)) {
      this.#applier.apply(changes, source, now);
      this.memory.save(now);
    }
    const { settled, settledRuns, revoked } = changes;
    const { verdicts } = decided;
    return { now, verdicts, settled, settledRuns, revoked, claim: this.#claimed(claim, atOnce) };
  }

  #claimed(claim: ClaimRequest | null, atOnce: HandOver | null): Claimed {
    if (claim === null) return noClaim;
    return atOnce === null ? this.#claimer.claim(claim) : this.#claimer.carry(atOnce);
  }

  #rollback(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.memory.load();
    } catch {
      this.#lost = true;
    }
  }
}

function writesAnything(changes: Changes): boolean {
  return Object.values(changes).some((list) => list.length > 0);
}
