import { planOf, seedFor } from '../../src/faults/plan.ts';
import { readFaults } from '../../src/faults/spec.ts';

/** The answer over HTTP is one message, or the last one of a stream. */
const httpNames = ['http', 'http events', 'http lines'] as const;
export const channelNames = [...httpNames, 'websocket', 'stdio', 'grpc', 'program'] as const;
export type ChannelName = (typeof channelNames)[number];

/** How a task ends whose provider is reached through faults: by which attempt, and for what. */
export type Ending = { readonly code: string; readonly attempts: number; readonly cause: RegExp };

export type Case = {
  readonly spec: string;
  /**
   * What happens to the answers in their order: `.` nothing, `x` the fault. From the end on it does not matter. Where every
   * answer meets it nothing is said, and every channel is tried; otherwise those that are named.
   */
  readonly answers: Readonly<Partial<Record<ChannelName, string>>>;
  /** Where a channel is left out, the answer is taken: it has nothing that could be wrong. */
  readonly ends: Readonly<Partial<Record<ChannelName, Ending>>>;
};

/** How long an attempt has where time is meant to be up. */
export const TIMEOUT_S = 1;

/** What a busy machine needs besides the time that the policy gives. */
const SLACK_MS = 1000;
/** Where no time is meant to be up: after a cut a program is started anew, which may take long on a busy machine. */
export const unhurried = { timeout: 6 };
/** What does not wait takes no longer: two starts of a program, and what a busy machine needs besides. */
export const AT_ONCE_MS = 5000;

/** By when a task has ended that ends so. */
export const inTime = ({ code, attempts }: Pick<Ending, 'code' | 'attempts'>) =>
  code === 'GLZ2003' ? attempts * TIMEOUT_S * 1000 + SLACK_MS : AT_ONCE_MS;

/** What a task says that ends with this error. */
export const timeFor = (code: string) => (code === 'GLZ2003' ? {} : unhurried);

const late: Ending = { code: 'GLZ2003', attempts: 2, cause: /^no answer within 1 s$/ };
const invalid = (cause: RegExp): Ending => ({ code: 'GLZ2005', attempts: 1, cause });
const lost = (cause: RegExp): Ending => ({ code: 'GLZ2002', attempts: 2, cause });
const troubled = (cause: RegExp): Ending => ({ code: 'GLZ2001', attempts: 2, cause });
const refused = (cause: RegExp): Ending => ({ code: 'GLZ2010', attempts: 1, cause });
const all = (ending: Ending) => Object.fromEntries(channelNames.map((name) => [name, ending]));
/** A stream is one answer too: what is in its place is found wrong for the same reason. */
const overHttp = <What>(one: What) => ({ http: one, 'http events': one, 'http lines': one });

/** A WebSocket is opened by an answer of its own; these let it open, so that messages meet the fault. */
const afterOpening = { websocket: '.xx' };

export const cases: readonly Case[] = [
  { spec: 'latency=1m', answers: {}, ends: all(late) },
  { spec: 'latency=1m@50%', answers: { ...overHttp('xx'), ...afterOpening, stdio: 'xx' }, ends: all(late) },
  { spec: 'jitter=1h', answers: {}, ends: all(late) },
  { spec: 'slow_bytes=5', answers: {}, ends: all(late) },
  { spec: 'slow_bytes=5@50%', answers: { ...overHttp('xx'), ...afterOpening, stdio: 'xx' }, ends: all(late) },
  { spec: 'half_open=100%', answers: {}, ends: all(late) },
  { spec: 'half_open=50%', answers: { ...overHttp('xx'), ...afterOpening, stdio: 'xx' }, ends: all(late) },
  {
    spec: 'cut=100%',
    answers: {},
    ends: {
      ...overHttp(lost(/closed the connection before it answered|cut short/)),
      websocket: lost(/closed the connection|was cut|socket hang up|not HTTP/),
      stdio: lost(/ended with exit code 0/),
      grpc: lost(/Connection dropped|ECONNRESET/),
      program: lost(/^node ended by SIGTERM/),
    },
  },
  {
    spec: 'cut=50%',
    answers: { ...overHttp('xx'), websocket: '.x.x', stdio: 'xx' },
    ends: {
      ...overHttp(lost(/closed the connection before it answered|cut short/)),
      websocket: lost(/the connection to .* was cut/),
      stdio: lost(/ended with exit code 0/),
    },
  },
  {
    spec: 'reset=100%',
    answers: {},
    ends: {
      ...overHttp(lost(/closed the connection before it answered/)),
      websocket: lost(/closed the connection before it answered/),
      stdio: lost(/ended by SIGKILL/),
      grpc: lost(/ECONNRESET|Connection dropped/),
      program: lost(/^node ended by SIGKILL/),
    },
  },
  {
    spec: 'reset=50%',
    answers: { ...overHttp('xx'), websocket: '.x.x', stdio: 'xx' },
    ends: {
      ...overHttp(lost(/closed the connection before it answered/)),
      websocket: lost(/closed the connection before it answered|was cut/),
      stdio: lost(/ended by SIGKILL/),
    },
  },
  {
    spec: 'wrong_answers=100%:not_json',
    answers: {},
    ends: {
      ...overHttp(invalid(/without a JSON-RPC answer: <html>/)),
      // Whoever shares a line may also print other things there: what names no call answers none.
      websocket: late,
      stdio: late,
      // Read as a length, the first letters of a page make a large number.
      grpc: invalid(/the answer is larger than may be kept/),
      program: invalid(/what node printed is no JSON/),
    },
  },
  {
    spec: 'wrong_answers=100%:other_id',
    answers: {},
    ends: {
      ...overHttp(invalid(/without a JSON-RPC answer/)),
      websocket: late,
      stdio: late,
      grpc: invalid(/the answer is no google.protobuf.Value/),
    },
  },
  {
    spec: 'wrong_answers=100%:server_error',
    answers: {},
    ends: {
      ...all(troubled(/an error in the place of the answer/)),
      ...overHttp(troubled(/answered HTTP 500 without a JSON-RPC answer/)),
    },
  },
  {
    spec: 'wrong_answers=100%:truncated',
    answers: {},
    ends: {
      ...overHttp(invalid(/without a JSON-RPC answer/)),
      websocket: invalid(/the answer is no JSON/),
      stdio: invalid(/the answer is no JSON/),
      grpc: refused(/No message received/),
      program: invalid(/what node printed is no JSON/),
    },
  },
  {
    spec: 'wrong_answers=100%:empty',
    answers: {},
    ends: {
      ...overHttp(invalid(/its body is empty/)),
      websocket: late,
      stdio: late,
      grpc: refused(/No message received/),
      program: invalid(/what node printed is no JSON/),
    },
  },
];

/** Faults that pass: the first attempt meets one, the second does not. */
export const passing: readonly Pick<Case, 'spec' | 'answers'>[] = [
  { spec: 'latency=1m@50%', answers: { ...overHttp('x.'), grpc: 'x.', program: 'x.' } },
  { spec: 'slow_bytes=5@50%', answers: { ...overHttp('x.'), grpc: 'x.', program: 'x.' } },
  { spec: 'half_open=50%', answers: { ...overHttp('x.'), grpc: 'x.', program: 'x.' } },
  {
    spec: 'cut=50%',
    answers: { ...overHttp('x.'), websocket: '.x..', stdio: 'x.', grpc: 'x.', program: 'x.' },
  },
  {
    spec: 'reset=50%',
    answers: { ...overHttp('x.'), websocket: 'x..', stdio: 'x.', grpc: 'x.', program: 'x.' },
  },
  {
    spec: 'wrong_answers=50%:server_error',
    answers: { ...overHttp('x.'), websocket: '.x.', stdio: 'x.', grpc: 'x.', program: 'x.' },
  },
  {
    spec: 'latency=100ms,jitter=50ms,slow_bytes=2000',
    answers: { ...overHttp(''), websocket: '', stdio: '', grpc: '', program: '' },
  },
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
