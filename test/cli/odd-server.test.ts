import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chain, openPlace, type Place } from './place.ts';

let place: Place;
let server: Server;
let url: string;
/** What the server says to a method; undefined for one it never answers. */
let results: Record<string, unknown>;
/** A run was sent. */
let submitted: Promise<void>;
beforeEach(async () => {
  place = openPlace();
  place.write('a.yaml', chain('a', [['one']]));
  const nothing = { items: [], next_cursor: null };
  results = { 'protocol.list': nothing, 'function.list': nothing, 'agent.list': nothing };
  const sent = Promise.withResolvers<void>();
  submitted = sent.promise;
  server = createServer(async (request, response) => {
    const { id, method } = (await json(request)) as { id: string; method: string };
    if (method === 'workflow.submit') sent.resolve();
    const result = results[method];
    if (result !== undefined)
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await place.close();
  server.closeAllConnections();
  server.close();
});

describe('a server that takes a run and never answers', { timeout: 30_000 }, () => {
  it('is given as long as --timeout says', async () => {
    const command = place.start('run', 'a.yaml', '--server', url, '--timeout', '3s');
    await submitted;
    const began = performance.now();
    expect((await command.ended).status).toBe(5);
    expect(performance.now() - began).toBeLessThan(6000);
    expect(command.stderr()).toMatch(/not done within 3 s/);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('is left at the first %s', async (signal) => {
    const command = place.start('run', 'a.yaml', '--server', url);
    await submitted;
    const began = performance.now();
    command.kill(signal);
    expect((await command.ended).status).toBe(130);
    expect(performance.now() - began).toBeLessThan(5000);
    expect(command.stderr()).toMatch(/gleitzeit list shows whether the run was started/);
  });
});

describe('a server that answers in another shape', { timeout: 30_000 }, () => {
  const odd = [
    ['run', 'a.yaml', '--async'],
    ['run', 'a.yaml'],
    ['run', 'a.yaml', '--resume'],
    ['watch', 'some-run'],
    ['result', 'some-run', '--wait'],
    ['list'],
  ];
  it.each([{ result: {} }, { result: null }, { result: [] }])(
    'is told of with what was expected: %j',
    async ({ result }) => {
      const methods = ['submit', 'find', 'status', 'results', 'list'].map((name) => `workflow.${name}`);
      results = Object.fromEntries(
        [...methods, 'task.status', 'task.list', 'protocol.list'].map((one) => [one, result]),
      );
      const ends = await Promise.all(odd.map((args) => place.run(...args, '--server', url)));
      for (const [index, { status, stderr }] of ends.entries()) {
        expect([odd[index], status, stderr]).toEqual([odd[index], 1, expect.stringContaining('(GLZ2005)')]);
        expect(stderr).toMatch(/answered to [\w.]+ is in another shape .*\n {2}expected was an object/);
        expect(stderr).not.toMatch(/undefined|Cannot read/);
      }
    },
  );
});
