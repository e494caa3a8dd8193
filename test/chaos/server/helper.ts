import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A process that lives through all kills, and what it last said of itself. */
export type Helper<State, Order> = {
  readonly state: State;
  tell(order: Order): void;
  /** It writes down what is left to write, and goes. */
  finish(): Promise<void>;
  kill(): void;
};

/** Starts a program of this folder; resolves with its first words. */
export async function startHelper<State extends object, Order extends object>(
  program: string,
  options: object,
): Promise<Helper<State, Order>> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = fork(file, [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const gone = once(child, 'exit');
  const early = gone.then(([code]) => {
    throw new Error(`${program} ended by itself with ${code}`);
  });
  early.catch(() => {});
  let [state] = (await Promise.race([once(child, 'message'), early])) as [State];
  child.on('message', (message) => {
    state = message as State;
  });
  return {
    get state() {
      return state;
    },
    tell(order) {
      if (child.connected) child.send(order);
    },
    async finish() {
      if (child.connected) child.send({ kind: 'finish' });
      await gone;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

/** The helper's own side: what it was given, a way to tell its state now and then, and what to do at the end. */
export function beHelper<Options, Order extends object>(parts: {
  readonly ordered?: (order: Order) => void;
  readonly finish: () => Promise<void>;
}): { readonly options: Options; tellState(state: () => object): void } {
  process.on('message', (message: Order | { kind: 'finish' }) => {
    if ('kind' in message && message.kind === 'finish') void parts.finish().then(() => process.exit(0));
    else parts.ordered?.(message as Order);
  });
  // Whoever started it is gone.
  process.on('disconnect', () => process.exit(1));
  return {
    options: JSON.parse(process.argv[2] ?? '{}') as Options,
    tellState(state) {
      process.send?.(state());
      setInterval(() => process.connected && process.send?.(state()), TELL_MS);
    },
  };
}

const TELL_MS = 10;
