import {
  type Config,
  openSecret,
  type ProtocolConfig,
  type ProviderConfig,
  secretTexts,
} from '../../config.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, own } from '../../core/json.ts';
import type { ZoneLine } from '../../dialects/provider-type.ts';
import { createProvider } from '../../dialects/registry.ts';
import { systemClock, systemTimers } from '../../embedded/system.ts';
import type { Channel, RpcAnswer } from '../../rpc/channel.ts';
import type { GrpcChannel } from '../../rpc/grpc/grpc.ts';
import type { WebClient } from '../../rpc/http/client.ts';
import { Redaction } from '../../telemetry/redaction.ts';
import { channelFactories } from '../channels.ts';
import { type Finding, findings } from './finding.ts';
import { findPrograms, hail, reach } from './other-lines.ts';

const { ok, warning, problem } = findings('providers');
const PATIENCE_MS = 5000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Connects to each provider and asks what it can do. Whatever it says to that, it is there. */
export async function checkProviders(config: Config, environment: Environment): Promise<Finding[]> {
  const redaction = new Redaction();
  redaction.add(secretTexts(config));
  if (config.protocols.length === 0)
    return [
      warning(
        'no protocols are configured',
        'gleitzeit init shows how, or see docs/reference/configuration.md',
      ),
    ];
  const found = config.protocols.map(async (protocol) => {
    if (protocol.providers.length === 0)
      return [warning(`${protocol.name} has no provider`, 'its tasks wait for one')];
    return Promise.all(
      protocol.providers.map((provider) => checkOne(config, environment, { protocol, provider })),
    );
  });
  return (await Promise.all(found))
    .flat()
    .map((finding) => ({ ...finding, message: redaction.text(finding.message) }));
}

type Checked = { readonly protocol: ProtocolConfig; readonly provider: ProviderConfig };

async function checkOne(
  config: Config,
  environment: Environment,
  { protocol, provider }: Checked,
): Promise<Finding> {
  const label = `${provider.id} (${provider.type}) for ${protocol.name}`;
  const methods = Object.keys(protocol.definition.methods);
  let line: Line | null = null;
  try {
    const factories = channelFactories({ logger: silent, folder: config.folder, environment });
    const kept = (opened: Channel) => {
      line = { ask: (signal) => discover(opened, signal), close: () => opened.close() };
      return opened;
    };
    const keptWeb = (url: string, opened: WebClient) => {
      line = { ask: (signal) => knock(opened, url, signal), close: () => opened.close() };
      return opened;
    };
    const keptPrograms = () => {
      const programs = factories.programs();
      line = { ask: () => findPrograms(programs, provider, config.folder), close: async () => {} };
      return programs;
    };
    const keptGrpc = (url: string, opened: GrpcChannel) => {
      line = { ask: (signal) => reach(url, signal), close: () => opened.close() };
      return opened;
    };
    const keptZone = (opened: ZoneLine) => {
      line = { ask: (signal) => hail(opened, signal), close: () => opened.close() };
      return opened;
    };
    createProvider(
      { ...provider, protocol: protocol.name },
      {
        channels: {
          http: (target) => kept(factories.http(target)),
          web: (target) => keptWeb(target.url, factories.web(target)),
          websocket: (target) => kept(factories.websocket(target)),
          stdio: (target) => kept(factories.stdio(target)),
          post: factories.post,
          programs: keptPrograms,
          grpc: (target) => keptGrpc(target.url, factories.grpc(target)),
          zone: (target) => keptZone(factories.zone(target)),
        },
        secrets: (name) => openSecret(config.secrets, name),
        hidden: () => secretTexts(config),
        timers: systemTimers,
        clock: systemClock,
        methods,
      },
    );
    return judged(label, methods, await ask(line));
  } catch (thrown) {
    const { message, details } = GleitzeitError.from(thrown);
    const reason = details.reason ?? '';
    return problem(
      `${label}: ${message.includes(reason) ? message : `${message}: ${reason}`}`,
      details.hint ?? hintFor(provider),
    );
  } finally {
    await (line as Line | null)?.close().catch(() => {});
  }
}

/** What was opened to reach the provider, and how to find out whether somebody is there. */
type Line = { ask(signal: AbortSignal): Promise<RpcAnswer>; close(): Promise<void> };

function discover(channel: Channel, signal: AbortSignal): Promise<RpcAnswer> {
  return channel.call({ id: 'doctor', method: 'rpc.discover', signal });
}

/** A service that is no JSON-RPC cannot be asked what it can do; whatever it answers to this, it is there. */
async function knock(client: WebClient, url: string, signal: AbortSignal): Promise<RpcAnswer> {
  const request = { method: 'GET', url: new URL(url), headers: { accept: '*/*' }, body: null };
  const stream = await client.stream({ ...request, signal, max_bytes: 1 }).catch((thrown: unknown) => {
    if (GleitzeitError.from(thrown).code === 'GLZ2010') return null;
    throw thrown;
  });
  stream?.cancel();
  if (stream?.status === 401)
    throw new GleitzeitError('GLZ2010', `${new URL(url).origin} does not let us in (HTTP 401)`);
  return { result: null };
}

async function ask(line: Line | null): Promise<RpcAnswer> {
  if (line === null) throw new GleitzeitError('GLZ9001', 'nothing to call it over was opened');
  const late = new GleitzeitError('GLZ2003', `no answer within ${PATIENCE_MS / 1000} s`);
  const stop = new AbortController();
  const cancel = systemTimers.after(PATIENCE_MS, () => stop.abort(late));
  try {
    return await line.ask(stop.signal);
  } finally {
    cancel();
  }
}

/** One that describes itself is held against the protocol; any other answer only says that somebody is there. */
function judged(label: string, methods: readonly string[], answer: RpcAnswer): Finding {
  const told = 'result' in answer ? methodsIn(answer.result) : null;
  if (told === null) return ok(`${label} answers`);
  const missing = methods.filter(
    (method) => !told.some((name) => name === method || name.endsWith(`.${method}`)),
  );
  if (missing.length === 0) return ok(`${label} answers and has ${methods.join(', ')}`);
  return warning(
    `${label} does not tell of ${missing.join(', ')}`,
    'is it the right service, or are its methods named differently (methods, method_prefix)?',
  );
}

function methodsIn(document: Json): readonly string[] | null {
  const methods = isObject(document) ? own(document, 'methods') : undefined;
  if (!Array.isArray(methods)) return null;
  return methods.map((method) => String(isObject(method) ? own(method, 'name') : method));
}

function hintFor({ type }: ProviderConfig): string {
  return type === 'jsonrpc-stdio'
    ? 'start its command by hand to see what it says'
    : 'is it running, and is its address right?';
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
