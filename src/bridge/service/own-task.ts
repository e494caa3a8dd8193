import type { AttemptName } from '../../core/attempt-name.ts';
import { GleitzeitError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { MAX_KEPT } from '../../core/limits.ts';
import type { Cipher } from '../../core/ports/cipher.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import type { ProgressTold } from '../../core/progress.ts';
import { mapSealed, secretTexts } from '../../core/secrets.ts';
import { boundedText } from '../../engine/kept.ts';
import { CallReports, Reporter } from '../../engine/reporter.ts';
import type { OwnTask } from '../messages/agent-task.ts';
import { writeKept } from '../messages/news.ts';
import { type CallParts, type Ended, makeCall } from './call.ts';
import type { Job } from './job.ts';
import type { Callee } from './parts.ts';
import { about, told, withoutSecrets } from './words.ts';

/** What is older may have been handed to another bridge before, which died or lost it. */
const FRESH_MS = 1000;

/** A call of one of our engines, which owns its attempts: it is made once. Null: without an answer to tell. */
export async function callOwn(
  parts: CallParts,
  job: Job,
  { callee, own }: { readonly callee: Callee; readonly own: OwnTask },
): Promise<Ended | null> {
  const secrets: string[] = [];
  const tell = tellerOf(parts, own);
  const reports = reportsOf(parts, { callee, secrets, tell });
  try {
    const call = await callOf(parts, job, { callee, own, secrets, reports });
    const made = await makeCall(parts, {
      ...{ job, callee, call, timeout_ms: own.timeout_ms },
      within_ms: Math.max(0, own.expires_at_ms - parts.clock.wall()),
      // The engine counts on its being made: it holds no attempt against the task while it waits.
      waits: () => true,
      begins: () => tell({ kind: 'started', ago_ms: 0 }),
    });
    reports.end(made === null);
    if (job.begun) tell({ kind: 'ended' });
    if (made === null) return null;
    const answer = withoutSecrets(told(made.answer), secrets);
    if (answer.word === 'outside' && answer.wait.kind !== 'notification') tell({ kind: 'input_required' });
    return { answer, took_ms: made.took_ms, secrets };
  } catch (thrown) {
    const answer = { word: 'failed', error: GleitzeitError.from(thrown).toRecord() } as const;
    return { answer: withoutSecrets(answer, secrets), took_ms: 0, secrets };
  }
}

type Teller = (tiding: Parameters<CallParts['tidings']['tell']>[2]) => void;

function tellerOf({ tidings }: CallParts, { engine, name }: OwnTask): Teller {
  return (tiding) => tidings.tell(engine, name, tiding);
}

function reportsOf(
  parts: CallParts,
  { callee, secrets, tell }: { callee: Callee; secrets: readonly string[]; tell: Teller },
): CallReports {
  const write = async (progress: ProgressTold) => {
    tell({ kind: 'progress', progress });
    return { recorded: true };
  };
  return new CallReports(() => {
    const secretOutput = parts.schemas.secrets(callee.protocol, callee.method).result.length > 0;
    return new Reporter(parts, { write, secrets, secretOutput });
  });
}

type Content = {
  readonly callee: Callee;
  readonly own: OwnTask;
  readonly secrets: string[];
  readonly reports: CallReports;
};

async function callOf(
  parts: CallParts,
  job: Job,
  { callee, own, secrets, reports }: Content,
): Promise<Omit<ProviderCall, 'signal' | 'method'>> {
  const { input_data, task_id } = job.task;
  const { cipher } = parts;
  const params = own.secrets ? opened(cipher, input_data, secrets) : input_data;
  const token = own.callback === null ? null : opened(cipher, own.callback.token, []);
  const kept = await keptFor(parts, job, { callee, own });
  return {
    params: asObject(params),
    ...{ task_id, call_id: own.call_id, workflow_id: own.workflow_id, attempt: own.name.attempt },
    traceparent: own.traceparent ?? undefined,
    get report() {
      return reports.report;
    },
    kept,
    response: own.response === undefined ? undefined : opened(cipher, own.response, secrets),
    keep: keeperOf(parts, job, { name: own.name, provider: callee.provider }),
    callback:
      own.callback === null || typeof token !== 'string' ? undefined : { url: own.callback.url, token },
  };
}

function opened(cipher: Cipher, value: Json, secrets: string[]): Json {
  return mapSealed(value, (sealed) => {
    const open = JSON.parse(cipher.open(sealed)) as Json;
    secrets.push(...secretTexts(open));
    return open;
  });
}

function asObject(value: Json): JsonObject {
  if (isObject(value)) return value;
  throw new GleitzeitError('GLZ1005', 'params must be an object', { field: 'input_data' });
}

/** A call that was begun elsewhere is gone on with, where it left something to go on from. */
async function keptFor(
  { keptOf, clock, logger }: CallParts,
  job: Job,
  { callee, own }: { callee: Callee; own: OwnTask },
): Promise<Json | undefined> {
  const { at_ms } = job.task;
  const fresh = !job.redelivered && at_ms !== null && clock.wall() - at_ms < FRESH_MS;
  if (keptOf === undefined || !callee.keeps || fresh) return own.kept;
  try {
    return (await keptOf(own.name)) ?? own.kept;
  } catch (thrown) {
    const { message: error } = GleitzeitError.from(thrown);
    logger.warn('what an earlier call kept cannot be read; the call is made anew', {
      ...about(job.task, callee),
      error,
    });
    return own.kept;
  }
}

function keeperOf(
  { kept, clock }: CallParts,
  job: Job,
  { name, provider }: { name: AttemptName; provider: string },
): ProviderCall['keep'] {
  return async (value) => {
    boundedText(value, 'what it keeps', MAX_KEPT);
    if (job.over.aborted) return false;
    return kept.send(writeKept({ ...name, provider, kept: value }, clock.wall()));
  };
}
