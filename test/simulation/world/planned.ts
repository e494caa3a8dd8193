import type { Json } from '../../../src/core/json.ts';
import type { Dice } from './dice.ts';

/** How the service behaves towards a task. The word travels in the task's params. */
export type Kind = (typeof kinds)[number] | 'poison';

const kinds = [
  'ok',
  'ok',
  'ok',
  'ok',
  'slow',
  'flaky',
  'flaky',
  'reject',
  'fail',
  'never',
  'again',
  'throws',
  'bad_result',
  'bad_json',
  'unholdable',
] as const;

export const protocols = ['alpha/v1', 'beta/v1', 'gamma/v1'] as const;

export type Definition = { readonly [key: string]: Json } & { readonly id: string; readonly params: Params };
export type Params = {
  readonly [key: string]: Json;
  readonly tag: string;
  readonly kind: Kind;
  /** Short id of a task it depends on → a reference to that task's result. */
  readonly in: Readonly<Record<string, string>>;
};

/** What the world knows of a task it made up, by the tag in its params. */
export type Planned = { readonly definition: Definition; readonly defaults: boolean };

/** Makes up tasks and workflows. Tags are given out once, so that what turns up in the store can be counted. */
export class Planner {
  readonly #dice: Dice;
  readonly #poison: boolean;
  readonly byTag = new Map<string, Planned>();
  #tags = 0;

  constructor(dice: Dice, poison: boolean) {
    this.#dice = dice;
    this.#poison = poison;
  }

  /** A task that succeeds at once, for asking whether the engine still works. */
  probe(protocol: string): Definition {
    return this.#keep({ ...this.#common('probe'), protocol, params: this.#params('ok', {}) }, true);
  }

  task(): Definition {
    const total_timeout = this.#dice.chance(0.1) ? this.#dice.between(0.3, 4) : null;
    const definition = { ...this.#common('lone'), params: this.#params(this.#kind(), {}) };
    return this.#keep(total_timeout === null ? definition : { ...definition, total_timeout }, true);
  }

  /** Each task depends on some of those before it: chains, fans, diamonds, or a thicket. */
  workflow(): { readonly name: string; readonly tasks: readonly Definition[] } {
    const size = this.#dice.whole(1, 8);
    const shape = this.#dice.pick(['chain', 'fan', 'diamond', 'thicket', 'apart']);
    const ids = Array.from({ length: size }, (_, index) => `t${index}`);
    const tasks = ids.map((id, index) => this.#member(id, this.#before(ids, index, shape)));
    return { name: `wf-${shape}`, tasks };
  }

  #before(ids: readonly string[], index: number, shape: string): string[] {
    const earlier = ids.slice(0, index);
    if (shape === 'chain') return earlier.slice(-1);
    if (shape === 'fan') return earlier.slice(0, 1);
    if (shape === 'diamond') return index === ids.length - 1 ? earlier.slice(1) : earlier.slice(0, 1);
    return shape === 'apart' ? [] : this.#dice.some(earlier, 0.4);
  }

  #member(id: string, before: readonly string[]): Definition {
    const read = this.#dice.some(before, 0.7);
    const defaults = this.#dice.chance(0.7);
    const refers = read.map((dep): [string, string] => [
      dep,
      `\${${dep}.result.value${defaults ? ' ?? "none"' : ''}}`,
    ]);
    const input = this.#dice.chance(0.3) ? { input: 'got ${workflow.input.word}' } : {};
    const params = { ...this.#params(this.#kind(), Object.fromEntries(refers)), ...input };
    const dependencies = before.filter((dep) => !read.includes(dep) || this.#dice.chance(0.3));
    const total_timeout = this.#dice.chance(0.05) ? { total_timeout: this.#dice.between(0.3, 4) } : {};
    const on_failure = this.#dice.chance(0.3) ? 'continue' : 'skip';
    return this.#keep({ ...this.#common(id), params, dependencies, on_failure, ...total_timeout }, defaults);
  }

  #kind(): Kind {
    return this.#poison && this.#dice.chance(0.04) ? 'poison' : this.#dice.pick(kinds);
  }

  #params(kind: Kind, refers: Readonly<Record<string, string>>): Params {
    return { tag: `tag-${++this.#tags}`, kind, in: refers };
  }

  #common(id: string) {
    const dice = this.#dice;
    return {
      id,
      protocol: dice.pick(protocols),
      method: 'work',
      priority: dice.pick(['urgent', 'high', 'normal', 'normal', 'low']),
      timeout: dice.between(0.1, 1.5),
      retry_config: {
        max_attempts: dice.whole(1, 4),
        backoff: dice.pick(['fixed', 'linear', 'exponential']),
        initial_delay: dice.pick([0, 0.01, 0.2, 1]),
        max_delay: dice.pick([0.5, 2]),
        jitter: dice.pick([0, 0.5, 1]),
        ...(dice.chance(0.1) ? { max_total: dice.between(0.2, 3) } : {}),
      },
    };
  }

  #keep(definition: Definition, defaults: boolean): Definition {
    this.byTag.set(definition.params.tag, { definition, defaults });
    return definition;
  }
}
