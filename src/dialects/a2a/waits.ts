import type { OutsideWait } from '../../core/answer.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { type Kept, keptJson } from './kept.ts';
import type { Talk } from './talk.ts';
import type { Push } from './wire/requests.ts';
import type { Verdict } from './wire/verdict.ts';

/** What an agent was allowed elsewhere it may notice by itself: it is looked at after so long, and then more and more seldom. */
const AUTH_MS = 30_000;
const LONGEST_MS = 60 * 60_000;
const MAX_ASK = 12 * 1024;

type Asks = Extract<Verdict, { is: 'asks' }>;

/** The agent needs somebody to say or to allow something before it goes on. */
export function question(
  { hide }: { readonly hide: (ask: Json) => Json },
  { kept }: Talk,
  { kind, ask }: Asks,
): OutsideWait {
  const looks = kept?.waits === kind ? kept.looks + 1 : 0;
  const shown = { ...ask, ...(kept === null ? {} : { agent_task_id: kept.task_id }) };
  return {
    kind,
    ask: hide(bounded(shown)),
    kept: kept === null ? null : keptJson({ ...kept, waits: kind, looks }),
    token: null,
    after_ms: kind === 'auth' ? Math.min(AUTH_MS * 2 ** looks, LONGEST_MS) : null,
    late: kind === 'auth' ? 'resume' : 'fail',
  };
}

/** The agent was told where to call back. Calls get lost, so it is asked in the end all the same. */
export function notification(
  { settings }: { readonly settings: { readonly push_timeout_ms: number } },
  kept: Kept,
  { token }: Push,
): OutsideWait {
  const first = kept.waits === 'notification' ? kept.looks : 0;
  return {
    kind: 'notification',
    ask: { agent_task_id: kept.task_id },
    kept: keptJson({ ...kept, waits: 'notification', looks: first }),
    token,
    after_ms: Math.min(settings.push_timeout_ms * 2 ** first, LONGEST_MS),
    late: 'resume',
  };
}

/** Questions are for people: what is longer than they would read is left to the agent's own pages. */
function bounded(ask: JsonObject): JsonObject {
  if (JSON.stringify(ask).length <= MAX_ASK) return ask;
  const { parts: _, ...rest } = ask;
  const { text } = rest;
  return typeof text === 'string' ? { ...rest, text: `${text.slice(0, MAX_ASK / 2)} …` } : rest;
}
