import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { play } from '../../src/cli/play.suite.ts';
import { specs } from '../../src/cli/specs.ts';
import { type CliHouse, misfits, openCliHouse } from './house.ts';

let house: CliHouse;
beforeAll(async () => {
  house = await openCliHouse();
});
afterAll(() => house.close());

/** The program against the server, and what it printed; held against the schema its spec names. */
async function json(argv: readonly string[], expected = 0) {
  const { status, out, err } = await play([...argv, '-o', 'json', '--server', house.server.url], {
    cwd: house.scene.folder,
  });
  expect({ argv, status, err: status === expected ? '' : err }).toEqual({ argv, status: expected, err: '' });
  const spec =
    specs.find(({ name }) => name === argv.slice(0, 2).join(' ')) ??
    specs.find(({ name }) => name === argv[0]);
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const line of lines)
    expect({ argv, misfits: misfits(spec?.output ?? '', line) }).toEqual({ argv, misfits: [] });
  return lines[0];
}

const people = (...argv: string[]) =>
  play([...argv, '--server', house.server.url], { cwd: house.scene.folder });

const workflow = {
  name: 'two',
  tasks: [
    { id: 'first', protocol: 'echo/v1', method: 'say', params: { text: '${workflow.input.text}' } },
    { id: 'second', protocol: 'echo/v1', method: 'say', params: { text: '${first.result.text}' } },
  ],
};

async function submitTask(text: string): Promise<string> {
  const params = JSON.stringify({ text });
  const { task_id } = await json(['submit', '--protocol', 'echo/v1', '--method', 'say', '--params', params]);
  return task_id;
}

describe('a task', () => {
  it('is submitted, looked at and waited for by its id alone', async () => {
    const id = await submitTask('hello');
    expect(await json(['result', id, '--wait'])).toMatchObject({
      status: 'completed',
      result: { text: 'hello' },
    });
    expect(await json(['status', id])).toMatchObject({ task_id: id, status: 'completed', attempt_count: 1 });
    expect((await people('status', id)).out).toMatch(/^Task: +[\da-f-]{36}\nName: +say/);
    expect((await people('result', id)).out).toBe('{\n  "text": "hello"\n}\n');
  });

  it('that failed ends its waiting with 10, is retried, and told of by error', async () => {
    const id = await submitTask('fail');
    const told = await json(['result', id, '--wait'], 10);
    expect(told).toMatchObject({ status: 'failed', error: { message: 'told to fail' } });
    expect(await json(['retry', id])).toMatchObject({ task_id: id });
    await json(['result', id, '--wait'], 10);
    expect(await json(['cancel', id])).toMatchObject({ cancelled: false, status: 'failed' });
  });

  it('cannot be paused', async () => {
    const id = await submitTask('x');
    const { status, err } = await people('pause', id);
    expect(status).toBe(8);
    expect(err).toContain('gleitzeit queue pause');
  });

  it('sent twice with a key is the same', async () => {
    const argv = [
      'submit',
      '--protocol',
      'echo/v1',
      '--method',
      'say',
      '--params',
      'text: once',
      '--key',
      'k-1',
    ];
    expect((await json(argv)).task_id).toBe((await json(argv)).task_id);
    const other = argv.map((word) => (word === 'text: once' ? 'text: twice' : word));
    expect((await people(...other)).status).toBe(8);
  });
});

describe('a run', () => {
  it.each(['run', 'submit'])(
    '%s hears of all that is wrong with a file at once, with its places',
    async (command) => {
      const [first, second] = workflow.tasks;
      const tasks = [
        { ...first, protocol: 'promising/v1', params: {} },
        { ...first, id: 'other', params: { txt: 'a' } },
        { ...second, params: { text: '${first.result.txt}' } },
      ];
      const promising = {
        name: 'promising/v1',
        methods: { say: { params: {}, returns: { text: { type: 'string' } } } },
      };
      await people('protocol', 'register', house.scene.write('promising.json', JSON.stringify(promising)));
      const file = house.scene.write('wrong.json', JSON.stringify({ name: 'wrong', tasks }, null, 2));
      const { status, err } = await people(command, file);
      expect(status).toBe(7);
      expect(err).toMatch(/wrong\.json:\d+:\d+ .*tasks\[1\]\.params\.txt: unknown key "txt"/);
      expect(err).toMatch(
        /wrong\.json:\d+:\d+ .*tasks\[2\]\.params\.text: there is no "txt" in \$\{first\.result\}/,
      );
    },
  );

  it('is submitted from a file, listed, paused, resumed, retried and cancelled', async () => {
    const file = house.scene.write('two.yaml', workflow);
    const { workflow_id, tasks } = await json(['submit', file, '--input', 'text=hi']);
    expect(await json(['result', workflow_id, '--wait'])).toMatchObject({
      status: 'completed',
      results: { first: { text: 'hi' }, second: { text: 'hi' } },
    });
    expect(await json(['result', workflow_id, '--task', 'second'])).toMatchObject({
      results: { second: { text: 'hi' } },
    });
    const nope = await people('result', workflow_id, '--task', 'first', '--task', 'secnd', '--wait');
    expect(nope).toMatchObject({ status: 6, out: '' });
    expect(nope.err).toContain(`there is no task "secnd" in run ${workflow_id}`);
    expect(nope.err).toContain('did you mean "second"?');
    expect(await json(['status', workflow_id])).toMatchObject({ name: 'two', open: 0, total: 2 });
    expect(await json(['status', tasks.first])).toMatchObject({ id: 'first', workflow_id });
    expect((await json(['list', '--name', 'two', '--since', '1h'])).items[0]).toMatchObject({ workflow_id });
    expect((await json(['list', '--tasks', '--run', workflow_id])).items).toHaveLength(2);
    const again = await json(['retry', workflow_id, '--from', 'second']);
    expect(again).toMatchObject({ retry_of: workflow_id });
    await json(['result', again.workflow_id, '--wait']);
    expect((await people('pause', workflow_id)).status).toBe(8);
  });

  it('can be held and let go', async () => {
    await json(['queue', 'pause', 'echo/v1']);
    const file = house.scene.write('two.yaml', workflow);
    const { workflow_id } = await json(['submit', file, '--input', 'text=held']);
    expect(await json(['pause', workflow_id])).toMatchObject({ status: 'paused' });
    expect((await json(['queue', 'list'])).items.length).toBeGreaterThan(0);
    expect(await json(['queue', 'stats'])).toMatchObject({ paused: { protocols: ['echo/v1'] } });
    expect(await json(['resume', workflow_id])).toMatchObject({ status: 'running' });
    expect(await json(['cancel', workflow_id, '--reason', 'enough'])).toMatchObject({
      status: 'cancelled',
      cancelled: 2,
    });
    await json(['result', workflow_id, '--wait'], 11);
    expect(await json(['queue', 'resume', 'echo/v1'])).toMatchObject({ paused: false });
  });

  it('tells its story', async () => {
    const file = house.scene.write('two.yaml', workflow);
    const { workflow_id } = await json(['submit', file, '--input', 'text=story']);
    await json(['result', workflow_id, '--wait']);
    const { out } = await people('events', workflow_id, '-o', 'jsonl');
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({ event: 'workflow:started', seq: 1 });
    expect(events.at(-1)).toMatchObject({ event: 'workflow:completed' });
    for (const event of events) expect(misfits('event', event)).toEqual([]);
    const { out: two } = await people(
      'events',
      workflow_id,
      '--type',
      'task:completed',
      '--limit',
      '2',
      '-o',
      'name',
    );
    expect(two.trimEnd().split('\n')).toHaveLength(2);
    const followed = await people('events', workflow_id, '-f', '--limit', '3');
    expect(followed.out.split('\n')[0]).toMatch(/workflow:started/);
  });
});

describe('what a server is made of', () => {
  it('is told', async () => {
    expect((await json(['protocol', 'list'])).items[0]).toMatchObject({
      name: 'echo/v1',
      providers: ['echo-1'],
    });
    expect(await json(['protocol', 'get', 'echo/v1'])).toMatchObject({ version: 'v1' });
    expect((await people('protocol', 'get', 'echo/v1')).out).toMatch(/say +text/);
    expect((await json(['provider', 'list'])).items[0]).toMatchObject({ id: 'echo-1', state: 'connected' });
    expect(await json(['provider', 'status', 'echo-1'])).toMatchObject({ protocol: 'echo/v1' });
    const file = house.scene.write('more.yaml', { name: 'more/v1', methods: { ask: {} } });
    expect(await json(['protocol', 'register', file])).toMatchObject({ name: 'more/v1', methods: ['ask'] });
    expect(await json(['api', 'system.info'])).toMatchObject({ name: 'gleitzeit', store: 'sqlite' });
    expect((await json(['api', 'task.list', '{"limit":1}'])).items).toHaveLength(1);
  });

  it('tells what calls came to, in all, in parts and over time', async () => {
    await json(['result', await submitTask('counted'), '--wait']);
    const told = await json(['protocol', 'stats', 'echo/v1']);
    expect(told).toMatchObject({ window: 'hour', step_seconds: 60, items: [{ protocol: 'echo/v1' }] });
    const [{ total, providers }] = told.items;
    expect([total.calls > 0, providers[0].provider]).toEqual([true, 'echo-1']);
    expect((await people('protocol', 'stats')).out).toMatch(
      /^PROTOCOL +CALLS +ERRORS +P50 .*\necho\/v1 +\d+ /,
    );
    expect((await people('protocol', 'stats', 'echo/v1')).out).toMatch(
      /\nPROVIDER .*\necho-1 [\s\S]*\nMETHOD .*\nsay /,
    );
    expect((await people('protocol', 'stats', '--over-time')).out).toMatch(/\necho\/v1 +\d\d:\d\d +\d+ /);
    expect((await people('protocol', 'stats', '--window', 'day', '--over-time')).out).toMatch(
      / \d{4}-\d\d-\d\d \d\d +\d/,
    );
    expect((await people('protocol', 'stats', '-o', 'name')).out).toBe('echo/v1\n');
    const missing = await people('protocol', 'stats', 'ehco/v1');
    expect([missing.status, missing.err.includes('echo/v1')]).toEqual([6, true]);
  });

  it('is configured, and every value says by what', async () => {
    const { items } = await json(['config', 'show']);
    const named = new Map(items.map((item: { path: string }) => [item.path, item]));
    expect(named.get('server.port')).toMatchObject({
      value: 0,
      source: expect.stringMatching(/^gleitzeit\.yaml:\d+$/),
    });
    expect(named.get('client.server')).toMatchObject({ source: 'flag --server' });
    expect(named.get('store.type')).toMatchObject({ value: 'sqlite' });
    expect(await json(['completion', 'bash'])).toMatchObject({ shell: 'bash' });
  });
});

describe('a provider that is tested', () => {
  it('ends with 1 where it is not well, and tells what it was asked', async () => {
    const well = await json(['provider', 'test', 'echo-1']);
    expect(well).toMatchObject({ well: true, asked: 'rpc.discover', error: null });
    expect((await people('provider', 'test', 'echo-1')).out).toMatch(
      /Answers: +yes\nAsked: +rpc\.discover, /,
    );
    await json(['agent', 'add', 'Gone', '--url', 'http://127.0.0.1:9/']);
    const gone = await json(['provider', 'test', 'agent:Gone'], 1);
    expect(gone).toMatchObject({ well: false, asked: 'GET /', error: { error_code: 'GLZ2002' } });
    const { status, out } = await people('provider', 'test', 'agent:Gone');
    expect([status, out]).toEqual([1, expect.stringMatching(/Answers: +no\nAsked: +GET \/, .*\nError: /)]);
    await json(['agent', 'remove', 'Gone']);
  });
});

describe('an id that is not there', () => {
  it('ends with 6 and says what to do', async () => {
    const { status, err } = await people('status', '0197c2a4-7c1e-7d3a-9a51-2f6b8f0e4c11');
    expect(status).toBe(6);
    expect(err).toContain('gleitzeit list');
    expect((await people('provider', 'status', 'nobody')).status).toBe(6);
  });

  it('may be the beginning of one', async () => {
    const id = await submitTask('short');
    expect((await people('status', id.slice(0, 30), '-o', 'name')).out).toBe(`${id}\n`);
  });
});

describe('a mistake in what is sent', () => {
  it('is a finding, in words and as JSON', async () => {
    const argv = ['submit', '--protocol', 'echo/v1', '--method', 'sy', '--params', '{}'];
    const { status, err } = await people(...argv);
    expect(status).toBe(7);
    expect(err).toContain('did you mean "say"');
    const told = await people(...argv, '-o', 'json');
    expect(JSON.parse(told.err).error).toMatchObject({ code: 'GLZ1004' });
    expect(misfits('error', JSON.parse(told.err))).toEqual([]);
    expect((await people('api', 'task.lst')).status).toBe(2);
  });
});
