import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RealBroker } from '../../src/bridge/suite/real.suite.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { normalised } from '../agents/exchange.ts';
import { mixedTexts, mixedWorkflow } from '../agents/mixed.ts';
import { type Language, languages, type SampleAgent, startAgent } from '../agents/start.ts';
import { call } from '../server/call.ts';
import type { Program } from '../server/program.ts';
import { openScene, type Scene, type Server } from '../server/scene.ts';
import { freshDatabase } from '../services/fresh-database.ts';
import { ownPlace } from './place.ts';

const LONG_MS = 240_000;
const WAIT_MS = 60_000;

const dialects = ['simple-a2a', 'jsonrpc-2.0'] as const;
type Dialect = (typeof dialects)[number];

/** Who speaks what: each of them speaks both, in one of these or the other. */
const mixtures: readonly Readonly<Record<Language, Dialect>>[] = [
  { python: 'simple-a2a', node: 'jsonrpc-2.0', go: 'simple-a2a' },
  { python: 'jsonrpc-2.0', node: 'simple-a2a', go: 'jsonrpc-2.0' },
];
/** Rounds are made until everybody has had a share; how soon that is depends on who is ready first. */
const MOST_ROUNDS = 20;
const RUNS_A_ROUND = 4;
const PUBLISHED = 'a call was published';
const RECORDED = 'a result came back';

const samples = new Map<Language, SampleAgent>();
const ends: (() => Promise<void>)[] = [];
let scene: Scene;
let agents: readonly object[];
let local: readonly Results[];

type Results = Readonly<Record<string, string>>;

beforeAll(async () => {
  for (const language of languages) samples.set(language, await startAgent(language));
  agents = languages.flatMap((language) =>
    dialects.map((protocol) => ({
      ...{ name: `${language} ${protocol}`, url: samples.get(language)?.url ?? '', protocol },
    })),
  );
  scene = openScene();
  const server = await scene.serve({ server: { port: 0 }, agents }, { file: 'local.yaml' });
  local = await Promise.all(
    mixtures.map(async (mixture) => resultsOf(server.url, await submit(server.url, mixture))),
  );
  server.signal('SIGTERM');
  await server.ended;
}, LONG_MS);

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

afterAll(async () => {
  await scene.close();
  for (const sample of samples.values()) await sample.stop();
});

type Submitted = { readonly workflow_id: string; readonly tasks: Readonly<Record<string, string>> };

function submit(url: string, mixture: Readonly<Record<Language, Dialect>>): Promise<Submitted> {
  const workflow = mixedWorkflow('one two three', (language) => `${language} ${mixture[language]}`);
  return call<Submitted>(url, 'workflow.submit', { workflow });
}

/** What each step gave, whole, apart from ids and times. */
async function resultsOf(url: string, { workflow_id }: Submitted): Promise<Results> {
  const { status, results } = await call<{ status: string; results: JsonObject }>(url, 'workflow.results', {
    ...{ workflow_id, wait: WAIT_MS },
  });
  expect(status).toBe('completed');
  return Object.fromEntries(
    Object.entries(results).map(([id, result]) => [id, normalised(JSON.stringify(result))]),
  );
}

const said = (programs: readonly Program[], message: string) =>
  programs.every(({ log }) => log.some((entry) => entry['message'] === message));

async function start(kind: RealBroker): Promise<{ engines: readonly Server[]; bridges: readonly Program[] }> {
  const { dispatch } = await ownPlace(kind);
  const database = await freshDatabase(inject('postgresUrl'));
  ends.push(() => database.drop());
  const env = {
    GLEITZEIT_STORE_URL: database.url,
    GLEITZEIT_SECRET_KEY: randomBytes(32).toString('base64'),
  };
  const config = { server: { port: 0 }, logging: { level: 'debug' }, dispatch, agents };
  const serve = (file: string) => scene.serve(config, { env, file });
  const engines = await Promise.all([serve(`${kind}-1.yaml`), serve(`${kind}-2.yaml`)]);
  const args = ['bridge', '--config', `${scene.folder}/${kind}-1.yaml`];
  const bridges = [scene.start(args, env), scene.start(args, env)];
  ends.push(async () => {
    for (const program of [...bridges, ...engines]) program.signal('SIGTERM');
    for (const { ended } of [...bridges, ...engines]) expect(await ended).toEqual({ code: 0, signal: null });
  });
  await Promise.all(bridges.map((bridge) => bridge.logged({ message: 'taking tasks' })));
  return { engines, bridges };
}

describe.each<RealBroker>(['kafka', 'redis', 'rabbitmq'])('two engines and two bridges over %s', (kind) => {
  it('give what one engine gives that makes its calls itself, and all of them take part', {
    timeout: LONG_MS,
  }, async () => {
    const { engines, bridges } = await start(kind);
    const [one, other] = engines;
    if (one === undefined || other === undefined) throw new Error('two engines');
    const submitted: Submitted[] = [];
    const run = async (index: number) => {
      const mixture = index % 2;
      const [asked, answers] = index < RUNS_A_ROUND / 2 ? [one, other] : [other, one];
      const accepted = await submit(asked.url, mixtures[mixture] ?? fail());
      expect(await resultsOf(answers.url, accepted)).toEqual(local[mixture]);
      submitted.push(accepted);
    };
    const all = () => said(bridges, 'answered') && said(engines, PUBLISHED) && said(engines, RECORDED);
    for (let rounds = 0; rounds < MOST_ROUNDS && !all(); rounds++)
      await Promise.all(Array.from({ length: RUNS_A_ROUND }, (_, index) => run(index)));
    expect(all()).toBe(true);
    const tasks = submitted.flatMap((accepted) => Object.values(accepted.tasks));
    expect(published(engines)).toEqual(new Set(tasks));
  });
});

it('the local run says what it is to say', () => {
  for (const results of local)
    for (const [id, text] of Object.entries(mixedTexts))
      expect(JSON.parse(results[id] ?? 'null')).toMatchObject({ text });
});

/** The tasks whose calls left through the broker. */
function published(engines: readonly Program[]): Set<unknown> {
  const lines = engines.flatMap(({ log }) => log.filter((entry) => entry['message'] === PUBLISHED));
  return new Set(lines.map((line) => line['task_id']));
}

function fail(): never {
  throw new Error('there are two mixtures');
}
