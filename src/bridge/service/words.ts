import type { Answer } from '../../core/answer.ts';
import { classOf, type ErrorRecord, errorRecord } from '../../core/errors.ts';
import type { LogFields } from '../../core/ports/logger.ts';
import { redact, redactJson } from '../../core/secrets.ts';
import type { AgentTask } from '../messages/agent-task.ts';
import type { ToldAnswer } from '../messages/answer.ts';
import type { Callee } from './parts.ts';

/** What every line of the log about a call has. */
export function about(
  { task_id, run_id, correlation_id, agent_name }: AgentTask,
  callee?: Callee,
): LogFields {
  const protocol = callee === undefined ? {} : { protocol: callee.dialect };
  return { task_id, run_id, correlation_id, agent: callee?.agent ?? agent_name, ...protocol };
}

/** An answer as others may read it: without what was secret in the call, where it is told in words. */
export function withoutSecrets(answer: ToldAnswer, secrets: readonly string[]): ToldAnswer {
  if (secrets.length === 0 || answer.word === 'done') return answer;
  if (answer.word === 'again') return { ...answer, reason: redact(answer.reason, secrets) };
  if (answer.word === 'outside')
    return { ...answer, wait: { ...answer.wait, ask: redactJson(answer.wait.ask, secrets) } };
  return { word: 'failed', error: cleanError(answer.error, secrets) };
}

/** The names and numbers of its own fields stay, whatever a secret looks like. */
function cleanError({ code, message, data }: ErrorRecord, secrets: readonly string[]): ErrorRecord {
  const { error_code, ...details } = data;
  const shown = Object.entries(details).map(([key, value]) => [
    key,
    typeof value === 'number' ? value : redactJson(value, secrets),
  ]);
  return { code, message: redact(message, secrets), data: { error_code, ...Object.fromEntries(shown) } };
}

/** Who withdraws has no answer: for whoever asked, the call was interrupted. */
export function told(answer: Answer): ToldAnswer {
  if (answer.word !== 'withdrawn') return answer;
  return { word: 'failed', error: errorRecord('GLZ2008', 'the call was ended before its answer came') };
}

export function outcomeOf(answer: ToldAnswer): string {
  return answer.word === 'failed' ? classOf(answer.error) : answer.word;
}
