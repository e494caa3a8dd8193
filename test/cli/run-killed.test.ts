import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chain, openPlace, type Place } from './place.ts';
import { published } from './published.ts';

let place: Place;
beforeEach(() => {
  place = openPlace();
});
afterEach(() => place.close());

const steps = () => place.calls().map(({ step }) => step);
const open = (gate: string) => writeFileSync(join(place.folder, gate), '');

describe('gleitzeit run that is killed with -9', () => {
  it('goes on with --resume where it was, also when that is killed, and nothing that finished runs again', async () => {
    place.write(
      'a.yaml',
      chain('a', [['one'], ['two', { gate: 'go' }], ['three', { gate: 'gone' }], ['four']]),
    );
    const first = place.start('run', 'a.yaml', '--input', 'n=1');
    await first.said(/two: running/);
    first.kill('SIGKILL');
    await first.ended;
    open('go');
    const second = place.start('run', 'a.yaml', '--input', 'n=1', '--resume');
    await second.said(/three: running/);
    second.kill('SIGKILL');
    await second.ended;
    open('gone');
    const third = await place.run('run', 'a.yaml', '--input', 'n=1', '--resume', '-o', 'json');
    expect([third.status, JSON.parse(third.stdout).status]).toEqual([0, 'completed']);
    expect(steps()).toEqual(['one', 'two', 'two', 'three', 'three', 'four']);
  });

  it('says with --resume how it ended where it was interrupted as often as it may be', async () => {
    const once = { retry_config: { max_attempts: 1 } };
    place.write('a.yaml', chain('a', [['one', { gate: 'never' }], ['two']], once));
    const first = place.start('run', 'a.yaml');
    await first.said(/one: running/);
    first.kill('SIGKILL');
    await first.ended;
    const { status, stdout, stderr } = await place.run('run', 'a.yaml', '--resume', '-o', 'json');
    expect(stderr).toContain('Going on with');
    expect(status).toBe(10);
    const [one] = published('run', stdout).failed;
    expect(one).toMatchObject({ id: 'one', error: expect.stringContaining('stopped before it ended') });
  });

  it('says clearly that there is nothing to go on with', async () => {
    place.write('a.yaml', chain('a', [['one']]));
    expect((await place.run('run', 'a.yaml')).status).toBe(0);
    const { status, stderr } = await place.run('run', 'a.yaml', '--resume');
    expect(status).toBe(6);
    expect(stderr).toMatch(/no unfinished run of "a" with this definition and input/);
    expect(steps()).toEqual(['one']);
  });

  it('goes on once in two terminals at the same time', async () => {
    place.write('a.yaml', chain('a', [['one'], ['two', { gate: 'go' }], ['three']]));
    const first = place.start('run', 'a.yaml');
    await first.said(/two: running/);
    first.kill('SIGKILL');
    await first.ended;
    const both = [
      place.start('run', 'a.yaml', '--resume', '-o', 'json'),
      place.start('run', 'a.yaml', '--resume', '-o', 'json'),
    ];
    await Promise.all(both.map((one) => one.said(/Going on with/)));
    open('go');
    const ends = await Promise.all(both.map(({ ended }) => ended));
    expect(ends.map(({ status }) => status)).toEqual([0, 0]);
    const ids = both.map((one) => JSON.parse(one.stdout()).workflow_id);
    expect(ids[0]).toBe(ids[1]);
    expect(steps()).toEqual(['one', 'two', 'two', 'three']);
  });
});

describe('gleitzeit run on a server that is killed with -9', { timeout: 90_000 }, () => {
  it('says that the server is away and that it is there again, and ends as if nothing had been', async () => {
    place.write('a.yaml', chain('a', [['one'], ['two', { gate: 'go' }]]));
    const first = place.start('serve');
    await first.said(/listening/);
    const port = /127\.0\.0\.1:(\d+)/.exec(first.stdout() + first.stderr())?.[1] ?? '';
    const run = place.start('run', 'a.yaml', '--server', `http://127.0.0.1:${port}`);
    await run.said(/two: running/);
    first.kill('SIGKILL');
    await run.said(/cannot be reached.*tried again for a minute/);
    const config = JSON.parse(readFileSync(join(place.folder, 'gleitzeit.yaml'), 'utf8')) as object;
    place.write('gleitzeit.yaml', { ...config, server: { port: Number(port) } });
    const second = place.start('serve');
    await run.said(/the server is there again/);
    open('go');
    expect((await run.ended).status).toBe(0);
    expect(steps()).toEqual(['one', 'two', 'two']);
    second.kill('SIGTERM');
    await second.ended;
  });
});
