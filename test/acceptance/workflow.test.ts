import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AGENT_PROTOCOL, agentProviderId } from '../../src/core/agent.ts';
import type { Json } from '../../src/core/json.ts';
import { realParts } from '../../src/dialects/jsonrpc/channels.suite.ts';
import { createProvider } from '../../src/dialects/registry.ts';
import { type RunningEngine, startEngine } from '../../src/dialects/testing/engine.suite.ts';
import { mixedTexts as expected, mixedWorkflow as workflow } from '../agents/mixed.ts';
import { type Language, languages, type SampleAgent, startAgent } from '../agents/start.ts';

type Dialect = 'simple-a2a' | 'a2a';

const agents = new Map<Language, SampleAgent>();

beforeAll(async () => {
  for (const language of languages) agents.set(language, await startAgent(language));
}, 300_000);

afterAll(async () => {
  for (const agent of agents.values()) await agent.stop();
});

/** What was spoken, by its name in entries. */
const spoken = new Map<string, number>();
const translations = {
  requested: (protocol: string) => void spoken.set(protocol, (spoken.get(protocol) ?? 0) + 1),
  translated: () => {},
  failed: () => {},
};

beforeEach(() => spoken.clear());

function connect({ pools }: RunningEngine, language: Language, dialect: Dialect): void {
  const config = { url: agents.get(language)?.url ?? '' };
  const spec = { id: agentProviderId(language), protocol: AGENT_PROTOCOL, type: dialect, config };
  pools.connect(createProvider(spec, { ...realParts, translations }));
}

async function textsOf({ engine }: RunningEngine, tasks: readonly (readonly [string, string])[]) {
  const texts: Record<string, Json> = {};
  for (const [id, task_id] of tasks) {
    const outcome = await engine.result(task_id, 30_000);
    const result = JSON.parse(outcome?.result ?? 'null') as { text?: string } | null;
    texts[id] = result?.text ?? JSON.stringify(outcome);
  }
  return texts;
}

const choices: readonly (readonly [Dialect, Dialect, Dialect])[] = [
  ['simple-a2a', 'simple-a2a', 'simple-a2a'],
  ['a2a', 'a2a', 'a2a'],
  ['simple-a2a', 'a2a', 'simple-a2a'],
  ['a2a', 'simple-a2a', 'a2a'],
];

describe('a workflow of five steps over agents in three languages', () => {
  it.each(choices)('gives the same text whether they speak %s, %s or %s', async (...dialects) => {
    const running = await startEngine();
    try {
      for (const [index, language] of languages.entries())
        connect(running, language, dialects[index] ?? 'simple-a2a');
      const { tasks } = await running.engine.submitWorkflow(workflow('one two three'));
      expect(await textsOf(running, tasks)).toEqual(expected);
    } finally {
      await running.stop();
    }
  });

  it('gives the same text while agents are switched to the other dialect and back', async () => {
    const running = await startEngine();
    try {
      for (const language of languages) connect(running, language, 'simple-a2a');
      const runs = Array.from({ length: 20 }, () => running.engine.submitWorkflow(workflow('one two three')));
      const accepted = await Promise.all(runs);
      for (const dialect of ['a2a', 'simple-a2a', 'a2a'] as const)
        for (const [index, language] of languages.entries()) {
          // Between two switches something has been done: the runs are somewhere in the middle.
          await running.engine.result(accepted[index * 5]?.tasks[index]?.[1] ?? '', 30_000);
          connect(running, language, dialect);
        }
      for (const { tasks } of accepted) expect(await textsOf(running, tasks)).toEqual(expected);
      expect([...spoken.keys()].toSorted()).toEqual(['jsonrpc-2.0', 'simple-a2a']);
      // Nothing was done twice.
      expect([...spoken.values()].reduce((sum, count) => sum + count, 0)).toBe(accepted.length * 5);
    } finally {
      await running.stop();
    }
  });
});
