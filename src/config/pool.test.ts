import { describe, expect, it } from 'vitest';
import { diffConfigs, isSameService } from './diff.ts';
import { load, mistakes } from './testing.suite.ts';

const whole = `
protocols:
  - name: llm/v1
    pool: {select: sticky, sticky_by: params.user, zone: eu, hedge: {after: 200ms}}
    limits:
      concurrency: 64
      rate: 600/min
      burst: 20
      per_key: {key: params.user, concurrency: 2, rate: 1/s}
    providers:
      - id: a
        type: ollama
        weight: 2
        tier: 1
        zone: eu
        models: [small, large]
        limits: {rate: 10/s}
        breaker: {failures: 3, cool_down: 500ms}
        health: {method: ping, every: 5s}
      - {id: b, type: ollama}
`;

describe('pools in the configuration', () => {
  it('are read with what was left out', async () => {
    const { protocols } = await load(whole);
    expect(protocols).toMatchObject([
      {
        pool: {
          select: 'sticky',
          sticky_by: 'params.user',
          zone: 'eu',
          hedge: { after: 0.2, max: 1 },
        },
        limits: {
          concurrency: 64,
          rate: '600/min',
          burst: 20,
          per_key: { key: 'params.user', concurrency: 2, rate: '1/s' },
        },
        providers: [
          {
            weight: 2,
            tier: 1,
            zone: 'eu',
            models: ['small', 'large'],
            limits: { concurrency: 128, rate: '10/s' },
            breaker: { failures: 3, cool_down: 0.5, probes: 1 },
            health: { method: 'ping', every: 5, timeout: 2, failures: 2 },
          },
          {},
        ],
      },
    ]);
    expect(protocols[0]?.providers[1]).toEqual({ id: 'b', type: 'ollama', config: {} });
  });

  it('take models from where they used to stand, and nothing of them reaches the type', async () => {
    const { protocols } = await load(
      'protocols: [{name: llm/v1, providers: [{type: http, config: {url: "http://x", models: [a, b]}}]}]',
    );
    expect(protocols[0]?.providers).toMatchObject([
      { models: ['a', 'b'], config: { url: 'http://x', retries: 2 } },
    ]);
    expect(protocols[0]?.providers[0]?.config).not.toHaveProperty('models');
  });

  it('need not say what a provider is asked to find out how it is', async () => {
    const { protocols } = await load(provider('health: {every: 1s}'));
    expect(protocols[0]?.providers[0]?.health).toEqual({ every: 1, timeout: 2, failures: 2 });
  });

  const provider = (more: string) =>
    `protocols:\n  - name: llm/v1\n    providers:\n      - {type: ollama, ${more}}`;
  const protocol = (more: string) => `protocols:\n  - name: llm/v1\n    ${more}`;

  it.each([
    [
      provider('weight: 0'),
      '4:32  protocols[0].providers[0].weight: must be a whole number from 1 to 1000, found 0',
    ],
    [provider('wieght: 1'), 'unknown key "wieght"'],
    [provider('limits: {rate: 10}'), 'limits.rate: must be a rate such as 10/s, 600/min or 1000/h, found 10'],
    [provider('limits: {rate: 0/s}'), 'limits.rate: must be a rate such as 10/s'],
    [provider('limits: {rate: 10/day}'), 'limits.rate: must be a rate such as 10/s'],
    [provider(`limits: {rate: ${'9'.repeat(400)}/s}`), 'limits.rate: must be a rate such as 10/s'],
    [provider(`limits: {rate: 0.${'0'.repeat(400)}1/h}`), 'limits.rate: must be a rate such as 10/s'],
    [
      provider('limits: {rate: 1000001/s}'),
      'limits.rate: must be from 0.001/h to 1000000/s, found "1000001/s"',
    ],
    [provider('limits: {rate: 0.0009/h}'), 'limits.rate: must be from 0.001/h to 1000000/s'],
    [protocol('limits: {rate: 60000001/min}'), 'limits.rate: must be from 0.001/h to 1000000/s'],
    [
      protocol('limits: {per_key: {key: workflow_id, rate: 0.00001/min}}'),
      'per_key.rate: must be from 0.001/h',
    ],
    [provider('limits: {burst: 3}'), 'limits.burst: says nothing without a rate'],
    [
      provider('breaker: {failure_rate: 2}'),
      'breaker.failure_rate: must be a number from 0.01 to 1, found 2',
    ],
    [
      provider('breaker: {cool_down: 1m, most_cool_down: 59s}'),
      'breaker.most_cool_down: is shorter than cool_down, which is 1m',
    ],
    [
      provider('breaker: {most_cool_down: 500ms}'),
      'breaker.most_cool_down: is shorter than cool_down, which is 1s',
    ],
    [
      provider('health: {method: a, path: /b}, config: {url: "http://x"}'),
      'health.path: stands beside method',
    ],
    [provider('health: {path: /b}'), 'health.path: needs a provider with a url'],
    [provider('health: {path: b}, config: {url: "http://x"}'), 'health.path: must be a path such as /health'],
    [provider('health: {method: a, expect: "200"}'), 'health.expect: says nothing without a path'],
    [
      provider('health: {path: /b, expect: 299-200}, config: {url: "http://x"}'),
      'health.expect: ends before it begins',
    ],
    [provider('health: {path: /b, expect: ok}, config: {url: "http://x"}'), 'must be a status such as 200'],
    [provider('cost: {currency: EUR}'), 'cost: names no price'],
    [provider('cost: {per_call: -1}'), 'cost.per_call: must be a number from 0'],
    [provider('cost: {per_call: 1, currency: euro}'), 'currency: must be three capital letters'],
    [protocol('pool: {hedge: {after: soon}}'), 'pool.hedge.after: must be'],
    [protocol('pool: {hedge: {after: 0}}'), 'pool.hedge.after: must be'],
    [protocol('pool: {hedge: {max: 9}}'), 'pool.hedge.max: must be a whole number from 1 to 3'],
    [provider('models: []'), 'models: must be a list of at least 1'],
    [provider('config: {models: small}'), 'config.models: must be a list of names, found "small"'],
    [provider('models: [a], config: {models: [b]}'), 'config.models: stands twice'],
    [
      protocol('pool: {select: random}'),
      '3:20  protocols[0].pool.select: must be one of latency, round_robin',
    ],
    [protocol('pool: {select: sticky}'), '3:20  protocols[0].pool.select: sticky needs sticky_by'],
    [protocol('pool: {sticky_by: params.user}'), 'pool.sticky_by: says nothing without select: sticky'],
    [
      protocol('pool: {select: sticky, sticky_by: user}'),
      'must be workflow_id, or a param such as params.user',
    ],
    [protocol('limits: {per_key: {key: params.user}}'), 'limits.per_key: limits nothing'],
    [protocol('limits: {burst: 2}'), 'limits.burst: says nothing without a rate'],
    [protocol('limits: {per_key: {key: params, concurrency: 1}}'), 'key: must be workflow_id, or a param'],
  ])('%s', async (text, said) => {
    const found = await mistakes(text);
    expect(found.filter((line) => !line.startsWith('hint'))).toEqual([expect.stringContaining(said)]);
  });
});

describe('a change of pools', () => {
  it('is told apart from one of the services', async () => {
    const before = await load(whole);
    const lighter = diffConfigs(before, await load(whole.replace('weight: 2', 'weight: 3')));
    expect(lighter.providers.changed).toHaveLength(1);
    expect(lighter.providers.changed.every((pair) => isSameService(pair.before, pair.after))).toBe(true);
    expect(lighter.protocols.pools).toEqual([]);
    const slower = diffConfigs(before, await load(whole.replace('rate: 600/min', 'rate: 60/min')));
    expect(slower.protocols.pools.map(({ name }) => name)).toEqual(['llm/v1']);
    expect([slower.providers.changed, slower.protocols.changed]).toEqual([[], []]);
    const other = diffConfigs(before, await load(whole.replace('type: ollama\n', 'type: openai\n')));
    expect(other.providers.changed.some((pair) => isSameService(pair.before, pair.after))).toBe(false);
  });
});
