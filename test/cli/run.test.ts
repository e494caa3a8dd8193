import { execFile } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { freshDatabase } from '../services/fresh-database.ts';
import { program } from './command.ts';
import { chain, openPlace, type Place } from './place.ts';
import { published } from './published.ts';

let place: Place;
beforeEach(() => {
  place = openPlace();
});
afterEach(() => place.close());

const steps = () => place.calls().map(({ step }) => step);
const open = (gate: string) => writeFileSync(join(place.folder, gate), '');

describe('gleitzeit run, without a server', () => {
  it('runs a file to its end: progress on stderr, results on stdout', async () => {
    place.write('a.yaml', chain('a', [['one'], ['two'], ['three', { text: '${workflow.input.who}' }]]));
    const { status, stdout, stderr } = await place.run('run', 'a.yaml', '--input', 'who=Ada', '-o', 'json');
    expect(status).toBe(0);
    const report = published('run', stdout);
    expect(report).toMatchObject({ name: 'a', status: 'completed', failed: [] });
    expect(report.results.three).toEqual({ step: 'three', text: 'Ada' });
    expect(stderr).toMatch(/a: started, 3 tasks, run [0-9a-f-]{36}\n.*one: running\n.*one: completed/s);
    expect(`${stdout}${stderr}`).not.toContain('\x1b');
    expect(steps()).toEqual(['one', 'two', 'three']);
  });

  it('ends with 10 where a task failed, and tells which and why', async () => {
    place.write(
      'a.yaml',
      chain('a', [['one', { fail: 9 }], ['two']], {
        retry_config: { max_attempts: 2, initial_delay: '10ms' },
      }),
    );
    const { status, stdout, stderr } = await place.run('run', 'a.yaml', '-o', 'json');
    expect(status).toBe(10);
    expect(published('run', stdout)).toMatchObject({
      status: 'failed',
      failed: [
        { id: 'one', status: 'failed', error: 'one is busy' },
        { id: 'two', status: 'skipped', error: 'because of one' },
      ],
    });
    expect(stderr).toMatch(/one: retrying, attempt 1\/2/);
  });

  it('ends with 7 and the place of each mistake before anything runs', async () => {
    place.write('a.yaml', 'name: a\ntasks:\n  - id: one\n    protocol: steps/v1\n    metod: step\n');
    const { status, stderr } = await place.run('run', 'a.yaml');
    expect(status).toBe(7);
    expect(stderr).toMatch(/a\.yaml:5:5/);
    expect(steps()).toEqual([]);
  });

  it('ends with 5 when its time is over; the run is kept, and watch goes on with it', async () => {
    place.write('a.yaml', chain('a', [['one', { gate: 'go' }], ['two']]));
    const { status, stderr } = await place.run('run', 'a.yaml', '--timeout', '3s');
    expect(status).toBe(5);
    const [, id = ''] = /gleitzeit watch (\S+)/.exec(stderr) ?? [];
    open('go');
    const watched = await place.run('watch', id, '-o', 'json');
    expect([watched.status, published('watch', watched.stdout).status]).toEqual([0, 'completed']);
  });

  it('does not wait where the file says so', async () => {
    place.write('a.yaml', { ...chain('a', [['one']]), wait_for_completion: false });
    const { status, stdout, stderr } = await place.run('run', 'a.yaml');
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^[\da-f-]{36}\n$/)]);
    expect(stderr).toContain('goes on when something works on it');
    const listed = await place.run('list', '-o', 'json');
    expect(JSON.parse(listed.stdout).items).toMatchObject([{ status: 'running' }]);
    expect((await place.run('run', 'a.yaml', '--resume')).stderr).toContain('completed');
  });

  it('comes back at once with --async, and starts nothing', async () => {
    place.write('a.yaml', chain('a', [['one']]));
    const { status, stdout } = await place.run('run', 'a.yaml', '--async', '-o', 'name');
    expect(status).toBe(0);
    expect(steps()).toEqual([]);
    const watched = await place.run('watch', stdout.trim(), '--progress', 'json', '-o', 'none');
    expect(watched.status).toBe(0);
    const lines = watched.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({ type: 'version', version: 1 });
    expect(lines.at(-1)).toEqual({ type: 'end', status: 'completed' });
  });
});

describe('what a command line adds to a run', () => {
  it('--key starts it once, however often it is sent', async () => {
    place.write('a.yaml', chain('a', [['one']]));
    const start = (key: string) => place.run('run', 'a.yaml', '--async', '--key', key, '-o', 'name');
    const first = await start('k-1');
    expect([first.status, first.stdout]).toEqual([0, expect.stringMatching(/^[\da-f-]{36}\n$/)]);
    expect((await start('k-1')).stdout).toBe(first.stdout);
    expect((await start('k-2')).stdout).not.toBe(first.stdout);
  });

  it('retry --input takes the place of what the run was given', async () => {
    place.write('a.yaml', chain('a', [['one', { text: '${workflow.input.who}' }]]));
    const { stdout } = await place.run('run', 'a.yaml', '--input', 'who=Ada', '-o', 'name');
    const changed = ['--from', 'one', '--input', 'who=Bob'];
    const again = await place.run('retry', stdout.trim(), ...changed, '-o', 'json');
    const { workflow_id, retry_of } = JSON.parse(again.stdout);
    expect([again.status, retry_of]).toEqual([0, stdout.trim()]);
    const told = await place.run('result', workflow_id, '--wait', '-o', 'json');
    expect(JSON.parse(told.stdout).results).toEqual({ one: { step: 'one', text: 'Bob' } });
  });
});

describe('gleitzeit watch', () => {
  it('tells of a single task too, from its beginning', async () => {
    place.write('a.yaml', chain('a', [['one', { fail: 9 }]], { retry_config: { max_attempts: 1 } }));
    await place.run('run', 'a.yaml');
    const { stdout } = await place.run('list', '--tasks', '-o', 'name');
    const watched = await place.run('watch', stdout.trim(), '-o', 'json');
    expect([watched.status, published('watch', watched.stdout).status]).toEqual([10, 'failed']);
    expect(watched.stderr).toMatch(/one: running\n.*one: failed.*one is busy/s);
  });

  it('says that there is nothing under an id', async () => {
    const { status, stderr } = await place.run('watch', '0197c2a4-9a5b-7c08-a0b3-8d7c6b5a4f30');
    expect([status, stderr]).toEqual([6, expect.stringContaining('no run and no task')]);
  });
});

describe('a Postgres store without a server', () => {
  it('is worked on by the command itself, and by two at once', async () => {
    const database = await freshDatabase(inject('postgresUrl'));
    const shared = openPlace({ store: { type: 'postgres', url: database.url } });
    try {
      shared.write('a.yaml', chain('a', [['one'], ['two']]));
      const both = await Promise.all([
        shared.run('run', 'a.yaml', '-o', 'json'),
        shared.run('run', 'a.yaml', '-o', 'json'),
      ]);
      expect(
        both.map(({ status }) => status),
        both.map(({ stderr }) => stderr).join('\n'),
      ).toEqual([0, 0]);
      for (const { stdout } of both) expect(published('run', stdout).status).toBe('completed');
    } finally {
      await shared.close();
      await database.drop();
    }
  });
});

describe('a store that is held', () => {
  it('is asked through whoever runs on it; when that one goes the other takes over and finishes', async () => {
    place.write('a.yaml', chain('a', [['a1', { gate: 'go-a' }]]));
    place.write('b.yaml', chain('b', [['b1', { gate: 'go-b' }], ['b2']]));
    const a = place.start('run', 'a.yaml');
    await a.said(/a1: running/);
    const socket = join(place.folder, '.gleitzeit', 'store.db.sock');
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    const b = place.start('run', 'b.yaml');
    await b.said(/b1: running/);
    const { stdout } = await place.run('list', '-o', 'json');
    expect(JSON.parse(stdout).items).toHaveLength(2);
    open('go-a');
    expect((await a.ended).status).toBe(0);
    open('go-b');
    expect((await b.ended).status).toBe(0);
    expect(existsSync(socket)).toBe(false);
    expect(steps().filter((step) => step === 'b2')).toHaveLength(1);
  });

  it('goes to the next one when its holder is killed with -9, with everything that was begun', async () => {
    place.write('a.yaml', chain('a', [['a1', { gate: 'go-a' }]]));
    place.write('b.yaml', chain('b', [['b1', { gate: 'go-b' }], ['b2']]));
    const a = place.start('run', 'a.yaml');
    await a.said(/a1: running/);
    const b = place.start('run', 'b.yaml');
    await b.said(/b1: running/);
    a.kill('SIGKILL');
    await a.ended;
    await b.said(/b1: interrupted, runs again/);
    open('go-a');
    open('go-b');
    expect((await b.ended).status, b.stderr()).toBe(0);
    const { stdout } = await place.run('run', 'a.yaml', '--resume', '-o', 'json');
    const ended = stdout === '' ? (await place.run('list', '--name', 'a', '-o', 'json')).stdout : stdout;
    expect(ended).toMatch(/"status":"completed"/);
  });

  it('is asked through a server, which works on', async () => {
    place.write('a.yaml', chain('a', [['one']]));
    const server = place.start('serve');
    await server.said(/"message":"listening"/);
    const { status, stderr } = await place.run('run', 'a.yaml');
    expect([status, steps()], stderr).toEqual([0, ['one']]);
    server.kill('SIGTERM');
    await server.ended;
  });

  it('is free again after kill -9, whatever socket that left behind', async () => {
    place.write('a.yaml', chain('a', [['one', { gate: 'never' }]]));
    place.write('b.yaml', chain('b', [['b1']]));
    const a = place.start('run', 'a.yaml');
    await a.said(/one: running/);
    a.kill('SIGKILL');
    await a.ended;
    expect(existsSync(join(place.folder, '.gleitzeit', 'store.db.sock'))).toBe(true);
    const b = await place.run('run', 'b.yaml');
    expect(b.status, b.stderr).toBe(0);
    expect(b.stderr).toMatch(/did not finish before/);
  });

  it('is not worked off by a look at it', async () => {
    place.write('a.yaml', chain('a', [['one']]));
    const { stdout } = await place.run('run', 'a.yaml', '--async', '-o', 'name');
    await place.run('status', stdout.trim());
    await place.run('list');
    const cancelled = await place.run('cancel', stdout.trim());
    expect(cancelled.status, cancelled.stderr).toBe(0);
    expect(steps()).toEqual([]);
    const watched = await place.run('watch', stdout.trim());
    expect(watched.status).toBe(11);
  });
});

describe('pipes', () => {
  it.each([
    ['what it prints', '> >(true)'],
    ['how it goes on', '2> >(true)'],
    ['all of it', '> >(true) 2>&1'],
  ])('are nothing a run depends on: it ends as it ends where nobody reads %s', async (_, nobody) => {
    const retry_config = { max_attempts: 1 };
    place.write(
      'a.yaml',
      chain('a', [['one'], ['two', { ms: 300 }], ['three', { fail: 9 }]], { retry_config }),
    );
    const shell = `"$0" "$1" run a.yaml -o json ${nobody}; echo "ended with $?" >&2`;
    const { stderr } = await promisify(execFile)('bash', ['-c', shell, process.execPath, program], {
      cwd: place.folder,
    });
    expect(stderr).toMatch(/ended with 10\n$/);
    expect(place.calls().map(({ step }) => step)).toContain('three');
  });

  it('reads a workflow and ends quietly when nobody reads on', async () => {
    place.write('a.yaml', chain('a', [['one', { text: 'x'.repeat(200_000) }]]));
    const shell = 'set -o pipefail; "$0" "$1" run - --progress none < a.yaml | head -c 10';
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', shell, process.execPath, program], {
      cwd: place.folder,
    });
    expect([stdout.length, stderr]).toEqual([10, '']);
  });
});
