import { GleitzeitError } from '../core/errors.ts';
import type { Local } from '../main/local.ts';
import { type Client, clientOver, connect } from '../sdk/index.ts';
import { serverUrl } from './addresses.ts';
import { heedful } from './answers.ts';
import { ourError } from './connect-errors.ts';
import { exits } from './exits.ts';
import { catchInterrupts } from './following/interrupts.ts';
import { readKey } from './key.ts';
import type { Invocation } from './spec.ts';
import { stayForOthers } from './staying.ts';

/** A client, and whatever had to be opened for it. */
export type Connected = {
  readonly client: Client;
  /** A URL, or `local store`. */
  readonly where: string;
  /** Null where a server is asked. */
  readonly local: Local | null;
  /** Ends calls of other runs that are under way here: they are safe in the store and are made again. */
  close(): Promise<void>;
};

export type OpenOptions = {
  /** Whether tasks are started here where nobody else holds the store. */
  readonly works?: boolean;
  /**
   * Asked of a store that nobody holds before anything in it is worked off: whether there is something to work on. It may
   * throw instead.
   */
  readonly look?: ((client: Client) => Promise<boolean>) | undefined;
  /** Protocols that are going to be called at once. */
  readonly warm?: readonly string[];
  /** Where lines of the log go; nowhere but with `--debug` unless given. */
  readonly log?: (line: string) => void;
};

/** Calls that nobody waits for are given back, unless they answer in this moment (see staying.ts). */
const LEAVING_MS = 500;
const AWAY_MS = 1000;

/**
 * Finds whom to ask: the server that flag or variable name; else the server or command that holds the local store; else
 * the store itself, opened here for as long as the command takes. Nothing is worked off by looking at it.
 */
export async function openClient(call: Invocation, options: OpenOptions = {}): Promise<Connected> {
  const { look, works = false } = options;
  if (look === undefined || !works) return openAtOnce(call, options);
  const looking = await openAtOnce(call, { ...options, works: false });
  if (looking.local === null) return looking;
  const found = await look(looking.client).catch(async (thrown: unknown) => {
    await looking.close();
    throw thrown;
  });
  if (!found) return looking;
  await looking.close();
  return openAtOnce(call, options);
}

async function openAtOnce(call: Invocation, { works = false, warm, log }: OpenOptions): Promise<Connected> {
  const named = call.flags.text('server');
  if (named !== undefined) return overNetwork(call, named, log);
  const { findHolder } = await import('../main/holder.ts');
  const { env, cwd } = call;
  const address = await findHolder({ file: call.flags.text('config') ?? null, env, cwd });
  if (address !== null && isHttp(address)) return overNetwork(call, address, log);
  // Whoever asks a server needs neither the whole configuration nor a store.
  const { loadSettings } = await import('./settings.ts');
  const config = await loadSettings(call);
  const { openLocal } = await import('../main/local.ts');
  const whenAsked = (line: string) => {
    if (call.io.debug) call.io.say(line);
  };
  const opening = openLocal({ config, environment: call.env, works, warm, log: log ?? whenAsked });
  const local = await opening.catch(async (thrown: unknown) => {
    // A server may have taken it in this very moment.
    const server = await findHolder({ file: call.flags.text('config') ?? null, env, cwd });
    if (server !== null && isHttp(server)) return server;
    throw thrown;
  });
  if (typeof local === 'string') return overNetwork(call, local, log);
  const client = clientOver(local.open, { name: 'the local store' });
  return {
    client,
    where: 'local store',
    local,
    close: async () => {
      client.close();
      await local.stop({ deadline_ms: LEAVING_MS });
    },
  };
}

function isHttp(address: string): boolean {
  return /^https?:/.test(address);
}

function overNetwork(call: Invocation, named: string, log?: OpenOptions['log']): Connected {
  const url = serverUrl(named);
  const key = readKey(call);
  if (call.io.debug) call.io.say(`asking ${url}${key === undefined ? '' : ' with a key'}`);
  const client = heedful(
    connect({
      url,
      when_away: told(log ?? ((line) => call.io.say(line.trimEnd()))),
      ...(key === undefined ? {} : { key }),
    }),
    url,
  );
  return { client, where: url, local: null, close: async () => client.close() };
}

/** Whoever looks at a tree that stands still is told why, unless the server is back before anybody wonders. */
function told(log: (line: string) => void) {
  let timer: NodeJS.Timeout | undefined;
  let said = false;
  return {
    away: ({ message }: Error) => {
      timer = setTimeout(() => {
        said = true;
        log(`${message}; what was submitted goes on there, and it is tried again for a minute\n`);
      }, AWAY_MS);
      timer.unref();
    },
    back: () => {
      clearTimeout(timer);
      if (said) log('the server is there again\n');
      said = false;
    },
  };
}

/** Does something with a client, within `--timeout`, and closes everything whatever came of it. */
export async function withClient<Result>(
  call: Invocation,
  use: (client: Client) => Promise<Result>,
  options: OpenOptions = {},
): Promise<Result> {
  const timeout = call.flags.milliseconds('timeout');
  const began = performance.now();
  const opening = openClient(call, options);
  const work = opening.then(({ client }) => use(client));
  try {
    const result = await (timeout === undefined ? work : within(timeout, work));
    if (options.works) {
      const left_ms = timeout === undefined ? undefined : Math.max(0, timeout - (performance.now() - began));
      await stay(call, await opening, left_ms);
    }
    return result;
  } catch (thrown) {
    throw ourError(thrown);
  } finally {
    // One that is still being opened when the time is up is closed as soon as it is there; nobody waits for that.
    const closing = opening.then((opened) => opened.close()).catch(() => {});
    if (timeout === undefined) await closing;
  }
}

async function stay({ io }: Invocation, { local }: Connected, left_ms: number | undefined): Promise<void> {
  const interrupts = catchInterrupts(() => process.exit(exits.interrupted.status));
  await stayForOthers(io, { local, interrupts, left_ms });
  interrupts.release();
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooLate(ms)), ms);
  // What is given up still ends, and nobody is there to hear how.
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function tooLate(ms: number): GleitzeitError {
  return new GleitzeitError('GLZ2003', `not done within ${ms / 1000} s`, {
    hint: 'what was submitted goes on; allow more time with --timeout',
  });
}
