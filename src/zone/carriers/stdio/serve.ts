import type { Readable, Writable } from 'node:stream';
import { serveStdio } from '../../../rpc/stdio/serve.ts';
import { dispatchTo, type ServedEndpoint, unread } from '../serve.ts';

export type ZoneStreams = {
  readonly input: Readable;
  readonly output: Writable;
  readonly max_bytes?: number;
};

/** Serves whoever started this process. Resolves when nobody asks any more. */
export function serveZoneStdio(
  served: ServedEndpoint,
  { input, output, max_bytes }: ZoneStreams,
): Promise<void> {
  return serveStdio({
    dispatch: dispatchTo<Record<never, never>>(served),
    context: () => ({}),
    input,
    output,
    framing: 'lines',
    too_large: unread.too_large,
    blank_lines: true,
    ...(max_bytes === undefined ? {} : { max_message: max_bytes }),
  });
}
