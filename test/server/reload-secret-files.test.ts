import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { echoProtocol, echoProtocols, settledTask, submitEcho } from './echo.ts';
import { type HeldAgent, heldAgent } from './held-agent.ts';
import { openScene, type Scene, type Server } from './scene.ts';

const CHANGED = 'the configuration was changed';
const UNCHANGED = 'the configuration was read again; nothing that can change while it runs has changed';
const UNUSABLE = 'the file of a secret cannot be used; the secret that is in force stays';
const USABLE = 'the file of a secret can be used again';
const [FIRST, SECOND, THIRD] = ['the-first-token', 'the-second-token', 'the-third-token'];

let scene: Scene;
let agent: HeldAgent;

beforeEach(async () => {
  scene = openScene();
  agent = await heldAgent();
});
afterEach(async () => {
  await scene.close();
  await agent.close();
});

function configOf(secrets: Readonly<Record<string, string>>, path = '') {
  const headers = { authorization: 'Bearer ${secrets.token}' };
  return {
    server: { port: 0 },
    secrets: Object.fromEntries(Object.entries(secrets).map(([name, file]) => [name, { file }])),
    protocols: echoProtocols({ only: { url: `${agent.url}${path}`, headers } }),
  };
}

/** What the service gets to see. */
async function shown(server: Server): Promise<string | undefined> {
  const task_id = await submitEcho(server.url, 'hello');
  const { headers, reply } = await agent.next();
  reply({ result: null });
  await settledTask(server.url, task_id);
  return headers.authorization;
}

async function said(server: Server, message: string, change: () => void) {
  const after = server.log.length;
  change();
  return server.logged({ message }, after);
}

function timesSaid(server: Server, message: string): number {
  return server.log.filter((entry) => entry['message'] === message).length;
}

/** In the file itself, whoever reads meanwhile. */
function rewrite(name: string, text: string): void {
  writeFileSync(join(scene.folder, name), text, { mode: 0o600 });
}

function mounted(folder: string, text: string): void {
  mkdirSync(join(scene.folder, folder), { recursive: true });
  rewrite(`${folder}/token`, text);
}

function swap(link: string, target: string): void {
  symlinkSync(target, join(scene.folder, `${link}.new`));
  renameSync(join(scene.folder, `${link}.new`), join(scene.folder, link));
}

describe('the file of a secret, when it changes while the server runs', () => {
  it('is taken, written in place or put in the place of the one before', async () => {
    rewrite('token', `${FIRST}\n`);
    const server = await scene.serve(configOf({ token: 'token' }));
    expect(await shown(server)).toBe(`Bearer ${FIRST}`);
    expect(await said(server, CHANGED, () => rewrite('token', `${SECOND}\n`))).toMatchObject({
      secret_changes: 1,
      providers: { kept: 1 },
    });
    expect(await shown(server)).toBe(`Bearer ${SECOND}`);
    expect(await said(server, CHANGED, () => scene.write('token', `${THIRD}\n`))).toMatchObject({
      secret_changes: 1,
    });
    expect(await shown(server)).toBe(`Bearer ${THIRD}`);
    expect(timesSaid(server, UNCHANGED)).toBe(0);
    expect(server.output()).not.toMatch(/the-\w+-token/);
  });

  it('is taken when the link of its mounted folder is swapped, all secrets of the folder at once', async () => {
    for (const [folder, text] of [
      ['mounted/..2026_1', FIRST],
      ['mounted/..2026_2', SECOND],
      ['mounted/..2026_3', THIRD],
    ] as const) {
      mounted(folder, text);
      rewrite(`${folder}/other`, `${text}, too`);
    }
    swap('mounted/..data', '..2026_1');
    for (const name of ['token', 'other']) swap(`mounted/${name}`, `..data/${name}`);
    const server = await scene.serve(configOf({ token: 'mounted/token', other: 'mounted/other' }));
    for (const [version, text] of [
      ['..2026_2', SECOND],
      ['..2026_3', THIRD],
    ] as const) {
      const change = await said(server, CHANGED, () => swap('mounted/..data', version));
      expect(change).toMatchObject({ secret_changes: 2 });
      expect(await shown(server)).toBe(`Bearer ${text}`);
    }
    expect([timesSaid(server, CHANGED), timesSaid(server, UNCHANGED)]).toEqual([2, 0]);
  });

  it('is taken when a link further up is swapped', async () => {
    mounted('releases/1/keys', FIRST);
    mounted('releases/2/keys', SECOND);
    mounted('releases/3/keys', THIRD);
    swap('current', 'releases/1');
    const server = await scene.serve(configOf({ token: 'current/keys/token' }));
    for (const [release, text] of [
      ['releases/2', SECOND],
      ['releases/3', THIRD],
    ] as const) {
      await said(server, CHANGED, () => swap('current', release));
      expect(await shown(server)).toBe(`Bearer ${text}`);
    }
  });

  it('leaves the secret that is in force while it is gone or empty, says so once, and is taken when it is back', async () => {
    rewrite('token', FIRST);
    rewrite('other', FIRST);
    const server = await scene.serve(configOf({ token: 'token', other: 'other' }));
    const file = join(scene.folder, 'token');
    expect(await said(server, UNUSABLE, () => scene.remove('token'))).toMatchObject({
      level: 'warn',
      settings: ['secrets.token'],
      file,
      reason: 'cannot be read: there is no such file',
      hint: expect.stringContaining('it is taken by itself'),
    });
    expect(await shown(server)).toBe(`Bearer ${FIRST}`);
    // What else changes is taken meanwhile, and tells of the file no second time.
    expect(await said(server, CHANGED, () => rewrite('other', SECOND))).toMatchObject({ secret_changes: 1 });
    expect(
      await said(server, CHANGED, () =>
        scene.write('gleitzeit.yaml', configOf({ token: 'token', other: 'other' }, '/new')),
      ),
    ).toMatchObject({ secret_changes: 0 });
    expect(await shown(server)).toBe(`Bearer ${FIRST}`);
    expect(timesSaid(server, UNUSABLE)).toBe(1);

    expect(await said(server, CHANGED, () => rewrite('token', SECOND))).toMatchObject({ secret_changes: 1 });
    expect(await shown(server)).toBe(`Bearer ${SECOND}`);

    expect(await said(server, UNUSABLE, () => rewrite('token', '\n'))).toMatchObject({ reason: 'is empty' });
    await said(server, USABLE, () => rewrite('token', SECOND));
    expect(await said(server, UNUSABLE, () => chmodSync(file, 0o644))).toMatchObject({
      reason: 'can be read by others than its owner',
      hint: expect.stringContaining(`chmod 600 ${file}`),
    });
    await said(server, CHANGED, () => scene.write('token', THIRD));
    expect(await shown(server)).toBe(`Bearer ${THIRD}`);
    expect(server.output()).not.toMatch(/the-\w+-token/);
  });

  it('may be gone with its folder', async () => {
    mounted('keys', FIRST);
    const server = await scene.serve(configOf({ token: 'keys/token' }));
    await said(server, UNUSABLE, () => rmSync(join(scene.folder, 'keys'), { recursive: true }));
    await said(server, CHANGED, () => mounted('keys', SECOND));
    expect(await shown(server)).toBe(`Bearer ${SECOND}`);
    expect(timesSaid(server, UNUSABLE)).toBe(1);
  });

  it('is not read again into force when it says the same, or when nothing names it any more', async () => {
    rewrite('token', FIRST);
    rewrite('other', FIRST);
    const server = await scene.serve(configOf({ token: 'token', other: 'other' }));
    // Told of `other` after both were looked at: they lie in one folder.
    rewrite('token', FIRST);
    await said(server, UNUSABLE, () => scene.remove('other'));
    await said(server, CHANGED, () => rewrite('other', SECOND));
    expect([timesSaid(server, CHANGED), timesSaid(server, UNCHANGED)]).toEqual([1, 0]);

    scene.write('same', FIRST);
    await said(server, UNCHANGED, () =>
      scene.write('gleitzeit.yaml', configOf({ token: 'same', other: 'other' })),
    );
    rewrite('token', THIRD);
    const unusable = await said(server, UNUSABLE, () => scene.remove('same'));
    expect(unusable).toMatchObject({ file: join(scene.folder, 'same') });
    await said(server, CHANGED, () => rewrite('same', THIRD));
    expect([timesSaid(server, CHANGED), timesSaid(server, UNCHANGED)]).toEqual([2, 1]);
  });

  it('is waited for where a configuration that is not taken yet names it', async () => {
    rewrite('token', FIRST);
    const server = await scene.serve(configOf({ token: 'token' }));
    await said(server, 'the changed configuration is not taken; the one before stays in force', () =>
      scene.write('gleitzeit.yaml', configOf({ token: 'later' })),
    );
    await said(server, CHANGED, () => rewrite('later', SECOND));
    expect(await shown(server)).toBe(`Bearer ${SECOND}`);
    expect(timesSaid(server, UNUSABLE)).toBe(0);
  });

  it('starts programs anew that were given the secret', async () => {
    rewrite('token', FIRST);
    const program = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) =>
      console.log(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: process.env.TOKEN.slice(4) })));`;
    const command = ['node', scene.write('child.cjs', program)];
    const config = { command, env: { TOKEN: '${secrets.token}' } };
    const provider = { id: 'child', type: 'jsonrpc-stdio', config };
    const protocols = [{ ...echoProtocol, providers: [provider] }];
    const server = await scene.serve({ ...configOf({ token: 'token' }), protocols });
    const ask = async () => settledTask(server.url, await submitEcho(server.url, 'hello'));
    expect(await ask()).toMatchObject({ result: FIRST.slice(4) });
    await said(server, 'a secret of a program has changed: it is started anew', () =>
      rewrite('token', SECOND),
    );
    expect(await ask()).toMatchObject({ result: SECOND.slice(4) });
    server.signal('SIGTERM');
    await server.ended;
  });
});
