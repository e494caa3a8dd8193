import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { replay } from '../../src/league/audit/replay.ts';
import { SimpleAgent, SimpleReferee } from './agents.ts';
import { ManagerProcess } from './manager-process.ts';
import type { Moment } from './manager-program.ts';

const ADMIN = 'the-token-of-the-administrator';
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function league(moments: readonly Moment[], players: number) {
  const folder = await mkdtemp(join(tmpdir(), 'league-'));
  closing.push(() => rm(folder, { recursive: true }));
  const manager = new ManagerProcess({ folder, admin_token: ADMIN, seed: 'seven' }, moments);
  closing.push(() => manager.stop());
  await manager.start();
  const url = () => manager.url;
  const referees = ['A', 'B'].map((id) => new SimpleReferee('referee', id, url));
  const others = Array.from({ length: players }, (_, n) => new SimpleAgent('player', `P${n + 1}`, url));
  for (const agent of [...referees, ...others]) {
    closing.push(() => agent.stop());
    await agent.listen();
    await agent.register();
  }
  const admin = new SimpleAgent('player', 'nobody', url);
  Object.assign(admin, { sender: 'admin', token: ADMIN });
  closing.push(() => admin.stop());
  return { manager, referees, others, admin, folder };
}

type Status = { readonly status: string; readonly standings: unknown };

async function statusOf(manager: ManagerProcess): Promise<Status> {
  const answer = await fetch(manager.url.replace('/mcp', '/status'));
  return (await answer.json()) as Status;
}

/** The log as its file tells it, when that tells of the end. */
async function completed(manager: ManagerProcess, folder: string): Promise<{ status: Status; file: string }> {
  const read = () => readFile(join(folder, 'audit.jsonl'), 'utf8');
  await expect
    .poll(async () => (await read()).includes('"league_completed"'), { timeout: 100_000 })
    .toBe(true);
  return { status: await statusOf(manager), file: await read() };
}

describe('a manager that is killed', () => {
  it('goes on where it was, whatever it was at, and every result counts once', async () => {
    const { manager, referees, others, admin, folder } = await league(
      [
        { fact: 'agent_registered', nth: 2, when: 'after' },
        { fact: 'schedule_made', nth: 1, when: 'after' },
        { fact: 'match_assigned', nth: 2, when: 'after' },
        { fact: 'match_assigned', nth: 2, when: 'before' },
        { fact: 'result_accepted', nth: 1, when: 'after' },
        { fact: 'result_accepted', nth: 2, when: 'before' },
        { fact: 'round_completed', nth: 1, when: 'after' },
      ],
      6,
    );
    await admin.tell('ADMIN_START_LEAGUE_REQUEST');
    const { status, file } = await completed(manager, folder);
    expect(manager.deaths).toBe(7);
    expect(status).toMatchObject({ matches: 15, matches_completed: 15, rounds_completed: 5 });
    const again = await replay(file.trimEnd().split('\n'));
    expect(again).toMatchObject({ intact: true, differences: [], status: 'COMPLETED' });
    expect(again.standings).toEqual(status.standings);
    expect(again.results).toHaveLength(15);
    // Each was answered, once taken and never refused: what was lost on the way was asked again under the same id.
    const reports = referees.flatMap((referee) => referee.reports);
    expect(reports.map(({ is }) => is)).toEqual(Array.from({ length: 15 }, () => 'answered'));
    const tokens = [ADMIN, ...referees.map(({ token }) => token), ...others.map(({ token }) => token)];
    expect(new Set(tokens).size).toBe(9);
    for (const token of tokens) expect(`${file}${manager.log}`).not.toContain(token);
  }, 150_000);
});
