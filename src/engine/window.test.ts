import { describe, expect, it } from 'vitest';
import type { Held } from './held.ts';
import { Window } from './window.ts';

const held = (task_id: string, lane: string) => ({ claimed: { task: { task_id, lane } } }) as Held;
const nameOf = (one: Held | null) => one?.claimed.task.task_id ?? null;
const all = { mayStart: () => true, isHeldBack: () => false };

function windowOf(...names: readonly string[]) {
  const window = new Window();
  const tasks = new Map(names.map((name) => [name, held(name, name.slice(0, 1))]));
  for (const one of tasks.values()) window.add(one);
  return { window, tasks };
}

describe('the window', () => {
  it('lets them start in the order in which they came, whatever their lane', () => {
    const { window } = windowOf('b1', 'a1', 'b2', 'a2');
    const started = [1, 2, 3, 4, 5].map(() => nameOf(window.next(all)));
    expect(started).toEqual(['b1', 'a1', 'b2', 'a2', null]);
    expect(window.isEmpty).toBe(true);
  });

  it('passes those whose lane may not start, and those that are held back', () => {
    const { window, tasks } = windowOf('a1', 'a2', 'b1', 'b2');
    const mayStart = (lane: string) => lane !== 'a';
    expect(nameOf(window.next({ mayStart, isHeldBack: (one) => one === tasks.get('b1') }))).toBe('b2');
    expect(nameOf(window.next({ ...all, mayStart: () => false }))).toBeNull();
    expect(nameOf(window.next(all))).toBe('a1');
  });

  it('forgets who is dropped, and gives out whole lanes', () => {
    const { window, tasks } = windowOf('a1', 'a2', 'a3', 'b1');
    window.drop(tasks.get('a2') as Held);
    window.drop(held('gone', 'c'));
    expect(window.takeOut((lane) => lane === 'a').map(nameOf)).toEqual(['a1', 'a3']);
    expect([nameOf(window.next(all)), window.isEmpty]).toEqual(['b1', true]);
  });
});
