import { createHash, timingSafeEqual } from 'node:crypto';

/** What an agent has to remember over a restart: whoever loses its token cannot register a second time. */
export type Identity = {
  /** The id of the question by which it registers: asked again after a crash, it is answered as before. */
  readonly registration: string;
  readonly auth_token: string | null;
  readonly league_id: string | null;
  /** Where it listened: others have been told so. */
  readonly port: number | null;
  /** What referees of announced matches show, by `match_id`. */
  readonly matches: Readonly<Record<string, string>>;
};

/** Where an identity is kept. What was kept is safe when `keep` resolves. */
export interface IdentityKeeper {
  readonly identity: Identity;
  keep(change: Partial<Identity>): Promise<void>;
}

/** For agents that live as long as their league. */
export function inMemory(identity: Identity): IdentityKeeper {
  let kept = identity;
  return {
    get identity() {
      return kept;
    },
    keep: async (change) => {
      kept = { ...kept, ...change };
    },
  };
}

export function newIdentity(registration: string): Identity {
  return { registration, auth_token: null, league_id: null, port: null, matches: {} };
}

/** INIT → REGISTERED → ACTIVE, as an agent itself knows it. */
export function lifeOf({ identity }: IdentityKeeper, active: boolean): 'INIT' | 'REGISTERED' | 'ACTIVE' {
  if (identity.auth_token === null) return 'INIT';
  return active ? 'ACTIVE' : 'REGISTERED';
}

/** Takes as long for a token that is nearly right as for any other. */
export function sameToken(shown: string | undefined, expected: string | null): boolean {
  if (shown === undefined || expected === null) return false;
  const mark = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(mark(shown), mark(expected));
}
