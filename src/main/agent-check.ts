import { randomUUID } from 'node:crypto';
import { type CheckOptions, type CheckReport, checkAgent } from '../check/agent.ts';
import { openSecret } from '../config.ts';
import type { AgentEntry } from '../core/agent.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { redact } from '../core/secrets.ts';
import type { AuthConfig } from '../dialects/auth/config.ts';
import { openCredentials } from '../dialects/auth/credentials.ts';
import { filled, type Secrets } from '../dialects/filled.ts';
import { systemClock, systemTimers } from '../embedded/system.ts';
import { openable } from '../registry/agent-record.ts';
import type { Credentials } from '../rpc/credentials.ts';
import { asker } from '../rpc/http/ask.ts';
import type { HttpTls } from '../rpc/http/connect.ts';
import { addressGuard } from '../rpc/network/guard.ts';
import type { AgentCheck } from '../server/parts.ts';
import { serviceOfAgent, typeOf } from './agent-service.ts';
import { tlsOfAgent } from './agents.ts';
import type { House } from './house.ts';
import { providerTls } from './provider-tls.ts';

type Given = Pick<CheckOptions, 'url' | 'protocol' | 'text' | 'timeout_ms' | 'signal'>;

export type AddressCheck = Given & {
  /** What the agent is shown of who calls. */
  readonly headers: Readonly<Record<string, string>>;
  /** Networks and names that its card may lead to though they are not public. */
  readonly allow: readonly string[];
};

/** Checks the agent at an address. Where that is on this machine, its card may lead to others here. */
export function checkAddress({ headers, ...given }: AddressCheck): Promise<CheckReport> {
  return checkWith({ ...given, credentials: headersAs(headers) });
}

export type CheckWith = Given & {
  readonly credentials: Credentials | null;
  readonly tls?: HttpTls | (() => HttpTls);
  readonly allow: readonly string[];
};

/** Checks an agent as somebody it knows. The credentials are closed afterwards. */
export async function checkWith({ credentials, tls, allow, ...given }: CheckWith): Promise<CheckReport> {
  const guard = addressGuard({ allow });
  const over = asker({ home: given.url, credentials, guard, ...(tls === undefined ? {} : { tls }) });
  const hide = (text: string) => (credentials === null ? text : redact(text, credentials.values()));
  try {
    return await checkAgent({ ...given, asker: over, hide, run: `check-${randomUUID().slice(0, 8)}` });
  } finally {
    await over.close();
  }
}

function headersAs(headers: Readonly<Record<string, string>>): Credentials {
  // The word before a token is no secret, and stands in many texts.
  const values = Object.values(headers).flatMap((value) => [value, value.replace(/^\w+ /, '')]);
  return {
    show: () => ({ headers, query: '' }),
    refused: () => false,
    values: () => values.filter((value) => value.length > 3),
    close: async () => {},
  };
}

/** What agents are given to work on. Not only ASCII, so that wrong encodings show. */
export const CHECK_TEXT = 'Grüße from gleitzeit agent check';
export const CHECK_TIMEOUT_MS = 10_000;

export type EntryCheck = {
  readonly text?: string | undefined;
  readonly timeout_ms?: number | undefined;
  readonly signal: AbortSignal;
};

type Parts = Pick<House, 'cipher' | 'config' | 'channels' | 'logger'>;

/** Checks an agent of the registry as the engine calls it. What keeps it from being checked is told, not thrown. */
export async function checkEntry(parts: Parts, entry: AgentEntry, asked: EntryCheck): Promise<AgentCheck> {
  const { text = CHECK_TEXT, timeout_ms = CHECK_TIMEOUT_MS, signal } = asked;
  const { url } = entry;
  try {
    const protocol = spokenBy(entry);
    const { network } = parts.config();
    const tls = tlsOfAgent(parts.cipher, entry);
    const report = await checkWith({
      ...{ url: new URL(url), protocol, text, timeout_ms, signal, allow: network.allow },
      credentials: credentialsOf(parts, entry),
      ...(tls === null ? {} : { tls: providerTls(tls, parts.logger) }),
    });
    return { ...report, well: isWell(report), problem: null };
  } catch (thrown) {
    signal.throwIfAborted();
    return { url, well: false, speaks: [], findings: [], problem: GleitzeitError.from(thrown).message };
  }
}

/** Notes are no faults. */
export function isWell({ findings }: Pick<CheckReport, 'findings'>): boolean {
  return findings.every(({ level }) => level === 'note');
}

function spokenBy({ protocol }: AgentEntry): CheckOptions['protocol'] {
  const type = typeOf(protocol)?.type;
  if (type === 'simple-a2a' || type === 'a2a' || type === 'auto') return type;
  throw new GleitzeitError(
    'GLZ1011',
    `agents that speak ${protocol} cannot be checked: only A2A and simple-a2a`,
  );
}

/** What the entry says the agent is to be shown: its credentials, and headers of its own. */
function credentialsOf(parts: Parts, entry: AgentEntry): Credentials {
  const { channels, config, cipher, logger } = parts;
  const { entry: told, secrets: own } = openable(cipher, entry);
  const secrets: Secrets = (name) => own[name]?.() ?? openSecret(config().secrets, name);
  const { auth, headers } = serviceOfAgent(told).config as { auth?: AuthConfig; headers?: JsonObject };
  const provider = { channels, secrets, timers: systemTimers, clock: systemClock, methods: [], logger };
  const credentials = openCredentials(auth, provider, '/auth_config');
  const texts = isObject(headers) ? (headers as Readonly<Record<string, string>>) : {};
  const fixed = filled(texts, secrets, '/protocol_config/headers');
  return {
    show: async (signal) => {
      const shown = (await credentials?.show(signal)) ?? { headers: {}, query: '' };
      return { ...shown, headers: { ...fixed.fill(), ...shown.headers } };
    },
    refused: (shown) => credentials?.refused(shown) ?? false,
    values: () => [...fixed.values(), ...(credentials?.values() ?? [])],
    close: async () => credentials?.close(),
  };
}
