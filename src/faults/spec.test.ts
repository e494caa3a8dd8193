import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { faultWords, noFaults, readFaults, wrongAnswers } from './spec.ts';

function refusal(text: string): GleitzeitError {
  try {
    readFaults(text);
  } catch (thrown) {
    if (thrown instanceof GleitzeitError) return thrown;
    throw thrown;
  }
  throw new Error(`${text} was taken`);
}

describe('readFaults', () => {
  it('reads every word', () => {
    const text =
      'latency=200ms, jitter=0.1s@50%,cut=5%,half_open=0.5%,reset=1%,slow_bytes=64@10%,wrong_answers=2%,seed=7';
    expect(readFaults(text)).toEqual({
      latency: { ms: 200, rate: 1 },
      jitter: { ms: 100, rate: 0.5 },
      cut: 0.05,
      half_open: 0.005,
      reset: 0.01,
      slow_bytes: { per_second: 64, rate: 0.1 },
      wrong_answers: { rate: 0.02, kinds: wrongAnswers },
      seed: 7,
    });
    expect(readFaults('wrong_answers=100%:empty+other_id')).toEqual({
      ...noFaults,
      wrong_answers: { rate: 1, kinds: ['empty', 'other_id'] },
    });
  });

  it.each([
    ['latncy=1s', 'latncy', 'did you mean "latency"?'],
    ['toString=1', 'toString', 'known words'],
    ['cut=5', 'cut', 'write a rate'],
    ['cut=101%', 'cut', 'write a rate'],
    ['reset', 'reset', 'write a rate'],
    ['latency=fast', 'latency', 'write a time'],
    ['latency=2h', 'latency', 'an hour at most'],
    ['latency=1s@x', 'latency', 'write a rate'],
    ['slow_bytes=0', 'slow_bytes', 'bytes a second'],
    ['seed=-1', 'seed', 'whole number'],
    ['wrong_answers=5%:rude', 'wrong_answers', 'not_json, other_id'],
  ])('refuses %s by its word, and says what is known', (text, word, hint) => {
    const { code, message, details } = refusal(`jitter=1ms,${text}`);
    expect(code).toBe('GLZ1012');
    expect(message).toMatch(/^--faults: /);
    expect(message).toContain(`"${word}"`);
    expect(details.hint).toContain(hint);
    for (const known of faultWords) expect(details.hint).toContain(known);
  });

  it('refuses what is missing, said twice, or more than there is', () => {
    expect(refusal('').message).toContain('a fault is missing');
    expect(refusal('cut=1%,').message).toContain('a fault is missing');
    expect(refusal('cut=1%,cut=2%').message).toContain('"cut" is said twice');
    expect(refusal('cut=60%,reset=60%').message).toContain('more than 100%');
  });

  it('takes any text without another error than its own', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom(...faultWords), (text, word) => {
        for (const given of [text, `${word}=${text}`]) {
          try {
            readFaults(given);
          } catch (thrown) {
            expect(thrown).toMatchObject({ code: 'GLZ1012', details: { field: 'faults' } });
          }
        }
      }),
    );
  });
});
