import type { Answer } from '../../core/answer.ts';
import { GleitzeitError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import type { Probe, Provider, ProviderCall } from '../../core/ports/provider.ts';
import { redact, redactJson } from '../../core/secrets.ts';
import { givenUp } from '../../rpc/correlate.ts';
import { Translation, type TranslationParts } from '../agent/translation.ts';
import { CallsUnderWay } from '../calls-under-way.ts';
import { reportWithout } from '../quiet-report.ts';
import { resultWithout, withoutSecrets } from '../without-secrets.ts';
import { converse, type Found, type Settings } from './call.ts';
import type { Cards } from './cards.ts';
import type { ask, ExchangeParts } from './exchange.ts';
import { isUnreadable, PATIENCE } from './follow.ts';
import { type Kept, readKept } from './kept.ts';
import type { Negotiation } from './negotiation.ts';
import { Talk } from './talk.ts';
import { TASK_NOT_FOUND } from './wire/errors.ts';

export type A2aParts = {
  readonly id: string;
  readonly protocol: string;
  readonly exchange: ExchangeParts;
  readonly post: typeof ask;
  readonly cards: Cards;
  readonly negotiation: Negotiation;
  readonly settings: Settings;
  /** Whether a method of the protocol is a call of its own, or the message itself. */
  readonly structured: (method: string) => boolean;
  readonly secrets: () => readonly string[];
  /** Those of them that the agent is shown of who calls: they do not belong into a result either. */
  readonly proofs: () => readonly string[];
  readonly translation: TranslationParts;
  readonly probe: Probe;
};

/** Why a call ends that nobody wants any more, unlike one that goes on elsewhere. */
const unwanted: readonly string[] = ['GLZ2009', 'GLZ2003'];
const passing: readonly string[] = ['transport', 'server', 'timeout', 'rate_limit'];
/** An agent that works on a task is asked for it again after longer and longer whiles, so often. */
const MOST_TROUBLES = 12;
const CANCEL_MS = 5000;
const unending = new AbortController().signal;
const AGAIN_MS = 1000;
const LONGEST_MS = 60_000;

/** An agent that speaks A2A, in whichever version. */
export function a2aProvider(parts: A2aParts): Provider {
  const { id, protocol, exchange, cards, probe } = parts;
  const calls = new CallsUnderWay();
  const found: Found = { streams: true, pushes: true };
  const farewells = new Set<Promise<void>>();
  return {
    id,
    protocol,
    hasMethod: () => true,
    call: async (call) => {
      const own = withCallback(parts, call);
      try {
        return await calls.make(call.signal, null, (signal) =>
          answer(own, call, { signal, found, farewells }),
        );
      } catch (thrown) {
        const error = GleitzeitError.from(thrown, 'GLZ2001').toRecord();
        return { word: 'failed', error: withoutSecrets(error, own.secrets()) };
      }
    },
    probe,
    abandon: (left) => {
      const call = { ...left, method: '', params: {}, workflow_id: null, attempt: 0, signal: unending };
      farewell(parts, talkFor(parts, call, unending), farewells);
    },
    warm: () => void cards.known(new AbortController().signal),
    close: async () => {
      await calls.close();
      await Promise.all(farewells);
      cards.close();
      await exchange.web.close();
    },
  };
}

/** What an agent is to call back with is told it in confidence, too. */
function withCallback(parts: A2aParts, { callback }: ProviderCall): A2aParts {
  if (callback === undefined || !parts.settings.push) return parts;
  const secrets = () => [...parts.secrets(), callback.token];
  const proofs = () => [...parts.proofs(), callback.token];
  return { ...parts, secrets, proofs, translation: { ...parts.translation, secrets } };
}

type Surroundings = {
  readonly signal: AbortSignal;
  readonly found: Found;
  readonly farewells: Set<Promise<void>>;
};

async function answer(
  parts: A2aParts,
  call: ProviderCall,
  { signal, found, farewells }: Surroundings,
): Promise<Answer> {
  if (signal.aborted) throw givenUp(signal);
  const talk = talkFor(parts, call, signal);
  const structured = parts.structured(call.method);
  const hide = (ask: Json) => redactJson(ask, parts.secrets());
  const { negotiation, settings, exchange } = parts;
  try {
    const around = { negotiation, settings, found, timers: exchange.timers, structured, hide };
    const answered = await converse(around, call, talk);
    await talk.settled();
    if (answered.word !== 'done') return answered;
    return { ...answered, result: resultWithout(answered.result, parts.proofs()) };
  } catch (thrown) {
    const error = GleitzeitError.from(thrown, 'GLZ2001');
    const over = call.signal.aborted;
    if (over && unwanted.includes(error.code)) farewell(parts, talk, farewells);
    const again = over ? null : await later(talk, call, error);
    if (again !== null) return { ...again, reason: redact(again.reason, parts.secrets()) };
    talk.translation.failed(error);
    throw error;
  }
}

function talkFor(parts: A2aParts, call: ProviderCall, signal: AbortSignal): Talk {
  const { exchange, post, settings, secrets } = parts;
  const report = call.report === undefined ? undefined : reportWithout(call.report, secrets);
  const wishes = {
    exchange,
    post,
    report,
    history_length: settings.history_length,
    structured: parts.structured(call.method),
    translation: new Translation(parts.translation, call),
  };
  return new Talk(wishes, call, signal, readKept(call.kept));
}

type Again = Extract<Answer, { word: 'again' }>;

/** The agent has the task and cannot be asked for it now: it must not be given the same task once more for that. */
async function later(talk: Talk, call: ProviderCall, error: GleitzeitError): Promise<Again | null> {
  const { kept } = talk;
  if (kept === null || call.keep === undefined || talk.gone || !mayPass(kept, error)) return null;
  if (isUnreadable(error)) talk.translation.unread(error);
  talk.keep({ troubles: kept.troubles + 1 });
  await talk.settled();
  const after_ms = Math.min(AGAIN_MS * 2 ** kept.troubles, LONGEST_MS);
  return {
    word: 'again',
    after_ms: Math.max(after_ms, error.details.retry_after_ms ?? 0),
    reason: error.message,
  };
}

function mayPass({ troubles }: Kept, error: GleitzeitError): boolean {
  if (isUnreadable(error)) return troubles < PATIENCE - 1;
  // It has forgotten the task: there is nothing to come back for.
  if (error.details.remote_code === TASK_NOT_FOUND) return false;
  return passing.includes(error.class) && troubles < MOST_TROUBLES;
}

/** Nobody waits for it but whoever closes the provider. */
function farewell(
  { id, negotiation, translation }: A2aParts,
  talk: Talk,
  farewells: Set<Promise<void>>,
): void {
  if (talk.kept === null) return;
  const { task_id, version } = talk.kept;
  const signal = AbortSignal.timeout(CANCEL_MS);
  const told = talk.routed
    ? talk.cancel(signal)
    : negotiation.begin(
        signal,
        async (route) => {
          talk.use(route);
          await talk.cancel(signal);
        },
        version,
      );
  const said = told
    .catch((thrown: unknown) => {
      const { message: error } = GleitzeitError.from(thrown);
      const about = { provider: id, agent_task_id: task_id, error };
      translation.logger?.debug('an agent could not be told that its task is not wanted', about);
    })
    .finally(() => farewells.delete(said));
  farewells.add(said);
}
