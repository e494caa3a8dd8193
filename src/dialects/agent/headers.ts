import type { ProviderCall } from '../../core/ports/provider.ts';

/**
 * What every call of an agent says of itself, so that its log can be laid beside ours and a repeat be recognised: the id stays the
 * same over automatic retries.
 */
export function callHeaders({
  call_id,
  correlation_id = call_id,
  traceparent,
}: Pick<ProviderCall, 'call_id' | 'correlation_id' | 'traceparent'>) {
  return {
    'x-correlation-id': correlation_id,
    'idempotency-key': call_id,
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}
