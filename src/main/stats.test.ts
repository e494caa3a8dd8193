import { describe, expect, it } from 'vitest';
import { load } from '../config/testing.suite.ts';
import { costIn } from './stats.ts';

const ended = {
  provider: 'a',
  protocol: 'llm/v1',
  method: 'chat',
  outcome: 'done',
  ms: 1,
  attempt: 1,
  hedge: false,
  usage: { input_tokens: 500, output_tokens: 100 },
} as const;

const loaded = () =>
  load(`
protocols:
  - name: llm/v1
    providers:
      - {id: a, type: ollama, cost: {per_call: 0.01, per_1k_input_tokens: 1, per_1k_output_tokens: 10, currency: EUR}}
      - {id: b, type: ollama}
      - {id: c, type: ollama, cost: {per_call: 2}}
`);

describe('what a call cost', () => {
  it.each([
    ['by its tokens', ended, { currency: 'EUR', amount: 0.01 + 0.5 + 1 }],
    ['nothing where it brought no result', { ...ended, outcome: 'timeout' }, null],
    ['nothing where no price is named', { ...ended, provider: 'b' }, null],
    ['nothing where nobody knows the provider any more', { ...ended, provider: 'gone' }, null],
    ['in dollars where no currency is named', { ...ended, provider: 'c' }, { currency: 'USD', amount: 2 }],
  ] as const)('is told %s', async (_how, call, expected) => {
    const config = await loaded();
    expect(costIn(config, call)).toEqual(expected);
    expect(costIn(config, call)).toEqual(expected);
  });
});
