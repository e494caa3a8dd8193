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
  weather = await startService(({ path, query, headers }) => {
    if (headers.authorization !== 'Bearer let-me-in') return { status: 401, json: { error: 'who are you?' } };
    return { json: { place: path, conditions: [{ temp_c: 21.5, asked: query }] } };
  });
});
afterEach(async () => {
  await scene.close();
  await weather.stop();
});

/** As somebody writes it who has the page of the service open. */
const withService = (url: string) => `
server: { port: 0 }
secrets:
  weather_key: { env: WEATHER_KEY }
protocols:
  weather/v1:
    methods:
      now:
        params: { city: { type: string, required: true }, units: { type: string } }
        returns: { type: object, properties: { celsius: { type: number } }, required: [celsius] }
    providers:
      - id: weather
        type: rest
        config:
          url: ${url}/v3
          auth: { type: bearer, token: "\${secrets.weather_key}" }
          methods:
            now:
              path: /cities/\${params.city}/now
              query: { units: "\${params.units}" }
              result: { celsius: /conditions/0/temp_c, place: /place }
`;

async function rewrite(server: Server, content: string, message: string) {
  const after = server.log.length;
  scene.write('gleitzeit.yaml', content);
  return server.logged({ message }, after);
}

async function ask(server: Server, params: object): Promise<Settled> {
  const task = { protocol: 'weather/v1', method: 'now', params };
  const { task_id } = await call<{ task_id: string }>(server.url, 'task.submit', task);
  return settledTask(server.url, task_id);
}

describe('a REST service that nobody had heard of', () => {
  it('is added by a file while the server runs, and called by the next task', async () => {
    const server = await scene.serve({ server: { port: 0 } }, { env: { WEATHER_KEY: 'let-me-in' } });
    const before = call(server.url, 'task.submit', {
      protocol: 'weather/v1',
      method: 'now',
      params: { city: 'Oslo' },
    });
    await expect(before).rejects.toThrow(/weather\/v1/);

    expect(await rewrite(server, withService(weather.url), CHANGED)).toMatchObject({
      protocols: { added: 1 },
      providers: { added: 1 },
    });
    expect(await ask(server, { city: 'São Paulo/Sé', units: 'si' })).toMatchObject({
      status: 'completed',
      result: { celsius: 21.5, place: '/v3/cities/S%C3%A3o%20Paulo%2FS%C3%A9/now' },
    });
    expect(weather.seen).toMatchObject([{ method: 'GET', query: 'units=si' }]);
  });

  it('is not taken with a mapping that cannot be meant; the log says where', async () => {
    const server = await scene.serve({ server: { port: 0 } }, { env: { WEATHER_KEY: 'let-me-in' } });
    const wrong = withService(weather.url).replace('params.city}/now', 'parms.city}/now');
    const entry = await rewrite(server, wrong, REFUSED);
    expect(JSON.stringify(entry)).toContain('nothing is called \\"parms\\" here');
    await rewrite(server, withService(weather.url), CHANGED);
    expect(await ask(server, { city: 'Oslo' })).toMatchObject({ status: 'completed' });
  });
});
