import type { Config } from '../config.ts';
import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import type { OpenPipe, Pipe, PipeReceiver } from '../sdk/pipe.ts';
import type { Others } from './attached.ts';
import { type EmbeddedHouse, openEmbeddedHouse, type UnfinishedRun } from './embedded-house.ts';
import { addressOfHolder } from './holder.ts';
import { commandLogger } from './log-lines.ts';
import { openUnixPipe, socketPathOf } from './unix-pipe.ts';

export type LocalOptions = {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether tasks are started here. `status` must not begin to work off what is left in the store. */
  readonly works: boolean;
  /** Protocols that are going to be called at once (see embedded-house.ts). */
  readonly warm?: readonly string[] | undefined;
  /** Where lines of the log go; standard error unless given. */
  readonly log?: (line: string) => void;
};

/** Where the API of the local store is right now. */
export type Whereabouts = 'here' | 'another process' | null;

export type Local = {
  /**
   * Opens a pipe to whoever holds the store: another command that works on it, or, where nobody does, this process
   * itself. When the other one goes the pipe is closed, and the next one that is opened leads to its successor, or makes
   * this process it.
   */
  readonly open: OpenPipe;
  readonly where: () => Whereabouts;
  /** Runs that earlier processes left behind and this one works on; none where another process does. */
  unfinished(limit: number): Promise<readonly UnfinishedRun[]>;
  /** Other commands that wait for something this process works on; none where another process holds the store. */
  others(): Promise<Others | undefined>;
  /** How long the configuration lets a process that stops wait for its calls. */
  readonly stop_timeout_ms: number;
  /** Takes no more tasks, waits for calls that run here as long as the configuration allows, and closes everything. */
  stop(options?: { readonly deadline_ms?: number }): Promise<void>;
};

/** Somebody who holds the store and says nothing is starting, stopping, or another command that takes a moment. */
const PATIENCE_MS = 10_000;
const FIRST_LOOK_MS = 10;
const LONGEST_LOOK_MS = 200;

/** The store of the configuration, without a server. */
export async function openLocal(options: LocalOptions): Promise<Local> {
  const local = new LocalStore(options);
  await local.reach();
  return local;
}

class LocalStore implements Local {
  readonly #options: LocalOptions;
  readonly #logger: Logger;
  #house: Promise<EmbeddedHouse> | null = null;
  #where: Whereabouts = null;
  #stopped = false;

  constructor(options: LocalOptions) {
    this.#options = options;
    this.#logger = commandLogger(options.config, options.log);
  }

  readonly open: OpenPipe = async (receiver, signal) => {
    const until = systemClock.monotonic() + PATIENCE_MS;
    for (let pause = FIRST_LOOK_MS; ; pause = Math.min(2 * pause, LONGEST_LOOK_MS)) {
      const tried = await this.#try(receiver);
      if (!(tried instanceof GleitzeitError)) return tried;
      if (systemClock.monotonic() > until || signal.aborted) throw tried;
      await new Promise<void>((resolve) => systemTimers.after(pause, resolve));
    }
  };

  readonly where = () => this.#where;

  async unfinished(limit: number): Promise<readonly UnfinishedRun[]> {
    return (await this.#house)?.unfinished(limit) ?? [];
  }

  /** Finds out now whether the store can be had, so that whoever opens it hears why not. */
  async reach(): Promise<void> {
    const nobody = { message: () => {}, closed: () => {} };
    const pipe = await this.open(nobody, new AbortController().signal);
    pipe.close();
  }

  async others(): Promise<Others | undefined> {
    return (await this.#house)?.others;
  }

  get stop_timeout_ms(): number {
    return this.#options.config.engine.stop_timeout * 1000;
  }

  async stop({ deadline_ms = this.stop_timeout_ms } = {}): Promise<void> {
    this.#stopped = true;
    const house = await this.#house?.catch(() => null);
    await house?.stop(deadline_ms);
  }

  /** A pipe, or why there is none at the moment. */
  async #try(receiver: PipeReceiver): Promise<Pipe | GleitzeitError> {
    if (this.#stopped) throw new GleitzeitError('GLZ9002', 'the command has stopped');
    const address = this.#house === null ? await addressOfHolder(this.#options.config) : null;
    const socket = address === null ? null : socketPathOf(address);
    if (address !== null && socket === null) throw heldByServer(address);
    try {
      if (socket !== null) return await this.#through(socket, receiver);
      this.#house ??= openEmbeddedHouse({ ...this.#options, logger: this.#logger });
      const { pipes } = await this.#house;
      this.#where = 'here';
      return pipes.open(receiver);
    } catch (thrown) {
      if (socket === null) this.#house = null;
      return passing(thrown);
    }
  }

  async #through(socket: string, receiver: PipeReceiver): Promise<Pipe> {
    const pipe = await openUnixPipe(socket, receiver);
    this.#where = 'another process';
    return pipe;
  }
}

/** What goes away when the one who holds the store says where it is, or has let go of it. */
function passing(thrown: unknown): GleitzeitError {
  if (thrown instanceof GleitzeitError && (thrown.code === 'GLZ3002' || thrown.code === 'GLZ2002'))
    return thrown;
  throw thrown;
}

function heldByServer(address: string): GleitzeitError {
  return new GleitzeitError('GLZ3002', `the store is held by a server at ${address}`, {
    hint: `ask that server: --server ${address}`,
  });
}
