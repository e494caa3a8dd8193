import { afterEach, describe, expect, it } from 'vitest';
import { chain, openPlace, type Place } from './place.ts';

let place: Place;
afterEach(() => place.close());

/** One command that holds the store, and another whose call it makes; the first one's own run has just ended. */
async function twoAtWork(stop_timeout: string) {
  place = openPlace({ engine: { stop_timeout } });
  place.write('ours.yaml', chain('ours', [['o', { gate: 'ours' }]]));
  place.write('theirs.yaml', chain('theirs', [['t', { gate: 'theirs' }]]));
  const holder = place.start('run', 'ours.yaml');
  await holder.said(/o: running/);
  const guest = place.start('run', 'theirs.yaml', '-o', 'json');
  await guest.said(/t: running/);
  place.write('ours', '');
  await holder.said(/ours: completed/);
  return { holder, guest };
}

const called = (step: string) => place.calls().filter((call) => call.step === step).length;

describe('a command that holds the store when its run has ended', { timeout: 60_000 }, () => {
  it('stays while another one waits for what it works on', async () => {
    const { holder, guest } = await twoAtWork('60s');
    await holder.said(/Staying for another command .*at most 60 s; Ctrl-C leaves/);
    place.write('theirs', '');
    expect((await guest.ended).status).toBe(0);
    expect((await holder.ended).status).toBe(0);
    expect(JSON.parse(guest.stdout())).toMatchObject({ status: 'completed' });
    expect(called('t')).toBe(1);
  });

  it('leaves at once with Ctrl-C, and the other one goes on by itself', async () => {
    const { holder, guest } = await twoAtWork('60s');
    await holder.said(/Staying/);
    holder.kill('SIGINT');
    const at = performance.now();
    expect((await holder.ended).status).toBe(0);
    expect(performance.now() - at).toBeLessThan(5000);
    place.write('theirs', '');
    expect((await guest.ended).status).toBe(0);
    expect(called('t')).toBe(2);
  });

  it('leaves after engine.stop_timeout', async () => {
    const { holder, guest } = await twoAtWork('1s');
    expect((await holder.ended).status).toBe(0);
    place.write('theirs', '');
    expect((await guest.ended).status).toBe(0);
  });

  it('leaves when the other one has gone', async () => {
    const { holder, guest } = await twoAtWork('60s');
    await holder.said(/Staying/);
    guest.kill('SIGKILL');
    expect((await holder.ended).status).toBe(0);
    await guest.ended;
  });

  it('stays also where it only waited for a result', async () => {
    place = openPlace({ engine: { stop_timeout: '60s' } });
    for (const name of ['a', 'b'])
      place.write(`${name}.yaml`, chain(name, [[name, { gate: `${name}-gate` }]]));
    const begin = async (file: string) =>
      (await place.run('run', file, '--async', '-o', 'name')).stdout.trim();
    const [a, b] = [await begin('a.yaml'), await begin('b.yaml')];
    const holder = place.start('result', a, '--wait');
    await expect.poll(() => called('a') + called('b'), { timeout: 20_000 }).toBe(2);
    const guest = place.start('watch', b);
    await guest.said(/b: running/);
    place.write('a-gate', '');
    await holder.said(/Staying for/);
    place.write('b-gate', '');
    for (const command of [holder, guest]) expect((await command.ended).status).toBe(0);
    expect(called('b')).toBe(1);
  });
});
