import type { Answer } from '../../core/answer.ts';
import { classOf, GleitzeitError } from '../../core/errors.ts';
import type { Probed, Provider, ProviderCall } from '../../core/ports/provider.ts';
import { givenUp } from '../../rpc/correlate.ts';
import { CallsUnderWay } from '../calls-under-way.ts';
import type { Limit } from '../timeout.ts';
import { withoutSecrets } from '../without-secrets.ts';
import { UNKNOWN_TASK, zoneFailure } from './answer.ts';
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
    probe: { asked: 'a task that nobody has', ask: (signal) => hailed(parts, signal) },
    close: async () => {
      await calls.close();
      await parts.line.close();
    },
  };
}

/** The contract has no other question that starts nothing: a zone that is well knows no such task. */
async function hailed({ line, newId, secrets }: ZoneProviderParts, signal: AbortSignal): Promise<Probed> {
  const params = { task_id: `is-anybody-there-${newId()}` };
  const said = await line.ask({ id: newId(), method: 'get_async_task_result', params }, signal);
  if ('result' in said || said.error.code === UNKNOWN_TASK) return { well: true, error: null };
  const error = withoutSecrets(zoneFailure(said.error).toRecord(), secrets());
  return { well: classOf(error) === 'rate_limit', error };
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
