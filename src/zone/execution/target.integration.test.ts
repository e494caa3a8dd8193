import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Target } from './settings.ts';
import { openSite } from './site.suite.ts';
import { missingOf } from './target.ts';

let site: Awaited<ReturnType<typeof openSite>>;
beforeAll(async () => {
  site = await openSite();
  const task = { id: 'only', protocol: 'test/v1', method: 'echo', params: { text: 'QUICK' } };
  await site.house.ask('workflow.define', { workflow: { name: 'short', tasks: [task] } });
  await site.house.ask('agent.create', { name: 'Writer', url: 'http://127.0.0.1:9/' });
});
afterAll(() => site.house.close());

const parts = () => {
  const { protocols, faceParts } = site.house;
  const { definitions, agents } = faceParts;
  const names = () => agents.list().map(({ name }) => name);
  return { definitions, protocols, agents: { find: async (name: string) => agents.get(name), names } };
};

describe('what a zone is to run', () => {
  it.each<[Target, string]>([
    [{ workflow: 'tomorrow' }, 'tomorrow'],
    [{ workflow: 'short', version: '7' }, '7'],
    [{ workflow: 'short', reply: 'onyl' }, 'the workflow "short" has no step "onyl"'],
    [{ protocol: 'tomorrow/v1', method: 'echo' }, 'there is no protocol "tomorrow/v1"'],
    [{ protocol: 'test/v1', method: 'ehco' }, 'test/v1 has no method "ehco"'],
    [{ agent: 'Nobody' }, 'no agent is called "Nobody"'],
  ])('is missed where it is not there, and asking for it is worth another try: %j', async (target, said) => {
    const missing = await missingOf(parts(), target);
    expect(missing?.message).toContain(said);
    // Only a server tells its engine of agents.
    if ('agent' in target) return;
    expect(await site.zone({ execute: target }).execute()).toMatchObject({ error: { code: -32007 } });
    expect(JSON.stringify(site.house.log.at(-1))).toContain(said.split('"')[1] ?? said);
  });

  it.each<Target>([
    { workflow: 'short' },
    { workflow: 'short', reply: 'only' },
    { protocol: 'test/v1', method: 'echo' },
    { agent: 'Writer' },
  ])('is not missed where it is there: %j', async (target) => {
    expect(await missingOf(parts(), target)).toBeNull();
  });
});
