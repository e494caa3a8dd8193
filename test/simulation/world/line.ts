import { GleitzeitError } from '../../../src/core/errors.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import type { Nature } from './nature.ts';
import type { EngineProcess } from './process.ts';

export type Reply<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'error'; readonly error: GleitzeitError }
  /** Nobody knows: the engine died, or its answer did not come through. */
  | { readonly kind: 'lost' };

/** A call that an engine has not answered yet, whether or not its client still listens. */
export type Pending = { readonly process: EngineProcess; readonly what: string; readonly since: number };

/** The way between clients and engines. Clients outlive engines; a call to one that dies is lost. */
export class Line {
  readonly #nature: Nature;
  readonly pending = new Set<Pending>();

  constructor(nature: Nature) {
    this.#nature = nature;
  }

  /** `heard` is told what the engine says the moment it says it, also when the answer then gets lost. */
  call<Value>(
    process: EngineProcess,
    what: string,
    ask: (engine: Engine) => Promise<Value>,
    heard: (value: Value) => void = () => {},
  ): Promise<Reply<Value>> {
    const nature = this.#nature;
    const { promise, resolve } = Promise.withResolvers<Reply<Value>>();
    const pending: Pending = { process, what, since: nature.now };
    let done = false;
    const finish = (reply: Reply<Value>) => {
      if (done) return;
      done = true;
      nature.trace(
        'client',
        `${what}: ${reply.kind}`,
        reply.kind === 'error' ? reply.error.message : undefined,
      );
      const lost = reply.kind === 'lost' || nature.mishap(nature.weather.reply_lost);
      nature.scheduler.after(nature.dice.between(0, lost ? 50 : 2), () =>
        resolve(lost ? { kind: 'lost' } : reply),
      );
    };
    const arrive = () => {
      if (process.engine === null || process.state !== 'running') return finish({ kind: 'lost' });
      this.pending.add(pending);
      ask(process.engine).then(
        (value) => {
          this.pending.delete(pending);
          if (!done) heard(value);
          finish({ kind: 'ok', value });
        },
        (thrown: unknown) => {
          this.pending.delete(pending);
          finish({ kind: 'error', error: GleitzeitError.from(thrown) });
        },
      );
    };
    nature.trace('client', `${what} → ${process.name}`);
    process.whenGone(() => {
      if (process.state === 'crashed') this.pending.delete(pending);
      finish({ kind: 'lost' });
    });
    if (process.alive) process.deliver(nature.dice.between(0, 2), arrive);
    else finish({ kind: 'lost' });
    return promise;
  }
}
