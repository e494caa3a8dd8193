import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { GleitzeitError } from '../../core/errors.ts';
import type { Channel } from '../channel.ts';
import { troubleOf } from '../testing/channel-harness.suite.ts';
import { programOf, surroundings } from '../testing/peer-process.suite.ts';
import { rememberingLogger } from '../testing/quiet.suite.ts';
import { type StdioOptions, stdioChannel } from './channel.ts';

const child = programOf('odd-child.suite.ts');
const careless = programOf('careless-parent.suite.ts');
let calls = 0;

const ask = async (channel: Channel, signal = new AbortController().signal): Promise<unknown> => {
  const answer = await channel.call({ id: ++calls, method: 'm', signal });
  return 'result' in answer ? answer.result : answer;
};

async function withChild<Result>(
  behaviour: string,
  test: (channel: Channel) => Promise<Result>,
  changes: Partial<StdioOptions> & { args?: string[] } = {},
): Promise<Result> {
  const { args = [], ...rest } = changes;
  const channel = stdioChannel({ ...surroundings, ...child(behaviour, ...args), framing: 'lines', ...rest });
  try {
    return await test(channel);
  } finally {
    await channel.close();
  }
}

describe('a child process', () => {
  it('is given little of our environment, and what was configured', async () => {
    const environment = {
      PATH: '/bin',
      HOME: '/home/x',
      LANG: 'C',
      TMPDIR: '/tmp',
      API_KEY: 'secret',
      PWD: '/x',
    };
    const env = { MODEL: 'small', HOME: '/elsewhere' };
    const given = await withChild('environment', ask, { environment, env });
    expect(given).toMatchObject({
      PATH: '/bin',
      HOME: '/elsewhere',
      LANG: 'C',
      TMPDIR: '/tmp',
      MODEL: 'small',
    });
    expect(Object.keys(given as object)).not.toContain('API_KEY');
  });

  it('that does not answer is replaced where nothing was heard of it, or nothing yet for very long', async () => {
    let now = 0;
    const clock = { ...surroundings.clock, monotonic: () => now };
    const unanswered = (channel: Channel) =>
      troubleOf(channel.call({ id: ++calls, method: 'silence', signal: new AbortController().signal }));
    await withChild(
      'sulks',
      async (channel) => {
        channel.renew?.(0);
        const first = await ask(channel);
        channel.renew?.(1);
        expect(await ask(channel)).toBe(first);
        now = 1000;
        channel.renew?.(1000);
        channel.warm?.();
        const lost = unanswered(channel);
        now = 200_000;
        channel.renew?.(1000);
        expect(await ask(channel)).not.toBe(first);
        now = 201_000;
        channel.renew?.(1000);
        expect((await lost).message).toMatch(/does not answer and is ended$/);
        channel.warm?.();
        const never = unanswered(channel);
        now = 501_000;
        channel.renew?.(1000);
        expect((await never).code).toBe('GLZ2002');
      },
      { clock },
    );
  });

  it('is heard to end before anything is said to the next', async () => {
    let lives = 0;
    await withChild(
      'dies',
      async (channel) => {
        const counted = await Promise.allSettled([ask(channel), ask(channel)]).then(() => lives);
        expect(counted).toBe(1);
        await troubleOf(ask(channel));
        expect(lives).toBe(2);
      },
      { ended: () => lives++ },
    );
  });

  it('is given its arguments as they are, and its folder: no shell reads them', async () => {
    const args = ['$HOME', '`id`', '; exit 1', '', 'two words', '*'];
    const given = await withChild('arguments', ask, { args, cwd: tmpdir() });
    expect(given).toEqual({ rest: args, cwd: realpathSync(tmpdir()) });
  });

  it('is started by the first call, not before', async () => {
    const channel = stdioChannel({ ...surroundings, command: ['/no/such/program'] });
    await channel.close();
  });

  it.each([
    ['/no/such/program', 'there is no such program'],
    [tmpdir(), 'EACCES'],
    ['a\0b', 'null bytes'],
  ])('%s cannot be started: said to every call', async (program, reason) => {
    const channel = stdioChannel({ ...surroundings, command: [program] });
    const first = await troubleOf(ask(channel));
    const second = await troubleOf(ask(channel));
    expect([first.code, second.code]).toEqual(['GLZ2002', 'GLZ2002']);
    expect(first.message).toContain(reason);
    await channel.close();
  });

  it('that ends tells its calls how, with the last it said', () =>
    withChild('dies', async (channel) => {
      const ends: GleitzeitError[] = await Promise.all([1, 2].map(() => troubleOf(ask(channel))));
      for (const end of ends) {
        expect(end.code).toBe('GLZ2002');
        expect(end.message).toMatch(/ended with exit code 7$/);
        expect(end.details.details).toEqual({
          exit_code: 7,
          signal: null,
          stderr: 'first line\nthe reason: no model',
        });
      }
    }));

  it('that answers and ends is heard, and started again at the next call', async () => {
    const logger = rememberingLogger();
    const one = async (channel: Channel) => {
      for (const round of [1, 2, 3]) {
        expect(await ask(channel)).toHaveLength(100_000);
        await expect.poll(() => logger.lines.length).toBe(round);
      }
    };
    await withChild('one_shot', one, { logger });
    expect(logger.lines.map(([message]) => message)).toEqual(Array(3).fill('a child process ended'));
  });

  it('whose header is wrong is ended: there is no finding the next message', () =>
    withChild(
      'bad_header',
      async (channel) => {
        const { message, code } = await troubleOf(ask(channel));
        expect([code, message]).toEqual([
          'GLZ2002',
          expect.stringMatching(/header without a Content-Length$/),
        ]);
      },
      { framing: 'auto' },
    ));

  it('that speaks in headers is answered in headers from then on', () =>
    withChild(
      'headers',
      async (channel) => {
        expect(await ask(channel)).toBe('lines');
        expect(await ask(channel)).toBe('headers');
      },
      { framing: 'auto' },
    ));

  it('that does not read is not sent more than the bound', () =>
    withChild(
      'never_reads',
      async (channel) => {
        const params = ['x'.repeat(1_000_000)];
        const { signal } = new AbortController();
        const waiting = ['a', 'b'].map((id) => troubleOf(channel.call({ id, method: 'm', params, signal })));
        const { code, message } = await troubleOf(channel.call({ id: 'c', method: 'm', params, signal }));
        expect([code, message]).toEqual(['GLZ2002', expect.stringMatching(/does not read/)]);
        await channel.close();
        await Promise.all(waiting);
      },
      { limits: { max_unread: 1_000_000 } },
    ));
});

describe('standard error', () => {
  it('goes to the log, cut and counted', async () => {
    const logger = rememberingLogger();
    await withChild('screams', ask, { logger });
    const lines = logger.lines.filter(([message]) => message === 'a child process says');
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.length).toBeLessThan(1000);
    expect(lines.at(-1)?.[1]).toMatchObject({
      line: expect.stringMatching(/^\(\d+ more lines were left out\)$/),
    });
    expect(lines[0]?.[1]).toMatchObject({ line: expect.stringMatching(/^line 0 x{990,1000} …$/) });
  });
});

describe('what a child was given in secret', () => {
  it('is neither logged nor told when the child prints it', async () => {
    const logger = rememberingLogger();
    const env = { ...child().env, API_KEY: 'sk-1234567890' };
    const trouble = await withChild('tells_secrets', (channel) => troubleOf(ask(channel)), { logger, env });
    expect(trouble.details.details).toMatchObject({ stderr: 'no access with ***' });
    expect(JSON.stringify(logger.lines)).not.toContain('sk-1234567890');
  });

  it('is masked line by line where it has several', async () => {
    const logger = rememberingLogger();
    const API_KEY = '-----BEGIN KEY-----\nMIIEabcdefghijk1\nMIIEabcdefghijk2\n-----END KEY-----';
    const env = { ...child().env, API_KEY };
    const trouble = await withChild('tells_secrets', (channel) => troubleOf(ask(channel)), { logger, env });
    expect(trouble.details.details).toMatchObject({ stderr: 'no access with ***\n***\n***\n***' });
    expect(JSON.stringify(logger.lines)).not.toContain('MIIE');
  });
});

describe('the end of a child', () => {
  const GRACE = 300;
  /** One that has ended and whose parent has not looked yet does not live. */
  const lives = (pid: unknown) => {
    try {
      return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return existsSync('/proc/self') ? false : isThere(Number(pid));
    }
  };
  const isThere = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('takes everything with it that the child started, even what will not end', async () => {
    const grandchild = await withChild('family', ask, { limits: { grace_ms: GRACE } });
    await expect.poll(() => lives(grandchild)).toBe(false);
  });

  it('is made after the grace time where it is not taken', async () => {
    const began = performance.now();
    const pid = await withChild('stubborn', ask, { limits: { grace_ms: GRACE } });
    expect(performance.now() - began).toBeGreaterThanOrEqual(GRACE);
    await expect.poll(() => lives(pid)).toBe(false);
  });

  it('by itself leaves nobody behind either', () =>
    withChild(
      'family',
      async (channel) => {
        const grandchild = await ask(channel);
        expect(lives(grandchild)).toBe(true);
        const { signal } = new AbortController();
        const end = await troubleOf(channel.call({ id: 'x', method: 'leave', signal }));
        expect(end.message).toMatch(/exit code 5$/);
        await expect.poll(() => lives(grandchild)).toBe(false);
      },
      { limits: { grace_ms: GRACE } },
    ));

  it.each(['stubborn', ...(process.platform === 'linux' ? ['scattered'] : [])])(
    'comes with ours, even if nobody closed the channel (%s)',
    async (behaviour) => {
      const [program = '', script = ''] = careless().command;
      const args = [script, child().command[1] ?? '', behaviour];
      const { stdout } = spawnSync(program, args, { encoding: 'utf8' });
      const { result } = JSON.parse(stdout);
      expect(result).toBeTypeOf('number');
      await expect.poll(() => lives(result)).toBe(false);
    },
  );
});
