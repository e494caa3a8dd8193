import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call } from '../server/call.ts';
import type { Served } from './place.ts';
import {
  configOf,
  holdCalls,
  openScene,
  protocolsOf,
  type Scene,
  statusOf,
  submit,
  warmUp,
} from './scene.ts';

const CHANGED = 'the configuration was changed';
/** Programs are given five seconds to end by themselves. */
const IN_TIME = { timeout: 12_000 };

let scene: Scene;

beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

/** The protocols stay, the providers go. */
async function removeProviders(server: Served, protocols: readonly object[]): Promise<void> {
  scene.place.configure(configOf(protocols.map((protocol) => ({ ...protocol, providers: [] }))));
  await server.logged({ message: CHANGED });
}

async function expectGone(server: Served): Promise<void> {
  const listed = () => call<{ items: unknown[] }>(server.url, 'provider.list', {});
  await expect.poll(async () => (await listed()).items, IN_TIME).toEqual([]);
  await expect.poll(() => scene.place.programs(), IN_TIME).toEqual([]);
  await scene.unconnected();
}

/** It works on: a provider that comes is called. */
async function expectWorking(server: Served, protocols: readonly object[]): Promise<void> {
  const after = server.log.length;
  scene.place.configure(configOf(protocols));
  await server.logged({ message: CHANGED }, after);
  expect(await statusOf(server, await submit(server, 'http'))).toBe('completed');
}

describe.runIf(process.platform === 'linux')('of providers that the configuration no longer has', () => {
  it('nothing is left, once their calls have ended', async () => {
    const called = await scene.services();
    const protocols = protocolsOf(called, scene.place.program('agent'));
    const server = await scene.place.serve(configOf(protocols));
    await warmUp(server);
    called.http.hold();
    const held = await submit(server, 'http');
    await called.http.holding(1);
    await removeProviders(server, protocols);
    await expect.poll(() => scene.place.programs(), IN_TIME).toEqual([]);
    called.http.release();
    expect(await statusOf(server, held)).toBe('completed');
    await expectGone(server);
    await expectWorking(server, protocols);
  });

  it('nothing is left where they hang, once their calls have run out of time', async () => {
    const called = await scene.services();
    const protocols = protocolsOf(called, scene.place.program('stubborn'));
    const server = await scene.place.serve(configOf(protocols));
    await warmUp(server);
    const tasks = await holdCalls(server, called, { timeout: 1 });
    await removeProviders(server, protocols);
    for (const task of tasks) expect(await statusOf(server, task)).toBe('failed');
    await expectGone(server);
    await expectWorking(server, protocols);
  });
});
