import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { play } from '../../src/cli/play.suite.ts';
import { specs } from '../../src/cli/specs.ts';
import { type SampleAgent, startAgent } from '../agents/start.ts';
import { ADMIN, openSmallLeague, type SmallLeague } from '../league/small.ts';
import type { Agent } from '../server/agent.ts';
import { sharedService } from '../services/shared.ts';
import { startAskingAgent } from './asking-agent.ts';
import { type CliHouse, misfits, openCliHouse } from './house.ts';

let house: CliHouse;
let sample: SampleAgent;
let painter: Agent;
let task_id = '';
let workflow_id = '';

const task = ['submit', '--protocol', 'echo/v1', '--method', 'say', '--params', 'text: hello'];
const workflow = {
  name: 'one',
  tasks: [{ id: 'only', protocol: 'echo/v1', method: 'say', params: { text: 'hello' } }],
};

beforeAll(async () => {
  sample = await startAgent('node');
  house = await openCliHouse({ keys: [] });
  painter = await startAskingAgent();
  house.scene.write('one.yaml', workflow);
  house.scene.write('openrpc.json', { openrpc: '1.3.2', info: { title: 'x', version: '1' }, methods: [] });
  house.scene.write('more.yaml', { name: 'more/v1', methods: { ask: {} } });
  task_id = (await asked([...task, '-o', 'name'])).out.trim();
  workflow_id = (await asked(['submit', 'one.yaml', '-o', 'name'])).out.trim();
  await asked(['result', task_id, '--wait']);
  await asked(['result', workflow_id, '--wait']);
});
afterAll(async () => {
  await (await league)?.close();
  await house.close();
  await sample.stop();
  await painter.close();
});

const asked = (argv: readonly string[]) => {
  const { folder } = house.scene;
  return play(argv, { cwd: folder, env: { GLEITZEIT_SERVER_URL: house.server.url, HOME: folder } });
};

const tiny = ['--players', '2', '--referees', '1', '--game', 'even_odd'];
let league: Promise<SmallLeague> | null = null;
const small = () => {
  house.scene.write('admin', ADMIN);
  league ??= openSmallLeague(2);
  return league;
};

/** The key that a revoke takes out stands in a configuration of its own: the server's has none. */
async function withKey(): Promise<string> {
  const { entry } = JSON.parse(
    (await play(['token', 'create', '--role', 'viewer', '--name', 'ci', '-o', 'json'])).out,
  );
  return house.scene.write('keys.yaml', { server: { keys: [entry] } });
}

async function withBroker(): Promise<string> {
  const url = await sharedService('redis');
  return house.scene.write('broker.yaml', { dispatch: { type: 'redis', url } });
}

/** A task of an agent that asks before it does anything. */
async function askingTask(): Promise<string> {
  await asked(['agent', 'add', 'Painter', '--url', painter.url, '--protocol', 'jsonrpc-2.0']);
  house.scene.write('ask.yaml', { name: 'ask', tasks: [{ id: 'bee', agent: 'Painter', input: 'a bee' }] });
  const id = (await asked(['submit', 'ask.yaml', '-o', 'name'])).out.trim();
  await asked(['watch', id]);
  return id;
}

/** Ways to call each command that prints data: every kind of answer it has. */
const calls: Readonly<Record<string, () => readonly (readonly string[])[] | Promise<readonly string[][]>>> = {
  run: () => [
    ['run', 'one.yaml'],
    ['run', 'one.yaml', '--async'],
  ],
  watch: () => [
    ['watch', workflow_id],
    ['watch', task_id],
  ],
  submit: () => [task, ['submit', 'one.yaml']],
  list: () => [['list'], ['list', '--tasks']],
  status: () => [
    ['status', workflow_id],
    ['status', task_id],
  ],
  result: () => [
    ['result', workflow_id],
    ['result', task_id],
  ],
  events: () => [['events'], ['events', task_id]],
  cancel: () => [
    ['cancel', workflow_id],
    ['cancel', task_id],
  ],
  pause: async () => [['pause', await heldRun()]],
  resume: async () => {
    const held = await heldRun();
    await asked(['pause', held]);
    return [['resume', held]];
  },
  retry: () => [['retry', workflow_id, '--from', 'only']],
  respond: async () => [['respond', await askingTask(), 'blue']],
  'queue list': () => [['queue', 'list']],
  'queue stats': () => [['queue', 'stats']],
  'queue pause': () => [['queue', 'pause', 'echo/v1']],
  'queue resume': () => [['queue', 'resume', 'echo/v1']],
  'protocol list': () => [['protocol', 'list']],
  'protocol get': () => [['protocol', 'get', 'echo/v1']],
  'protocol register': () => [['protocol', 'register', 'more.yaml']],
  'protocol import': () => [['protocol', 'import', 'openrpc.json']],
  'protocol docs': () => [
    ['protocol', 'docs'],
    ['protocol', 'docs', 'llm/v1'],
  ],
  'protocol stats': () => [
    ['protocol', 'stats'],
    ['protocol', 'stats', 'echo/v1', '--window', 'day'],
  ],
  'provider list': () => [['provider', 'list']],
  'provider status': () => [['provider', 'status', 'echo-1']],
  'provider drain': () => [['provider', 'drain', 'echo-1']],
  'provider resume': () => [['provider', 'resume', 'echo-1']],
  'provider test': () => [['provider', 'test', 'echo-1', '--method', 'echo']],
  'agent add': () => [
    ['agent', 'add', 'Writer', '--url', house.server.url, '--auth', 'type: bearer\ntoken: t1'],
  ],
  'agent list': () => [['agent', 'list']],
  'agent show': () => [['agent', 'show', 'Writer']],
  'agent update': () => [['agent', 'update', 'Writer', '--description', 'writes']],
  'agent ping': () => [['agent', 'ping', 'Writer']],
  'agent discover': () => [['agent', 'discover', house.server.url]],
  'agent remove': () => [['agent', 'remove', 'Writer']],
  'agent check': () => [['agent', 'check', sample.url]],
  validate: () => [['validate', 'one.yaml']],
  plan: () => [['plan', 'one.yaml']],
  graph: () => [
    ['graph', 'one.yaml'],
    ['graph', workflow_id],
  ],
  schema: () => [
    ['schema', 'workflow'],
    ['schema', 'output', 'list'],
  ],
  api: () => [['api', 'system.info']],
  'config show': () => [['config', 'show']],
  completion: () => [['completion', 'zsh']],
  doctor: () => [['doctor']],
  init: () => [['init', 'made']],
  'broker status': async () => [['broker', 'status', '--config', await withBroker()]],
  'db status': () => [['db', 'status']],
  'db migrate': () => [['db', 'migrate', '--dry-run', '--config', 'elsewhere.yaml']],
  'db backup': () => [['db', 'backup', 'copy.db']],
  demo: () => [['demo']],
  'league run': () => [['league', 'run', ...tiny, '--folder', 'league-to-run']],
  'league start': async () => [
    ['league', 'start', '--manager', (await small()).url, '--admin-token-file', 'admin'],
  ],
  'league standings': async () => [['league', 'standings', '--manager', (await small()).url]],
  'league audit': async () => [['league', 'audit', (await small()).audit]],
  'league replay': async () => [['league', 'replay', (await small()).audit]],
  'token create': () => [['token', 'create', '--role', 'viewer']],
  'token list': async () => [['token', 'list', '--config', await withKey()]],
  'token revoke': async () => [['token', 'revoke', 'ci', '--force', '--config', await withKey()]],
};

/** A run of which nothing starts. */
async function heldRun(): Promise<string> {
  await asked(['queue', 'pause']);
  const { out } = await asked(['submit', 'one.yaml', '-o', 'name']);
  return out.trim();
}

describe('-o json', () => {
  it('is tried with every command that prints data', () => {
    const printing = specs.filter(({ output, hidden }) => output !== null && !hidden).map(({ name }) => name);
    expect(Object.keys(calls).sort()).toEqual(printing.sort());
  });

  it.each(Object.keys(calls))('of %s is what its published schema says', async (name) => {
    house.scene.write('elsewhere.yaml', { store: { type: 'sqlite', path: 'elsewhere.db' } });
    const output = specs.find((spec) => spec.name === name)?.output ?? '';
    for (const argv of (await calls[name]?.()) ?? []) {
      const { status, out, err } = await asked([...argv, '-o', 'json']);
      expect({ argv, status, err: status === 0 ? '' : err }).toEqual({ argv, status: 0, err: '' });
      const lines = out.trimEnd().split('\n');
      for (const line of lines)
        expect({ argv, misfits: misfits(output, JSON.parse(line)) }).toEqual({ argv, misfits: [] });
      if (name === 'resume') await asked(['queue', 'resume']);
    }
  });
});
