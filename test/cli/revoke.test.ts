import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { play } from '../../src/cli/play.suite.ts';
import { type CliHouse, openCliHouse } from './house.ts';

type Token = { readonly key: string; readonly entry: object };

let house: CliHouse;
let ci: Token;
let boss: Token;

async function created(name: string, role: string): Promise<Token> {
  return JSON.parse((await play(['token', 'create', '--role', role, '--name', name, '-o', 'json'])).out);
}

beforeAll(async () => {
  [ci, boss] = await Promise.all([created('ci', 'operator'), created('boss', 'admin')]);
  house = await openCliHouse({ keys: [ci.entry, boss.entry] });
});
afterAll(() => house.close());

const list = ({ key }: Token) =>
  play(['list', '--server', house.server.url], { env: { GLEITZEIT_KEY: key }, cwd: house.scene.folder });
const bearer = ({ key }: Token) => ({ authorization: `Bearer ${key}` });

describe('a key that is revoked', () => {
  it('is refused by the running server, which ends what was opened with it and nothing else', async () => {
    const { url } = house.server;
    const stream = await fetch(`${url}/events`, { headers: bearer(ci) });
    const socket = new WebSocket(`${url.replace('http', 'ws')}/rpc`, { headers: bearer(ci) });
    const other = new WebSocket(`${url.replace('http', 'ws')}/rpc`, { headers: bearer(boss) });
    await Promise.all([once(socket, 'open'), once(other, 'open')]);
    expect((await list(ci)).status).toBe(0);

    const after = house.server.log.length;
    const ended = once(socket, 'close');
    expect((await play(['token', 'revoke', 'ci'], { cwd: house.scene.folder })).status).toBe(0);
    expect(await house.server.logged({ message: 'the configuration was changed' }, after)).toMatchObject({
      key_changes: 1,
    });
    await ended;
    await expect(stream.text()).rejects.toThrow();
    expect((await list(ci)).status).toBe(4);
    expect((await list(boss)).status).toBe(0);
    expect(other.readyState).toBe(WebSocket.OPEN);
    other.terminate();
  });

  it('may be given again; and where none is left nobody gets in', async () => {
    const { scene, server } = house;
    const write = async (keys: readonly Token[]) => {
      const after = server.log.length;
      const file = JSON.parse(readFileSync(`${scene.folder}/gleitzeit.yaml`, 'utf8'));
      scene.write('gleitzeit.yaml', {
        ...file,
        server: { ...file.server, keys: keys.map(({ entry }) => entry) },
      });
      await server.logged({ message: 'the configuration was changed' }, after);
    };
    await write([]);
    expect((await list(boss)).status).toBe(4);
    await write([ci]);
    expect((await list(ci)).status).toBe(0);
    expect((await list(boss)).status).toBe(4);
  });
});
