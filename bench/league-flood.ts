/**
 * What a flood does to others: `node bench/league-flood.ts [messages] [rate]` plays a league, asks its manager all the while, floods it
 * with bad messages, and prints how long good questions took before and meanwhile. With `child` it is the flood.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { leagueProgress, startLeague } from '../src/main/league/ask-manager.ts';
import { openLines } from '../src/main/league/place.ts';
import { type Flood, flood } from '../test/league/flood.ts';
import { percentile } from './measure.ts';
import { startService } from './processes.ts';

const ADMIN = 'bench-admin-token';
const BEFORE_MS = 5000;
const PACE_MS = 5;

/** Questions of the administrator one after another, until the signal; milliseconds of each. */
async function asking(url: string, signal: AbortSignal): Promise<number[]> {
  const pool = new Pool(url, { connections: 1 });
  const times: number[] = [];
  while (!signal.aborted) {
    const envelope = {
      ...{
        protocol: 'league.v2',
        message_type: 'ADMIN_GET_STATUS_REQUEST',
        sender: 'admin',
        auth_token: ADMIN,
      },
      ...{ timestamp: new Date().toISOString(), conversation_id: randomUUID() },
    };
    const params = { envelope, payload: {} };
    const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'league.handle', params });
    const begun = performance.now();
    const headers = { 'content-type': 'application/json' };
    const answer = await pool.request({ method: 'POST', path: '/mcp', headers, body });
    await answer.body.text();
    times.push(performance.now() - begun);
    await sleep(PACE_MS);
  }
  await pool.close();
  return times;
}

async function measure(messages: number, rate: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-bench-flood-'));
  const services: { stop(): Promise<void> }[] = [];
  const start = async <Ready>(program: string, ...args: string[]): Promise<Ready> => {
    const service = await startService<Ready>(program, args);
    services.unshift(service);
    return service.ready;
  };
  try {
    const { url } = await start<{ url: string }>('./league-process.ts', 'manager', folder, ADMIN);
    await start('./league-process.ts', 'referees', url, '10');
    await start('./league-process.ts', 'players', url, '100');
    const lines = openLines(undefined);
    await startLeague({ lines, manager: url, admin_token: ADMIN });
    await lines.close();
    const before = await asking(url, AbortSignal.timeout(BEFORE_MS));
    const flooding = new AbortController();
    const asked = asking(url, flooding.signal);
    const sent = await start<Flood>('./league-flood.ts', 'child', url, String(messages), String(rate));
    flooding.abort();
    const during = await asked;
    const { matches_completed } = await leagueProgress({ url });
    const p99 = [percentile(before, 0.99), percentile(during, 0.99)] as const;
    const told = { ...sent, rate: sent.sent / sent.seconds, matches_completed };
    const shown = { p99_before_ms: p99[0], p99_during_ms: p99[1], factor: p99[1] / p99[0] };
    process.stdout.write(`${JSON.stringify({ ...told, ...shown })}\n`);
  } finally {
    for (const { stop } of services) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const [first = '10000', second = '1500', third = '10000', fourth = '1500'] = process.argv.slice(2);
if (first === 'child') {
  process.send?.(await flood(second, { messages: Number(third), rate: Number(fourth) }));
  process.disconnect?.();
} else await measure(Number(first), Number(second));
