import { describe, it } from 'vitest';
import { AT_ONCE_MS, type Ending, inTime, seedWith, TIMEOUT_S, timeFor, unhurried } from './cases.ts';
import { type DialectName, dialectNames } from './dialect-peers.ts';
import { tryTask, VALUE } from './scene.ts';

const closed = /closed the connection before it answered|was cut short/;

/** What every dialect over HTTP makes of a fault. */
const usual: Readonly<Record<string, Ending>> = {
  'latency=1m': { code: 'GLZ2003', attempts: 2, cause: /^no answer within 1 s$/ },
  'half_open=100%': { code: 'GLZ2003', attempts: 2, cause: /^no answer within 1 s$/ },
  'cut=100%': { code: 'GLZ2002', attempts: 2, cause: closed },
  'reset=100%': { code: 'GLZ2002', attempts: 2, cause: closed },
  'wrong_answers=100%:not_json': { code: 'GLZ2005', attempts: 1, cause: /is no (?:JSON|object of JSON)/ },
  'wrong_answers=100%:server_error': { code: 'GLZ2001', attempts: 2, cause: /HTTP 500/ },
};

/** A program cannot be told apart from one that prints other things besides. */
const overStdio: Readonly<Record<string, Ending>> = {
  ...usual,
  'cut=100%': { code: 'GLZ2002', attempts: 2, cause: /ended with exit code 0/ },
  'reset=100%': { code: 'GLZ2002', attempts: 2, cause: /ended by SIGKILL/ },
  'wrong_answers=100%:not_json': { code: 'GLZ2003', attempts: 2, cause: /^no answer within 1 s$/ },
  'wrong_answers=100%:server_error': { code: 'GLZ2001', attempts: 2, cause: /an error in the place/ },
};

const endsOf = (name: DialectName) => (name === 'mcp over stdio' ? overStdio : usual);

/** Of a task that a zone may have already: it is sent again under its id for as long as the task has. */
const isSentAgain = (name: DialectName, { code }: Ending) =>
  name === 'zone' && (code === 'GLZ2002' || code === 'GLZ2001');
/** The same, but not for long: what cannot be read is seldom another time. */
const isDoubted = (name: DialectName, { code }: Ending) => name === 'zone' && code === 'GLZ2005';
/** After 1, 2 and 4 s. */
const DOUBTED_MS = 7000;
const DOUBTS = 3;

const hits = dialectNames.flatMap((channel) =>
  Object.entries(endsOf(channel))
    .filter(([, end]) => !isSentAgain(channel, end) && !isDoubted(channel, end))
    .map(([spec, end]) => ({ channel, spec, ...end })),
);

/** The answer to the call meets it, and none after that. What some ask before is not what is tried here. */
const ONCE = 'x........';
const onceOf: Readonly<Partial<Record<DialectName, string>>> = {
  a2a: `.${ONCE}`,
  'mcp over HTTP': `..${ONCE}`,
  'mcp over stdio': `..${ONCE}`,
};
const passing = ['half_open=50%', 'cut=50%', 'reset=50%', 'wrong_answers=50%:server_error'];
const passes = dialectNames.flatMap((channel) =>
  passing
    // A program that has fallen silent stays so.
    .filter((spec) => !(channel === 'mcp over stdio' && spec.startsWith('half_open')))
    .map((spec) => ({ channel, spec, met: onceOf[channel] ?? ONCE })),
);

describe('a task whose provider of another dialect is reached through faults', () => {
  it.concurrent.for(hits)(
    'ends by its policy with $spec on the way to $channel',
    async ({ channel, spec, ...end }, { expect }) => {
      const { code: error_code, attempts: attempt, cause } = end;
      const tried = await tryTask({ channel, spec, seed: 1, task: timeFor(error_code) });
      const { status, error, attempts, took_ms, told } = tried;
      expect({ status, error }).toMatchObject({
        status: 'failed',
        error: {
          message: expect.stringMatching(cause),
          data: { error_code, provider: 'echo-1', attempt },
        },
      });
      expect(attempts).toMatchObject(
        Array.from({ length: attempt }, () => ({ provider: 'echo-1', error: { data: { error_code } } })),
      );
      expect(took_ms).toBeLessThan(inTime(end));
      expect(told.length).toBeGreaterThan(0);
    },
  );

  const sentAgain = Object.entries(usual).filter(([, end]) => isSentAgain('zone', end));
  it.concurrent.for(sentAgain)(
    'is sent to a zone again with %s until its time is up',
    async ([spec, { cause }], { expect }) => {
      const task = { ...unhurried, total_timeout: 2 * TIMEOUT_S };
      const { status, error, took_ms } = await tryTask({ channel: 'zone', spec, seed: 1, task });
      const reason = expect.stringMatching(cause);
      expect({ status, error }).toMatchObject({
        status: 'failed',
        error: { data: { error_code: 'GLZ2003', provider: 'echo-1', attempt: expect.any(Number), reason } },
      });
      expect(took_ms).toBeLessThan(inTime({ code: 'GLZ2003', attempts: 2 }));
    },
  );

  const doubted = Object.entries(usual).filter(([, end]) => isDoubted('zone', end));
  it.concurrent.for(doubted)(
    'is sent to a zone a few times more with %s, and then ends by its policy',
    async ([spec, end], { expect }) => {
      const tried = await tryTask({ channel: 'zone', spec, seed: 1, task: unhurried });
      const { status, error, attempts, took_ms } = tried;
      const { code: error_code, cause } = end;
      const attempt = DOUBTS + end.attempts;
      expect({ status, error }).toMatchObject({
        status: 'failed',
        error: {
          message: expect.stringMatching(cause),
          data: { error_code, provider: 'echo-1', attempt },
        },
      });
      const before = { error: { message: expect.stringMatching(cause) } };
      expect(attempts).toMatchObject([before, before, before, { error: { data: { error_code } } }]);
      expect(took_ms).toBeLessThan(DOUBTED_MS + inTime(end));
    },
  );

  it.concurrent.for(passes)(
    'completes where $spec on the way to $channel passes',
    async ({ channel, spec, met }, { expect }) => {
      const task = spec.startsWith('half') ? { timeout: 2 * TIMEOUT_S } : unhurried;
      const tried = await tryTask({ channel, spec, seed: seedWith(spec, met), task });
      const { status, result, attempts, error, took_ms } = tried;
      expect({ status, result, error }).toEqual({
        status: 'completed',
        result: JSON.stringify(VALUE),
        error: null,
      });
      expect(attempts).toHaveLength(2);
      expect(took_ms).toBeLessThan(AT_ONCE_MS);
    },
  );
});
