import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../scripts/source/files.ts';
import { composed, needCompose } from './composed.ts';

const example = readFileSync(join(projectRoot, 'deploy/env.example'), 'utf8');
const asked = [...example.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => ({ name, value }));
const filledIn = Object.fromEntries(asked.map(({ name }) => [name, `value-of-${name}`]));

let folder: string;
beforeAll(async () => {
  await needCompose();
  folder = await mkdtemp(join(tmpdir(), 'gleitzeit-compose-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('deploy/docker-compose.yml', () => {
  it('is understood by docker-compose once the variables of env.example are filled in', async () => {
    const services = await composed(folder, filledIn);
    expect(Object.keys(services).sort()).toEqual(['bridge', 'engine', 'kafka', 'postgres']);
    expect(services['engine']?.command).toEqual(['serve', '--config', '/etc/gleitzeit/gleitzeit.yaml']);
    expect(services['bridge']?.command).toEqual(['bridge', '--config', '/etc/gleitzeit/gleitzeit.yaml']);
    expect(services['bridge']?.image).toBe(services['engine']?.image);
  });

  it.each(asked)('is refused while $name is missing', async ({ name }) => {
    const { [name]: _, ...others } = filledIn;
    await expect(composed(folder, others)).rejects.toThrow(/fill in \.env/);
  });

  it('holds no secret, and neither does the example', async () => {
    expect(asked.map(({ value }) => value)).toEqual(asked.map(() => ''));
    const text = readFileSync(join(projectRoot, 'deploy/docker-compose.yml'), 'utf8');
    for (const [, value = ''] of text.matchAll(/(?:PASSWORD|SECRET|KEY_HASH)\w*: (.*)/g))
      expect(value).toMatch(/^\$\{\w+:\?fill in \.env\}$/);
  });

  it('names versions of all images', async () => {
    const services = await composed(folder, filledIn);
    for (const { image } of Object.values(services)) expect(image).toMatch(/:\d/);
  });

  it('tells engine and bridge of the same store, key and broker', async () => {
    const { engine, bridge, kafka, postgres } = await composed(folder, filledIn);
    expect(bridge?.environment).toMatchObject(engine?.environment ?? {});
    const brokers = engine?.environment['KAFKA_BROKERS'];
    expect(kafka?.environment['KAFKA_ADVERTISED_LISTENERS']).toBe(`PLAINTEXT://${brokers}`);
    const store = new URL(engine?.environment['GLEITZEIT_STORE_URL'] ?? '');
    expect([store.hostname, store.username, store.pathname, store.password]).toEqual([
      'postgres',
      postgres?.environment['POSTGRES_USER'],
      `/${postgres?.environment['POSTGRES_DB']}`,
      postgres?.environment['POSTGRES_PASSWORD'],
    ]);
  });
});
