import { describe, expect, it } from 'vitest';
import type { Channel } from '../channel.ts';
import { programOf, surroundings } from '../testing/peer-process.suite.ts';
import { stdioChannel } from './channel.ts';
import { lives, type Running, runningAs } from './processes.ts';

const child = programOf('odd-child.suite.ts');

function opened(behaviour: string, env: Readonly<Record<string, string>> = {}): Channel {
  const limits = { grace_ms: 300 };
  const started = child(behaviour);
  return stdioChannel({
    ...surroundings,
    ...started,
    env: { ...started.env, ...env },
    framing: 'lines',
    limits,
  });
}

async function ask(channel: Channel): Promise<unknown> {
  const answer = await channel.call({ id: 1, method: 'm', signal: new AbortController().signal });
  return 'result' in answer ? answer.result : answer;
}

async function descendantOf(channel: Channel): Promise<Running> {
  const running = runningAs(Number(await ask(channel)));
  if (running === null) throw new Error('it has ended already');
  return running;
}

describe.runIf(process.platform === 'linux')('what a program has started', () => {
  it.each(['scattered', 'unmarked'])(
    'is ended with it where it has left its group (%s)',
    async (behaviour) => {
      const [one, other] = [opened(behaviour), opened(behaviour)];
      try {
        const [taken, spared] = [await descendantOf(one), await descendantOf(other)];
        await one.close();
        // Who is killed is gone a moment later.
        await expect.poll(() => lives(taken), { timeout: 1000 }).toBe(false);
        expect(lives(spared)).toBe(true);
      } finally {
        await Promise.all([one.close(), other.close()]);
      }
    },
  );

  it('is known by a mark that every start makes anew, whatever was configured', async () => {
    const marks = new Set<unknown>();
    for (let life = 0; life < 2; life++) {
      const channel = opened('environment', { GLEITZEIT_PROGRAM: 'mine' });
      marks.add(((await ask(channel)) as Record<string, string>)['GLEITZEIT_PROGRAM']);
      await channel.close();
    }
    expect([marks.size, marks.has('mine')]).toEqual([2, false]);
  });
});
