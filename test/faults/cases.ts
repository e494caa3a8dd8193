import { planOf, seedFor } from '../../src/faults/plan.ts';
import { readFaults } from '../../src/faults/spec.ts';

export type ChannelName = 'http' | 'websocket' | 'stdio';
export const channelNames: readonly ChannelName[] = ['http', 'websocket', 'stdio'];

/** How a task ends whose provider is reached through faults: by which attempt, and for what. */
export type Ending = { readonly code: string; readonly attempts: number; readonly cause: RegExp };

export type Case = {
  readonly spec: string;
  /** What happens to the answers in their order: `.` nothing, `x` the fault. From the end on it does not matter. */
  readonly answers: Readonly<Partial<Record<ChannelName, string>>>;
  readonly ends: Readonly<Record<ChannelName, Ending>>;
};

const late: Ending = { code: 'GLZ2003', attempts: 2, cause: /^no answer within 2 s$/ };
const invalid = (cause: RegExp): Ending => ({ code: 'GLZ2005', attempts: 1, cause });
const lost = (cause: RegExp): Ending => ({ code: 'GLZ2002', attempts: 2, cause });
const troubled = (cause: RegExp): Ending => ({ code: 'GLZ2001', attempts: 2, cause });
const all = (ending: Ending) => ({ http: ending, websocket: ending, stdio: ending });

/** A WebSocket is opened by an answer of its own; these let it open, so that messages meet the fault. */
const afterOpening = { websocket: '.xx' };

export const cases: readonly Case[] = [
  { spec: 'latency=1m', answers: {}, ends: all(late) },
  { spec: 'latency=1m@50%', answers: { http: 'xx', ...afterOpening, stdio: 'xx' }, ends: all(late) },
  { spec: 'jitter=1h', answers: {}, ends: all(late) },
  { spec: 'slow_bytes=5', answers: {}, ends: all(late) },
  { spec: 'slow_bytes=5@50%', answers: { http: 'xx', ...afterOpening, stdio: 'xx' }, ends: all(late) },
  { spec: 'half_open=100%', answers: {}, ends: all(late) },
  { spec: 'half_open=50%', answers: { http: 'xx', ...afterOpening, stdio: 'xx' }, ends: all(late) },
  {
    spec: 'cut=100%',
    answers: {},
    ends: {
      http: lost(/closed the connection before it answered|cut short/),
      websocket: lost(/closed the connection|was cut|socket hang up|not HTTP/),
      stdio: lost(/ended with exit code 0/),
    },
  },
  {
    spec: 'cut=50%',
    answers: { http: 'xx', websocket: '.x.x', stdio: 'xx' },
    ends: {
      http: lost(/closed the connection before it answered|cut short/),
      websocket: lost(/the connection to .* was cut/),
      stdio: lost(/ended with exit code 0/),
    },
  },
  {
    spec: 'reset=100%',
    answers: {},
    ends: {
      http: lost(/closed the connection before it answered/),
      websocket: lost(/closed the connection before it answered/),
      stdio: lost(/ended by SIGKILL/),
    },
  },
  {
    spec: 'reset=50%',
    answers: { http: 'xx', websocket: '.x.x', stdio: 'xx' },
    ends: {
      http: lost(/closed the connection before it answered/),
      websocket: lost(/closed the connection before it answered|was cut/),
      stdio: lost(/ended by SIGKILL/),
    },
  },
  {
    spec: 'wrong_answers=100%:not_json',
    answers: {},
    // Whoever shares a line may also print other things there: what names no call answers none.
    ends: { ...all(late), http: invalid(/without a JSON-RPC answer: <html>/) },
  },
  {
    spec: 'wrong_answers=100%:other_id',
    answers: {},
    ends: { ...all(late), http: invalid(/without a JSON-RPC answer/) },
  },
  {
    spec: 'wrong_answers=100%:server_error',
    answers: {},
    ends: {
      ...all(troubled(/an error in the place of the answer/)),
      http: troubled(/answered HTTP 500 without a JSON-RPC answer/),
    },
  },
  {
    spec: 'wrong_answers=100%:truncated',
    answers: {},
    ends: { ...all(invalid(/the answer is no JSON/)), http: invalid(/without a JSON-RPC answer/) },
  },
  {
    spec: 'wrong_answers=100%:empty',
    answers: {},
    ends: { ...all(late), http: invalid(/its body is empty/) },
  },
];

/** Faults that pass: the first attempt meets one, the second does not. */
export const passing: readonly Pick<Case, 'spec' | 'answers'>[] = [
  { spec: 'latency=1m@50%', answers: { http: 'x.' } },
  { spec: 'slow_bytes=5@50%', answers: { http: 'x.' } },
  { spec: 'half_open=50%', answers: { http: 'x.' } },
  { spec: 'cut=50%', answers: { http: 'x.', websocket: '.x..', stdio: 'x.' } },
  { spec: 'reset=50%', answers: { http: 'x.', websocket: 'x..', stdio: 'x.' } },
  { spec: 'wrong_answers=50%:server_error', answers: { http: 'x.', websocket: '.x.', stdio: 'x.' } },
  { spec: 'latency=100ms,jitter=50ms,slow_bytes=2000', answers: { http: '', websocket: '', stdio: '' } },
];

/** The first seed with which the first channel meets exactly that. */
export function seedWith(spec: string, answers: string): number {
  const faults = readFaults(spec);
  const meets = (seed: number) =>
    [...answers].every((word, turn) => {
      const { wait_ms, bytes_per_second, fault } = planOf(faults, seedFor(seed, 0), turn);
      return (word === 'x') === (wait_ms > 0 || bytes_per_second !== null || fault !== null);
    });
  let seed = 1;
  while (!meets(seed)) seed++;
  return seed;
}
