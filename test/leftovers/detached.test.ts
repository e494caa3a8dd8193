import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call } from '../server/call.ts';
import { openPlace, type Place, type Served } from './place.ts';
import { configOf, statusOf, submit } from './scene.ts';

/** Programs are given five seconds to end by themselves. */
const IN_TIME = { timeout: 12_000 };

let place: Place;

beforeEach(() => {
  place = openPlace();
});
afterEach(() => place.close());

/** Who is killed is gone a moment later. */
const AT_ONCE = { timeout: 1000 };

/** One that stays, and one for each call. */
function configFor(command: readonly string[]) {
  const say = { idempotent: true, params: { text: { type: 'string' } } };
  const protocol = (name: string, type: string, config: object) => ({
    name: `${name}/v1`,
    methods: { say },
    providers: [{ id: name, type, config }],
  });
  return [
    protocol('stdio', 'jsonrpc-stdio', { command }),
    protocol('program', 'process', { command: [...command, 'once'] }),
  ];
}

async function completes(server: Served, name: string): Promise<void> {
  expect(await statusOf(server, await submit(server, name))).toBe('completed');
}

/** With a program that stays, and its child, which does not belong to its group. */
async function serveWith(kind: Parameters<Place['program']>[0]) {
  const protocols = configFor(place.program(kind));
  const server = await place.serve(configOf(protocols));
  await completes(server, 'stdio');
  expect(place.programs()).toHaveLength(2);
  return { server, protocols };
}

const kinds = ['detached', 'orphaning', 'stubborn-orphaning'] as const;

describe.runIf(process.platform === 'linux').each(kinds)('of what a program has started (%s)', (kind) => {
  it('nothing is left when the server stops', async () => {
    const { server } = await serveWith(kind);
    await server.stop();
    await expect.poll(() => place.programs(), AT_ONCE).toEqual([]);
  });

  it('nothing is left when its provider is removed', async () => {
    const { server, protocols } = await serveWith(kind);
    place.configure(configOf(protocols.map((protocol) => ({ ...protocol, providers: [] }))));
    await expect.poll(() => place.programs(), IN_TIME).toEqual([]);
    const listed = () => call<{ items: unknown[] }>(server.url, 'provider.list', {});
    await expect.poll(async () => (await listed()).items, IN_TIME).toEqual([]);
  });

  it('nothing is left by a single call', async () => {
    const { server } = await serveWith(kind);
    await completes(server, 'program');
    // The one that stays keeps its own. Nobody waits for the rest, which may take its time to end.
    await expect.poll(() => place.programs(), IN_TIME).toHaveLength(2);
    expect(place.programs().filter((command) => command.includes('once'))).toEqual([]);
  });

  it('nothing is left of a killed server once the next one has started', async () => {
    const { server, protocols } = await serveWith(kind);
    server.signal('SIGKILL');
    await server.ended;
    // Who ends when nobody speaks to it any more has left its child behind.
    expect(place.programs().length).toBeGreaterThan(0);
    await place.serve(configOf(protocols));
    await expect.poll(() => place.programs(), IN_TIME).toEqual([]);
  });
});
