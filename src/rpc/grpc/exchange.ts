import type { CallOptions, Client, Metadata, ServiceError } from '@grpc/grpc-js';
import { type ErrorDetails, GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { givenUp } from '../correlate.ts';
import type { GrpcAnswer, GrpcCall, GrpcLimits } from './grpc.ts';
import { fromMessage, toMessage } from './mapping.ts';
import type { KnownMethod } from './protos.ts';

const RESOURCE_EXHAUSTED = 8;

type Surroundings = { readonly limits: GrpcLimits; readonly clock: Clock };
type Over = { readonly client: Client; readonly metadata: Metadata };

/** One request and what comes back of it. */
export class Exchange {
  readonly #call: GrpcCall;
  readonly #method: KnownMethod;
  readonly #surroundings: Surroundings;

  constructor(call: GrpcCall, method: KnownMethod, surroundings: Surroundings) {
    this.#call = call;
    this.#method = method;
    this.#surroundings = surroundings;
  }

  /** Rejects with the error of the driver where the service answers with a status that is not OK. */
  async make(over: Over): Promise<GrpcAnswer> {
    if (this.#call.signal.aborted) throw givenUp(this.#call.signal);
    const { request } = this.#method;
    const message = request.create(toMessage(request, this.#call.params) as Record<string, unknown>);
    const bytes = Buffer.from(request.encode(message).finish());
    try {
      return await (this.#method.streams ? this.#stream(bytes, over) : this.#unary(bytes, over));
    } catch (thrown) {
      throw this.#call.signal.aborted ? givenUp(this.#call.signal) : tooLarge(thrown);
    }
  }

  #unary(bytes: Buffer, { client, metadata }: Over): Promise<GrpcAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<GrpcAnswer>();
    const heard = (error: ServiceError | null, answer?: Buffer) => {
      if (error !== null) return reject(error);
      try {
        resolve({ said: 'message', message: this.#read(answer ?? Buffer.alloc(0)) });
      } catch (thrown) {
        reject(thrown);
      }
    };
    const { path } = this.#method;
    const line = client.makeUnaryRequest(path, same, same, bytes, metadata, this.#options(), heard);
    return this.#whileWanted(promise, () => line.cancel());
  }

  #stream(bytes: Buffer, { client, metadata }: Over): Promise<GrpcAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<GrpcAnswer>();
    const line = client.makeServerStreamRequest(
      this.#method.path,
      same,
      same,
      bytes,
      metadata,
      this.#options(),
    );
    const messages: Json[] = [];
    let size = 0;
    line.on('data', (chunk: Buffer) => {
      try {
        size += chunk.length;
        this.#checkRoom(size, messages.length + 1);
        const message = this.#read(chunk);
        messages.push(message);
        this.#call.heard?.(message, messages.length);
      } catch (thrown) {
        reject(thrown);
        line.cancel();
      }
    });
    line.on('error', reject);
    line.on('end', () => resolve({ said: 'stream', messages }));
    return this.#whileWanted(promise, () => line.cancel());
  }

  #checkRoom(size: number, count: number): void {
    const { max_message, max_messages } = this.#surroundings.limits;
    if (size > max_message) throw unusable(`is larger than ${max_message} bytes`);
    if (count > max_messages) throw unusable(`has more than ${max_messages} messages`);
  }

  #options(): CallOptions {
    const { timeout_ms } = this.#call;
    return timeout_ms === null ? {} : { deadline: this.#surroundings.clock.wall() + timeout_ms };
  }

  async #whileWanted(answer: Promise<GrpcAnswer>, cancel: () => void): Promise<GrpcAnswer> {
    const { signal } = this.#call;
    signal.addEventListener('abort', cancel);
    try {
      return await answer;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  #read(bytes: Buffer): Json {
    const { response } = this.#method;
    try {
      return fromMessage(response, response.decode(bytes));
    } catch {
      throw unusable(`is no ${response.fullName.replace(/^\./, '')}`, { fault: 'provider' });
    }
  }
}

function same(bytes: Buffer): Buffer {
  return bytes;
}

function unusable(reason: string, details: ErrorDetails = {}): GleitzeitError {
  return new GleitzeitError('GLZ2005', `the answer ${reason}`, { reason, ...details });
}

/** The driver says the same of a message that is past our bound as a service that has had enough of us. */
export function tooLarge(thrown: unknown): unknown {
  const is = thrown instanceof Error && 'code' in thrown && thrown.code === RESOURCE_EXHAUSTED;
  if (!is || !/larger than max/i.test(thrown.message)) return thrown;
  return unusable('is larger than may be kept');
}
