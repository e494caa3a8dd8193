import { describe, expect, it } from 'vitest';
import { load } from './testing.suite.ts';

const refusal = (text: string) =>
  load(text).then(
    () => 'taken',
    (error: unknown) => String(error),
  );

describe('zone', () => {
  it('is no execution zone unless it says what a task becomes', async () => {
    const { zone } = await load('');
    expect(zone).toMatchObject({
      path: '/zone',
      agentcore: 'off',
      budget: 10,
      timeout: 3600,
      retention: 86_400,
    });
    expect(zone.execute).toBeUndefined();
  });

  it.each([
    '{workflow: reply, version: "2", reply: last}',
    '{protocol: a/v1, method: m}',
    '{agent: Thinker}',
  ])('execute may be %s', async (execute) =>
    expect(await refusal(`zone: {execute: ${execute}}`)).toBe('taken'),
  );

  it.each([
    ['{}', 'must name one of'],
    ['{workflow: a, agent: b}', 'must name one of'],
    ['{protocol: a/v1}', 'belong together'],
    ['{method: m}', 'belong together'],
    ['{agent: a, reply: b}', 'are for workflows'],
    ['{protocol: a/v1, method: m, version: "1"}', 'are for workflows'],
  ])('execute may not be %s', async (execute, words) => {
    expect(await refusal(`zone: {execute: ${execute}}`)).toContain(words);
  });

  it.each(['/rpc', '/api/v1/x', '/notify', '/metrics', '/invocations'])(
    'is not served at %s',
    async (path) => {
      expect(await refusal(`zone: {path: ${path}}`)).toContain('something else is served there');
    },
  );

  it('warns of results that are gone before their time', async () => {
    const { warnings } = await load('retention: {days: 1}\nzone: {execute: {agent: a}, retention: 2d}');
    expect(warnings).toEqual([expect.stringContaining('zone.retention is longer than retention.days')]);
  });
});
