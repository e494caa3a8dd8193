import type { Answer } from '../../core/answer.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { Provider, ProviderCall } from '../../core/ports/provider.ts';
import { givenUp } from '../../rpc/correlate.ts';
import { CallsUnderWay } from '../calls-under-way.ts';
import type { Limit } from '../timeout.ts';
import { withoutSecrets } from '../without-secrets.ts';
import { callZone, type ZoneCallParts } from './call.ts';

export type ZoneProviderParts = ZoneCallParts & {
  readonly id: string;
  readonly protocol: string;
  readonly timeout: Limit | null;
};

/** An execution zone: every method of the protocol is a task there. */
export function zoneProvider(parts: ZoneProviderParts): Provider {
  const calls = new CallsUnderWay();
  return {
    id: parts.id,
    protocol: parts.protocol,
    hasMethod: () => true,
    call: (call) => answer(parts, call, calls),
    close: async () => {
      await calls.close();
      await parts.line.close();
    },
  };
}

async function answer(parts: ZoneProviderParts, call: ProviderCall, calls: CallsUnderWay): Promise<Answer> {
  try {
    if (call.signal.aborted) throw givenUp(call.signal);
    return await calls.make(call.signal, parts.timeout, async (signal) => {
      try {
        return await callZone(parts, call, signal);
      } catch (thrown) {
        throw signal.aborted ? givenUp(signal) : thrown;
      }
    });
  } catch (thrown) {
    const record = GleitzeitError.from(thrown, 'GLZ2001').toRecord();
    return { word: 'failed', error: withoutSecrets(record, parts.secrets()) };
  }
}
