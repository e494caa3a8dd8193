import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { systemClock, systemRandom } from '../../embedded/system.ts';
import { type AgentLines, endpointOf } from '../../league/protocol/ask.ts';
import { newConversation, newEnvelope } from '../../league/protocol/envelope.ts';
import type { Standing } from '../../league/protocol/payloads.ts';
import { asker } from '../../rpc/http/ask.ts';
import { addressGuard } from '../../rpc/network/guard.ts';
import { readPem } from '../pem.ts';

/** What `GET /status` of a manager shows. */
export type LeagueProgress = {
  readonly league_id: string;
  readonly status: string;
  readonly game_type: string;
  readonly round_id: string | null;
  readonly rounds: number;
  readonly rounds_completed: number;
  readonly matches: number;
  readonly matches_completed: number;
  readonly standings: readonly Standing[];
  readonly referees: number;
  readonly players: number;
};

const ASK_MS = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

export type ManagerAddress = { readonly url: string; readonly ca?: string | undefined };

/** How far a league is, by the manager's own word. */
export async function leagueProgress({ url, ca }: ManagerAddress): Promise<LeagueProgress> {
  const endpoint = parsed(url);
  const tls = ca === undefined ? {} : { tls: { ca: readPem(ca, '--ca', 'ca') } };
  const over = asker({ home: endpoint, credentials: null, guard: addressGuard(), ...tls });
  try {
    const answer = await over.ask({
      ...{ method: 'GET', url: new URL('/status', endpoint), headers: {}, body: null },
      ...{ signal: AbortSignal.timeout(ASK_MS), max_bytes: MOST_BYTES },
    });
    return readProgress(endpoint.origin, JSON.parse(Buffer.from(answer.body).toString()));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw noManager(endpoint.origin);
    throw GleitzeitError.from(thrown, 'GLZ2002');
  } finally {
    await over.close();
  }
}

export type AdminAsk = {
  readonly lines: AgentLines;
  readonly manager: string;
  readonly admin_token: string;
};

/** Ends the registration. */
export async function startLeague({ lines, manager, admin_token }: AdminAsk) {
  const random = systemRandom();
  const envelope = newEnvelope({
    ...{ message_type: 'ADMIN_START_LEAGUE_REQUEST', sender: 'admin', auth_token: admin_token },
    ...{ conversation_id: newConversation(random), at: systemClock.wall() },
  });
  const question = {
    ...{ id: newConversation(random), payload: {} },
    envelope: { ...envelope, message_type: 'ADMIN_START_LEAGUE_REQUEST' as const },
  };
  const answer = await lines.ask(endpointOf(manager), question, { timeout_ms: ASK_MS });
  if (answer.is === 'answered') return answer.payload;
  const code = answer.error_code === 'AUTHENTICATION_FAILED' ? 'GLZ4001' : 'GLZ1011';
  throw new GleitzeitError(code, `the league does not start: ${answer.details}`);
}

function parsed(url: string): URL {
  const endpoint = URL.parse(url);
  if (endpoint !== null && /^https?:$/.test(endpoint.protocol)) return endpoint;
  throw new GleitzeitError('GLZ1012', 'the address of the manager begins with http:// or https://', {
    field: 'manager',
  });
}

function readProgress(origin: string, said: unknown): LeagueProgress {
  if (!isObject(said) || typeof said['league_id'] !== 'string' || !Array.isArray(said['standings']))
    throw noManager(origin);
  const { league_id, status, game_type, round_id, standings, referees, players }: JsonObject = said;
  const number = (name: string) => Number(said[name] ?? 0);
  const many = (list: Json | undefined) => (Array.isArray(list) ? list.length : 0);
  return {
    ...{ league_id, status: String(status), game_type: String(game_type) },
    round_id: typeof round_id === 'string' ? round_id : null,
    ...{ rounds: number('rounds'), rounds_completed: number('rounds_completed') },
    ...{ matches: number('matches'), matches_completed: number('matches_completed') },
    // A manager of ours shows its table as it is on the wire.
    standings: standings as unknown as readonly Standing[],
    ...{ referees: many(referees), players: many(players) },
  };
}

function noManager(origin: string): GleitzeitError {
  return new GleitzeitError('GLZ2005', `${origin} is no league manager`, {
    hint: 'name it with --manager, as league manager said it',
  });
}
