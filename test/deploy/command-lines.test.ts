import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { projectRoot } from '../../scripts/source/files.ts';
import { openScene, type Scene } from '../server/scene.ts';
import { freePort } from '../services/free-port.ts';
import { type FreshDatabase, freshDatabase } from '../services/postgres.ts';
import { sharedService } from '../services/shared.ts';
import { type Composed, composed, needCompose } from './composed.ts';
import { commandLine, instructionsOf } from './dockerfile.ts';

const dockerfile = instructionsOf(readFileSync(join(projectRoot, 'deploy/Dockerfile'), 'utf8'));
const key = `glz_operator_${randomBytes(24).toString('base64url')}`;
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

let scene: Scene;
let database: FreshDatabase;
let brokers: string;
let services: Record<string, Composed>;

beforeAll(async () => {
  await needCompose();
  scene = openScene();
  database = await freshDatabase(inject('postgresUrl'));
  brokers = await sharedService('kafka');
  services = await composed(scene.folder, {
    POSTGRES_PASSWORD: 'a-password',
    GLEITZEIT_SECRET_KEY: randomBytes(32).toString('base64'),
    OPERATOR_KEY_HASH: hashOf(key),
    PROMETHEUS_KEY_HASH: hashOf('another'),
  });
});
afterAll(async () => {
  await scene.close();
  await database.drop();
});

/** Each container has port 8000 to itself; here they share a machine. */
const portOf: Readonly<Record<string, string>> = {
  engine: 'GLEITZEIT_SERVER_PORT',
  bridge: 'GLEITZEIT_BRIDGE_PORT',
};

/** A container's program as a process of this machine: the same words and variables, with addresses and files of here. */
async function startAs(name: string, { port }: { port: string }) {
  const { command = [], environment = {}, volumes = [] } = services[name] ?? {};
  const mounted = volumes.map((volume) => volume.split(':'));
  const here = (word: string) => mounted.find(([, inside]) => inside === word)?.[0] ?? word;
  return scene.start(command.map(here), {
    ...environment,
    GLEITZEIT_STORE_URL: database.url,
    KAFKA_BROKERS: brokers,
    [portOf[name] ?? '']: port,
  });
}

/** Ends with 0 where the container would be called healthy. */
function healthcheck(port: string): Promise<number> {
  const [, check = '[]'] = /CMD (\[.*\])$/.exec(instruction('HEALTHCHECK')) ?? [];
  const [, ...args] = commandLine(check).map((word) => word.replace(':8000/', `:${port}/`));
  return promisify(execFile)(process.execPath, args).then(
    () => 0,
    ({ code }: { code: number }) => code,
  );
}

const instruction = (word: string) => dockerfile.find((one) => one.word === word)?.rest ?? '';

describe('the command lines of the containers', () => {
  it('are those of the image, or its own in the place of them', () => {
    expect(services['engine']?.command).toEqual(commandLine(instruction('CMD')));
  });

  it('start an engine that is healthy, asks for a key, and goes when it is told to', async () => {
    const port = String(await freePort());
    expect(await healthcheck(port)).toBe(1);
    const engine = await startAs('engine', { port });
    await engine.logged({ message: 'listening' });
    expect(await healthcheck(port)).toBe(0);

    const url = `http://127.0.0.1:${port}`;
    // What Kubernetes asks before it sends anybody here.
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    const ask = (headers: Record<string, string>) =>
      fetch(`${url}/rpc`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'system.info' }),
      });
    expect((await ask({})).status).toBe(401);
    const answer = await ask({ authorization: `Bearer ${key}` });
    expect(await answer.json()).toMatchObject({ result: { store: 'postgres' } });

    engine.signal('SIGTERM');
    expect(await engine.ended).toMatchObject({ code: 0 });
    expect(await healthcheck(port)).toBe(1);
  });

  it('start a bridge that takes tasks, is healthy, tells its lag to who has a key, and goes when it is told to', async () => {
    const port = String(await freePort());
    const bridge = await startAs('bridge', { port });
    await bridge.logged({ message: 'taking tasks', group: 'http-bridge' });
    expect(await healthcheck(port)).toBe(0);

    const url = `http://127.0.0.1:${port}`;
    expect((await fetch(`${url}/ready`)).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
    expect(await metrics.text()).toMatch(/^gleitzeit_bridge_broker_up 1$/m);

    bridge.signal('SIGTERM');
    expect(await bridge.ended).toMatchObject({ code: 0 });
  });
});
