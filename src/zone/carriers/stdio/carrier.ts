import type { Clock, Timers } from '../../../core/ports/clock.ts';
import type { Logger } from '../../../core/ports/logger.ts';
import { defaultStdioLimits } from '../../../rpc/stdio/channel.ts';
import { Child } from '../../../rpc/stdio/child.ts';
import { childEnvironment } from '../../../rpc/stdio/environment.ts';
import type { GroupNotes } from '../../../rpc/stdio/process-group.ts';
import type { Carrier } from '../../carrier.ts';
import { Exchanges, textIdOf } from '../exchanges.ts';
import { aborted, carrierTrouble, closed, requireSize, unreadable } from '../trouble.ts';

export type StdioCarrierOptions = {
  /** The program that is the other zone, and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly cwd?: string | undefined;
  /** Added to the little of our environment that a child gets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly max_bytes?: number | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly notes?: GroupNotes | undefined;
};

const NAME = 'stdio';

/** A program that is spoken to over its standard streams, a message a line. Started by the first request, and again after it ended. */
export function stdioCarrier(options: StdioCarrierOptions): Carrier {
  const { max_bytes = defaultStdioLimits.max_message } = options;
  const limits = { ...defaultStdioLimits, max_message: max_bytes };
  const env = childEnvironment(options.environment, options.env);
  const secrets = Object.values(options.env ?? {});
  const exchanges = new Exchanges(NAME);
  const children = new Set<Child>();
  let current: Child | null = null;
  let over = false;

  function start(): Child {
    const child: Child = new Child(
      { ...options, env, secrets, framing: 'lines', limits },
      {
        message: (bytes) => exchanges.received(bytes),
        refused: (head) => exchanges.refused(textIdOf(head), unreadable(NAME)),
        ended: (reason) => {
          if (current === child) current = null;
          exchanges.failAll(carrierTrouble(NAME, reason));
          void child.end().finally(() => children.delete(child));
        },
      },
    );
    children.add(child);
    return child;
  }

  return {
    name: NAME,
    send: async (body, { signal }) => {
      if (over) throw closed(NAME, 'no');
      if (signal.aborted) throw aborted(NAME, 'no');
      requireSize(NAME, body, max_bytes);
      return exchanges.open(oneLine(body), signal, (text) => {
        if (over) throw closed(NAME, 'no');
        current ??= start();
        current.send(text);
      });
    },
    close: async () => {
      over = true;
      exchanges.failAll(closed(NAME, 'maybe'));
      await Promise.all([...children].map((child) => child.end()));
    },
  };
}

/** Outside of texts, where none can stand as it is, a line break means nothing in JSON. */
function oneLine(body: string): string {
  return body.replace(/[\r\n]+/g, ' ');
}
