import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { MAX_ATTEMPT_TEXT, MAX_PROGRESS_TEXT } from '../core/limits.ts';
import type { ProgressTold } from '../core/progress.ts';
import { Reporter } from './reporter.ts';
import { VirtualTime } from './testing/virtual-time.suite.ts';
import { once, type Site, World } from './testing/world.suite.ts';
import { viewTask } from './views.ts';

async function running(task: object = {}) {
  const world = new World();
  const site = await world.started();
  const task_id = await world.submit(site, task);
  return { world, site, task_id, call: site.provider.last };
}

function toldOf(world: World, task_id: string): unknown[] {
  const { events } = world.data.events.page({ after: 0, limit: 100_000, task_id, events: ['task:progress'] });
  return events.map(({ data }) => data);
}

/** A reporter by itself, whose writes take until the test says so. */
function reporting() {
  const time = new VirtualTime();
  const told: ProgressTold[] = [];
  let under_way: (() => void)[] = [];
  const write = (one: ProgressTold) => {
    told.push(one);
    const { promise, resolve } = Promise.withResolvers<{ recorded: boolean }>();
    under_way.push(() => resolve({ recorded: true }));
    return promise;
  };
  const written = () => {
    for (const one of under_way) one();
    under_way = [];
  };
  const reporter = new Reporter({ clock: time, timers: time }, { write, secrets: [], secretOutput: false });
  return { time, told, reporter, written };
}

function textIn(told: readonly ProgressTold[]): string {
  return told.map(({ text = '' }) => text).join('');
}

async function viewOf({ store }: Site, task_id: string) {
  const found = await store.reads.task(task_id);
  return found === null ? null : viewTask(found, { protocols: () => ['test/v1'] });
}

describe('what a call reports', () => {
  it('is told and shown while it runs, and is no part of its result', async () => {
    const { world, site, task_id, call } = await running();
    call.report?.({ progress: 1, total: 4, message: 'reads' });
    await world.time.advance(60);
    expect(toldOf(world, task_id)).toEqual([{ attempt: 1, progress: 1, total: 4, message: 'reads' }]);
    expect((await viewOf(site, task_id))?.progress).toEqual({
      attempt: 1,
      progress: 1,
      total: 4,
      message: 'reads',
      text: null,
      at: expect.any(String),
    });
    call.done('the result');
    expect(await world.outcome(site, task_id)).toMatchObject({ result: '"the result"' });
    const view = await viewOf(site, task_id);
    expect(view?.progress).toBeNull();
    expect(view?.attempts[0]).not.toHaveProperty('progress');
  });

  it('is told at most four times a second, whatever it reports', async () => {
    const { world, task_id, call } = await running();
    for (let step = 0; step < 1000; step++) {
      call.report?.({ progress: step, text: `${step} ` });
      await world.time.advance(2);
    }
    const told = toldOf(world, task_id);
    expect(told.length).toBeGreaterThanOrEqual(7);
    expect(told.length).toBeLessThanOrEqual(9);
    call.done();
    await world.time.advance(5);
    const texts = toldOf(world, task_id).map((data) => (data as { text?: string }).text);
    expect(texts.join('')).toBe(Array.from({ length: 1000 }, (_, step) => `${step} `).join(''));
  });

  it('goes with the outcome where the call was quicker than the first telling', async () => {
    const { world, site, task_id, call } = await running();
    const before = world.data.journal.length;
    call.report?.({ text: 'all of ' });
    call.report?.({ text: 'it', progress: 1 });
    call.done();
    await world.outcome(site, task_id);
    const commits = world.data.journal.slice(before).map(({ writes }) => writes.map(({ kind }) => kind));
    expect(commits).toEqual([['progress', 'settle']]);
    expect(world.eventsOf(task_id).slice(-3)).toEqual(['task:started', 'task:progress', 'task:completed']);
    expect(toldOf(world, task_id)).toEqual([{ attempt: 1, progress: 1, text: 'all of it' }]);
  });

  it('costs no write where it tells nothing', async () => {
    const { world, site, task_id, call } = await running();
    const before = world.data.journal.length;
    call.report?.({});
    call.done();
    await world.outcome(site, task_id);
    expect(world.data.journal.slice(before).map(({ writes }) => writes.map(({ kind }) => kind))).toEqual([
      ['settle'],
    ]);
  });

  it('is not heard after the end: answered, timed out, cancelled or taken away', async () => {
    for (const end of ['answer', 'timeout', 'cancel', 'revoke'] as const) {
      const { world, site, task_id, call } = await running({ timeout: 5, ...once });
      const { report } = call;
      report?.({ progress: 1 });
      await world.time.advance(100);
      if (end === 'answer') call.done();
      if (end === 'timeout') await world.time.advance(6000);
      if (end === 'cancel') await world.time.until(site.engine.cancelTask(task_id, null));
      if (end === 'revoke') {
        report?.({ progress: 2 });
        await world.time.until(site.engine.cancelTask(task_id, null));
      }
      await world.time.advance(100);
      report?.({ progress: 99 });
      await world.time.advance(2000);
      expect(toldOf(world, task_id)).toEqual([{ attempt: 1, progress: 1 }]);
    }
  });

  it('belongs to its attempt: the next one begins anew', async () => {
    const { world, site, task_id, call } = await running();
    call.report?.({ progress: 3, total: 4 });
    call.failed('GLZ2001');
    await world.time.advance(10_000);
    expect((await viewOf(site, task_id))?.progress).toBeNull();
    call.report?.({ progress: 4 });
    site.provider.last.report?.({ progress: 1, total: 4 });
    await world.time.advance(100);
    expect(toldOf(world, task_id)).toEqual([
      { attempt: 1, progress: 3, total: 4 },
      { attempt: 2, progress: 1, total: 4 },
    ]);
  });

  it('does not pile up while the store has trouble, and is not told twice', async () => {
    const { world, site, task_id, call } = await running();
    await world.time.advance(10);
    let commits = 0;
    site.faults.beforeCommit = ({ writes }) => {
      commits += writes.filter(({ kind }) => kind === 'progress').length;
      throw new GleitzeitError('GLZ3001', 'away');
    };
    for (let step = 0; step < 100; step++) {
      call.report?.({ progress: step });
      await world.time.advance(20);
    }
    expect(commits).toBeLessThanOrEqual(9);
    delete site.faults.beforeCommit;
    await world.time.advance(3000);
    call.report?.({ progress: 100 });
    await world.time.advance(300);
    expect(toldOf(world, task_id).at(-1)).toMatchObject({ progress: 100 });
  });

  it('is told to nobody any more once the store says that the task is not ours', async () => {
    const time = new VirtualTime();
    const told: unknown[] = [];
    const write = async (one: unknown) => {
      told.push(one);
      return { recorded: told.length < 2 };
    };
    const reporter = new Reporter({ clock: time, timers: time }, { write, secrets: [], secretOutput: false });
    for (let step = 0; step < 10; step++) {
      reporter.report({ progress: step });
      await time.advance(1000);
    }
    reporter.end();
    await time.settle();
    expect([told.length, time.pending]).toEqual([2, 0]);
  });

  it('has one write under way at a time, and tells what came meanwhile after it', async () => {
    const { time, told, reporter, written } = reporting();
    for (let step = 0; step < 10; step++) {
      reporter.report({ progress: step });
      await time.advance(1000);
    }
    expect([told, time.pending]).toEqual([[{ progress: 0 }], 0]);
    written();
    await time.advance(1000);
    expect(told).toEqual([{ progress: 0 }, { progress: 9 }]);
  });

  it('tells at its end all of the text that an attempt may have', async () => {
    const { world, site, task_id, call } = await running();
    for (let piece = 0; piece < 5; piece++) call.report?.({ text: `${piece}`.repeat(1_000_000) });
    call.done();
    await world.outcome(site, task_id);
    const texts = toldOf(world, task_id).map((data) => (data as { text?: string }).text ?? '');
    expect(texts.join('')).toBe(`${'0'.repeat(MAX_ATTEMPT_TEXT)}…`);
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(MAX_PROGRESS_TEXT);
    expect(world.eventsOf(task_id).at(-1)).toBe('task:completed');
  });

  it('is whole beside a secret: halves of characters and of line ends, and an end that begins one by chance', async () => {
    const { time, told, reporter, written } = reporting();
    const from = { secrets: () => ['sk-live-abcdef', 'secret'] };
    for (const text of ['a\ud83d', '\ude00b\r', '\nc', ' ends with s']) {
      reporter.report({ text }, from);
      await time.advance(1000);
      written();
    }
    reporter.end();
    expect(textIn(told)).toBe('a😀b\nc ends with s');
  });

  it('hides what each of those who report was told in confidence, whenever that was', async () => {
    const { time, told, reporter, written } = reporting();
    const keys = ['key-one-11'];
    reporter.report({ message: 'key-one-11 key-two-22', text: 'key-o' }, { secrets: () => keys });
    await time.advance(100);
    written();
    keys.push('key-two-22');
    reporter.report({ message: 'key-two-22', text: 'ne-11 ' }, { secrets: () => keys });
    reporter.report({ text: 'key-one-11 key-other' }, { secrets: () => ['key-other'] });
    reporter.end();
    expect(told).toEqual([
      { message: '[secret] key-two-22' },
      { message: '[secret]', text: '[secret] [secret] [secret]' },
    ]);
  });

  it('asks for secrets as often as it tells, not as often as it is told', async () => {
    const { time, told, reporter, written } = reporting();
    let asked = 0;
    const secrets = () => [`sk-${'0'.repeat(++asked)}`];
    for (let step = 0; step < 1000; step++) {
      reporter.report({ progress: step, text: 'x' }, { secrets });
      await time.advance(2);
      written();
    }
    expect(asked).toBe(told.length);
  });

  it('tells nothing while it cannot be known what is secret', async () => {
    const { time, told, reporter, written } = reporting();
    let away = true;
    const secrets = () => {
      if (away) throw new Error('the key is away');
      return ['hunter2'];
    };
    reporter.report({ text: 'hunter2' }, { secrets });
    await time.advance(1000);
    reporter.report({ text: 'hunter2' }, { secrets, anew: true });
    expect(told).toEqual([]);
    away = false;
    reporter.report({ text: '!' }, { secrets });
    await time.advance(1000);
    written();
    expect(textIn(told)).toBe('[secret]!');
  });

  it('shows where another goes on', async () => {
    const { told, reporter } = reporting();
    reporter.report({ text: 'A1 A2 ' }, { secrets: () => ['key-of-A'] });
    reporter.report({ text: 'B7 ' }, { secrets: () => ['key-of-B'], anew: true });
    reporter.report({ text: 'B8 key-of-A key-of-B' }, { secrets: () => ['key-of-B'] });
    reporter.end();
    expect(textIn(told)).toBe('A1 A2 …B7 B8 [secret] [secret]');
  });

  it('hides secrets, also those that come in pieces, and the output of what is secret', async () => {
    const params = { user: 'ada', password: 'hunter2-long', keys: [] };
    const { world, site, task_id, call } = await running({ method: 'login', params });
    call.report?.({ text: 'the token is t0ps3cret', message: 'signs in with hunter2-long' });
    await world.time.advance(100);
    expect(toldOf(world, task_id)).toEqual([{ attempt: 1, message: 'signs in with [secret]' }]);
    call.done({ token: 't0ps3cret', user: 'ada' });
    await world.outcome(site, task_id);
    expect(world.everything()).not.toMatch(/hunter2|t0ps3cret/);
  });

  it('may be anything at all', async () => {
    const { world, site, task_id, call } = await running();
    const report = call.report as unknown as (value: unknown) => void;
    const unreadable = {
      get progress() {
        throw new Error('no');
      },
    };
    for (const value of [null, undefined, 7, 'text', [], unreadable, { progress: '1' }]) report(value);
    call.done();
    expect(await world.outcome(site, task_id)).toMatchObject({ status: 'completed' });
    expect(toldOf(world, task_id)).toEqual([]);
  });
});
