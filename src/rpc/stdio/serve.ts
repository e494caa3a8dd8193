import type { Readable, Writable } from 'node:stream';
import { errorRecord } from '../../core/errors.ts';
import type { Dispatch } from '../dispatch.ts';
import { idInHead } from '../id-in-head.ts';
import { errorText, type RpcErrorObject } from '../messages.ts';
import { frameReader } from './frame-reader.ts';
import { type Framing, frame } from './framing.ts';

export type ServeStdioOptions<Context> = {
  readonly dispatch: Dispatch<Context>;
  /** The context of this connection. `send` brings a notification to the other side. */
  readonly context: (send: (text: string) => void) => Context;
  readonly input: Readable;
  readonly output: Writable;
  /** `auto` answers in the framing the other side speaks. */
  readonly framing?: Framing | 'auto';
  readonly max_message?: number;
  /** What a message that is too large is answered with, where the endpoint has words of its own for it. */
  readonly too_large?: RpcErrorObject;
  /** Whether a line of nothing is handed on as a message. */
  readonly blank_lines?: boolean;
  /** Messages that are worked on at a time; the input waits when there are more. */
  readonly max_in_flight?: number;
};

/**
 * Serves whoever started this process, over its standard streams. Resolves when the input has ended and all answers are
 * handed over, or when nobody reads them any more.
 */
export function serveStdio<Context>(options: ServeStdioOptions<Context>): Promise<void> {
  const { dispatch, input, output, framing = 'auto', max_message = 32 * 1024 * 1024 } = options;
  const { max_in_flight = 100, too_large, blank_lines } = options;
  const done = Promise.withResolvers<void>();
  const leaving = new AbortController();
  let written: Framing = framing === 'headers' ? 'headers' : 'lines';
  let inFlight = 0;
  let ended = false;

  const settle = () => {
    if (ended && inFlight === 0) done.resolve();
    else if (inFlight < max_in_flight && !output.writableNeedDrain) input.resume();
  };
  const send = (text: string) => {
    if (leaving.signal.aborted) return;
    if (!output.write(frame(text, written))) input.pause();
  };
  const end = () => {
    ended = true;
    settle();
  };
  const leave = () => {
    leaving.abort();
    input.pause();
    done.resolve();
  };
  const context = options.context(send);
  const answer = async (bytes: Uint8Array) => {
    if (++inFlight >= max_in_flight) input.pause();
    const { text } = await dispatch.handle(bytes, context, leaving.signal);
    inFlight--;
    if (text !== null) send(text);
    settle();
  };
  const refuse = (id: string, error: RpcErrorObject) => send(errorText(id, JSON.stringify(error)));
  const reader = frameReader({
    framing,
    max_message,
    blank_lines,
    decided: (found) => {
      written = found;
    },
    sink: {
      message: (bytes) => void answer(bytes),
      refused: (head, reason) =>
        refuse(JSON.stringify(idInHead(head) ?? null), too_large ?? invalid(`the message ${reason}`)),
      broken: (reason) => {
        refuse('null', invalid(`the stream has ${reason}`));
        end();
      },
    },
  });
  input.on('data', (chunk: Buffer) => reader.push(chunk));
  input.once('end', () => {
    reader.end();
    end();
  });
  input.once('error', leave);
  output.on('drain', settle);
  output.once('error', leave);
  output.once('close', leave);
  return done.promise;
}

function invalid(reason: string): RpcErrorObject {
  return errorRecord('GLZ4006', 'invalid request', { reason });
}
