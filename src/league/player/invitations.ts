import { sameToken } from '../agents/identity.ts';
import type { LeagueQuestion } from '../protocol/agent.ts';
import { type Fault, fault } from '../protocol/faults.ts';

/** So many matches are remembered, the newest: a player meets everybody once. */
const MOST = 10_000;
/** Of so many referees of one match, the newest: anybody can make up names. */
const MOST_REFEREES = 16;

type Invited = {
  readonly game_type: string;
  /** Who invited, by sender and token: a match that its referee died in is begun anew by another. */
  readonly by: readonly { readonly sender: string; readonly token: string }[];
  readonly open: boolean;
};

/**
 * Whom a player listens to. The manager tells the players of a match what its referee will show; where it told nothing,
 * whoever is a referee may invite, and only who invited is answered.
 */
export class Invitations {
  readonly #announced: (match_id: string) => string | undefined;
  readonly #matches = new Map<string, Invited>();

  constructor(announced: (match_id: string) => string | undefined) {
    this.#announced = announced;
  }

  /** Sender and token of a question by a referee. */
  authenticate({ envelope }: LeagueQuestion): Fault | null {
    const { match_id = '', message_type, auth_token, sender } = envelope;
    const expected = this.#announced(match_id);
    if (expected !== undefined)
      return sameToken(auth_token, expected)
        ? null
        : fault('AUTHENTICATION_FAILED', 'this is not the token of the match');
    if (message_type === 'GAME_INVITATION') return null;
    const known = this.#matches.get(match_id)?.by ?? [];
    return known.length === 0 ||
      known.some((one) => one.sender === sender && sameToken(auth_token, one.token))
      ? null
      : fault('AUTHENTICATION_FAILED', 'this referee has not invited to the match');
  }

  /** Moves are made in matches that one was invited to, until they are over. */
  judge({ envelope }: LeagueQuestion): Fault | null {
    const { match_id = '', message_type } = envelope;
    if (message_type === 'GAME_INVITATION') return null;
    const match = this.#matches.get(match_id);
    if (match === undefined) return fault('INVALID_MATCH_ID', 'nobody has invited to this match');
    // The end may be told twice: the first answer may have been lost.
    if (match.open || message_type === 'GAME_OVER') return null;
    return fault('INVALID_MATCH_ID', 'this match is over');
  }

  invited({ envelope }: LeagueQuestion, game_type: string): void {
    const { match_id = '', sender, auth_token: token = '' } = envelope;
    const before = this.#matches.get(match_id)?.by ?? [];
    const others = before.filter((one) => one.sender !== sender);
    this.#matches.delete(match_id);
    this.#matches.set(match_id, {
      game_type,
      by: [...others, { sender, token }].slice(-MOST_REFEREES),
      open: true,
    });
    for (const oldest of this.#matches.keys()) {
      if (this.#matches.size <= MOST) break;
      this.#matches.delete(oldest);
    }
  }

  gameOf(match_id: string): string {
    return this.#matches.get(match_id)?.game_type ?? '';
  }

  /** True the first time. */
  over(match_id: string): boolean {
    const match = this.#matches.get(match_id);
    if (match?.open !== true) return false;
    this.#matches.set(match_id, { ...match, open: false });
    return true;
  }
}
