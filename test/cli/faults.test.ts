import { afterEach, describe, expect, it } from 'vitest';
import { startAgent } from '../server/agent.ts';
import { echoProtocols } from '../server/echo.ts';
import { chain, openPlace, type Place } from './place.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function open(extra: object = {}): Place {
  const place = openPlace({ logging: { level: 'debug' }, ...extra });
  ends.push(() => place.close());
  return place;
}

async function stopped(dev: ReturnType<Place['start']>): Promise<void> {
  dev.kill('SIGINT');
  expect((await dev.ended).status).toBe(0);
}

const once = { retry_config: { max_attempts: 1 } };

describe('gleitzeit dev --faults', () => {
  it('says so, and makes them on the way to programs', async () => {
    const place = open();
    place.write('one.gleitzeit.yaml', chain('one', [['a']], once));
    const dev = place.start('dev', '--faults', 'latency=20ms,wrong_answers=100%:server_error,seed=7');
    await dev.said(/Faults are made on the way to every provider: latency=20ms,wrong_answers.*\n +seed=7 /);
    await dev.said(/"one" is version 1/);
    const ran = await place.run('run', 'one');
    expect([ran.status, ran.stderr]).toEqual([
      10,
      expect.stringContaining('an error in the place of the answer'),
    ]);
    expect(place.calls()).toMatchObject([{ step: 'a' }]);
    await dev.said(/debug a fault was made .*20 ms late, wrong answer: server_error/i);
    await stopped(dev);
  });

  it('makes them on the way to services, which are called by their own names', async () => {
    const hosts: unknown[] = [];
    const agent = await startAgent(async ({ headers, params }) => {
      hosts.push(headers.host);
      return { result: params };
    });
    ends.push(() => agent.close());
    const place = open({ protocols: echoProtocols({ 'echo-1': { url: agent.url } }) });
    const task = { id: 'a', protocol: 'echo/v1', method: 'say', params: { text: 'hello' } };
    place.write('one.gleitzeit.yaml', { name: 'one', tasks: [task] });
    place.write('two.gleitzeit.yaml', { name: 'two', tasks: [{ ...task, ...once }] });
    const late = place.start('dev', '--faults', 'latency=20ms');
    await late.said(/"one" is version 1/);
    const ran = await place.run('run', 'one', '-o', 'json');
    expect(JSON.parse(ran.stdout)).toMatchObject({ results: { a: { text: 'hello' } } });
    await late.said(/debug a fault was made .*20 ms late/i);
    await stopped(late);
    const reset = place.start('dev', '--faults', 'reset=100%');
    await reset.said(/"two" is version 1/);
    const broken = await place.run('run', 'two');
    expect([broken.status, broken.stderr]).toEqual([
      10,
      expect.stringContaining('closed the connection before it answered'),
    ]);
    await stopped(reset);
    expect(new Set(hosts)).toEqual(new Set([new URL(agent.url).host]));
  });

  it('makes them on the way to programs for single calls, and names whom it leaves alone', async () => {
    const command = [process.execPath, '-e', 'console.log("{}")'];
    const tool = { id: 'tool', type: 'process', config: { command } };
    const runtime = { runtime_arn: 'arn:aws:bedrock-agentcore:x', region: 'eu-west-1' };
    const core = { id: 'core', type: 'execution-zone', config: runtime };
    const protocolOf = (name: string, provider: object) => ({
      ...{ name, methods: { say: {} }, providers: [provider] },
    });
    const place = open({ protocols: [protocolOf('tool/v1', tool), protocolOf('core/v1', core)] });
    const task = { id: 'a', protocol: 'tool/v1', method: 'say', ...once };
    place.write('one.gleitzeit.yaml', { name: 'one', tasks: [task] });
    const dev = place.start('dev', '--faults', 'reset=100%,seed=7');
    await dev.said(
      /every provider that is not left alone: reset.*\n.*\n +left alone: core, since .*AgentCore/,
    );
    await dev.said(/"one" is version 1/);
    const ran = await place.run('run', 'one');
    expect([ran.status, ran.stderr]).toEqual([10, expect.stringContaining('node ended by SIGKILL')]);
    await stopped(dev);
  });

  it('refuses what it does not know, before anything is started', async () => {
    const { status, stderr } = await open().run('dev', '--faults', 'cut=5%,latncy=1s');
    expect(status).toBe(2);
    expect(stderr).toContain('there is no fault "latncy"');
    expect(stderr).toContain('known words: latency, jitter, cut,');
  });
});
