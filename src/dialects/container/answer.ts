import type { Answer } from '../../core/answer.ts';
import { errorRecord } from '../../core/errors.ts';
import type { ProgramEnd } from '../../rpc/program/program.ts';
import { type Meaning, answerFrom as programAnswer } from '../process/answer.ts';

/** Exit codes that docker and podman keep for themselves. */
const ENGINE_FAILED = 125;
const NOT_RUNNABLE = 126;
const NOT_FOUND = 127;
/** A shell's way to say by which signal something ended, which the engines have taken over. */
const SIGNALS = 128;

/** What a container did, in the words of the engine that moves tasks. */
export function answerFrom(end: ProgramEnd, meaning: Meaning): Answer {
  if (end.how !== 'exit' || meaning.ok.includes(end.code) || meaning.retry.includes(end.code))
    return programAnswer(end, meaning);
  const { code, stderr } = end;
  const details = { exit_code: code, stderr };
  const words = stderr.trimEnd().split('\n').at(-1) ?? '';
  const said = words === '' ? '' : `: ${words}`;
  if (code === ENGINE_FAILED)
    return failed('GLZ2002', `the container could not be started${said}`, {
      reason: 'the engine ended with exit code 125',
      hint: 'is the engine running, and is the image there?',
      details,
    });
  if (code === NOT_RUNNABLE || code === NOT_FOUND)
    return failed('GLZ2010', `the image has no such program, or it cannot be run${said}`, {
      reason: `exit code ${code}`,
      details,
    });
  if (code > SIGNALS)
    return failed('GLZ2002', `the container was ended by signal ${code - SIGNALS}${said}`, {
      reason: `exit code ${code}`,
      ...(code === SIGNALS + 9 ? { hint: 'so it ends when it takes more than limits.memory, too' } : {}),
      details,
    });
  return programAnswer(end, meaning);
}

function failed(...said: Parameters<typeof errorRecord>): Answer {
  return { word: 'failed', error: errorRecord(...said) };
}
