import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { play } from '../../src/cli/play.suite.ts';
import { openScene, type Scene } from '../server/scene.ts';

let scene: Scene;
beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

const config = {
  store: { type: 'sqlite', path: 'store.db' },
  protocols: [{ name: 'echo/v1', methods: { say: {} }, providers: [] }],
};

describe('commands without a server', () => {
  it('ask the local store, and work nothing off', async () => {
    scene.write('gleitzeit.yaml', config);
    const here = { cwd: scene.folder };
    const empty = await play(['list'], here);
    expect(empty).toEqual({ status: 0, out: '', err: 'no runs\n' });
    const { out } = await play(['submit', '--protocol', 'echo/v1', '--method', 'say', '-o', 'name'], here);
    expect((await play(['status', out.trim(), '-o', 'json'], here)).out).toContain('"status":"queued"');
    expect(JSON.parse((await play(['queue', 'stats', '-o', 'json'], here)).out).tasks).toEqual({ queued: 1 });
  });

  it('find the server that holds the store by themselves', async () => {
    await scene.serve({ ...config, server: { port: 0 } });
    const { out, status } = await play(['api', 'system.info', '-o', 'json'], { cwd: scene.folder });
    expect(status).toBe(0);
    expect(JSON.parse(out).caller).toMatchObject({ role: 'admin' });
    expect((await play(['api', 'system.info', '--debug'], { cwd: scene.folder })).err).toContain(
      'asking http://127',
    );
  });

  it('need none of the secrets of a server that they only ask', async () => {
    const secret = { secrets: { token: { env: 'A_TOKEN_OF_THE_SERVER' } } };
    await scene.serve({ ...config, ...secret, server: { port: 0 } }, { env: { A_TOKEN_OF_THE_SERVER: 'x' } });
    expect((await play(['list', '-o', 'json'], { cwd: scene.folder })).status).toBe(0);
    expect((await play(['config', 'show'], { cwd: scene.folder })).status).toBe(7);
  });

  it('say what is wrong with the configuration, each mistake at its place', async () => {
    scene.write('gleitzeit.yaml', 'server:\n  prot: 1\n');
    const { status, err } = await play(['list'], { cwd: scene.folder });
    expect(status).toBe(7);
    expect(err).toContain('gleitzeit.yaml:2:3');
    expect(err).toContain('port');
  });
});
