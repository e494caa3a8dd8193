import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { systemClock, systemTimers } from '../embedded/system.ts';
import type { ProgramRun } from '../rpc/program/program.ts';
import { programs } from '../rpc/program/programs.ts';
import { faultyPrograms } from './faulty-programs.ts';
import { planOf } from './plan.ts';
import { readFaults } from './spec.ts';

const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const plain = programs({
  ...{ folder: tmpdir(), environment: process.env, packaged: (path) => path },
  ...{ logger, clock: systemClock, timers: systemTimers },
});

/** Runs code of Node, and keeps what is heard of it. */
async function run(spec: string, code: string, more: Partial<ProgramRun> = {}) {
  const faults = readFaults(spec);
  const faulty = faultyPrograms(plain, { timers: systemTimers, plan: () => planOf(faults, 1, 0) });
  const heard: string[] = [];
  const limits = { max_output: 1000, max_memory: null, grace_ms: 5000 };
  const usual = { cwd: null, env: {}, inherit: [], secrets: [], input: '', progress: 'none' } as const;
  const end = await faulty.run({
    ...{ ...usual, limits, command: [process.execPath, '-e', code] },
    signal: AbortSignal.timeout(30_000),
    heard: (chunk) => void heard.push(String(chunk)),
    ...more,
  });
  return { end, heard };
}

const says = "process.stdout.write('0123456789')";
const lasts = `${says}; setTimeout(() => {}, 60_000)`;

it('a program that is cut off has said a part of what it would say, and is gone', async () => {
  const { end, heard } = await run('cut=100%', lasts);
  expect(end).toEqual({ how: 'signal', signal: 'SIGTERM', stderr: '' });
  expect('0123456789'.startsWith(heard.join(''))).toBe(true);
  expect(heard.join('').length).toBeLessThan(10);
});

it('a program that is reset does not get to say anything', async () => {
  const stubborn = `process.on('SIGTERM', () => {}); setTimeout(() => { ${says} }, 500)`;
  const { end, heard } = await run('reset=100%', stubborn);
  expect([end, heard]).toEqual([{ how: 'signal', signal: 'SIGKILL', stderr: '' }, []]);
});

it('what it says comes as slowly as was asked for', async () => {
  const from = performance.now();
  const { end, heard } = await run('slow_bytes=40', says);
  expect(end).toMatchObject({ how: 'exit', code: 0, output: Buffer.from('0123456789') });
  expect(heard).toEqual(['01', '23', '45', '67', '89']);
  expect(performance.now() - from).toBeGreaterThan(190);
});

it('one that never seems to end is ended by whoever gives it up', async () => {
  const stop = new AbortController();
  const running = run('half_open=100%', says, { signal: stop.signal });
  const why = new Error('enough');
  setTimeout(() => stop.abort(why), 300);
  await expect(running).rejects.toMatchObject({ code: 'GLZ2003' });
});

it.each(['cut=100%', 'reset=100%', 'latency=1ms'])(
  'what cannot be started is said so with %s',
  async (spec) => {
    const missing = run(spec, '', { command: ['/no/such/program'] });
    await expect(missing).rejects.toMatchObject({ message: expect.stringContaining('could not be started') });
  },
);

it('what clears up after a call is left alone', async () => {
  const { end, heard } = await run('reset=100%', says, { clears: true });
  expect(end).toMatchObject({ how: 'exit', code: 0 });
  expect(heard).toEqual(['0123456789']);
});
