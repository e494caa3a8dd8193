import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { type Line, nobodyCame } from '../core/ports/router.ts';
import type { Write } from '../core/writes.ts';
import { Lines } from './lines.ts';

const line: Line = { kind: 'rate', key: 'k', fair: true };
const lease = (task_id: string) => ({ task_id, owner: 'e', fence: 1 });

function linesWith(answer: (write: Write) => unknown) {
  const writes: Write[] = [];
  const write = async (made: Write) => {
    writes.push(made);
    return answer(made);
  };
  const clock = { monotonic: () => 0, wall: () => 0 };
  return { lines: new Lines({ writer: { write } as never, clock }), writes };
}

describe('a call of a line', () => {
  it('answers whether more wait in it, in the store or on their way to it', async () => {
    const late = Promise.withResolvers<unknown>();
    const answers = [
      { called: ['t1', 't2'], more: true },
      { called: ['t3'], more: false },
      { called: ['t4'], more: false },
    ];
    const { lines } = linesWith(({ kind }) => (kind === 'release' ? late.promise : answers.shift()));
    expect(await Promise.all([lines.room(line, 1), lines.room(line, 1)])).toEqual([
      { count: 1, more: 1 },
      { count: 1, more: 1 },
    ]);
    expect(await lines.room(line, 1)).toEqual({ count: 1, more: 0 });
    const joined = lines.join(lease('t5'), line);
    expect(await lines.room(line, 1)).toEqual({ count: 1, more: 1 });
    late.resolve({ released: 1 });
    await joined;
  });

  it('is made good where it went past those who were still on their way into the line', async () => {
    const late = Promise.withResolvers<unknown>();
    const { lines, writes } = linesWith(({ kind }) =>
      kind === 'release' ? late.promise : { called: [], more: false },
    );
    const joined = [lines.join(lease('t1'), line), lines.join(lease('t2'), line)];
    expect(await lines.room(line, 1)).toEqual(nobodyCame);
    expect(await lines.room({ ...line, key: 'other' }, 1)).toEqual(nobodyCame);
    late.resolve({ released: 2 });
    expect(await Promise.all(joined)).toEqual(['back', 'back']);
    expect(writes.slice(3)).toEqual([{ kind: 'call_line', line: 'line rate k', places: 1, fair: false }]);
    // Once, and for no more than have come.
    await lines.join(lease('t3'), line);
    expect(writes).toHaveLength(5);
  });

  it('is made good for no more than were on their way', async () => {
    const late = Promise.withResolvers<unknown>();
    const { lines, writes } = linesWith(({ kind }) => (kind === 'release' ? late.promise : { called: [] }));
    const joined = lines.join(lease('t1'), line);
    expect(await lines.room(line, 7)).toEqual(nobodyCame);
    late.resolve({ released: 1 });
    await joined;
    expect(writes.slice(2)).toMatchObject([{ kind: 'call_line', places: 1 }]);
  });
});

describe('a look at lines', () => {
  it('goes on where the last look at some lines ended, and through all of them when asked for all', async () => {
    const nexts = ['b', null, 'a', null];
    const { lines, writes } = linesWith(() => {
      // One that never comes to an end must fail rather than be waited for.
      if (writes.length > 5) throw new GleitzeitError('GLZ9002', 'enough');
      return { called: [], next: nexts.shift() ?? null };
    });
    await lines.callSome();
    await lines.callSome();
    lines.callAll();
    lines.callAll();
    await lines.callSome();
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    expect(writes.map((write) => (write.kind === 'call_lines' ? write.after : write))).toEqual([
      null,
      'b',
      null,
      'a',
      null,
    ]);
  });
});

describe('a line that nobody calls any more', () => {
  /** So many wait in it; whoever comes is found to have strayed at once. */
  async function emptied(count: number) {
    let [left, at] = [count, 0];
    const { lines, writes } = linesWith((write) => {
      const come = Math.min(left, 'places' in write ? write.places : 0);
      left -= come;
      const called = Array.from({ length: come }, () => `t${at++}`);
      const line = 'line rate k';
      if (write.kind === 'call_line') return { called };
      return { called: called.map((task_id) => ({ task_id, line })), next: null };
    });
    await lines.callSome();
    for (let asked = 0; asked < at; ) {
      for (const end = at; asked < end; asked++) {
        const known = lines.howCalled(`t${asked}`);
        if (known !== null) lines.callMore(known);
      }
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
    return { left, places: writes.map((write) => ('places' in write ? write.places : 0)), writes };
  }

  it('is called until it is empty: more and more at once, up to a number', async () => {
    const { left, places, writes } = await emptied(250);
    expect(left).toBe(0);
    expect(places).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64, 59]);
    expect(writes[1]).toEqual({ kind: 'call_line', line: 'line rate k', places: 2, fair: false });
  });

  it('brings no more than before while very many are on their way', async () => {
    const lined = Array.from({ length: 1200 }, (_, index) => ({ task_id: `t${index}`, line: `l${index}` }));
    const { lines, writes } = linesWith(({ kind }) =>
      kind === 'call_line' ? { called: [] } : { called: lined, next: null },
    );
    await lines.callSome();
    for (const { task_id } of lined.slice(0, 300)) {
      const known = lines.howCalled(task_id);
      if (known !== null) lines.callMore(known);
    }
    await Promise.resolve();
    const places = writes.slice(1).map((write) => ('places' in write ? write.places : 0));
    expect([places.slice(0, 200), places.slice(200)]).toEqual([Array(200).fill(1), Array(100).fill(2)]);
  });

  it('is left where the engine has stopped', async () => {
    const { lines } = linesWith(() => {
      throw new GleitzeitError('GLZ9002', 'the engine has stopped');
    });
    lines.callMore({ how: 'found', line: 'line rate k', together: 1 });
    await Promise.resolve();
  });
});
