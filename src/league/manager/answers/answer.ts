import type { JsonObject } from '../../../core/json.ts';
import type { LeagueQuestion } from '../../protocol/agent.ts';
import { type Fault, fault } from '../../protocol/faults.ts';
import type { Fact } from '../facts.ts';
import type { League } from '../league.ts';
import type { ManagerParts } from '../parts.ts';
import type { KeptToken } from '../tokens.ts';

/** What a question is answered from. */
export type Desk = { readonly league: League; readonly parts: ManagerParts };

/** What is said, and what changes by it: both become durable together, and only then is it said. */
export type Told = {
  readonly payload: JsonObject;
  readonly facts: readonly Fact[];
  /** Belongs to the first of the facts. */
  readonly token?: KeptToken;
};

/** One kind of question: whether it may be asked now, and what follows. Neither waits for anything. */
export type Answerer = {
  judge(desk: Desk, question: LeagueQuestion): Fault | null;
  answer(desk: Desk, question: LeagueQuestion): Told | Fault;
};

export function otherLeague({ parts }: Desk, { envelope }: LeagueQuestion): Fault | null {
  const { league_id } = envelope;
  if (league_id === undefined || league_id === parts.options.league_id) return null;
  return fault('INVALID_LEAGUE_ID', 'this is another league');
}
