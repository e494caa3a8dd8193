import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { carrierSites, serveOverHttp, silent } from './carriers/sites.suite.ts';
import { relayTo } from './carriers/stdio/relay.suite.ts';
import { createEndpoint } from './execution/endpoint.ts';
import { noise } from './execution/noise.suite.ts';
import { isResponse } from './response.suite.ts';

const RUNS = 200;
const broken = () => Promise.reject(new Error('at /somewhere/inside.ts:1:1'));
const clock = { wall: () => 0, monotonic: () => 0 };
const endpoint = createEndpoint({ execution: { execute: broken, result: broken }, logger: silent, clock });

let served: Awaited<ReturnType<typeof serveOverHttp>>;
beforeAll(async () => {
  served = await serveOverHttp(endpoint);
});
afterAll(() => served.stop());

/** One body after the other, each of which is to be answered. */
async function tryAll(bodies: fc.Arbitrary<Uint8Array>, ask: (body: Uint8Array) => Promise<string>) {
  const property = fc.asyncProperty(bodies, async (body) => {
    const text = await ask(body);
    expect(isResponse(text), text).toBe(true);
    expect(text).not.toContain('inside.ts');
  });
  await fc.assert(property, { numRuns: RUNS });
}

it.each(['/zone', '/invocations'])('whatever is posted to %s is answered with a response', async (path) => {
  const headers = { 'content-type': 'application/json' };
  await tryAll(noise, async (body) => {
    const answer = await fetch(`${served.url}${path}`, { method: 'POST', headers, body: Buffer.from(body) });
    expect(answer.status).toBe(200);
    return answer.text();
  });
});

it('whatever comes over a WebSocket, text or not, is answered with a response', async () => {
  const socket = new WebSocket(`${served.url.replace('http', 'ws')}/zone`);
  await once(socket, 'open');
  const ask = async (body: string | Uint8Array) => {
    const answer = once(socket, 'message');
    socket.send(body);
    return String((await answer)[0]);
  };
  await tryAll(noise, (body) => ask(Buffer.from(body).toString()));
  await tryAll(noise, async (body) => {
    const text = await ask(body);
    expect(JSON.parse(text)).toMatchObject({ id: null, error: { code: -32600 } });
    return text;
  });
  socket.terminate();
});

it('whatever line comes over stdio is answered with a response', async () => {
  const { socket, close } = await relayTo(endpoint);
  const program = fileURLToPath(new URL('./carriers/stdio/relay-process.suite.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, socket]);
  const lines = createInterface(child.stdout);
  const oneLine = noise.map((body) => body.filter((byte) => byte !== 10 && byte !== 13));
  await tryAll(oneLine, async (body) => {
    const answer = once(lines, 'line');
    child.stdin.write(Buffer.concat([body, Buffer.from('\n')]));
    return String((await answer)[0]);
  });
  child.stdin.end();
  await once(child, 'exit');
  await close();
});

it.each(carrierSites)('whatever text $name carries comes back as a response', async ({ start }) => {
  const { carrier, close } = await start(endpoint);
  const { signal } = new AbortController();
  await tryAll(noise, (body) => carrier.send(Buffer.from(body).toString(), { signal }));
  await close();
});
