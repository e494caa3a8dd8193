import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chain, openPlace, type Place } from './place.ts';

let place: Place;
beforeEach(() => {
  // What is left must not be waited for, however long a server would.
  place = openPlace({ engine: { stop_timeout: '60s' } });
  place.write('long.yaml', chain('long', [['l', { gate: 'never' }]]));
  place.write('ok.yaml', chain('ok', [['o', { ms: 300 }]]));
});
afterEach(() => place.close());

/** Milliseconds from what a command said to its end. */
async function leaves(command: ReturnType<Place['start']>, said: RegExp): Promise<number> {
  await command.said(said);
  const at = performance.now();
  await command.ended;
  return performance.now() - at;
}

const steps = () => place.calls().map(({ step }) => step);
const begin = async (file: string) => (await place.run('run', file, '--async', '-o', 'name')).stdout.trim();

describe('a command that works here', { timeout: 60_000 }, () => {
  it('goes when it has said how its run ended, whatever calls of others are under way', async () => {
    const long = await begin('long.yaml');
    const run = place.start('run', 'ok.yaml');
    expect(await leaves(run, /ok: completed/)).toBeLessThan(5000);
    expect((await run.ended).status).toBe(0);
    expect(steps()).toContain('l');
    const { stdout } = await place.run('status', long, '-o', 'json');
    expect(JSON.parse(stdout).status).toBe('running');
  });

  it('goes when its time is over, also while it waits for a result', async () => {
    const long = await begin('long.yaml');
    for (const args of [
      ['watch', long],
      ['result', long, '--wait'],
    ]) {
      const command = place.start(...args, '--timeout', '1s');
      expect(await leaves(command, /[Nn]ot done/)).toBeLessThan(5000);
      expect((await command.ended).status).toBe(5);
    }
  });

  it('goes when it is asked to with SIGTERM', async () => {
    const command = place.start('run', 'long.yaml');
    await command.said(/l: running/);
    command.kill('SIGTERM');
    expect(await leaves(command, /gleitzeit watch/)).toBeLessThan(5000);
    expect((await command.ended).status).toBe(130);
  });

  it('goes when its terminal is closed, and the run stays for the next command', async () => {
    const command = place.start('run', 'long.yaml');
    await command.said(/l: running/);
    command.kill('SIGHUP');
    expect(await command.ended).toEqual({ status: null, signal: 'SIGHUP' });
    const { stdout } = await place.run('list', '-o', 'json');
    expect(JSON.parse(stdout).items[0].status).toBe('running');
  });

  it('works on what result --wait waits for', async () => {
    const ok = await begin('ok.yaml');
    const { status, stdout } = await place.run('result', ok, '--wait', '-o', 'json');
    expect([status, JSON.parse(stdout).results]).toEqual([0, { o: { step: 'o', text: 'o done' } }]);
  });
});

describe('a command that is refused', { timeout: 60_000 }, () => {
  it('works nothing off before it knows what it is about', async () => {
    await begin('ok.yaml');
    const refused = [
      ['watch', '00000000-nope'],
      ['result', '00000000-nope', '--wait'],
      ['run', 'long.yaml', '--resume'],
    ];
    for (const args of refused) expect([args, (await place.run(...args)).status]).toEqual([args, 6]);
    expect(steps()).toEqual([]);
  });

  it('works nothing off for what has ended either', async () => {
    const ok = await begin('ok.yaml');
    await place.run('cancel', ok);
    await begin('ok.yaml');
    expect((await place.run('watch', ok)).status).toBe(11);
    expect((await place.run('result', ok, '--wait')).status).toBe(11);
    expect(steps()).toEqual([]);
  });
});

describe('gleitzeit run --resume', { timeout: 60_000 }, () => {
  it('goes on with a run that is paused', async () => {
    const ok = await begin('ok.yaml');
    expect((await place.run('pause', ok)).status).toBe(0);
    const { status, stdout, stderr } = await place.run('run', 'ok.yaml', '--resume', '-o', 'json');
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ workflow_id: ok, status: 'completed' });
  });
});
