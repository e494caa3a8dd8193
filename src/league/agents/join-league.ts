import { GleitzeitError } from '../../core/errors.ts';
import type { Identity, IdentityKeeper } from './identity.ts';
import { askManager, type ManagerLine } from './to-manager.ts';

export type Joining = {
  readonly line: ManagerLine;
  readonly kind: 'referee' | 'player';
  readonly id: string;
  readonly endpoint_url: string;
  readonly keeper: IdentityKeeper;
};

export type Membership = { readonly auth_token: string; readonly league_id: string };
/** `active`: the manager knows that it is ready. */
export type Joined = Membership & { readonly active: boolean };

/** INIT → REGISTERED → ACTIVE. Who was registered in an earlier life only says that it is back. */
export async function joinLeague(joining: Joining): Promise<Joined> {
  const member = memberOf(joining.keeper.identity) ?? (await register(joining));
  const { line } = joining;
  const { auth_token, league_id } = member;
  const answer = await askManager(line, {
    ...{ type: 'AGENT_READY_REQUEST', payload: {}, auth_token, context: { league_id } },
    timeout_ms: line.tools.policy.registration_ms,
    again: passes,
  });
  // Said twice, or to a league that has ended: it harms nobody, and what it is asked then it still answers.
  if (answer.is === 'refused')
    line.tools.logger.warn('the league manager does not take it for ready', { details: answer.details });
  return { ...member, active: answer.is === 'answered' };
}

async function register({ line, kind, id, endpoint_url, keeper }: Joining): Promise<Membership> {
  // A player is refused until a referee is there.
  const again = (error_code: string | null) =>
    passes(error_code) || (kind === 'player' && error_code === 'PRECONDITION_FAILED');
  const known = { timeout_ms: line.tools.policy.registration_ms, id: keeper.identity.registration, again };
  const answer =
    kind === 'referee'
      ? await askManager(line, {
          ...{ ...known, type: 'REGISTER_REFEREE_REQUEST', payload: { referee_id: id, endpoint_url } },
        })
      : await askManager(line, {
          ...{ ...known, type: 'REGISTER_PLAYER_REQUEST', payload: { player_id: id, endpoint_url } },
        });
  if (answer.is === 'refused') throw refusedBy(`${kind} ${id}`, answer);
  const { auth_token, league_id } = answer.payload;
  await keeper.keep({ auth_token, league_id });
  return { auth_token, league_id };
}

function memberOf({ auth_token, league_id }: Identity): Membership | null {
  return auth_token === null || league_id === null ? null : { auth_token, league_id };
}

/** Trouble of the manager's own is over when it has been started again. */
export function passes(error_code: string | null): boolean {
  return error_code === 'INTERNAL_ERROR';
}

type Refusal = { readonly error_code: string | null; readonly details: string };

function refusedBy(who: string, { error_code, details }: Refusal): GleitzeitError {
  const hint =
    error_code === 'DUPLICATE_REGISTRATION'
      ? 'choose another id, or start it with the state that it had'
      : 'gleitzeit league standings shows how far the league is';
  return new GleitzeitError('GLZ1012', `the league refused ${who}: ${details}`, { hint });
}
