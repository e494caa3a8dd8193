import type { Metadata, StatusObject } from '@grpc/grpc-js';
import type { Driver } from './driver.ts';
import type { GrpcAnswer } from './grpc.ts';

/** As much of google/rpc/status.proto and error_details.proto as says when to ask again. */
const messages = {
  nested: {
    Status: { fields: { details: { rule: 'repeated', type: 'Any', id: 3 } } },
    Any: { fields: { type_url: { type: 'string', id: 1 }, value: { type: 'bytes', id: 2 } } },
    RetryInfo: { fields: { retry_delay: { type: 'Duration', id: 1 } } },
    Duration: { fields: { seconds: { type: 'int64', id: 1 }, nanos: { type: 'int32', id: 2 } } },
  },
};

const RETRY_INFO = '/google.rpc.RetryInfo';
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/** A status that is not OK. */
export function statusOf(
  { code, details, metadata }: Pick<StatusObject, 'code' | 'details' | 'metadata'>,
  driver: Driver,
): Extract<GrpcAnswer, { said: 'status' }> {
  const wait = pushback(metadata) ?? retryDelay(metadata, driver);
  return {
    said: 'status',
    code,
    message: details === '' ? 'no message given' : details,
    ...(wait === null ? {} : { retry_after_ms: Math.min(wait, LONGEST_WAIT_MS) }),
  };
}

/** What gRPC's own retries go by. */
function pushback(metadata: Metadata): number | null {
  const [said] = metadata.get('grpc-retry-pushback-ms');
  const ms = Number(said);
  return said !== undefined && ms >= 0 ? ms : null;
}

function retryDelay(metadata: Metadata, { protobuf }: Driver): number | null {
  const [bytes] = metadata.get('grpc-status-details-bin');
  if (!(bytes instanceof Buffer)) return null;
  try {
    const root = protobuf.Root.fromJSON(messages);
    const { details } = root.lookupType('Status').decode(bytes) as unknown as {
      details: readonly { readonly type_url: string; readonly value: Uint8Array }[];
    };
    const info = details.find(({ type_url }) => type_url.endsWith(RETRY_INFO));
    if (info === undefined) return null;
    const { retry_delay } = root.lookupType('RetryInfo').decode(info.value) as unknown as {
      retry_delay: { readonly seconds: unknown; readonly nanos: number } | null;
    };
    return Number(retry_delay?.seconds ?? 0) * 1000 + (retry_delay?.nanos ?? 0) / 1e6;
  } catch {
    return null;
  }
}
