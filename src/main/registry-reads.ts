import type { AgentRow, AgentSettings } from '../core/agent.ts';
import { GleitzeitError } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import type { Cipher } from '../core/ports/cipher.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { StoreReads } from '../core/ports/store.ts';
import { parseAgent } from '../registry/agent-definition.ts';
import { rowOf, sealAgent } from '../registry/agent-record.ts';
import { hashText } from '../store/hash.ts';

export type RegistryParts = {
  /** Of a server; what comes behind its host is kept in front of the paths of the API. */
  readonly url: string;
  readonly key: string | undefined;
  readonly cipher: Cipher;
  readonly logger: Logger;
};

const PATIENCE_MS = 10_000;

/** The agents of a server, read over REST as if they stood in a store of ours. */
export function registryReads(parts: RegistryParts): Pick<StoreReads, 'agent' | 'agents'> {
  return {
    agent: async (name) => {
      const found = await ask(parts, `/agents/${encodeURIComponent(name)}`);
      return found === null ? null : (rowsFrom(parts, [found])[0] ?? null);
    },
    agents: async ({ limit, cursor }) => {
      const query = new URLSearchParams({
        limit: String(limit),
        ...(cursor === undefined ? {} : { cursor }),
      });
      const page = await ask(parts, `/agents?${query}`);
      if (!isObject(page) || !Array.isArray(page['items']))
        throw notARegistry(parts.url, 'it answers no list');
      const next = page['next_cursor'];
      return {
        items: rowsFrom(parts, page['items']),
        next_cursor: typeof next === 'string' ? next : null,
      };
    },
  };
}

/** Null where there is no such thing. */
async function ask({ url, key }: RegistryParts, path: string): Promise<unknown> {
  const address = `${url.replace(/\/+$/, '')}/api/v1${path}`;
  let answer: Response;
  try {
    answer = await fetch(address, {
      headers: {
        accept: 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      signal: AbortSignal.timeout(PATIENCE_MS),
      redirect: 'error',
    });
  } catch (thrown) {
    const reason = thrown instanceof Error ? String(thrown.cause ?? thrown.message) : String(thrown);
    throw new GleitzeitError('GLZ2002', `the registry at ${url} cannot be reached`, {
      reason,
      hint: 'is bridge.registry_url, or AGENT_REGISTRY_URL, right, and does the server run?',
    });
  }
  if (answer.status === 404) return null;
  if (answer.status === 401 || answer.status === 403) throw notLetIn(url, answer.status);
  if (!answer.ok) throw notARegistry(url, `it answers HTTP ${answer.status}`);
  return answer.json();
}

/** One that cannot be taken is no reason to do without the others. */
function rowsFrom({ cipher, logger, url }: RegistryParts, shown: readonly unknown[]): AgentRow[] {
  return shown.flatMap((one) => {
    try {
      return [rowFrom(cipher, one)];
    } catch (thrown) {
      const { message } = GleitzeitError.from(thrown);
      const agent = isObject(one) ? one['name'] : undefined;
      const hint = 'does the key of the bridge have the role bridge? Only then it is shown secrets';
      logger.error('an agent of the registry cannot be taken', {
        registry: url,
        agent,
        error: message,
        hint,
      });
      return [];
    }
  });
}

function rowFrom(cipher: Cipher, shown: unknown): AgentRow {
  if (!isObject(shown)) throw notARegistry('the registry', 'an agent is no object');
  const { id, source: _s, version, created_at, updated_at, provider: _p, problem: _w, ...given } = shown;
  const settings: AgentSettings = parseAgent(given);
  const text = JSON.stringify(given);
  return {
    ...rowOf(String(id), sealAgent(cipher, settings, null)),
    // Agents of a file have no version of their own: another text is another version.
    version: typeof version === 'number' && version > 0 ? version : textNumber(text),
    created_at: timeOf(created_at),
    updated_at: timeOf(updated_at),
  };
}

function textNumber(text: string): number {
  return Buffer.from(hashText(text)).readUInt32BE(0) + 1;
}

function timeOf(shown: unknown): number {
  const at = typeof shown === 'string' ? Date.parse(shown) : 0;
  return Number.isNaN(at) ? 0 : at;
}

function notLetIn(url: string, status: number): GleitzeitError {
  const code = status === 401 ? 'GLZ4001' : 'GLZ4002';
  return new GleitzeitError(code, `the registry at ${url} does not let us in (HTTP ${status})`, {
    hint: 'give the bridge a key in GLEITZEIT_KEY: gleitzeit token create bridge-1 --role bridge',
  });
}

function notARegistry(url: string, reason: string): GleitzeitError {
  return new GleitzeitError('GLZ2005', `the agents of ${url} cannot be read: ${reason}`, {
    reason,
    hint: 'bridge.registry_url names a server of ours, without /api/v1',
  });
}
