import type { Answer } from '../../../core/answer.ts';
import { errorRecord } from '../../../core/errors.ts';
import type { ProgramEnd } from '../../../rpc/program/program.ts';
import type { Meaning } from '../../process/answer.ts';
import { answerFrom } from '../answer.ts';
import type { PodState } from './state.ts';

/**
 * What the container of a job did. Standard output and standard error come as one log: a JSON document is its last line, and
 * what stands before that are its words.
 */
export function jobAnswer(
  { code, reason }: Extract<PodState, { is: 'ended' }>,
  log: Buffer,
  meaning: Meaning,
): Answer {
  if (reason === 'OOMKilled')
    return {
      word: 'failed',
      error: errorRecord('GLZ2010', `${meaning.program} took more memory than it may`, {
        reason,
        hint: 'raise limits.memory of the provider if it needs more',
      }),
    };
  return answerFrom(endOf(log, code, meaning), meaning);
}

const TAIL_LINES = 10;

function endOf(log: Buffer, code: number, { limits, output }: Meaning): ProgramEnd {
  const lines = log.toString('utf8').trimEnd().split('\n');
  const last = lines.at(-1) ?? '';
  if (log.length > limits.max_output) return { how: 'too_much_output', stderr: '' };
  const spoken = lines.slice(-TAIL_LINES).join('\n');
  return {
    how: 'exit',
    code,
    output: output === 'json' ? Buffer.from(last) : log,
    stderr: spoken,
  };
}
