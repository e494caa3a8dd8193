import type { Client, Metadata, ServiceError } from '@grpc/grpc-js';
import { givenUp } from '../correlate.ts';
import type { Driver } from './driver.ts';
import type { GrpcHealth } from './grpc.ts';

/** As much of grpc/health/v1/health.proto as is read. The question, about the whole server, is an empty message. */
const messages = { nested: { Response: { fields: { status: { type: 'int32', id: 1 } } } } };

const PATH = '/grpc.health.v1.Health/Check';
const SERVING = 1;
const NOT_SERVING = 2;
/** Neither a server without the service nor one that was not told about itself says anything by these. */
const unknowing: readonly number[] = [5, 12];

type Over = {
  readonly driver: Driver;
  readonly client: Client;
  readonly metadata: Metadata;
  readonly signal: AbortSignal;
};

/** Rejects with the error of the driver where the server answers with any other status. */
export async function checkHealth({ driver, client, metadata, signal }: Over): Promise<GrpcHealth> {
  if (signal.aborted) throw givenUp(signal);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const heard = (error: ServiceError | null, answer?: Buffer) => {
    if (error === null) resolve(answer ?? Buffer.alloc(0));
    else reject(error);
  };
  const line = client.makeUnaryRequest(PATH, same, same, Buffer.alloc(0), metadata, heard);
  const cancel = () => line.cancel();
  signal.addEventListener('abort', cancel);
  try {
    return { said: statusIn(await promise, driver) };
  } catch (thrown) {
    if (signal.aborted) throw givenUp(signal);
    if (thrown instanceof Error && 'code' in thrown && unknowing.includes(Number(thrown.code)))
      return { said: 'unknown' };
    throw thrown;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function statusIn(bytes: Buffer, { protobuf }: Driver): 'serving' | 'not_serving' | 'unknown' {
  const response = protobuf.Root.fromJSON(messages).lookupType('Response');
  try {
    const { status } = response.decode(bytes) as unknown as { readonly status: number };
    if (status === SERVING) return 'serving';
    return status === NOT_SERVING ? 'not_serving' : 'unknown';
  } catch {
    return 'unknown';
  }
}

function same(bytes: Buffer): Buffer {
  return bytes;
}
