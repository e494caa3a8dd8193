import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../../core/answer.ts';
import { classOf, GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Provider } from '../../core/ports/provider.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { pythonProgram } from '../process/testing/stage.suite.ts';
import { checkProvider, createProvider } from '../registry.ts';

const python = pythonProgram();
const testing = join(import.meta.dirname, 'testing');
const methods = ['search', 'fetch_url', 'whoami', 'die_once', 'wait', 'raise', 'unwritable', 'unheard'];
const search = { python, path: [testing], module: 'search_provider', class: 'SearchProvider' };

function open(config: object): Provider {
  const parts = { ...realParts, methods };
  const provider = createProvider({ id: 'old', protocol: 'web-search/v1', type: 'v3', config }, parts);
  onTestFinished(async () => provider.close?.());
  return provider;
}

let calls = 0;

function call(
  provider: Provider,
  method: string,
  params: JsonObject = {},
  signal = AbortSignal.timeout(20_000),
): Promise<Answer> {
  const ids = { call_id: `call-${++calls}`, task_id: 't', workflow_id: null, attempt: 1 };
  return provider.call({ method, params, ...ids, signal });
}

async function result(answer: Promise<Answer>): Promise<JsonObject> {
  const said = await answer;
  if (said.word !== 'done') throw new Error(JSON.stringify(said));
  return JSON.parse(said.result) as JsonObject;
}

async function failure(answer: Promise<Answer>) {
  const said = await answer;
  if (said.word !== 'failed') throw new Error(JSON.stringify(said));
  return { class: classOf(said.error), message: said.error.message, data: said.error.data };
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'gleitzeit-v3-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

describe('a provider of the third generation', () => {
  it('is made once, made ready, and called by the names of its functions', async () => {
    const provider = open({ ...search, functions: { search: 'web_search' }, options: { greeting: 'hi' } });
    expect(await result(call(provider, 'search', { query: 'cats' }))).toEqual({
      results: ['hi cats'],
      ready: true,
    });
    expect(await result(call(provider, 'search', { query: 'dogs', function: 'whoami' }))).toMatchObject({
      results: ['hi dogs'],
    });
    expect(provider.hasMethod('search')).toBe(true);
    expect(provider.hasMethod('fetch_url')).toBe(false);
  });

  it('may be written without async, initialize and cleanup', async () => {
    const provider = open({ ...search, class: 'PlainProvider' });
    expect(provider.hasMethod('fetch_url')).toBe(true);
    expect(await result(call(provider, 'fetch_url', { url: 'u' }))).toEqual({
      task_type: 'function',
      function: 'fetch_url',
      parameters: { url: 'u' },
    });
  });

  it('gets its secrets, and little of our environment', async () => {
    process.env['GLEITZEIT_TEST_SECRET'] = 'hush';
    onTestFinished(() => void delete process.env['GLEITZEIT_TEST_SECRET']);
    const options = { api_key: '${secrets.key}' };
    const provider = open({ ...search, options, env: { LANGUAGE_OF: 'tests' } });
    const { key, environment } = await result(call(provider, 'whoami'));
    expect(key).toBe('value-of-key');
    expect(environment).toContain('LANGUAGE_OF');
    expect(environment).not.toContain('GLEITZEIT_TEST_SECRET');
    expect(environment).not.toContain('GLEITZEIT_V3');
    const refused = await failure(call(provider, 'raise', { what: 'value' }));
    expect(JSON.stringify(refused)).not.toContain('value-of-key');
  });

  it.each([
    ['value', 'rejected', 'ValueError'],
    ['timeout', 'timeout', 'TimeoutError'],
    ['connection', 'transport', 'ConnectionRefusedError'],
    ['other', 'server', 'RuntimeError'],
    ['nothing', 'rejected', 'KeyError'],
    ['cancelled', 'server', 'CancelledError'],
    ['exit', 'server', 'SystemExit'],
    ['interrupt', 'server', 'KeyboardInterrupt'],
  ])('what it raises has a class: %s is %s', async (what, kind, type) => {
    const refused = await failure(call(open(search), 'raise', { what }));
    expect(refused).toMatchObject({ class: kind, data: { details: { type } } });
    expect(JSON.stringify(refused.data)).toContain('search_provider.py:');
  });

  it('goes on with other calls where one wants to end the program', async () => {
    const provider = open(search);
    const { pid } = await result(call(provider, 'whoami'));
    await failure(call(provider, 'raise', { what: 'exit' }));
    expect(await result(call(provider, 'whoami'))).toMatchObject({ pid });
  });

  it('is told of results that are no JSON', async () => {
    const { data } = await failure(call(open(search), 'unwritable'));
    expect(data.error_code).toBe('GLZ2005');
  });

  it('is started again after it was killed in the middle of a call', async () => {
    const marks = join(folder(), 'marks');
    const provider = open({ ...search, options: { marks } });
    expect(await failure(call(provider, 'die_once'))).toMatchObject({ class: 'transport' });
    const again = await call(provider, 'die_once');
    expect(again).toEqual({ word: 'done', result: '"alive"' });
    const waiting = call(provider, 'wait');
    const { pid } = await result(call(provider, 'whoami'));
    process.kill(Number(pid), 'SIGKILL');
    expect(await failure(waiting)).toMatchObject({ class: 'transport' });
    const { pid: next } = await result(call(provider, 'whoami'));
    expect(next).not.toBe(pid);
  });

  it('answers others while one waits, cleans up at the end, and takes calls under way with it', async () => {
    const marks = join(folder(), 'marks');
    writeFileSync(marks, '');
    const provider = open({ ...search, options: { marks } });
    const end = new AbortController();
    const cancelled = call(provider, 'wait', {}, end.signal);
    const waiting = call(provider, 'wait');
    await result(call(provider, 'whoami'));
    end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
    expect(await failure(cancelled)).toMatchObject({ class: 'cancelled' });
    await provider.close?.();
    expect(['transport', 'interrupted']).toContain((await failure(waiting)).class);
    expect(readFileSync(marks, 'utf8')).toBe('cleaned up\n');
  });

  it.each([
    [{ module: 'no_such_module' }, 'there is no module no_such_module in '],
    [
      { class: 'SearchProvidr' },
      'module search_provider has no class SearchProvidr; it has: SearchProvider,',
    ],
    [{ class: 'NoProvider' }, 'search_provider.NoProvider has no execute_task'],
    [{ options: { greetings: 'x' } }, 'greetings'],
  ])('%j is refused with what is wrong', async (wrong, expected) => {
    const refused = await failure(call(open({ ...search, ...wrong }), 'search', { query: 'q' }));
    expect(refused.class).toBe('rejected');
    expect(refused.message).toContain(expected);
  });

  it('is tried again where it could not be made, and taken as soon as it is mended', async () => {
    const path = folder();
    const provider = open({ python, path: [path], module: 'mine', class: 'Mine' });
    expect((await failure(call(provider, 'search'))).message).toContain('no module mine');
    writeFileSync(
      join(path, 'mine.py'),
      'class Mine:\n    def execute_task(self, kind, p): return p["function"]\n',
    );
    expect(await call(provider, 'search')).toEqual({ word: 'done', result: '"search"' });
    const broken = await failure(call(open({ ...search, class: 'Broken' }), 'search'));
    expect(broken).toMatchObject({ class: 'server', message: 'no service' });
  });

  it.each([
    [{ ...search, functions: { serch: 'web_search' } }, '/config/functions/serch'],
    [{ ...search, module: 'a/b' }, '/config/module'],
    [{ ...search, options: { key: '${params.key}' } }, 'cannot be filled in'],
  ])('is checked before anything is started', (config, expected) => {
    const spec = { id: 'old', protocol: 'web-search/v1', type: 'v3', config };
    expect(() => checkProvider(spec, { methods })).toThrow(expected);
  });
});
