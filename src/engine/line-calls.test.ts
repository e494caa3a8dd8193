import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import type { Line } from '../core/ports/router.ts';
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
  it('is made good where it went past those who were still on their way into the line', async () => {
    const late = Promise.withResolvers<unknown>();
    const { lines, writes } = linesWith(({ kind }) => (kind === 'release' ? late.promise : { called: [] }));
    const joined = [lines.join(lease('t1'), line), lines.join(lease('t2'), line)];
    expect(await lines.room(line, 1)).toBe(0);
    expect(await lines.room({ ...line, key: 'other' }, 1)).toBe(0);
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
    expect(await lines.room(line, 7)).toBe(0);
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
