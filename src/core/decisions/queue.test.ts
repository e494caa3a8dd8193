import { describe, expect, it } from 'vitest';
import { isPaused, nothingPaused } from '../queue-pause.ts';
import { Memory, story } from '../testing/memory.suite.ts';

const pause = (protocol: string | null) => ({ kind: 'pause_queue', protocol }) as const;
const resume = (protocol: string | null) => ({ kind: 'resume_queue', protocol }) as const;

describe('pausing the queue', () => {
  it('is remembered by protocol, and told once', () => {
    const memory = new Memory();
    expect(memory.write(pause('b'))).toEqual({ paused: { all: false, protocols: ['b'], version: 1 } });
    const { changes } = memory.commit(pause('a'), pause('b'));
    expect(story(changes)).toEqual(['queue:paused {"protocol":"a"}']);
    const { paused } = memory.write({ kind: 'join', owner: 'e', ttl_ms: 1 });
    expect(paused).toEqual({ all: false, protocols: ['a', 'b'], version: 2 });
    expect(['a', 'b', 'c'].map((name) => isPaused(paused, name))).toEqual([true, true, false]);
  });

  it('of everything keeps what was paused by name', () => {
    const memory = new Memory();
    memory.write(pause('a'));
    const { paused } = memory.write(pause(null));
    expect(paused).toEqual({ all: true, protocols: ['a'], version: 2 });
    expect(isPaused(paused, 'c')).toBe(true);
    expect(memory.write(pause(null))).toEqual({ paused });
    expect(memory.write(pause('b')).paused).toEqual({ all: true, protocols: ['a', 'b'], version: 3 });
  });

  it('ends by name', () => {
    const memory = new Memory();
    memory.commit(pause('a'), pause('b'));
    const { changes } = memory.commit(resume('a'), resume('a'), resume('never paused'));
    expect(story(changes)).toEqual(['queue:resumed {"protocol":"a"}']);
    expect(memory.write(resume('b')).paused).toEqual({ all: false, protocols: [], version: 4 });
  });

  it('ends as a whole', () => {
    const memory = new Memory();
    memory.commit(pause('a'), pause(null));
    const { changes } = memory.commit(resume(null), resume(null));
    expect(story(changes)).toEqual(['queue:resumed {"protocol":null}']);
    expect(memory.write({ kind: 'join', owner: 'e', ttl_ms: 1 }).paused).toEqual({
      ...nothingPaused,
      version: 3,
    });
  });

  it('as a whole is not ended by name', () => {
    const memory = new Memory();
    memory.write(pause(null));
    const [verdict] = memory.commit(resume('a')).verdicts;
    expect(verdict).toMatchObject({
      ok: false,
      error: { data: { error_code: 'GLZ1011', field: 'protocol', hint: expect.stringContaining('without') } },
    });
  });
});
