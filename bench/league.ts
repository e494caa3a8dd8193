import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { leagueProgress, startLeague } from '../src/main/league/ask-manager.ts';
import { openLines } from '../src/main/league/place.ts';
import { startService } from './processes.ts';
import type { LeagueReport } from './system.ts';

const ADMIN = 'bench-admin-token';
const REFEREES = 50;

type Started = { readonly url: string; readonly pid: number };

/** A league of even_odd on this machine: the manager, all referees and all players are a process each. */
export async function measureLeague(players: number): Promise<LeagueReport> {
  const folder = mkdtempSync(join(tmpdir(), 'gleitzeit-bench-league-'));
  const started: { readonly ready: Started; stop(): Promise<void> }[] = [];
  const start = async (...args: string[]) => {
    const service = await startService<Started>('./league-process.ts', args);
    started.unshift(service);
    return service.ready;
  };
  try {
    const { url } = await start('manager', folder, ADMIN);
    await start('referees', url, String(REFEREES));
    await start('players', url, String(players));
    const seconds = await played(url, players);
    const bytes = started.map(({ ready }) => residentBytes(ready.pid));
    const [playing = 0, judging = 0, managing = 0] = bytes;
    for (const { stop } of started.splice(0)) await stop();
    return { seconds, ...counted(folder), bytes: { playing, judging, managing } };
  } finally {
    for (const { stop } of started) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Seconds from the start of the league to its end. */
async function played(url: string, players: number): Promise<number> {
  const lines = openLines(undefined);
  try {
    for (;;) {
      const progress = await leagueProgress({ url });
      if (progress.players === players && progress.referees === REFEREES) break;
      await sleep(20);
    }
    const begun = performance.now();
    await startLeague({ lines, manager: url, admin_token: ADMIN });
    while ((await leagueProgress({ url })).status !== 'COMPLETED') await sleep(50);
    return (performance.now() - begun) / 1000;
  } finally {
    await lines.close();
  }
}

/** What the log says was played; every message of the manager stands there, question and answer. */
function counted(folder: string): { readonly matches: number; readonly manager_messages: number } {
  const text = readFileSync(join(folder, 'audit.jsonl'), 'utf8');
  const count = (part: string) => text.split(part).length - 1;
  return { matches: count('"fact":"result_accepted"'), manager_messages: count('"kind":"message"') };
}

/** At its peak, by the system. */
function residentBytes(pid: number): number {
  const told = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(told)?.[1] ?? 0) * 1024;
}
