import { describe, it } from 'vitest';
import { functionProvider } from '../../src/dialects/function/provider.ts';
import { faultWords, wrongAnswers } from '../../src/faults/spec.ts';
import {
  type Case,
  cases,
  channelNames,
  inTime,
  passing,
  seedWith,
  TIMEOUT_S,
  timeFor,
  unhurried,
} from './cases.ts';
import { tryTask, VALUE } from './scene.ts';

const isAlways = ({ answers }: Case) => Object.keys(answers).length === 0;
const hits = cases.flatMap((one) =>
  channelNames.flatMap((channel) => {
    const { spec, answers, ends } = one;
    const [end, met = isAlways(one) ? '' : undefined] = [ends[channel], answers[channel]];
    return end === undefined || met === undefined ? [] : [{ spec, channel, answers: met, ...end }];
  }),
);

/** Those that every answer meets. */
const always = cases.filter(isAlways);

describe('a task whose provider is reached through faults', () => {
  it('is tried with every fault there is', ({ expect }) => {
    const specs = always.map(({ spec }) => spec);
    const words = faultWords.filter((word) => word !== 'seed' && word !== 'wrong_answers');
    const faults = [...words, ...wrongAnswers.map((kind) => `wrong_answers=100%:${kind}`)];
    expect(faults.filter((fault) => !specs.some((spec) => spec.startsWith(fault)))).toEqual([]);
  });

  it.concurrent.for(hits)(
    'ends by its policy with $spec over $channel',
    async ({ spec, channel, answers, ...end }, { expect }) => {
      const seed = seedWith(spec, answers);
      const task = timeFor(end.code);
      const { status, error, attempts, took_ms, told } = await tryTask({ channel, spec, seed, task });
      const { code: error_code, attempts: attempt, cause } = end;
      const data = { error_code, provider: 'echo-1', attempt };
      expect({ status, error }).toMatchObject({
        status: 'failed',
        error: { message: expect.stringMatching(cause), data },
      });
      expect(attempts).toMatchObject(
        Array.from({ length: attempt }, () => ({ provider: 'echo-1', error: { data: { error_code } } })),
      );
      expect(took_ms).toBeLessThan(inTime(end));
      expect(told.length).toBeGreaterThan(0);
    },
  );

  const passes = passing.flatMap(({ spec, answers }) =>
    channelNames.flatMap((channel) => {
      const met = answers[channel];
      return met === undefined ? [] : [{ spec, channel, met }];
    }),
  );

  it.concurrent.for(passes)(
    'completes where $spec over $channel passes',
    async ({ spec, channel, met }, { expect }) => {
      const { status, result, attempts, error } = await tryTask({
        channel,
        spec,
        seed: seedWith(spec, met),
        // Half of them wait until their time is up; the program of the second attempt has to start in as much.
        task: /^(latency=1m|slow_bytes|half)/.test(spec) ? { timeout: 2 } : unhurried,
      });
      expect({ status, result, error }).toEqual({
        status: 'completed',
        result: JSON.stringify(VALUE),
        error: null,
      });
      expect(attempts).toHaveLength(met.includes('x') ? 2 : 1);
    },
  );

  it('has whatever a program printed as its result, since nothing in it says whose answer it is', async ({
    expect,
  }) => {
    const spec = 'wrong_answers=100%:other_id';
    const { status, result } = await tryTask({ channel: 'program', spec, seed: 1, task: unhurried });
    expect({ status, result: JSON.parse(result ?? '') }).toMatchObject({
      status: 'completed',
      result: { id: 'not-asked' },
    });
  });

  const trials = hits.filter(({ spec }) => always.some((one) => one.spec === spec));
  const everyTrouble = ['transport', 'timeout', 'server', 'rejected'];
  const retried = {
    retry_config: { max_attempts: 2, initial_delay: 0.001, jitter: 0, retry_on: everyTrouble },
  };

  it.concurrent.for(trials)(
    'is done by another provider where $spec over $channel does not pass',
    async ({ spec, channel, code }, { expect }) => {
      const act = ({ value = null }: { readonly value?: string | null }) => value;
      const other = functionProvider({ id: 'well', protocol: 'act/v1', methods: { act } });
      const tried = await tryTask({ channel, spec, seed: 1, other, task: { ...retried, ...timeFor(code) } });
      expect(tried).toMatchObject({ status: 'completed', result: JSON.stringify(VALUE) });
      expect(tried.attempts).toMatchObject([
        { provider: 'echo-1', error: { data: { error_code: code } } },
        { provider: 'well', error: null },
      ]);
    },
  );

  it.concurrent.for(trials.filter(({ code }) => code === 'GLZ2003'))(
    'ends with the time it has in all where $spec over $channel lasts longer',
    async ({ spec, channel }, { expect }) => {
      const task = { timeout: 60, total_timeout: TIMEOUT_S };
      const { status, error, took_ms } = await tryTask({ channel, spec, seed: 1, task });
      expect({ status, error }).toMatchObject({
        status: 'failed',
        error: { data: { error_code: 'GLZ2003', provider: 'echo-1', attempt: 1 } },
      });
      expect(took_ms).toBeLessThan(inTime({ code: 'GLZ2003', attempts: 1 }));
    },
  );
});
