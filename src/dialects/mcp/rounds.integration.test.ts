import { afterEach, describe, expect, it } from 'vitest';
import { GleitzeitError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Progress, Provider } from '../../core/ports/provider.ts';
import {
  ask,
  done,
  failed,
  modern,
  on,
  openMcp,
  type Script,
  startScripted,
  type Turn,
} from './scripted.suite.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function server(script: Script, config: JsonObject = {}, parts: Parameters<typeof openMcp>[1] = {}) {
  const started = await startScripted(script);
  const provider: Provider = openMcp({ url: started.url, ...config }, parts);
  ends.push(started.stop, () => provider.close?.());
  return { ...started, provider };
}

const complete = (value: JsonObject) => ({ resultType: 'complete', ...value });
const text = (words: string) => [{ type: 'text', text: words }];

/** Answers calls of tools in the newer era. */
function tool(answer: (turn: Turn, call: number) => void, tools: readonly JsonObject[] = []): Script {
  let calls = 0;
  return modern(
    on('tools/call', (turn) => answer(turn, ++calls)),
    tools,
  );
}

describe('input that a server needs first', () => {
  const asking = (method: string, requestState?: string) => ({
    resultType: 'input_required',
    inputRequests: {
      it: {
        method,
        params: { message: 'which one?', requestedSchema: { properties: { n: { default: 3 } } } },
      },
    },
    ...(requestState === undefined ? {} : { requestState }),
  });

  it('is given as configured, with the state as it came and an id of its own', async () => {
    const { provider, seen } = await server(
      tool((turn, call) =>
        turn.result(call === 1 ? asking('elicitation/create', '{"s": 1}') : complete({ content: [] })),
      ),
      { elicitation: { other: 1 } },
    );
    await done(ask(provider, 'tools/call', { name: 'x', arguments: { a: 1 } }));
    const [first, second] = seen.filter(({ method }) => method === 'tools/call');
    expect(second?.params).toMatchObject({
      name: 'x',
      arguments: { a: 1 },
      requestState: '{"s": 1}',
      inputResponses: { it: { action: 'accept', content: { n: 3 } } },
    });
    expect(second?.id).not.toBe(first?.id);
  });

  it('that nobody can give ends the call and says what was asked', async () => {
    for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list']) {
      const { provider } = await server(tool((turn) => turn.result(asking(method))));
      expect(await failed(ask(provider, 'tools/call', { name: 'x' }))).toMatchObject({
        message: `the server asks for input by ${method}: which one?`,
        data: { error_code: 'GLZ2010', hint: expect.stringContaining('elicitation') },
      });
    }
  });

  it('is not given for ever', async () => {
    const { provider, methods } = await server(
      tool((turn) => turn.result(asking('elicitation/create'))),
      { elicitation: 'defaults' },
    );
    expect((await failed(ask(provider, 'tools/call', { name: 'x' }))).message).toContain('16 times');
    expect(methods().filter((method) => method === 'tools/call')).toHaveLength(16);
  });
});

describe('a task of the server', () => {
  const task = (status: string, more: JsonObject = {}) => ({
    taskId: 't1',
    status,
    ttlMs: null,
    pollIntervalMs: 20,
    ...more,
  });
  /** Answers the call with a task, and questions about it one after another. */
  const making = (...states: JsonObject[]) =>
    modern((turn) => {
      if (turn.method === 'tools/call') turn.result({ resultType: 'task', ...task('working') });
      else if (turn.method === 'tasks/get')
        turn.result(complete(states.length > 1 ? (states.shift() ?? {}) : (states[0] ?? {})));
      else if (turn.method.startsWith('tasks/')) turn.result(complete({}));
      else return false;
      return true;
    });

  it('is asked for until it has ended, and its result is the result of the call', async () => {
    const reports: Progress[] = [];
    const { provider, seen } = await server(
      making(
        task('working', { statusMessage: 'half way' }),
        task('input_required', { inputRequests: { it: { method: 'roots/list' } } }),
        task('completed', { result: { content: text('42') } }),
      ),
      { roots: ['file:///data'] },
    );
    const report = (progress: Progress) => reports.push(progress);
    expect(await done(ask(provider, 'answer', {}, { report }))).toBe(42);
    expect(reports.map(({ message }) => message)).toEqual([
      'the server works on it as its task t1',
      'half way',
    ]);
    expect(seen.find(({ method }) => method === 'tasks/update')).toMatchObject({
      params: { taskId: 't1', inputResponses: { it: { roots: [{ uri: 'file:///data' }] } } },
      headers: { 'mcp-name': 't1' },
    });
  });

  it.each([
    [
      task('failed', { error: { code: -32603, message: 'it broke' } }),
      { message: 'it broke', data: { error_code: 'GLZ2001' } },
    ],
    [
      task('completed', { result: { isError: true, content: text('no') } }),
      { message: 'no', data: { error_code: 'GLZ2001' } },
    ],
    [
      task('cancelled', { statusMessage: 'by whom?' }),
      { message: 'the task t1 of the server is cancelled: by whom?' },
    ],
    [task('odd'), { data: { error_code: 'GLZ2005' } }],
  ])('%j is an error of the call', async (state, error) => {
    const { provider } = await server(making(state));
    expect(await failed(ask(provider, 'answer'))).toMatchObject(error);
  });

  it('is waited for while its server cannot be asked, and not begun anew', async () => {
    const script = making(task('completed', { result: { content: text('42') } }));
    let asked = 0;
    const { provider, methods } = await server((turn) => {
      if (turn.method !== 'tasks/get' || ++asked > 2) script(turn);
      else if (asked === 1) turn.error(503, null, 'starting');
      else turn.response.destroy();
    });
    expect(await done(ask(provider, 'answer'))).toBe(42);
    expect(methods().filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('is not waited for without end where nobody can be asked any more', async () => {
    const script = making();
    const { provider, methods } = await server((turn) =>
      turn.method === 'tasks/get' ? turn.error(503, null, 'away') : script(turn),
    );
    expect(await failed(ask(provider, 'answer'))).toMatchObject({ data: { error_code: 'GLZ2001' } });
    expect(methods().filter((method) => method === 'tasks/get')).toHaveLength(5);
  });

  it('that its server has forgotten was lost, and may be made again', async () => {
    const script = making();
    const { provider } = await server((turn) =>
      turn.method === 'tasks/get' ? turn.error(200, { code: -32602, message: 'no such task' }) : script(turn),
    );
    expect(await failed(ask(provider, 'answer'))).toMatchObject({
      message: 'the server does not know its task t1 any more: no such task',
      data: { error_code: 'GLZ2002' },
    });
  });

  it('is cancelled with the call', async () => {
    const [asked, cancelled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const script = making(task('working'));
    const { provider } = await server((turn) => {
      if (turn.method === 'tasks/get') asked.resolve();
      if (turn.method === 'tasks/cancel') cancelled.resolve();
      script(turn);
    });
    const end = new AbortController();
    const answering = ask(provider, 'answer', {}, { signal: end.signal });
    await asked.promise;
    end.abort(new GleitzeitError('GLZ2009', 'cancelled'));
    expect(await failed(answering)).toMatchObject({ data: { error_code: 'GLZ2009' } });
    await cancelled.promise;
  });
});
