import { describe, expect, it } from 'vitest';
import type { AgentSettings } from '../core/agent.ts';
import { agentDefaults } from '../core/agent.ts';
import { GleitzeitError } from '../core/errors.ts';
import { describeConfig } from './describe.ts';
import { diffConfigs } from './diff.ts';
import { load, mistakes } from './testing.suite.ts';

const least = 'agents:\n  - name: Writer\n    url: http://writer:8080\n';
const token = `${least}    auth_config: {type: bearer, token: '\${secrets.writer}'}\nsecrets: {writer: {env: W}}\n`;

/** As whoever composes the program hands it in. */
const check_agent = (written: unknown): AgentSettings => {
  const agent = { ...agentDefaults, ...(written as AgentSettings) };
  if (agent.protocol === 'odd')
    throw new GleitzeitError('GLZ1012', 'x', { field: '/protocol', reason: 'is spoken by nobody' });
  return agent;
};
const read = (text: string, env = {}) => load(text, { check_agent, env });

describe('agents of a configuration', () => {
  it('are read as the seed writes them, with their secrets by name', async () => {
    const { agents } = await read(token, { W: 'the-token-9' });
    expect(agents).toMatchObject([
      { name: 'Writer', protocol: 'simple-a2a', auth_config: { token: '${secrets.writer}' } },
    ]);
    expect((await read('')).agents).toEqual([]);
  });

  it('are held back and spread in the words of providers', async () => {
    const pool = 'limits: {concurrency: 4, rate: 10/s}, weight: 2, tier: 1, zone: eu, models: [small]';
    const { agents } = await read(`agents: [{name: A, url: "http://a", ${pool}}]`);
    expect(agents[0]).toMatchObject({
      limits: { concurrency: 4, rate: '10/s' },
      ...{ weight: 2, tier: 1, zone: 'eu', models: ['small'] },
    });
  });

  it.each([
    [
      'agents: [{name: A, url: "http://a", limits: {rate: quick}}]',
      'agents[0].limits.rate: must be a rate such as',
    ],
    ['agents: {}', 'agents: must be a list'],
    ['agents: [{name: A}]', 'agents[0].url: is missing'],
    ['agents: [{name: A, url: nowhere}]', 'agents[0].url: must be an address that begins with http://'],
    ['agents: [{name: A, url: "http://a", timout: 5}]', 'agents[0].timout: unknown key'],
    ['agents: [{name: A, url: "http://a", protocol: odd}]', 'agents[0].protocol: is spoken by nobody'],
    [
      'agents: [{name: A, url: "http://a"}, {name: A, url: "http://b"}]',
      'agents[1].name: the agent "A" stands twice',
    ],
    [
      'agents: [{name: A, url: "http://a", auth_config: {type: bearer, token: written-out}}]',
      'agents[0].auth_config.token: must be one of the secrets',
    ],
    [
      'agents: [{name: A, url: "http://a", auth_config: {type: bearer, token: "${secrets.none}"}}]',
      'there is no secret "none"',
    ],
  ])('%s is refused with its place', async (text, message) => {
    expect((await mistakes(text, { check_agent })).join('\n')).toContain(message);
  });

  it('are shown without their secrets, and differ where one of them does', async () => {
    const before = await read(token, { W: 'the-token-9' });
    const rows = describeConfig(before);
    expect(rows).toContainEqual(expect.objectContaining({ path: 'agents[0].name', value: 'Writer' }));
    expect(JSON.stringify(rows)).not.toContain('the-token-9');
    const after = await read(token.replace('8080', '8081'), { W: 'the-token-9' });
    expect(diffConfigs(before, after)).toMatchObject({ agents: ['Writer'], restart: [] });
    expect(diffConfigs(before, before).agents).toEqual([]);
    expect(diffConfigs(before, await read('')).agents).toEqual(['Writer']);
  });
});
