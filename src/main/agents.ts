import { type Config, openSecret, secretsIn } from '../config.ts';
import {
  AGENT_METHOD,
  AGENT_PROTOCOL,
  type AgentBreaker,
  type AgentEntry,
  type AgentHealth,
  agentProviderId,
} from '../core/agent.ts';
import type { Answer } from '../core/answer.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { type BreakerPolicy, defaultBreaker } from '../core/pool/breaker.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Provider, ProviderCall } from '../core/ports/provider.ts';
import { resultWithout } from '../dialects/without-secrets.ts';
import { openable } from '../registry/agent-record.ts';
import type { Agents } from '../registry/agents.ts';
import type { HealthCheck, ProviderSettings } from '../router/settings.ts';
import { serviceOfAgent, typeOf } from './agent-service.ts';
import { providerSettings } from './pool-settings.ts';
import type { TlsFiles } from './provider-tls.ts';
import { type ConnectParts, openService } from './providers.ts';
import { windowed } from './via.ts';

export type AgentConnectParts = ConnectParts & {
  readonly agents: Agents;
  readonly cipher: Cipher;
  /** What their pools go by, where that is not what engines go by. */
  readonly settings?: ((entry: AgentEntry) => ProviderSettings) | undefined;
  /** From now on these texts are kept out of the log. */
  readonly hideTexts?: ((texts: readonly string[]) => void) | undefined;
};

type Connected = { readonly service: string; readonly settings: string };

/** The agents of the registry as members of pools, from each change on: calls that run are finished where they are. */
export class AgentConnections {
  readonly #parts: AgentConnectParts;
  readonly #connected = new Map<string, Connected>();
  /** Why an agent cannot be called from here, by its name. */
  readonly #problems = new Map<string, string>();

  constructor(parts: AgentConnectParts) {
    this.#parts = parts;
  }

  /** Null where it can be called, as far as is known without calling it. */
  problem(name: string): string | null {
    return this.#problems.get(name) ?? null;
  }

  /** Brings the pools to what the registry says now. */
  follow(): void {
    const entries = this.#parts.agents.list();
    const wanted = new Set(providerIdsOf(this.#parts.agents));
    for (const id of [...this.#connected.keys()].filter((one) => !wanted.has(one))) this.#disconnect(id);
    this.#problems.clear();
    for (const entry of entries) for (const protocol of protocolsOf(entry)) this.#connect(entry, protocol);
  }

  #connect(entry: AgentEntry, protocol: string): void {
    const id = idOf(entry, protocol);
    const settings = (this.#parts.settings ?? settingsOf)(entry);
    const next = { service: serviceText(entry), settings: JSON.stringify(settings) };
    const before = this.#connected.get(id);
    if (before?.service === next.service) {
      if (before.settings !== next.settings) this.#parts.pools.adjust(id, settings);
      this.#connected.set(id, next);
      return;
    }
    try {
      // The limits of the agent hold for it whichever protocol it is called by.
      const same = protocol === AGENT_PROTOCOL ? {} : { twin: agentProviderId(entry.name) };
      this.#parts.pools.connect(openAgent(this.#parts, entry, protocol), { settings, ...same });
      this.#connected.set(id, next);
    } catch (thrown) {
      const { message, code } = GleitzeitError.from(thrown);
      this.#problems.set(entry.name, message);
      this.#parts.logger.error('an agent cannot be connected', {
        agent: entry.name,
        error_code: code,
        error: message,
      });
      this.#disconnect(id, 'the agent cannot be called from here');
    }
  }

  #disconnect(id: string, reason = 'the agent was removed'): void {
    this.#connected.delete(id);
    void this.#parts.pools.disconnect(id, { reason });
  }
}

/** The ids of all of them, wherever they are members. */
export function providerIdsOf(agents: Pick<Agents, 'list'>): string[] {
  return agents.list().flatMap((entry) => [...protocolsOf(entry)].map((protocol) => idOf(entry, protocol)));
}

function protocolsOf(entry: AgentEntry): Set<string> {
  return new Set([AGENT_PROTOCOL, ...entry.implements]);
}

function idOf({ name }: AgentEntry, protocol: string): string {
  return agentProviderId(name, protocol);
}

/** What tells one way to reach it from another, the sealed secrets included. */
function serviceText(entry: AgentEntry): string {
  const { url, protocol, protocol_config, auth_config, timeout, source, via = null } = entry;
  return JSON.stringify([source, url, protocol, protocol_config, auth_config, timeout, via]);
}

/** A secret is opened when it is used, and never kept in the clear. */
export function openAgent(parts: AgentConnectParts, entry: AgentEntry, protocol: string): Provider {
  const { entry: told, secrets } = openable(parts.cipher, withKey(parts.cipher, entry));
  const methods = protocol === AGENT_PROTOCOL ? [AGENT_METHOD] : methodsOf(parts, protocol);
  const spec = { id: idOf(entry, protocol), protocol, ...serviceOfAgent(told), via: entry.via };
  if (entry.source === 'file')
    return withoutItsSecrets(openService(parts, spec, { methods }), ofConfiguration(parts, spec.config));
  const proofs = secretsIn(told.auth_config);
  const hidden = () =>
    Object.entries(secrets)
      .map(([name, open]) => ({ text: open(), is_proof: proofs.has(name) }))
      .filter(isTelling)
      .map(({ text }) => text);
  // Throws where the key to them is not here: then another engine may have it, while keys are replaced.
  const texts = hidden();
  parts.hideTexts?.(texts);
  const own = (name: string) => {
    const open = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    if (open !== undefined) return open();
    throw new GleitzeitError('GLZ3010', `the agent ${entry.name} has no secret ${name}`, {
      hint: 'agents that are registered over the API bring their secrets along in auth_config',
    });
  };
  return withoutItsSecrets(openService(parts, spec, { methods, secrets: own, hidden }), hidden);
}

/** A result is kept: whatever the agent was told in confidence and repeats in it is masked before anybody sees it. */
function withoutItsSecrets(provider: Provider, hidden: () => readonly string[]): Provider {
  const call = provider.call.bind(provider);
  return Object.assign(provider, {
    call: async (asked: ProviderCall): Promise<Answer> => {
      const answer = await call(asked);
      return answer.word === 'done' ? { ...answer, result: resultWithout(answer.result, hidden()) } : answer;
    },
  });
}

/** The secrets that an entry of the file names: those of today, and those that were told when it was opened. */
function ofConfiguration({ config }: ConnectParts, told: JsonObject): () => readonly string[] {
  const names = [...secretsIn(told)];
  const now = () =>
    names
      .filter((name) => Object.hasOwn(config().secrets, name))
      .map((name) => openSecret(config().secrets, name))
      .filter((text) => text.length >= SHORTEST);
  const early = now();
  return () => [...new Set([...early, ...now()])];
}

/** What connections to it are made with, where that is more than usual. */
export function tlsOfAgent(cipher: Cipher, entry: AgentEntry): TlsFiles | null {
  const { tls } = serviceOfAgent(withKey(cipher, entry)).config;
  return isObject(tls) ? (tls as TlsFiles) : null;
}

/** The key of a certificate goes to TLS itself and nowhere else, so it is no text to be filled in. */
function withKey(cipher: Cipher, entry: AgentEntry): AgentEntry {
  if (entry.source === 'file' || entry.auth_config.type !== 'mtls') return entry;
  const { entry: told, secrets } = openable(cipher, entry);
  const key = Object.values(secrets)[0]?.() ?? '';
  return { ...entry, auth_config: { ...told.auth_config, key } };
}

/** Shorter ones would hide half of everything else. */
const SHORTEST = 4;
const mediaType = /^(?:application|text|image|audio|video|multipart|\*)\/[\w.+*-]+$/i;
const word = /^[a-z]{0,7}$/i;

/** Headers may also say `application/json`; what the agent is shown of who calls is always a secret. */
function isTelling({ text, is_proof }: { readonly text: string; readonly is_proof: boolean }): boolean {
  if (text.length < SHORTEST) return false;
  return is_proof || !(mediaType.test(text) || word.test(text));
}

function methodsOf({ protocols }: ConnectParts, protocol: string): readonly string[] {
  return Object.keys(protocols.get(protocol)?.methods ?? {});
}

export function settingsOf(entry: AgentEntry): ProviderSettings {
  const { circuit_breaker_config, health_config, limits, weight, tier, zone, models } = entry;
  return {
    ...providerSettings({ limits, weight, tier, zone, models }),
    breaker: breakerOf(circuit_breaker_config),
    health: health_config === undefined ? null : healthOf(health_config),
  };
}

/** The same, where its calls may leave through a broker. */
export function agentSettings(config: Config, entry: AgentEntry): ProviderSettings {
  if (entry.limits !== undefined) return settingsOf(entry);
  const type = typeOf(entry.protocol)?.type ?? '';
  return windowed(config, { type, via: entry.via }, settingsOf(entry));
}

/** What its dialect asks by itself. */
function healthOf({ every_seconds, timeout_seconds }: AgentHealth): HealthCheck {
  return { every_ms: every_seconds * 1000, timeout_ms: timeout_seconds * 1000 };
}

/** The time out stays the same however often it opens; one that is switched off never does. */
function breakerOf(given: AgentBreaker): BreakerPolicy {
  const cool_down_ms = given.timeout_seconds * 1000;
  const never = Number.MAX_SAFE_INTEGER;
  return {
    ...defaultBreaker,
    failures: given.enabled ? given.failure_threshold : never,
    failure_rate: given.failure_rate_threshold,
    ...(given.enabled ? {} : { least_calls: never }),
    window_ms: given.window_size_seconds * 1000,
    cool_down_ms,
    most_cool_down_ms: cool_down_ms,
    probes: given.half_open_max_calls,
  };
}

/** From now on, and with every change. */
export function followAgents(parts: AgentConnectParts): AgentConnections {
  const connections = new AgentConnections(parts);
  connections.follow();
  parts.agents.onChange(() => connections.follow());
  return connections;
}
