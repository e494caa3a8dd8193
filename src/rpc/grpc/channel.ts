import type { Client, Metadata, ServiceError } from '@grpc/grpc-js';
import type { Root } from 'protobufjs';
import { GleitzeitError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { givenUp } from '../correlate.ts';
import type { Credentials } from '../credentials.ts';
import type { HttpTls } from '../http/connect.ts';
import { type Driver, loadGrpc } from './driver.ts';
import { Exchange } from './exchange.ts';
import type {
  GrpcAnswer,
  GrpcCall,
  GrpcChannel,
  GrpcHealth,
  GrpcLimits,
  GrpcMethod,
  Protos,
} from './grpc.ts';
import { checkHealth } from './health.ts';
import { type OpenClient, openClient } from './open-client.ts';
import { type KnownMethod, methodIn, readProtos, rootOf } from './protos.ts';
import { filesOf } from './reflection.ts';
import { statusOf } from './status.ts';

export type GrpcOptions = {
  /** `grpc://host:port` in the clear, `grpcs://host:port` with TLS. */
  readonly url: URL;
  readonly tls?: (() => HttpTls) | undefined;
  readonly credentials: Credentials | null;
  /** Null where the service tells of its methods itself. */
  readonly protos: Protos | null;
  readonly limits: GrpcLimits;
  /** How often an idle line is asked whether somebody is there while calls wait; null for never. */
  readonly keepalive_ms: number | null;
  readonly clock: Clock;
};

const UNAUTHENTICATED = 16;

type Texts = Readonly<Record<string, string>>;
type Status = Extract<GrpcAnswer, { said: 'status' }>;

/** An open line, and what is shown on it. */
type Over = {
  readonly driver: Driver;
  readonly client: Client;
  readonly metadata: Metadata;
  readonly signal: AbortSignal;
};

type Make<Said> = (over: Over) => Promise<Said>;

export function grpcChannel(options: GrpcOptions): GrpcChannel {
  return new Line(options);
}

class Line implements GrpcChannel {
  readonly #options: GrpcOptions;
  readonly #methods = new Map<string, KnownMethod>();
  #driver: Promise<Driver> | null = null;
  #root: Promise<Root> | null = null;
  #open: OpenClient | null = null;
  #closed = false;

  constructor(options: GrpcOptions) {
    this.#options = options;
  }

  call(call: GrpcCall): Promise<GrpcAnswer> {
    return this.#shown(call.signal, call.metadata, async (over) => {
      const method = await this.#find(call.method, over);
      const { client, metadata } = over;
      return new Exchange(call, method, this.#options).make({ client, metadata });
    });
  }

  check(signal: AbortSignal): Promise<GrpcHealth> {
    return this.#shown<GrpcHealth>(signal, {}, checkHealth);
  }

  /** As somebody the service knows; once more where what was shown is not accepted and something fresh can be had. */
  async #shown<Said extends { readonly said: string }>(
    signal: AbortSignal,
    metadata: Texts,
    make: Make<Said>,
  ): Promise<Said | Status> {
    const { credentials } = this.#options;
    if (signal.aborted) throw givenUp(signal);
    // What is not installed may be the next time.
    this.#driver ??= loadGrpc().catch((thrown: unknown) => {
      this.#driver = null;
      throw thrown;
    });
    const driver = await this.#driver;
    const shown = (await credentials?.show(signal)) ?? null;
    const told = { ...metadata, ...shown?.headers };
    const answer = await this.#exchange({ driver, told, signal }, make);
    const refused = 'code' in answer && answer.code === UNAUTHENTICATED;
    if (!refused || credentials === null || shown === null || !credentials.refused(shown)) return answer;
    const { headers } = await credentials.show(signal);
    return this.#exchange({ driver, told: { ...metadata, ...headers }, signal }, make);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#open?.close();
    this.#open = null;
    await this.#options.credentials?.close();
  }

  async #exchange<Said>(
    { driver, told, signal }: { driver: Driver; told: Texts; signal: AbortSignal },
    make: Make<Said>,
  ): Promise<Said | Status> {
    if (this.#closed) throw new GleitzeitError('GLZ2002', 'the channel is closed');
    // What is under way on the one before is finished.
    if (this.#open?.isOutdated()) this.#leave(this.#open);
    this.#open ??= openClient(this.#options, driver);
    const open = this.#open;
    const { client } = open;
    const metadata = new driver.grpc.Metadata();
    for (const [name, value] of Object.entries(told)) metadata.set(name, value);
    try {
      return await make({ driver, client, metadata, signal });
    } catch (thrown) {
      if (isServiceError(thrown)) return statusOf(thrown, driver);
      // A line that does not answer may lead nowhere any more: the next call opens another.
      if (signal.aborted && givenUp(signal).code === 'GLZ2003') this.#leave(open);
      throw thrown;
    }
  }

  #leave(open: OpenClient): void {
    open.close();
    if (this.#open === open) this.#open = null;
  }

  async #find(name: GrpcMethod, parts: Over): Promise<KnownMethod> {
    const key = `${name.service}/${name.method}`;
    const known = this.#methods.get(key);
    if (known !== undefined) return known;
    const root = await this.#types(name.service, parts);
    const method = methodIn(root, name);
    this.#methods.set(key, method);
    return method;
  }

  #types(service: string, parts: Over): Promise<Root> {
    const { protos } = this.#options;
    if (protos === null) return filesOf(service, parts).then((files) => rootOf(files, parts.driver));
    // What could not be read may be there the next time.
    this.#root ??= readProtos(protos, parts.driver).catch((thrown: unknown) => {
      this.#root = null;
      throw thrown;
    });
    return this.#root;
  }
}

function isServiceError(thrown: unknown): thrown is ServiceError {
  return (
    thrown instanceof Error &&
    'details' in thrown &&
    'metadata' in thrown &&
    !(thrown instanceof GleitzeitError)
  );
}
