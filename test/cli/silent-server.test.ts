import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chain, openPlace, type Place } from './place.ts';

let place: Place;
let front: Server;
let url: string;
/** Methods that are never answered. */
let silent: readonly string[];
let asked: Promise<void>;
const sockets = new Set<Duplex>();

beforeEach(async () => {
  place = openPlace();
  place.write('good.yaml', chain('good', [['one']]));
  place.write('bad.yaml', chain('bad', [['one', { fail: 9 }]], { retry_config: { max_attempts: 1 } }));
  const serving = place.start('serve');
  await serving.said(/127\.0\.0\.1:\d+/);
  const real = Number(/127\.0\.0\.1:(\d+)/.exec(serving.stderr() + serving.stdout())?.[1]);
  const first = Promise.withResolvers<void>();
  asked = first.promise;
  front = createServer(async (request, response) => {
    const body = await text(request);
    const { method } = JSON.parse(body) as { method: string };
    if (silent.includes(method)) return first.resolve();
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`http://127.0.0.1:${real}${request.url}`, { method: 'POST', headers, body });
    response.writeHead(answer.status, headers).end(await answer.text());
  });
  front.on('upgrade', (request, socket) => relay(request, socket, real));
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  front.closeAllConnections();
  front.close();
  await place.close();
});

/** Everything over the WebSocket, as it is. */
function relay(request: IncomingMessage, socket: Duplex, port: number): void {
  const headers = Object.entries({ ...request.headers, host: `127.0.0.1:${port}` });
  const behind = connect(port, '127.0.0.1', () => {
    behind.write(
      `GET ${request.url} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    socket.pipe(behind).pipe(socket);
  });
  for (const one of [socket, behind]) {
    sockets.add(one);
    one.on('error', () => {});
  }
}

describe('a server that falls silent when the run has ended', { timeout: 40_000 }, () => {
  it.each([
    ['run', 'good.yaml', 'completed'],
    ['run', 'bad.yaml', 'failed'],
  ])('is given a few seconds: %s %s', async (command, file, status) => {
    silent = ['workflow.results'];
    const began = performance.now();
    const ended = await place.run(command, file, '--server', url);
    expect([ended.status, ended.stdout], ended.stderr).toEqual([3, '']);
    expect(ended.stderr).toMatch(
      new RegExp(
        `the run [0-9a-f-]{36} has ended \\(${status}\\), but nobody says what came of it \\(GLZ2002\\)`,
      ),
    );
    expect(ended.stderr).toMatch(/gleitzeit result [0-9a-f-]{36} asks again/);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it('is given no longer by somebody who asks whether it was the last end', async () => {
    silent = [];
    const { stdout } = await place.run('run', 'good.yaml', '--server', url, '-o', 'name');
    silent = ['workflow.results'];
    const ended = await place.run('watch', stdout.trim(), '--server', url, '-o', 'json');
    expect(ended.status, ended.stderr).toBe(3);
    expect(JSON.parse(ended.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'GLZ2002' },
    });
  });

  it('is left at the first Ctrl-C', async () => {
    silent = ['workflow.results'];
    const command = place.start('run', 'good.yaml', '--server', url);
    await asked;
    command.kill('SIGINT');
    expect((await command.ended).status).toBe(130);
    expect(command.stderr()).toMatch(/The run has ended\.\n {2}gleitzeit result /);
  });
});

describe('standard input that does not end', { timeout: 30_000 }, () => {
  it.each([
    ['run', '-'],
    ['run', 'good.yaml', '--input-file', '-'],
    ['validate', '-'],
  ])('is given as long as --timeout says: %s %s', async (...args) => {
    const command = place.start(...args.filter((word) => word !== undefined), '--timeout', '1s');
    command.input('name: x\n');
    expect((await command.ended).status).toBe(5);
    expect(command.stderr()).toMatch(/standard input did not end within 1 s \(GLZ2003\)/);
  });
});
