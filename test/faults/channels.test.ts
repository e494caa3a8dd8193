import { describe, it } from 'vitest';
import { cases, channelNames, passing, seedWith } from './cases.ts';
import { tryTask, VALUE } from './scene.ts';

/** Two attempts of two seconds, and what a busy machine needs besides. */
const IN_TIME_MS = 8000;

const hits = cases.flatMap(({ spec, answers, ends }) =>
  channelNames.map((channel) => ({ spec, channel, answers: answers[channel] ?? '', ...ends[channel] })),
);

describe('a task whose provider is reached through faults', () => {
  it.concurrent.for(hits)(
    'ends by its policy with $spec over $channel',
    async ({ spec, channel, answers, ...end }, { expect }) => {
      const { status, error, attempts, took_ms, told } = await tryTask(
        channel,
        spec,
        seedWith(spec, answers),
      );
      const { code: error_code, attempts: attempt, cause } = end;
      const data = { error_code, provider: 'echo-1', attempt };
      expect({ status, error }).toMatchObject({
        status: 'failed',
        error: { message: expect.stringMatching(cause), data },
      });
      expect(attempts.map(({ provider }) => provider)).toEqual(Array(attempt).fill('echo-1'));
      expect(took_ms).toBeLessThan(IN_TIME_MS);
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
      const { status, result, attempts, error } = await tryTask(channel, spec, seedWith(spec, met));
      expect({ status, result, error }).toEqual({
        status: 'completed',
        result: JSON.stringify(VALUE),
        error: null,
      });
      expect(attempts).toHaveLength(met.includes('x') ? 2 : 1);
    },
  );
});
