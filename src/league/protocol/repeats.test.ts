import { describe, expect, it } from 'vitest';
import { Repeats } from './repeats.ts';

describe('an answer', () => {
  it('is remembered as one of so many, of one of so many senders, the newest of both', async () => {
    const repeats = new Repeats<string>(2, 2);
    const ask = (sender: string, id: number) => ({ sender, id, mark: 'm' });
    for (const id of [1, 2, 3]) repeats.learn(ask('a', id), Promise.resolve('said'));
    expect([1, 2, 3].map((id) => repeats.find(ask('a', id)) !== null)).toEqual([false, true, true]);
    repeats.learn(ask('b', 1), Promise.resolve('said'));
    repeats.learn(ask('a', 4), Promise.resolve('said'));
    repeats.learn(ask('c', 1), Promise.resolve('said'));
    expect(
      ['a', 'b', 'c'].map((sender) => repeats.find(ask(sender, sender === 'a' ? 4 : 1)) !== null),
    ).toEqual([true, false, true]);
  });
});
