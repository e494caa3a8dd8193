import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { ownPlace } from '../bridge/place.ts';
import { type Agent, startAgent } from '../server/agent.ts';
import { type FreshDatabase, freshDatabase } from '../services/fresh-database.ts';
import { Fleet } from './fleet.ts';
import { answerTo, Load, loadProtocol } from './load.ts';
import { nextVersion, present, previousVersion, whyNoPrevious } from './versions.ts';

const LONG_MS = 240_000;
/** Runs that finish between two restarts. */
const SOME = 12;

const noPrevious = await whyNoPrevious();
if (noPrevious !== null) console.warn(noPrevious);

let database: FreshDatabase;
let agent: Agent;
let trees: string;
let fleet: Fleet;

beforeEach(async () => {
  trees = mkdtempSync(join(tmpdir(), 'gleitzeit-versions-'));
  database = await freshDatabase(inject('postgresUrl'));
  agent = await startAgent(async ({ params }) => {
    // Long enough that something is always under way.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { result: answerTo(Number(params['n'])) };
  });
});

afterEach(async () => {
  await fleet.close();
  await agent.close();
  await database.drop();
  rmSync(trees, { recursive: true, force: true });
});

function configOf(more: object = {}): object {
  const provider = { id: 'load', type: 'jsonrpc-http', config: { url: agent.url } };
  return { server: { port: 0 }, protocols: [{ ...loadProtocol, providers: [provider] }], ...more };
}

async function rows(sql: string): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

const schema = async () => (await rows('SELECT max(version) FROM gleitzeit.schema_migration'))[0]?.[0];

/** Everything that was accepted ended once and as it was to, and there is nothing else. */
async function checkAll(load: Load): Promise<void> {
  const finished = await load.end();
  for (const { n, results } of finished)
    expect(results).toEqual({ a: { n: n + 1 }, b: { n: n + 2 }, c: { n: n + 3 } });
  const runs = finished.length;
  expect(new Set(finished.map(({ workflow_id }) => workflow_id)).size).toBe(runs);
  expect(await rows('SELECT status, count(*)::int FROM gleitzeit.run GROUP BY status')).toEqual([
    ['completed', runs],
  ]);
  expect(await rows('SELECT status, count(*)::int FROM gleitzeit.task GROUP BY status')).toEqual([
    ['completed', runs * 3],
  ]);
  await fleet.end();
}

describe('one process after the other is replaced by a newer version under load', () => {
  it.skipIf(noPrevious !== null)(
    'engines of the previous tables beside those of today',
    {
      timeout: LONG_MS,
    },
    async () => {
      const previous = await previousVersion(join(trees, 'previous'));
      fleet = new Fleet(database.url, configOf());
      const engines = [await fleet.add('serve', previous), await fleet.add('serve', previous)];
      const before = await schema();
      const load = new Load(fleet.urls);
      await load.more(SOME);
      for (const engine of engines) {
        await fleet.restart(engine, present);
        await load.more(SOME);
      }
      expect(await schema()).toBe(Number(before) + 1);
      await checkAll(load);
    },
  );

  it('engines and bridges over Kafka beside those of the next tables, also where one dies meanwhile', {
    timeout: LONG_MS,
  }, async () => {
    const next = await nextVersion(join(trees, 'next'));
    const { dispatch } = await ownPlace('kafka');
    fleet = new Fleet(database.url, configOf({ dispatch, engine: { lease_ttl: '3s' } }));
    const engines = [await fleet.add('serve', present), await fleet.add('serve', present)];
    const bridges = [await fleet.add('bridge', present), await fleet.add('bridge', present)];
    const before = await schema();
    const load = new Load(fleet.urls);
    await load.more(SOME);
    expect(await fleet.run(next, ['db', 'migrate']).ended).toMatchObject({ code: 0 });
    expect(await schema()).toBe(Number(before) + 1);
    await load.more(SOME);
    const [first] = engines;
    if (first !== undefined) await fleet.restart(first, present, 'SIGKILL');
    for (const member of [...bridges, ...engines]) {
      await load.more(SOME);
      await fleet.restart(member, next);
    }
    await load.more(SOME);
    await checkAll(load);
  });
});
