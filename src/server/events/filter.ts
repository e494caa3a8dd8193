import type { EventName } from '../../core/events.ts';
import type { Told } from './told.ts';

/** What somebody wants to hear of; everything where nothing is said. */
export type EventFilter = {
  readonly events?: readonly EventName[];
  readonly task_id?: string;
  readonly workflow_id?: string;
};

export function matches({ events, task_id, workflow_id }: EventFilter, told: Told): boolean {
  if (task_id !== undefined && told.task_id !== task_id) return false;
  if (workflow_id !== undefined && told.workflow_id !== workflow_id) return false;
  return events === undefined || events.includes(told.event);
}

/**
 * Those who listen, by what they listen to: an event costs as much as there are listeners that may want it, not as many
 * as there are in all.
 */
export class Listeners<Listener extends { readonly filter: EventFilter }> {
  readonly #byTask = new Map<string, Set<Listener>>();
  readonly #byRun = new Map<string, Set<Listener>>();
  readonly #byName = new Map<string, Set<Listener>>();
  readonly #toAll = new Set<Listener>();

  add(listener: Listener): void {
    for (const [shelf, key] of this.#places(listener)) {
      const there = shelf.get(key);
      if (there === undefined) shelf.set(key, new Set([listener]));
      else there.add(listener);
    }
    if (hearsAll(listener.filter)) this.#toAll.add(listener);
  }

  remove(listener: Listener): void {
    this.#toAll.delete(listener);
    for (const [shelf, key] of this.#places(listener)) {
      const there = shelf.get(key);
      there?.delete(listener);
      if (there?.size === 0) shelf.delete(key);
    }
  }

  /** Whoever may want the event; a copy, since hearing of it may change who listens. */
  of(told: Told): Listener[] {
    const sets = [
      this.#toAll,
      told.task_id === undefined ? undefined : this.#byTask.get(told.task_id),
      told.workflow_id === null ? undefined : this.#byRun.get(told.workflow_id),
      this.#byName.get(told.event),
    ];
    return sets.flatMap((set) => (set === undefined || set.size === 0 ? [] : [...set]));
  }

  #places({ filter }: Listener): (readonly [Map<string, Set<Listener>>, string])[] {
    const { events, task_id, workflow_id } = filter;
    if (task_id !== undefined) return [[this.#byTask, task_id]];
    if (workflow_id !== undefined) return [[this.#byRun, workflow_id]];
    return (events ?? []).map((name) => [this.#byName, name]);
  }
}

function hearsAll({ events, task_id, workflow_id }: EventFilter): boolean {
  return events === undefined && task_id === undefined && workflow_id === undefined;
}
