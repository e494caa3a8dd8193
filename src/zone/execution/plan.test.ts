import { describe, expect, it } from 'vitest';
import { fillReferences } from '../../core/references.ts';
import type { ExecuteTaskParams } from '../contract/methods.ts';
import { planRun, planTask } from './plan.ts';
import type { Target } from './settings.ts';

const TOKEN = 'xoxb-1-secret';
const method: Target = { protocol: 'test/v1', method: 'echo' };

function planned(given: Partial<ExecuteTaskParams> = {}, execute: Target = method) {
  const params = { channel: 'C1', text: 'hello', bot_token: TOKEN, ...given };
  return planTask({ id: 'A0', params }, { execute, timeout_ms: 2000 });
}

describe('a request is a task by itself', () => {
  it('where a method is called with what was said', () => {
    const text = 'is ${this} a $${reference}?';
    const plan = planned({ text, budget_ms: 5, mood: ['${x}'] });
    expect(plan?.options).toEqual({ idempotency_key: 'zone:a0' });
    expect(plan?.inside).toEqual({ id_prefix: 'zone.', secret_params: ['/bot_token'] });
    expect(plan?.task).toMatchObject({ ...method, timeout: 2, total_timeout: 2 });
    const filled = fillReferences(plan?.task['params'] ?? null, { task: () => undefined, input: null });
    expect(filled).toEqual({ channel: 'C1', text, bot_token: TOKEN, mood: ['${x}'] });
  });

  it('where an agent is given the text, and nothing of the token', () => {
    const plan = planned({ text: 'a ${b}' }, { agent: 'Writer' });
    expect(plan?.task).toMatchObject({ agent: 'Writer', input: { text: 'a $${b}' } });
    expect(plan?.inside.secret_params).toEqual([]);
    expect(JSON.stringify(plan?.task)).not.toContain(TOKEN);
  });
});

describe('a request is a run', () => {
  it.each<[string, Partial<ExecuteTaskParams>, Target?]>([
    ['where its target is a workflow', {}, { workflow: 'reply' }],
    ['where it has a key of its own', { idempotency_key: 'k' }],
    ['where the token is repeated in what was said', { text: `use ${TOKEN}` }],
    ['where the token is repeated further down', { attachments: [{ name: `${TOKEN}.txt` }] }],
    ['where an agent would be told the token', { text: TOKEN }, { agent: 'Writer' }],
    ['where the token looks like a reference', { bot_token: 'a${b}' }],
  ])('%s', (_, given, execute) => {
    expect(planned(given, execute)).toBeNull();
  });
});

it('a step of a workflow has its own time, and at most what the zone gives', () => {
  const tasks = [{ id: 'a' }, { id: 'b', total_timeout: 1 }, { id: 'c', total_timeout: 60 }];
  const params = { channel: 'C1', text: 'hello', bot_token: TOKEN };
  const settings = { execute: { workflow: 'reply' }, timeout_ms: 2000 };
  const known = { defined: { name: 'reply', tasks }, workflow_id: 'zone-x' };
  const { workflow, options } = planRun({ id: 'A0', params }, settings, known);
  const bounded = [2, 1, 2].map((total_timeout, at) => ({ ...tasks[at], total_timeout }));
  expect(workflow).toEqual({ name: 'reply', workflow_id: 'zone-x', tasks: bounded });
  expect(options).toEqual({ idempotency_key: 'zone:a0', input: params, secret_input: ['/bot_token'] });
});
