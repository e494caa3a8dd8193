import {
  type Config,
  openSecret,
  type ProtocolConfig,
  type ProviderConfig,
  secretTexts,
} from '../../config.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, own } from '../../core/json.ts';
import { createProvider } from '../../dialects/registry.ts';
import { systemClock, systemTimers } from '../../embedded/system.ts';
import type { Channel, RpcAnswer } from '../../rpc/channel.ts';
import { Redaction } from '../../telemetry/redaction.ts';
import { channelFactories } from '../channels.ts';
import { type Finding, findings } from './finding.ts';

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
  let channel: Channel | null = null;
  try {
    const factories = channelFactories({ logger: silent, folder: config.folder, environment });
    const kept = (opened: Channel) => {
      channel = opened;
      return opened;
    };
    createProvider(
      { ...provider, protocol: protocol.name },
      {
        channels: {
          http: (target) => kept(factories.http(target)),
          websocket: (target) => kept(factories.websocket(target)),
          stdio: (target) => kept(factories.stdio(target)),
          post: factories.post,
        },
        secrets: (name) => openSecret(config.secrets, name),
        hidden: () => secretTexts(config),
        timers: systemTimers,
        clock: systemClock,
        methods,
      },
    );
    return judged(label, methods, await ask(channel));
  } catch (thrown) {
    const { message, details } = GleitzeitError.from(thrown);
    const reason = details.reason ?? '';
    return problem(
      `${label}: ${message.includes(reason) ? message : `${message}: ${reason}`}`,
      details.hint ?? hintFor(provider),
    );
  } finally {
    await (channel as Channel | null)?.close().catch(() => {});
  }
}

async function ask(channel: Channel | null): Promise<RpcAnswer> {
  if (channel === null) throw new GleitzeitError('GLZ9001', 'nothing to call it over was opened');
  const late = new GleitzeitError('GLZ2003', `no answer within ${PATIENCE_MS / 1000} s`);
  const stop = new AbortController();
  const cancel = systemTimers.after(PATIENCE_MS, () => stop.abort(late));
  try {
    return await channel.call({ id: 'doctor', method: 'rpc.discover', signal: stop.signal });
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
