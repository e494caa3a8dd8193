import { describe, expect, it } from 'vitest';
import { GleitzeitError } from '../core/errors.ts';
import { play, sampleSpec } from './play.suite.ts';
import type { CommandSpec, Invocation } from './spec.ts';

const emitting = (data: unknown): CommandSpec =>
  sampleSpec({
    load:
      async () =>
      async ({ io }: Invocation) => {
        io.say('a word besides');
        await io.emit(data, {
          table: ({ colour }) => (colour ? 'in colour\n' : 'for people\n'),
          names: ['a', 'b'],
        });
      },
  });
const data = { items: [{ id: 'a' }, { id: 'b' }], next_cursor: null };

describe('help and version', () => {
  it('tells of every command, with nothing on stderr', async () => {
    const { status, out, err } = await play(['--help']);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    for (const name of ['list', 'submit', 'queue', 'completion'])
      expect(out).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    expect(out).not.toContain('__complete');
    expect(await play(['--version'])).toEqual({ status: 0, out: '1.2.3\n', err: '' });
  });

  it('shows examples first', async () => {
    const { out } = await play(['list', '--help']);
    expect(out.indexOf('Examples:')).toBeLessThan(out.indexOf('Options:'));
    expect(out).toContain('$ gleitzeit list --status failed');
  });

  it('is no mistake to ask a group for', async () => {
    const { status, out } = await play(['queue']);
    expect(status).toBe(0);
    expect(out).toContain('pause [protocol]');
  });
});

describe('a wrong command line', () => {
  it.each([
    [['lst'], "unknown command 'lst'", 'Did you mean list?'],
    [['queue', 'paus'], "unknown command 'paus'", 'Did you mean pause?'],
    [['list', '--statsu', 'failed'], "unknown option '--statsu'", 'Did you mean --status?'],
    [['status'], "missing required argument 'id'", 'gleitzeit status --help'],
    [['status', 'a', 'b'], 'too many arguments', 'gleitzeit status --help'],
    [['token', 'create'], "required option '--role <role>'", 'gleitzeit token create --help'],
    [['list', '-o', 'jsno'], '--output does not take "jsno"', 'did you mean "json"?'],
    [['list', '--color', 'red'], "'--color <when>'", 'auto, always, never'],
    [['list', '--limit', 'ten'], '--limit does not take "ten"', 'whole number'],
    [['list', '--timeout', 'soon'], '--timeout does not take "soon"', '30s'],
    [
      ['schema', 'workflw'],
      "gleitzeit: 'workflw' is invalid for argument 'what'",
      'choices are workflow, config',
    ],
    [['run', '-', '--input-file', '-'], 'standard input is named twice', 'write one of them to a file'],
    [['api', 'system.info', 'null'], 'params must be an object, found nothing', "'{workflow_id: "],
    [['api', 'system.info', '5'], 'params must be an object, found 5', "'{workflow_id: "],
    [
      ['api', 'event.subscribe', '[1]', '--stream'],
      'params must be an object, found a list',
      "'{workflow_id: ",
    ],
    [['validate', '-', '-'], 'standard input is named twice', 'write one of them to a file'],
  ])('%j ends with 2 and says what was meant', async (argv, what, hint) => {
    const { status, out, err } = await play(argv);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain(what);
    expect(err).toContain(hint);
  });

  it('is told in JSON to whoever asked for it, wherever -o stands', async () => {
    for (const argv of [
      ['lst', '-o', 'json'],
      ['-ojson', 'lst'],
      ['--output=jsonl', 'lst'],
    ]) {
      const { status, err } = await play(argv);
      expect(status).toBe(2);
      expect(JSON.parse(err).error).toMatchObject({ code: 'GLZ1012', message: "unknown command 'lst'" });
    }
  });
});

describe('what a command prints', () => {
  it.each([
    ['table', 'for people\n'],
    ['json', '{"items":[{"id":"a"},{"id":"b"}],"next_cursor":null}\n'],
    ['jsonl', '{"id":"a"}\n{"id":"b"}\n'],
    ['yaml', 'items:\n  - id: a\n  - id: b\nnext_cursor: null\n'],
    ['name', 'a\nb\n'],
    ['none', ''],
  ])('-o %s', async (format, expected) => {
    const specs = [emitting(data)];
    const piped = await play(['sample', '-o', format], { specs });
    expect(piped).toEqual({ status: 0, out: expected, err: 'a word besides\n' });
    const seen = await play(['sample', '-o', format, '--color', 'never'], { specs, columns: 40 });
    expect(seen.out).toBe(expected);
  });

  it('is in colour only where somebody looks, or asked for it', async () => {
    const specs = [emitting(data)];
    const colours = async (argv: string[], options: object) =>
      (await play(['sample', ...argv], { specs, ...options })).out;
    expect(await colours([], { columns: 80 })).toBe('in colour\n');
    expect(await colours([], { columns: 80, env: { NO_COLOR: '1' } })).toBe('for people\n');
    expect(await colours(['--color', 'always'], {})).toBe('in colour\n');
    expect(await colours([], { env: { FORCE_COLOR: '1' } })).toBe('in colour\n');
  });

  it('takes options before the command, and variables where there is no flag', async () => {
    const specs = [
      sampleSpec({
        options: [
          { flags: '--input <pair>', description: 'x', repeat: true },
          { flags: '--level <level>', description: 'x', default: 'low', env: 'LEVEL' },
        ],
        load:
          async () =>
          async ({ flags, io }: Invocation) => {
            const told = {
              input: flags.list('input'),
              level: flags.text('level'),
              server: flags.text('server'),
            };
            await io.emit({ ...told, asks: !flags.is('no-input') }, { table: () => '', names: [] });
          },
      }),
    ];
    const env = { GLEITZEIT_SERVER_URL: 'http://a', LEVEL: 'high' };
    const first = await play(['-o', 'json', '--no-input', 'sample', '--input', 'a=1', '--input', 'b=2'], {
      specs,
      env,
    });
    expect(JSON.parse(first.out)).toEqual({
      input: ['a=1', 'b=2'],
      level: 'high',
      server: 'http://a',
      asks: false,
    });
    const second = await play(['sample', '-o', 'json', '--server', 'http://b', '--level', 'x'], {
      specs,
      env,
    });
    expect(JSON.parse(second.out)).toEqual({ input: [], level: 'x', server: 'http://b', asks: true });
    const third = await play(['sample', '-o', 'json'], { specs });
    expect(JSON.parse(third.out)).toEqual({ input: [], level: 'low', asks: true });
  });
});

describe('a command that fails', () => {
  const failing = sampleSpec({
    load: async () => async () => {
      throw new GleitzeitError('GLZ1010', 'there is no run x', { hint: 'look' });
    },
  });

  it('says so on stderr and ends with the status of its code', async () => {
    expect(await play(['sample'], { specs: [failing] })).toEqual({
      status: 6,
      out: '',
      err: 'gleitzeit: there is no run x (GLZ1010)\n  look\n',
    });
    const json = await play(['sample', '-o', 'json'], { specs: [failing] });
    expect(json.err).toBe('{"error":{"code":"GLZ1010","message":"there is no run x","hint":"look"}}\n');
    expect((await play(['sample', '--debug'], { specs: [failing] })).err).toContain('at ');
  });

  it('ends as its command says', async () => {
    const specs = [sampleSpec({ load: async () => async () => 'run_failed' as const })];
    expect((await play(['sample'], { specs })).status).toBe(10);
  });
});
