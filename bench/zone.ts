import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom, systemTimers } from '../src/embedded/system.ts';
import { makeAuthority } from '../src/rpc/http/certificates.suite.ts';
import { httpChannel } from '../src/rpc/http/channel.ts';
import { httpsCarrier } from '../src/zone/carriers/https/carrier.ts';
import { writeRequest } from '../src/zone/contract/request.ts';
import { readResponse } from '../src/zone/contract/response.ts';
import { payload } from './payload.ts';
import { startService } from './processes.ts';
import { type BenchTls, startServer } from './server-process.ts';
import type { ZoneReport } from './system.ts';

/** Until the code of all three processes is compiled: before that a call through the zone takes half as long again. */
const WARM_UP = 1000;

/** One call after the other, directly and through an execution zone in turn, both over connections that are kept. */
export async function measureZone(calls: number): Promise<ZoneReport> {
  const folder = await mkdtemp(join(tmpdir(), 'gleitzeit-zone-'));
  const agent = await startService<{ readonly http: string }>('./dialect-service.ts');
  const tls = await certificatesIn(folder);
  const url = `${agent.ready.http}/rpc`;
  const server = await startServer(folder, configuration(url), tls);
  const channel = httpChannel({ url, wall: () => systemClock.wall(), timers: systemTimers });
  const carrier = httpsCarrier({
    ...{ url: server.url.replace('/rpc', '/zone'), tls: tls.client },
    ...{ clock: systemClock, timers: systemTimers, random: systemRandom() },
  });
  const { signal } = new AbortController();
  const params = { channel: 'C1', text: payload('zone').text, bot_token: 'xoxb-of-the-benchmark' };

  async function direct(): Promise<void> {
    const answered = await channel.call({ id: randomUUID(), method: 'echo', params, signal });
    if (!('result' in answered)) throw new Error(JSON.stringify(answered));
  }
  async function through(): Promise<void> {
    const request = { id: randomUUID(), method: 'execute_task', params } as const;
    const response = readResponse(await carrier.send(writeRequest(request), { signal }), request);
    if (!('result' in response) || response.result.status !== 'success')
      throw new Error(JSON.stringify(response));
  }

  const times = { direct: [] as number[], zone: [] as number[] };
  try {
    for (let n = -WARM_UP; n < calls; n++) {
      const [one, other] = [await timeOf(direct), await timeOf(through)];
      if (n < 0) continue;
      times.direct.push(one);
      times.zone.push(other);
    }
    return times;
  } finally {
    await Promise.all([channel.close(), carrier.close()]);
    await server.stop();
    await agent.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function configuration(url: string): object {
  const params = { type: 'object', properties: { bot_token: { type: 'string', 'x-secret': true } } };
  return {
    store: { type: 'sqlite', path: 'zone.db' },
    logging: { level: 'silent' },
    zone: { execute: { protocol: 'echo/v1', method: 'echo' } },
    protocols: [
      {
        name: 'echo/v1',
        methods: { echo: { params } },
        providers: [{ type: 'jsonrpc-http', config: { url } }],
      },
    ],
  };
}

async function certificatesIn(folder: string): Promise<BenchTls> {
  const authority = makeAuthority();
  const [own, client] = [authority.issue('localhost'), authority.issue('client')];
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const files = {
    cert: await file('server.crt', own.cert),
    key: await file('server.key', own.key),
    client_ca: await file('ca.crt', authority.cert),
  };
  return { files, client: { ca: authority.cert, ...client } };
}
