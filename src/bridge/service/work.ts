import { errorRecord, type GleitzeitError } from '../../core/errors.ts';
import type { Message } from '../broker.ts';
import { sizeOf } from '../errors.ts';
import { writeForeignResult, writeOwnResult } from '../messages/agent-result.ts';
import type { ToldAnswer } from '../messages/answer.ts';
import type { CallParts, Ended } from './call.ts';
import { callForeign } from './foreign-task.ts';
import type { Job } from './job.ts';
import { callOwn } from './own-task.ts';
import type { Callee } from './parts.ts';

/** What is said of a job where it has ended. */
export type Done = { readonly message: Message; readonly answer: ToldAnswer; readonly took_ms: number };

/** Makes the call of a job, and writes down how it ended. Null: there is nothing to tell. Never rejects. */
export async function work(parts: CallParts, job: Job, callee: Callee): Promise<Done | null> {
  const { ours } = job.task;
  const ended =
    ours === null ? await callForeign(parts, job, callee) : await callOwn(parts, job, { callee, own: ours });
  return ended === null ? null : tell(parts, job, { callee, ended });
}

/** There is no call to be made: why is its answer. */
export function refuse(parts: CallParts, job: Job, why: GleitzeitError): Done {
  const answer = { word: 'failed', error: why.toRecord() } as const;
  return tell(parts, job, { callee: null, ended: { answer, took_ms: 0, secrets: [] } });
}

type Ending = { readonly callee: Callee | null; readonly ended: Ended };

function tell(parts: CallParts, job: Job, { callee, ended }: Ending): Done {
  const { answer, took_ms } = ended;
  const message = write(parts, job, { callee, ended });
  const size = sizeOf(message);
  const { largest_message, largest_aside = largest_message } = parts.broker;
  // Other executors have no store of ours to look in.
  const most = job.task.ours === null ? largest_message : largest_aside;
  if (size <= most) return { message, answer, took_ms };
  const reason = `its result has ${size} bytes as a message, and the broker takes ${most} at most`;
  const hint =
    'let the agent keep what is large elsewhere and answer with a reference, or raise the limit of the broker';
  const error = errorRecord('GLZ2005', `the result cannot be told: ${reason}`, {
    field: 'result',
    reason,
    hint,
  });
  const short = { answer: { word: 'failed', error }, took_ms, secrets: [] } as const;
  return { message: write(parts, job, { callee, ended: short }), answer: short.answer, took_ms };
}

function write(parts: CallParts, { task }: Job, { callee, ended }: Ending): Message {
  const { schemas, cipher, clock } = parts;
  const { run_id, task_id, correlation_id, ours } = task;
  const { answer, took_ms, secrets } = ended;
  const now_ms = clock.wall();
  if (ours === null) return writeForeignResult({ run_id, task_id, correlation_id, answer, now_ms });
  const { name, protocol, method } = ours;
  const secret = secrets.length > 0 || schemas.secrets(protocol, method).result.length > 0;
  const called = { protocol, method, secrets: ours.secrets };
  const provider = callee?.provider ?? null;
  return writeOwnResult({ name, run_id, provider, answer, took_ms, called, now_ms, secret }, cipher);
}
