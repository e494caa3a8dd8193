import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refusal, temporaryPath } from './testing.suite.ts';
import { Thread } from './thread.ts';

/** A thread that answers `echo`, never answers `wait`, and ends on `die` and `throw`. */
const program = `
import { parentPort } from 'node:worker_threads';
parentPort.on('message', ([id, method, value]) => {
  if (method === 'die') process.exit(1);
  if (method === 'throw') throw new Error('broken inside');
  const refused = method === 'refuse' || value === 'refuse';
  if (refused) parentPort.postMessage([id, null, { code: 'GLZ3003', message: 'full', details: {} }]);
  if (method !== 'wait' && !refused) parentPort.postMessage([id, { method, value }]);
  if (method === 'tell') parentPort.postMessage([0, null]);
});`;

describe('a thread', () => {
  it('answers calls, and passes on errors', async () => {
    const { thread } = await echo();
    expect(await thread.call('echo', { a: [1] })).toEqual({ method: 'echo', value: { a: [1] } });
    expect(await refusal(thread.call('refuse', null))).toMatchObject({ code: 'GLZ3003', message: 'full' });
  });

  it.each(['die', 'throw'])(
    'that ends (%s) takes its pending calls with it, and the next call starts another',
    async (how) => {
      const { thread, opened } = await echo();
      const waiting = refusal(thread.call('wait', null));
      expect((await refusal(thread.call(how, null))).code).toBe('GLZ3001');
      expect((await waiting).details.reason).toContain('may have been done or not');
      expect(await thread.call('echo', 1)).toEqual({ method: 'echo', value: 1 });
      expect(opened).toEqual([false, true]);
    },
  );

  it('that cannot be opened leaves none of the calls waiting that were made meanwhile', async () => {
    const { thread } = await echo((again) => (again ? 'refuse' : null));
    await refusal(thread.call('die', null));
    const calls = ['a', 'b', 'c'].map((value) => refusal(thread.call('echo', value)));
    const [first, ...others] = (await Promise.all(calls)).map(({ code }) => code);
    expect([first, ...new Set(others)]).toEqual(['GLZ3003', 'GLZ3001']);
  });

  it('passes on what it is told without having asked', async () => {
    const { thread, told } = await echo();
    await thread.call('tell', null);
    await thread.call('echo', null);
    expect(told).toEqual(['told']);
  });

  it('that is closed refuses calls, and closing it again does nothing', async () => {
    const { thread } = await echo();
    await thread.close();
    await thread.close();
    expect((await refusal(thread.call('echo', null))).message).toBe('the store is closed');
  });

  async function echo(open?: (again: boolean) => unknown) {
    const file = join(dirname(temporaryPath()), 'echo');
    for (const ending of ['.ts', '.js']) writeFileSync(`${file}${ending}`, program);
    writeFileSync(join(dirname(file), 'package.json'), '{"type":"module"}');
    const opened: boolean[] = [];
    const told: string[] = [];
    const thread = new Thread({
      module: pathToFileURL(file).href,
      open: open ?? ((again) => opened.push(again)),
      told: () => told.push('told'),
    });
    onTestFinished(() => thread.close());
    await thread.open();
    return { thread, opened, told };
  }
});
