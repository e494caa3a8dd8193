import type { ClaimedTask } from '../../../src/core/ports/store.ts';
import type { PausedQueues } from '../../../src/core/queue-pause.ts';
import type { Committed } from '../../../src/store/simulated/data.ts';
import type { CallRecord } from '../world/call-record.ts';
import type { Nature } from '../world/nature.ts';
import type { EngineProcess } from '../world/process.ts';
import { graceOf, patienceOf } from './patience.ts';

const EVERYTHING = '*';

/**
 * Nothing of a paused protocol is called by an engine that knows of it, and every engine knows of it before long. The
 * same holds for what waits in the engines of a run that is paused.
 */
export class Pauses {
  readonly #nature: Nature;
  /** Protocol, or everything → since when it has been paused in the store. */
  readonly #since = new Map<string, number>();
  readonly #runsSince = new Map<string, number>();
  /** What an engine was last seen to know, and since when at least. */
  readonly #known = new Map<EngineProcess, { readonly version: number; readonly at: number }>();

  constructor(nature: Nature) {
    this.#nature = nature;
  }

  committed({ changes }: Committed): void {
    for (const { workflow_id, status } of changes.runs) {
      if (status !== 'paused') this.#runsSince.delete(workflow_id);
      else if (!this.#runsSince.has(workflow_id)) this.#runsSince.set(workflow_id, this.#nature.now);
    }
    for (const { collection, key, text } of changes.documents) {
      if (collection !== 'queue' || key !== 'paused') continue;
      const { all, protocols } = JSON.parse(text) as PausedQueues;
      const names = new Set(all ? [...protocols, EVERYTHING] : protocols);
      for (const name of this.#since.keys()) if (!names.has(name)) this.#since.delete(name);
      for (const name of names) if (!this.#since.has(name)) this.#since.set(name, this.#nature.now);
    }
  }

  get any(): boolean {
    return this.#since.size > 0;
  }

  isPaused(lane: string): boolean {
    return this.#sinceOf(lane) !== null;
  }

  /** What is known now was known a moment ago, too, if it was so when last looked at. */
  look(processes: readonly EngineProcess[]): void {
    for (const process of processes) {
      const version = process.engine?.seen.paused.version ?? 0;
      if (this.#known.get(process)?.version !== version)
        this.#known.set(process, { version, at: this.#nature.now });
    }
  }

  called({ process, call_id }: CallRecord, { task, payloads }: ClaimedTask): void {
    // One that had to read or write first may have been on its way.
    if (task.suspect || payloads === null) return;
    const paused = process.engine?.seen.paused;
    const known = this.#known.get(process);
    const told = paused !== undefined && known?.version === paused.version && known.at < this.#nature.now;
    if (told && (paused.all || paused.protocols.includes(task.lane))) {
      this.#nature.fail('a paused queue starts nothing', `${process.name} called ${call_id} of ${task.lane}`);
    }
    const since = this.#sinceOf(task.lane) ?? this.#runsSince.get(task.workflow_id ?? '') ?? null;
    if (since === null) return;
    const calmSince = Math.max(since, this.#nature.disturbedAt);
    if (this.#nature.now - calmSince > graceOf(this.#nature) + patienceOf(this.#nature)) {
      this.#nature.fail(
        'a pause is heard of before long',
        `${process.name} called ${call_id} of ${task.lane} in ${task.workflow_id}, paused since ${since}`,
      );
    }
  }

  #sinceOf(lane: string): number | null {
    return this.#since.get(EVERYTHING) ?? this.#since.get(lane) ?? null;
  }
}
