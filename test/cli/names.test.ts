import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { play } from '../../src/cli/play.suite.ts';
import type { CommandSpec } from '../../src/cli/spec.ts';
import { specs } from '../../src/cli/specs.ts';
import { freePort } from '../services/free-port.ts';
import { type CliHouse, misfits, openCliHouse } from './house.ts';

let house: CliHouse;
beforeAll(async () => {
  house = await openCliHouse();
  const say = { protocol: 'echo/v1', method: 'say', params: { text: 'a' } };
  const tasks = [
    { id: 'sum', ...say },
    { id: 'send', ...say },
    { id: 'read', ...say },
  ];
  house.scene.write('report.yaml', { name: 'report', tasks });
});
afterAll(() => house.close());

const asked = (...argv: string[]) =>
  play(argv, { cwd: house.scene.folder, env: { GLEITZEIT_SERVER_URL: house.server.url } });

describe('a workflow that nobody knows', () => {
  it.each(['run', 'submit'])('may have been meant for a file: %s', async (command) => {
    const { status, err } = await asked(command, 'nothing');
    expect(status).toBe(6);
    expect(err).toContain('no workflow "nothing" is defined');
    expect(err).toContain('there is no file nothing here either');
    expect(err).toContain('a path or a name with .yaml is a file');
    const near = await asked(command, 'reprt');
    expect([near.status, near.err]).toEqual([
      6,
      expect.stringContaining('did you mean the file report.yaml?'),
    ]);
  });
});

/** What each command needs beside its name, to come as far as the configuration. */
const needed: Readonly<Record<string, readonly string[]>> = {
  run: ['report.yaml'],
  submit: ['report.yaml'],
  validate: ['report.yaml'],
  plan: ['report.yaml'],
  'protocol register': ['report.yaml'],
  'protocol get': ['echo/v1'],
  'agent check': ['--all'],
  'db backup': ['copy.db'],
  'token revoke': ['ci'],
  'zone execute': ['--stdio'],
  api: ['system.info'],
};
/** They read none, or start one of their own; doctor tells of it as a finding. */
const without = [
  'init',
  'doctor',
  'graph',
  'schema',
  'completion',
  'token create',
  'protocol import',
  'start',
  'demo',
];
/** A league is told everything on its command line; only a player that asks a model reads one. */
const ofLeague = (name: string) => name.startsWith('league ');
const reading = specs.filter(({ name, hidden }) => !hidden && !without.includes(name) && !ofLeague(name));

describe('a configuration', () => {
  const called = ({ name, arguments: named = [] }: CommandSpec, file: string) => {
    const rest = needed[name] ?? named.flatMap(({ required }) => (required === false ? [] : ['01234567']));
    return play([...name.split(' '), ...rest, '-c', file, '-o', 'json'], { cwd: house.scene.folder });
  };

  it.each(reading.map((spec) => [spec.name, spec] as const))(
    'that is not there ends %s with 6',
    async (_, spec) => {
      const { status, out, err } = await called(spec, 'nowhere.yaml');
      expect({ status, out }).toEqual({ status: 6, out: '' });
      const { code, message, reason } = JSON.parse(err).error;
      expect([code, `${message} ${reason}`]).toEqual(['GLZ1010', expect.stringContaining('nowhere.yaml')]);
      expect(`${message} ${reason}`).toContain('there is no such file');
    },
  );

  it.each(reading.filter(({ name }) => name !== 'plan').map((spec) => [spec.name, spec] as const))(
    'with a mistake ends %s with 7',
    async (_, spec) => {
      house.scene.write('wrong.yaml', 'protocols:\n  - {name: echo/v1, methods: {say: {parms: {}}}}\n');
      expect((await called(spec, 'wrong.yaml')).status).toBe(7);
    },
  );
});

describe('completion', () => {
  it('knows the tasks of the run that is named', async () => {
    const { out } = await asked('submit', 'report.yaml', '-o', 'name');
    const completed = async (...words: string[]) => (await asked('__complete', '--', ...words)).out;
    const tasks = await completed('retry', out.trim(), '--from', 's');
    expect(
      tasks
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t')[0])
        .sort(),
    ).toEqual(['send', 'sum']);
    expect(await completed('retry', out.trim(), '--from=r')).toMatch(/^--from=read\techo\/v1, \w+\n$/);
    expect(await completed('retry', 'unknown', '--from', '')).toBe('');
  });
});

describe('doctor', () => {
  const look = async (url: string, env: Record<string, string> = {}) => {
    const argv = ['doctor', 'server', '--server', url, '-o', 'json'];
    const { status, out } = await play(argv, { cwd: house.scene.folder, env });
    expect(misfits('doctor', JSON.parse(out))).toEqual([]);
    return { status, findings: JSON.parse(out).findings };
  };

  it('asks the server that is named', async () => {
    const { status, findings } = await look(house.server.url);
    expect(status).toBe(0);
    expect(findings).toEqual([
      {
        check: 'server',
        status: 'ok',
        message: expect.stringContaining(`${house.server.url} answers`),
        hint: null,
      },
    ]);
    const all = await play(['doctor', 'node', 'server'], { cwd: house.scene.folder });
    expect([all.status, all.out]).toEqual([0, expect.stringContaining('none is named')]);
  });

  it('looks for the broker by what servers and bridges read', async () => {
    const argv = ['doctor', 'broker', '-o', 'json'];
    const env = { KAFKA_BROKERS: '127.0.0.1:9', TASKS_TOPIC: 'no topic' };
    const { status, out } = await play(argv, { cwd: house.scene.folder, env });
    expect(status).toBe(1);
    expect(JSON.parse(out).findings).toMatchObject([
      { status: 'problem', message: expect.stringContaining('TASKS_TOPIC') },
    ]);
    const none = await play(argv, { cwd: house.scene.folder });
    expect([none.status, none.out]).toEqual([0, expect.stringContaining('none: engines make all calls')]);
  });

  it('says that it is away, or that the address is none', async () => {
    const away = `http://127.0.0.1:${await freePort()}`;
    const { status, findings } = await look(away);
    expect(status).toBe(1);
    expect(findings[0]).toMatchObject({ check: 'server', status: 'problem' });
    expect(findings[0].message).toContain(`no server can be reached at ${away}`);
    expect(findings[0].message).toContain('nothing listens there');
    expect(findings[0].hint).toContain('gleitzeit serve');
    expect(findings[0].hint).not.toContain('doctor');
    expect((await look('http://127.0.0.1:99999')).findings[0].message).toContain('no address');
  });
});
