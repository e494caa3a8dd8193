import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/dialects/rest/peer.suite.ts';
import { call } from './call.ts';
import { type Settled, settledTask } from './echo.ts';
import { openScene, type Scene, type Server } from './scene.ts';

const CHANGED = 'the configuration was changed';
const REFUSED = 'the changed configuration is not taken; the one before stays in force';

let scene: Scene;
let weather: Service;

beforeEach(async () => {
  scene = openScene();
  mkdirSync(join(scene.folder, 'types'));
  weather = await startService(({ path, query, headers }) => ({
    json: { place: path, asked: query, key: String(headers['x-key']), temp_c: 21.5 },
  }));
});
afterEach(async () => {
  await scene.close();
  await weather.stop();
});

const type = `type: weather
summary: The weather of a place
dialect: rest
protocols: [weather/v1]
config:
  url: { type: url, required: true, description: where it is }
  key: { type: secret, description: who asks }
  units: { type: text, enum: [metric, imperial], default: metric }
use:
  url: \${config.url}
  headers: { x-key: "\${config.key}" }
  methods:
    now:
      path: /now/\${params.city}
      query: { units: "\${config.units}" }
      result: { celsius: /temp_c, asked: /asked, key: /key, place: /place }
`;

const config = (more = '') => `
server: { port: 0 }
provider_types: [types/weather.yaml]
protocols:
  weather/v1:
    methods: { now: { params: { city: { type: string, required: true } } } }
    providers: [{ type: weather, config: { url: "${weather.url}", key: hush${more} } }]
`;

async function rewrite(server: Server, files: Record<string, string>, message: string) {
  const after = server.log.length;
  for (const [name, content] of Object.entries(files)) scene.write(name, content);
  return server.logged({ message }, after);
}

async function ask(server: Server): Promise<Settled> {
  const task = { protocol: 'weather/v1', method: 'now', params: { city: 'Oslo' } };
  const { task_id } = await call<{ task_id: string }>(server.url, 'task.submit', task);
  return settledTask(server.url, task_id);
}

describe('a type of provider of one file', () => {
  it('is added while the server runs, called by the next task, and changed by its file alone', async () => {
    const server = await scene.serve({ server: { port: 0 } });
    await rewrite(server, { 'types/weather.yaml': type, 'gleitzeit.yaml': config() }, CHANGED);
    expect(await ask(server)).toMatchObject({
      status: 'completed',
      result: { celsius: 21.5, asked: 'units=metric', key: 'hush', place: '/now/Oslo' },
    });

    const later = type
      .replace('/now/${params.city}', '/v2/${params.city}')
      .replace('default: metric', 'default: imperial');
    expect(await rewrite(server, { 'types/weather.yaml': later }, CHANGED)).toMatchObject({
      providers: { changed: 1 },
    });
    expect(await ask(server)).toMatchObject({ result: { asked: 'units=imperial', place: '/v2/Oslo' } });

    const broken = await rewrite(
      server,
      { 'types/weather.yaml': later.replace('dialect', 'dialct') },
      REFUSED,
    );
    expect(JSON.stringify(broken)).toContain('weather.yaml:3:1');
    expect(await ask(server)).toMatchObject({ status: 'completed', result: { place: '/v2/Oslo' } });
  });

  it('is taken with the others of its folder, also when it comes later', async () => {
    const server = await scene.serve({ server: { port: 0 }, provider_types: ['types/*.yaml'] });
    const all = config().replace('types/weather.yaml', './types/*.yaml');
    const unknown = await rewrite(server, { 'gleitzeit.yaml': all }, REFUSED);
    expect(JSON.stringify(unknown)).toContain('there is no provider type');
    await rewrite(server, { 'types/weather.yaml': type, 'types/.weather.yaml': 'no type' }, CHANGED);
    expect(await ask(server)).toMatchObject({ status: 'completed', result: { key: 'hush' } });
    const twice = await rewrite(server, { 'types/other.yaml': type }, REFUSED);
    expect(JSON.stringify(twice)).toContain('once more');
    const other = { 'types/other.yaml': type.replace('type: weather', 'type: other') };
    await rewrite(
      server,
      other,
      'the configuration was read again; nothing that can change while it runs has changed',
    );
    await rewrite(server, { 'types/weather.yaml': type.replace('/now/', '/v3/') }, CHANGED);
    expect(await ask(server)).toMatchObject({ result: { place: '/v3/Oslo' } });
  });

  it('is taken as soon as it is there, where the configuration named it before', async () => {
    const server = await scene.serve({ server: { port: 0 } });
    const missing = await rewrite(server, { 'gleitzeit.yaml': config() }, REFUSED);
    expect(JSON.stringify(missing)).toContain('cannot be read');
    await rewrite(
      server,
      { 'types/weather.yaml': type.replace('${config.units}', '${config.unit}') },
      REFUSED,
    );
    await rewrite(server, { 'types/weather.yaml': type }, CHANGED);
    expect(await ask(server)).toMatchObject({ status: 'completed', result: { key: 'hush' } });
    const wrong = await rewrite(server, { 'gleitzeit.yaml': config(', units: kelvin') }, REFUSED);
    expect(JSON.stringify(wrong)).toContain('one of metric, imperial');
  });
});
