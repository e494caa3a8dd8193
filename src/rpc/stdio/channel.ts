import { GleitzeitError } from '../../core/errors.ts';
import type { Asked, Channel, ChannelCall, ChannelNotification, Notified, RpcAnswer } from '../channel.ts';
import { type Correlation, createCorrelation, givenUp } from '../correlate.ts';
import { requestText } from '../messages.ts';
import { Child, type ChildOptions, type StdioLimits } from './child.ts';
import { childEnvironment } from './environment.ts';
import { StartDelay } from './start-delay.ts';

export type StdioOptions = Omit<ChildOptions, 'env' | 'secrets' | 'framing' | 'limits'> & {
  /** Added to the little of our environment that a child gets. What it prints of it is not shown. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Our own environment, handed in by whoever may read it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * `auto` reads either framing. It writes lines until the child has written: a child that takes nothing but headers
   * must be configured as such.
   */
  readonly framing?: ChildOptions['framing'] | undefined;
  readonly limits?: Partial<StdioLimits> | undefined;
  readonly notified?: Notified | undefined;
  readonly asked?: Asked | undefined;
  /** The child has ended: what it was told is forgotten. Heard before anything else can be sent. */
  readonly ended?: (() => void) | undefined;
};

export const defaultStdioLimits: StdioLimits = {
  max_message: 32 * 1024 * 1024,
  max_depth: 160,
  max_unread: 64 * 1024 * 1024,
  grace_ms: 5000,
};

/** A child that has not said a word yet may be loading what it works with. */
const LONGEST_START_MS = 5 * 60_000;

/** A child process that is spoken to over its standard input and output. Started by the first call. */
export function stdioChannel(options: StdioOptions): Channel {
  return new StdioChannel(options);
}

class StdioChannel implements Channel {
  readonly #childOptions: ChildOptions;
  readonly #correlation: Correlation;
  readonly #delay: StartDelay;
  readonly #told: () => void;
  /** Children that were replaced may still be ending. */
  readonly #children = new Set<Child>();
  #child: Child | null = null;
  #heard = false;
  /** Since when nothing was heard of the child: its last word, or its start. */
  #silentSince = 0;
  #closed = false;

  constructor(options: StdioOptions) {
    const limits = { ...defaultStdioLimits, ...options.limits };
    const env = childEnvironment(options.environment, options.env);
    const secrets = Object.values(options.env ?? {});
    this.#childOptions = { ...options, env, secrets, framing: options.framing ?? 'auto', limits };
    const { notified, asked, ended, logger, timers, clock } = options;
    this.#told = ended ?? (() => {});
    this.#correlation = createCorrelation({
      logger,
      max_depth: limits.max_depth,
      reply: (text) => this.#reply(text),
      ...(notified === undefined ? {} : { notified }),
      ...(asked === undefined ? {} : { asked }),
    });
    this.#delay = new StartDelay({ timers, clock });
  }

  async call(call: ChannelCall): Promise<RpcAnswer> {
    if (call.signal.aborted) throw givenUp(call.signal);
    // A child that runs is spoken to at once; only a start may have to wait.
    if (this.#child === null) await this.#delay.wait(call.signal);
    const child = this.#running();
    return this.#correlation.open(call, (text) => child.send(text));
  }

  warm(): void {
    try {
      this.#running();
    } catch {
      // Whoever calls hears of it.
    }
  }

  renew(silent_ms: number): void {
    if (this.#child === null) return;
    const silent = this.#childOptions.clock.monotonic() - this.#silentSince;
    if (silent < Math.max(silent_ms, this.#heard ? 0 : LONGEST_START_MS)) return;
    const [program] = this.#childOptions.command;
    this.#ended(this.#child, new GleitzeitError('GLZ2002', `${program} does not answer and is ended`));
  }

  async notify(message: ChannelNotification): Promise<void> {
    if (this.#child === null) await this.#delay.wait(new AbortController().signal);
    this.#running().send(requestText(message));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#child = null;
    this.#delay.end();
    this.#correlation.failAll(closed());
    await Promise.all([...this.#children].map((child) => child.end()));
  }

  #running(): Child {
    if (this.#closed) throw closed();
    try {
      this.#child ??= this.#start();
      return this.#child;
    } catch (thrown) {
      throw GleitzeitError.from(thrown, 'GLZ2002');
    }
  }

  /** Throws where the system does not even look at the command. */
  #start(): Child {
    [this.#heard, this.#silentSince] = [false, this.#childOptions.clock.monotonic()];
    const child: Child = new Child(this.#childOptions, {
      message: (bytes) => {
        this.#delay.reset();
        if (this.#child === child)
          [this.#heard, this.#silentSince] = [true, this.#childOptions.clock.monotonic()];
        this.#correlation.received(bytes);
      },
      refused: (head, reason) => this.#correlation.refused(head, reason),
      ended: (reason) => this.#ended(child, reason),
    });
    this.#children.add(child);
    return child;
  }

  /** A child that does not read what it is sent is not told either. */
  #reply(text: string): void {
    try {
      this.#child?.send(text);
    } catch {
      // Its own calls find out.
    }
  }

  #ended(child: Child, reason: GleitzeitError): void {
    if (this.#child === child) {
      this.#child = null;
      this.#told();
      this.#delay.grow();
      this.#correlation.failAll(reason);
      this.#childOptions.logger.warn('a child process ended', { error: reason.message });
    }
    void child.end().finally(() => this.#children.delete(child));
  }
}

function closed(): GleitzeitError {
  return new GleitzeitError('GLZ2002', 'the channel is closed');
}
