import { describe, expect, it } from 'vitest';
import type { AgentTask } from '../bridge/messages/agent-task.ts';
import { agentDefaults } from '../core/agent.ts';
import { arrived, awayTask } from '../core/testing/away.suite.ts';
import type { Memory } from '../core/testing/memory.suite.ts';
import { storedKept } from '../engine/kept.ts';
import { createCipher } from '../store/cipher.ts';
import { fileAgent } from './agent-registry.ts';
import { bridgeDirectory } from './bridge-directory.ts';
import { keptIn } from './bridge-house.ts';
import { loadServerConfig } from './load.ts';

const text = JSON.stringify({
  protocols: [
    {
      ...{ name: 'echo/v1', methods: { echo: {} } },
      providers: [{ id: 'Writer', type: 'jsonrpc-http', config: { url: 'http://127.0.0.1:1' } }],
    },
  ],
  agents: [
    { name: 'Writer', url: 'http://127.0.0.1:2', implements: ['echo/v1'] },
    {
      name: 'Own',
      url: 'http://127.0.0.1:3',
      protocol: 'a2a',
      timeout: 5000,
      retry_config: { max_retries: 7 },
    },
  ],
});

async function directory(bridge: object = {}) {
  const config = await loadServerConfig({ file: null, text, env: {}, cwd: '/', database_url: false });
  const found = { ...config, bridge: { ...config.bridge, ...bridge } };
  const entries = new Map(config.agents.map((entry) => [entry.name, fileAgent(entry)]));
  const agents = {
    get: (name: string) => entries.get(name),
    find: async (name: string) => entries.get(name),
  };
  return bridgeDirectory({ config: () => found, agents });
}

function task(agent_name: string, own: Partial<NonNullable<AgentTask['ours']>> | null = null): AgentTask {
  const ours = own as AgentTask['ours'];
  return { run_id: 'r', task_id: 't', agent_name, input_data: {}, correlation_id: 'c', at_ms: null, ours };
}

describe('who is meant by a message', () => {
  it('is an agent by its name, with what its entry says', async () => {
    const { find, lookFor } = await directory();
    expect(find(task('Own'))).toMatchObject({
      ...{ provider: 'agent:Own', protocol: 'agent/v1', method: 'send', agent: 'Own', dialect: 'a2a' },
      ...{ timeout_ms: 5000, keeps: true, retry: { max_attempts: 8 } },
    });
    expect(find(task('Nobody'))).toBeNull();
    expect(await lookFor(task('Nobody'))).toBeNull();
  });

  it('has what the bridge was told where the entry has the usual', async () => {
    const { find } = await directory({ http_timeout: 45, max_retries: 0 });
    expect(find(task('Writer'))).toMatchObject({ timeout_ms: 45_000, retry: { max_attempts: 1 } });
    expect(find(task('Own'))).toMatchObject({ timeout_ms: 5000, retry: { max_attempts: 8 } });
    const { find: usual } = await directory();
    expect(usual(task('Writer'))).toMatchObject({ timeout_ms: agentDefaults.timeout, keeps: false });
  });

  it('is told apart by its provider where an agent and a provider share a name', async () => {
    const { find } = await directory();
    const call = { protocol: 'echo/v1', method: 'echo', timeout_ms: 1000 };
    expect(find(task('Writer', { ...call, provider: 'Writer' }))).toMatchObject({
      ...{ provider: 'Writer', dialect: 'jsonrpc-http', method: 'echo' },
    });
    expect(find(task('Writer', { ...call, provider: 'agent:Writer@echo/v1' }))).toMatchObject({
      ...{ provider: 'agent:Writer@echo/v1', dialect: 'simple-a2a', method: 'echo' },
    });
    expect(find(task('gone', { ...call, provider: 'gone' }))).toBeNull();
  });
});

describe('what an earlier call kept', () => {
  const cipher = createCipher(() => [Buffer.alloc(32, 7)]);
  const store = (memory: Memory) => ({
    cipher,
    reads: {
      task: async (id: string) => {
        const [found, body] = [memory.tasks.get(id), memory.bodies.get(id)];
        return found === undefined || body === undefined ? null : { task: found, body };
      },
    },
  });

  it('is read for the attempt that kept it, and for no other', async () => {
    const { memory, name } = awayTask();
    expect(await keptIn(store(memory), name)).toBeUndefined();
    memory.write({ kind: 'keep_away', ...name, kept: '{"job":7}' });
    expect(await keptIn(store(memory), name)).toEqual({ job: 7 });
    expect(await keptIn(store(memory), { ...name, attempt: name.attempt + 1 })).toBeUndefined();
    expect(await keptIn(store(memory), { ...name, task_id: 'none' })).toBeUndefined();
    const sealed = storedKept({ job: 'xoxb-of-a-job' }, { cipher, secrets: ['xoxb-of-a-job'] });
    memory.write({ kind: 'keep_away', ...name, kept: JSON.stringify(sealed) });
    expect(await keptIn(store(memory), name)).toEqual({ job: 'xoxb-of-a-job' });
    memory.write(arrived(name, { word: 'done', result: '1' }));
    expect(await keptIn(store(memory), name)).toBeUndefined();
  });
});
