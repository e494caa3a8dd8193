import { randomUUID } from 'node:crypto';
import type { BedrockAgentCoreClient } from '@aws-sdk/client-bedrock-agentcore';
import { type Carrier, CarrierError, type CarrierTrouble } from '../../carrier.ts';
import { defaultRetries, type PatienceParts, type Retries, sendPatiently } from '../patience.ts';
import { aborted, closed, requireSize, troubleOfStatus, unreadable } from '../trouble.ts';
import { type AgentCore, loadAgentCore } from './driver.ts';

export type AgentCoreCredentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

export type AgentCoreCarrierOptions = Omit<PatienceParts, 'retries'> & {
  readonly runtime_arn: string;
  readonly region: string;
  /** Which endpoint of the runtime; its default unless given. */
  readonly qualifier?: string | undefined;
  /** Instead of the vendor's own address. */
  readonly endpoint?: string | undefined;
  /** Asked for with every signature; the vendor's own places unless given. */
  readonly credentials?: (() => Promise<AgentCoreCredentials>) | undefined;
  readonly retries?: Partial<Retries> | undefined;
  /** Of a request, and of a response. */
  readonly max_bytes?: number | undefined;
  /** So many calls may be under way at the same time; 1,000 unless given. */
  readonly connections?: number | undefined;
  /** Of a session, one to each call. */
  readonly newId?: () => string;
};

const NAME = 'agentcore';
/** What the service takes. */
export const MAX_PAYLOAD_BYTES = 100 * 1024 * 1024;
const CONNECTIONS = 1000;

type Opened = { readonly client: BedrockAgentCoreClient; readonly sdk: AgentCore };

/** The request as the payload of InvokeAgentRuntime, signed by the vendor's client. A session lasts for one call. */
export function agentcoreCarrier(options: AgentCoreCarrierOptions): Carrier {
  const { max_bytes = MAX_PAYLOAD_BYTES, newId = randomUUID, timers, random } = options;
  const retries = { ...defaultRetries, ...options.retries };
  const ending = new AbortController();
  let opening: Promise<Opened> | null = null;

  async function attempt(body: Uint8Array, signal: AbortSignal): Promise<string> {
    if (signal.aborted) throw ending.signal.aborted ? closed(NAME, 'no') : aborted(NAME, 'no');
    opening ??= open(options);
    const { client, sdk } = await opening;
    const command = new sdk.InvokeAgentRuntimeCommand({
      agentRuntimeArn: options.runtime_arn,
      runtimeSessionId: newId(),
      contentType: 'application/json',
      accept: 'application/json',
      payload: body,
      ...(options.qualifier === undefined ? {} : { qualifier: options.qualifier }),
    });
    try {
      const { response } = await client.send(command, { abortSignal: signal });
      return await textOf(response as AsyncIterable<Uint8Array> | undefined, max_bytes);
    } catch (thrown) {
      if (ending.signal.aborted) throw closed(NAME, 'maybe');
      throw signal.aborted ? aborted(NAME, 'maybe') : troubleOf(thrown);
    }
  }

  return {
    name: NAME,
    send: async (body, { signal }) => {
      requireSize(NAME, body, max_bytes);
      const bytes = Buffer.from(body);
      const either = AbortSignal.any([signal, ending.signal]);
      return sendPatiently({ retries, timers, random }, either, () => attempt(bytes, either));
    },
    close: async () => {
      ending.abort();
      (await opening?.catch(() => null))?.client.destroy();
    },
  };
}

/** What is larger than may be is not read to its end. */
async function textOf(response: AsyncIterable<Uint8Array> | undefined, max_bytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response ?? []) {
    bytes += chunk.length;
    if (bytes > max_bytes) throw unreadable(NAME);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** One attempt each: how often and when it is tried again is ours to say, for all carriers alike. */
async function open(options: AgentCoreCarrierOptions): Promise<Opened> {
  const { region, endpoint, credentials, connections: maxSockets = CONNECTIONS } = options;
  const sdk = await loadAgentCore();
  const client = new sdk.BedrockAgentCoreClient({
    region,
    maxAttempts: 1,
    // Left to itself it has 50 connections, behind which calls wait unseen, and writes to standard error.
    requestHandler: { httpAgent: { maxSockets }, httpsAgent: { maxSockets }, logger: silent },
    logger: silent,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  });
  return { client, sdk };
}

const say = () => {};
const silent = { debug: say, info: say, warn: say, error: say };

const named: Readonly<Record<string, readonly [CarrierTrouble, 'no' | 'maybe']>> = {
  ThrottlingException: ['throttled', 'no'],
  ThrottledException: ['throttled', 'no'],
  TooManyRequestsException: ['throttled', 'no'],
  ServiceQuotaExceededException: ['throttled', 'no'],
  AccessDeniedException: ['unauthenticated', 'no'],
  UnauthorizedException: ['unauthenticated', 'no'],
  ExpiredTokenException: ['unauthenticated', 'no'],
  IncompleteSignature: ['unauthenticated', 'no'],
  IncompleteSignatureException: ['unauthenticated', 'no'],
  InvalidClientTokenId: ['unauthenticated', 'no'],
  InvalidSignatureException: ['unauthenticated', 'no'],
  MissingAuthenticationTokenException: ['unauthenticated', 'no'],
  RequestExpired: ['unauthenticated', 'no'],
  SignatureDoesNotMatch: ['unauthenticated', 'no'],
  UnrecognizedClientException: ['unauthenticated', 'no'],
  CredentialsProviderError: ['misconfigured', 'no'],
  ResourceNotFoundException: ['misconfigured', 'no'],
  ValidationException: ['misconfigured', 'no'],
  RuntimeClientError: ['broken', 'maybe'],
  InternalServerException: ['broken', 'maybe'],
};

const unsent = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

/** By the names that the service has for them. What it says of them is not repeated: it may quote what was sent. */
function troubleOf(thrown: unknown): CarrierError {
  if (thrown instanceof CarrierError) return thrown;
  const { name, code, $metadata } = Object(thrown) as Readonly<Record<string, unknown>>;
  const [trouble, arrived] = named[String(name)] ?? unnamed(code, Object($metadata).httpStatusCode);
  const said = typeof code === 'string' ? code : String(name);
  return new CarrierError(`${NAME}: the service answered with ${said}`, { trouble, arrived }, thrown);
}

function unnamed(code: unknown, status: unknown): readonly [CarrierTrouble, 'no' | 'maybe'] {
  if (typeof status === 'number') return troubleOfStatus(status);
  return ['unreachable', unsent.includes(String(code)) ? 'no' : 'maybe'];
}
