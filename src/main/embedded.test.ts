import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createGleitzeit } from './embedded.ts';

const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = { name: 'text/v1', methods: { shout: {} } } as const;
const local = { id: 'local', protocol: 'text/v1', methods: { shout: () => null } } as const;

describe('createGleitzeit', () => {
  it.each([
    ['a protocol twice', { protocols: [text, text] }, 'GLZ1012', 'protocols[1].name'],
    [
      'an unknown protocol',
      { providers: [{ ...local, protocol: 'text/v2' }] },
      'GLZ1012',
      'providers[0].protocol',
    ],
    [
      'an unknown method',
      { providers: [{ ...local, methods: { shuot: () => null } }] },
      'GLZ1012',
      'providers[0].methods.shuot',
    ],
    ['a key of the wrong size', { secret_keys: ['c2hvcnQ='] }, 'GLZ3010', 'secret_keys[0]'],
    [
      'a key that its protocol marks as secret',
      {
        protocols: [
          {
            name: 'text/v1',
            methods: { shout: { params: { token: { type: 'string', 'x-secret': true } } } },
            limits: { per_key: { key: 'params.token', concurrency: 1 } },
          },
        ],
      },
      'GLZ1012',
      'protocols[0].limits.per_key.key',
    ],
    ['a store that keeps nothing', { store: { type: 'sqlite', path: ':memory:' } }, 'GLZ1012', 'store.path'],
  ])('refuses %s before anything is opened', async (_what, wrong, code, field) => {
    const store = { type: 'sqlite', path: join(folder, 'store.db') };
    const options = { store, protocols: [text], providers: [local], ...wrong };
    await expect(createGleitzeit(options as never)).rejects.toMatchObject({ code, details: { field } });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a Gleitzeit', () => {
  it('runs a workflow anew from what failed, and waits while its queue is paused', async () => {
    const calls: string[] = [];
    const say = ({ word = '' }: { readonly word?: string }) => {
      calls.push(word);
      if (word === 'bad') throw new Error('not that word');
      return word;
    };
    const gleitzeit = await createGleitzeit({
      store: { type: 'sqlite', path: join(folder, 'runs.db') },
      protocols: [{ name: 'text/v1', methods: { say: { params: { word: { type: 'string' } } } } }],
      providers: [{ id: 'local', protocol: 'text/v1', methods: { say } }],
    });
    const task = (id: string, word: string) =>
      ({ id, protocol: 'text/v1', method: 'say', params: { word } }) as const;
    const once = { retry_config: { max_attempts: 1 } };
    const { workflow_id } = await gleitzeit.submitWorkflow(
      {
        name: 'words',
        tasks: [task('a', 'first'), { ...task('b', '${workflow.input.word}'), dependencies: ['a'], ...once }],
      },
      { input: { word: 'bad' } },
    );
    expect(await gleitzeit.results(workflow_id, { wait: 10_000 })).toMatchObject({ status: 'failed' });
    await gleitzeit.pauseQueue('text/v1');
    const again = await gleitzeit.retryWorkflow(workflow_id, { input: { word: 'good' } });
    expect(again).toMatchObject({ retry_of: workflow_id, status: 'running' });
    expect(await gleitzeit.task(again.tasks['b'] ?? '')).toMatchObject({ waiting_for: { kind: 'paused' } });
    await gleitzeit.resumeQueue('text/v1');
    expect(await gleitzeit.results(again.workflow_id, { wait: 10_000 })).toMatchObject({
      status: 'completed',
      results: { a: 'first', b: 'good' },
    });
    expect(calls).toEqual(['first', 'bad', 'good']);
    await gleitzeit.stop();
  });
});
