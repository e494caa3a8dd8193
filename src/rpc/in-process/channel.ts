import { GleitzeitError } from '../../core/errors.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { Channel, Notified } from '../channel.ts';
import { createCorrelation } from '../correlate.ts';
import type { Dispatch } from '../dispatch.ts';
import { bytesOf } from '../guard.ts';
import { requestText } from '../messages.ts';

export type InProcessOptions<Context> = {
  readonly dispatch: Dispatch<Context>;
  /** The context of this connection. `send` brings a notification to the caller. */
  readonly context: (send: (text: string) => void) => Context;
  readonly logger: Logger;
  readonly max_depth: number;
  /** Bytes of one message. */
  readonly max_message: number;
  readonly notified?: Notified;
};

/** A server in the same process, spoken to in the same texts as over a wire: nothing is shared by reference. */
export function inProcessChannel<Context>(options: InProcessOptions<Context>): Channel {
  const { dispatch, max_message } = options;
  const correlation = createCorrelation(options);
  const closing = new AbortController();
  const receive = (text: string) => {
    // A character has at most three bytes for each unit of its text.
    const large = text.length * 3 > max_message && bytesOf(text).length > max_message;
    if (large) correlation.refused(bytesOf(text.slice(0, HEAD)), `is larger than ${max_message} bytes`);
    else if (!closing.signal.aborted) correlation.received(text);
  };
  const context = options.context(receive);
  const handle = async (text: string, signal: AbortSignal) => {
    const reply = await dispatch.handle(text, context, signal);
    if (reply.text !== null) receive(reply.text);
  };
  return {
    call: async (call) => {
      if (closing.signal.aborted) throw closed();
      const signal = AbortSignal.any([call.signal, closing.signal]);
      return correlation.open(call, (text) => void handle(text, signal));
    },
    notify: async (message) => {
      if (closing.signal.aborted) throw closed();
      await handle(requestText(message), closing.signal);
    },
    close: async () => {
      closing.abort();
      correlation.failAll(closed());
    },
  };
}

/** Enough of a message that is refused to find its id in. */
const HEAD = 4096;

function closed(): GleitzeitError {
  return new GleitzeitError('GLZ2002', 'the channel is closed');
}
