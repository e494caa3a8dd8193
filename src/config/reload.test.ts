import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import type { Logger } from '../core/ports/logger.ts';
import type { ConfigChange } from './diff.ts';
import { createReloader } from './reload.ts';
import { load } from './testing.suite.ts';
import type { Config } from './types.ts';

const one = 'server: {port: 1}\nprotocols: [{name: llm/v1, providers: [{id: a, type: ollama}]}]';

async function world(first = one) {
  const log: [string, string, unknown][] = [];
  const at = (level: string) => (message: string, fields?: unknown) =>
    void log.push([level, message, fields]);
  const logger: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const applied: ConfigChange[] = [];
  const file = {
    text: one,
    path: undefined as string | undefined,
    apply: async (_: Config): Promise<void> => {},
  };
  const reloader = createReloader({
    config: await load(first),
    load: async () => {
      const loaded = await load(file.text);
      return { ...loaded, file: file.path ?? loaded.file };
    },
    apply: async (change, next) => {
      await file.apply(next);
      applied.push(change);
    },
    logger,
  });
  return { log, applied, file, reloader };
}

describe('createReloader', () => {
  it('does nothing while nothing differs', async () => {
    const { reloader, applied, log } = await world();
    expect(await reloader.reload()).toBe('unchanged');
    expect(applied).toEqual([]);
    expect(log).toEqual([['info', expect.stringContaining('read again'), undefined]]);
  });

  it('does not take a file that is gone for an empty one', async () => {
    const { reloader, applied, file, log } = await world();
    file.path = '/other/gleitzeit.yaml';
    expect(await reloader.reload()).toBe('refused');
    expect(applied).toEqual([]);
    expect(log).toMatchObject([
      ['error', expect.stringContaining('one before stays'), { reason: expect.stringContaining('/other/') }],
    ]);
  });

  it.each(['', ' \n\t\n', '# only a remark\n', '---\n'])(
    'does not take a file that was emptied for one that wants nothing: %j',
    async (text) => {
      const { reloader, applied, file, log } = await world();
      file.text = text;
      expect(await reloader.reload()).toBe('refused');
      expect(applied).toEqual([]);
      expect(log).toMatchObject([
        ['error', expect.anything(), { reason: expect.stringMatching(/the file is empty$/) }],
      ]);
    },
  );

  it('takes what comes into a file that was empty, and one that says it wants nothing', async () => {
    const { reloader, file } = await world('# nothing yet');
    expect(await reloader.reload()).toBe('changed');
    file.text = '# nothing yet';
    expect(await reloader.reload()).toBe('refused');
    file.text = '{}';
    expect(await reloader.reload()).toBe('changed');
    expect(reloader.current().protocols).toEqual([]);
  });

  it('carries changes out, then they are in force', async () => {
    const { reloader, applied, file, log } = await world();
    file.text = one.replace('id: a', 'id: b');
    expect(await reloader.reload()).toBe('changed');
    expect(applied).toMatchObject([{ providers: { added: [{ id: 'b' }], removed: [{ id: 'a' }] } }]);
    expect(reloader.current().protocols[0]?.providers[0]?.id).toBe('b');
    expect(log).toEqual([
      ['info', 'the configuration was changed', expect.objectContaining({ secret_changes: 0 })],
    ]);
    expect(await reloader.reload()).toBe('unchanged');
  });

  it('keeps what is in force when the file is broken, and says what is wrong with it', async () => {
    const { reloader, applied, file, log } = await world();
    const before = reloader.current();
    file.text = 'protocols: [{name: llm/v1, providers: [{id: a, typ: ollama}]}]';
    expect(await reloader.reload()).toBe('refused');
    expect(reloader.current()).toBe(before);
    expect(applied).toEqual([]);
    expect(log).toEqual([
      [
        'error',
        'the changed configuration is not taken; the one before stays in force',
        {
          problems: [
            'gleitzeit.yaml:1:40  protocols[0].providers[0].type: is missing; it is text that is not empty',
            'gleitzeit.yaml:1:48  protocols[0].providers[0].typ: unknown key "typ"; did you mean "type"?',
          ],
        },
      ],
    ]);
  });

  it('keeps what is in force when a change cannot be carried out, and tries again with the next', async () => {
    const { reloader, applied, file, log } = await world();
    file.text = one.replace('id: a', 'id: b');
    file.apply = () => Promise.reject(new GleitzeitError('GLZ2002', 'no connection'));
    expect(await reloader.reload()).toBe('refused');
    expect(log).toMatchObject([
      ['error', expect.anything(), { error_code: 'GLZ2002', reason: 'no connection' }],
    ]);
    expect(reloader.current().protocols[0]?.providers[0]?.id).toBe('a');
    file.apply = async () => {};
    expect(await reloader.reload()).toBe('changed');
    expect(applied).toHaveLength(1);
  });

  it('names what has to wait for a restart, and leaves it as it is', async () => {
    const { reloader, file, log } = await world();
    file.text = one.replace('port: 1', 'port: 2').replace('id: a', 'id: b');
    expect(await reloader.reload()).toBe('changed');
    expect(log[0]).toEqual([
      'warn',
      'some changes of the configuration need a restart',
      { settings: ['server.port'] },
    ]);
    expect(reloader.current().server.port).toBe(1);
    expect(Object.isFrozen(reloader.current())).toBe(true);
  });

  it('goes one by one: who asks while one is under way gets what the file says after it', async () => {
    const { reloader, applied, file } = await world();
    file.text = one.replace('id: a', 'id: b');
    file.apply = async () => {
      file.text = one.replace('id: a', 'id: c');
    };
    expect(await Promise.all([reloader.reload(), reloader.reload()])).toEqual(['changed', 'changed']);
    expect(applied.map(({ providers }) => providers.added[0]?.id)).toEqual(['b', 'c']);
  });
});
