import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { leftBy } from './place.ts';
import {
  addressed,
  configOf,
  expectNothing,
  holdCalls,
  openScene,
  protocolsOf,
  type Scene,
  statusOf,
  submit,
  submitTo,
  warmUp,
} from './scene.ts';

const STOPPING = 'the server is stopping: it takes no more calls';
/** Programs are given five seconds to end by themselves. */
const IN_TIME_MS = 12_000;
const impatient = { stop_timeout: '200ms' };

let scene: Scene;

beforeEach(() => {
  scene = openScene();
});
afterEach(() => scene.close());

describe.runIf(process.platform === 'linux')('after a stop nothing is left', () => {
  it('of a server that had nothing to do any more', async () => {
    const called = await scene.services();
    const server = await scene.place.serve(configOf(protocolsOf(called, scene.place.program('agent'))));
    await warmUp(server);
    // Two that stay, each with a child.
    expect(scene.place.programs()).toHaveLength(4);
    await expectNothing(scene, server, await server.stop());
  });

  it('of a server whose calls were finished meanwhile', async () => {
    const called = await scene.services();
    const config = configOf(protocolsOf(called, scene.place.program('agent')));
    const server = await scene.place.serve({ ...config, logging: { level: 'debug' } });
    await warmUp(server);
    called.http.hold();
    const held = await submit(server, 'http');
    await called.http.holding(1);
    const after = server.log.length;
    const outcome = statusOf(server, held);
    await server.logged({ message: 'request', method: 'task.result' }, after);
    const stopped = server.stop();
    await server.logged({ message: STOPPING });
    called.http.release();
    expect(await outcome).toBe('completed');
    await expectNothing(scene, server, await stopped);
  });

  it('of a server whose calls, probes and programs did not end in time', async () => {
    const called = await scene.services();
    const protocols = protocolsOf(called, scene.place.program('stubborn'));
    const server = await scene.place.serve(configOf(protocols, impatient));
    await warmUp(server);
    await holdCalls(server, called);
    const from = performance.now();
    await expectNothing(scene, server, await server.stop());
    expect(performance.now() - from).toBeLessThan(IN_TIME_MS);
  });

  it('of a server none of whose services says a word', async () => {
    const called = await scene.silent();
    const protocols = protocolsOf(called, scene.place.program('agent'));
    const server = await scene.place.serve(configOf(protocols, impatient));
    const names = ['http', 'ws', 'slow', ...addressed];
    await Promise.all(names.map((name) => submitTo(server, name)));
    await Promise.all(Object.values(called).map((service) => service.holding(1)));
    const from = performance.now();
    await expectNothing(scene, server, await server.stop());
    expect(performance.now() - from).toBeLessThan(IN_TIME_MS);
  });

  it('of a server that makes faults on the way to all of them', async () => {
    const called = await scene.services();
    const protocols = protocolsOf(called, scene.place.program('stubborn'));
    const server = await scene.place.serve(configOf(protocols, impatient), { faults: 'latency=5ms' });
    await warmUp(server);
    await holdCalls(server, called);
    const from = performance.now();
    await expectNothing(scene, server, await server.stop());
    expect(performance.now() - from).toBeLessThan(IN_TIME_MS);
  });

  it('of an engine inside a program, whose call hangs and whose task waits for its next attempt', async () => {
    const program = scene.place.embedded();
    await expectNothing(scene, program, await leftBy(program));
  });
});
