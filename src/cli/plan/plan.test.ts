import { describe, expect, it } from 'vitest';
import { planOf } from './model.ts';
import { planText } from './text.ts';

const workflow = {
  name: 'Report',
  version: '2',
  tasks: [
    {
      id: 'fetch',
      protocol: 'web/v1',
      method: 'get',
      params: { url: '${workflow.input.url}', n: '${workflow.input.n ?? 3}' },
    },
    {
      id: 'write',
      protocol: 'llm/v1',
      method: 'say',
      params: { text: '${fetch.result} ${workflow.input.tone}' },
    },
    { id: 'alone', protocol: 'odd/v1', method: 'do', priority: 'low' },
  ],
};

const providersOf = (protocol: string) => ({ 'web/v1': ['web-1', 'web-2'], 'llm/v1': [] })[protocol] ?? null;

describe('a plan', () => {
  it('names the agents that tasks are for, and asks who is there of them', () => {
    const tasks = [
      { id: 'a', agent: 'A b', input: 'Hi' },
      { id: 'b', agent: 'Z', input: 'Hi' },
    ];
    const planned = (providers: readonly string[] | null) =>
      planOf({ tasks }, { input: undefined, providersOf: () => providers }).tasks;
    expect(planned(['agent:A b', 'agent:B'])).toMatchObject([
      { id: 'a', agent: 'A b', protocol: 'agent/v1', providers: ['agent:A b'] },
      { id: 'b', agent: 'Z', providers: [] },
    ]);
    expect(planned(null)).toMatchObject([{ providers: null }, { providers: null }]);
    const plan = planOf({ tasks }, { input: undefined, providersOf: () => [] });
    expect(planText(plan, { colour: false, columns: null, now: 0 }, 'g.yaml')).toContain('agent A b');
  });

  it('says what runs when, who could take it and what is missing', () => {
    const plan = planOf(workflow, { input: { tone: 'dry' }, providersOf });
    expect(plan).toMatchObject({
      layers: [['fetch', 'alone'], ['write']],
      depth: 2,
      width: 2,
      longest_chain: ['fetch', 'write'],
      unresolved: [{ task: 'fetch', reference: '${workflow.input.url}', reason: 'not in the input' }],
    });
    expect(plan.tasks.map(({ id, providers }) => [id, providers])).toEqual([
      ['fetch', ['web-1', 'web-2']],
      ['alone', null],
      ['write', []],
    ]);
  });

  it('can be read', () => {
    const plan = planOf(workflow, { input: undefined, providersOf });
    expect(
      planText(plan, { colour: false, columns: null, now: 0 }, 'gleitzeit.yaml'),
    ).toBe(`Report 2  3 tasks, 2 steps deep, at most 2 at once

  1  fetch  web/v1 get  web-1, web-2
     alone  odd/v1 do   ?

  2  write  llm/v1 say  no provider   ← fetch

Longest chain: fetch → write
Providers: by gleitzeit.yaml
Unresolved:
  fetch: \${workflow.input.url}  no input
  write: \${workflow.input.tone}  no input
`);
  });
});
