import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { play } from '../../src/cli/play.suite.ts';
import { randomStrategy, startPlayer, startReferee } from '../../src/main/league/agent.ts';
import { runCommand } from '../cli/command.ts';
import { freePort } from '../services/free-port.ts';
import { ADMIN, agentOptions, openSmallLeague, type SmallLeague } from './small.ts';

let folder = '';
let league: SmallLeague | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gleitzeit-league-commands-'));
});
afterEach(async () => {
  await league?.close();
  league = null;
  rmSync(folder, { recursive: true, force: true });
});

const env = { GLEITZEIT_LEAGUE_ADMIN_TOKEN: ADMIN };

async function progress(url: string): Promise<{ status: string; matches_completed: number }> {
  const { out } = await play(['league', 'standings', '--manager', url, '-o', 'json']);
  return JSON.parse(out);
}

/** As little of Ollama as a player needs: it always takes the last choice. */
async function startModel() {
  let asked = 0;
  const server = createServer(async (request, response) => {
    const { model, prompt } = JSON.parse((await request.toArray()).join(''));
    asked++;
    const choices = [...String(prompt).matchAll(/^(\d+): /gm)].map(([, number]) => number);
    const said = { model, response: `I choose ${choices.at(-1)}.`, done: true, done_reason: 'stop' };
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(`${JSON.stringify(said)}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked: () => asked, close: () => server.close() };
}

describe('the commands of a league', () => {
  it('start it with the token of the administrator only, and show how far it is', async () => {
    league = await openSmallLeague(2);
    const { url } = league;
    const start = (token: string) =>
      play(['league', 'start', '--manager', url], { env: { GLEITZEIT_LEAGUE_ADMIN_TOKEN: token } });
    expect((await start('a-guess-of-mine')).status).toBe(4);
    expect((await start('short')).status).toBe(2);
    expect(await start(ADMIN)).toMatchObject({ status: 0, out: 'Started: 1 matches in 1 rounds\n' });
    await expect.poll(() => progress(url)).toMatchObject({ status: 'COMPLETED', matches_completed: 1 });
    expect((await start(ADMIN)).status).toBe(8);
    const { out } = await play(['league', 'standings', '--manager', url]);
    expect(out).toMatch(/^tic_tac_toe: completed, 1 of 1 matches\nRANK {2}PLAYER/);
  });

  it('say that nobody is there, or somebody else', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    expect((await play(['league', 'standings', '--manager', nobody])).status).toBe(3);
    expect((await play(['league', 'standings', '--manager', 'ftp://x'])).status).toBe(2);
    expect((await play(['league', 'audit', join(folder, 'none.jsonl')])).status).toBe(6);
  });

  it('play by asking a language model, each question a task of the engine', async () => {
    const model = await startModel();
    league = await openSmallLeague(1);
    const { url } = league;
    writeFileSync(
      join(folder, 'gleitzeit.yaml'),
      `protocols: [{name: llm/v1, providers: [{id: m, type: ollama, models: [small], config: {url: "${model.url}"}}]}]\n`,
    );
    const args = ['league', 'player', '--id', 'Model', '--manager', url, '--strategy', 'llm'];
    const player = runCommand(args, { cwd: folder });
    await player.said(/Joined small/);
    expect((await play(['league', 'start', '--manager', url], { env })).status).toBe(0);
    await expect.poll(() => progress(url)).toMatchObject({ status: 'COMPLETED' });
    expect(model.asked()).toBeGreaterThanOrEqual(2);
    player.kill('SIGTERM');
    expect((await player.ended).status).toBe(0);
    expect(player.stderr()).not.toContain('left to chance');
    model.close();
    const { out } = await play(['league', 'replay', league.audit, '-o', 'json']);
    expect(JSON.parse(out)).toMatchObject({ differences: [], results: [{ by: 'R1' }] });
  });

  it('end a manager as asked, and one whose league another writes by saying so', async () => {
    const args = [
      'league',
      'manager',
      '--league-id',
      'L',
      '--game',
      'even_odd',
      '--port',
      '0',
      '--folder',
      folder,
    ];
    const first = runCommand(args, { cwd: folder, env });
    await first.said(/Listening on/);
    first.kill('SIGTERM');
    expect(await first.ended).toEqual({ status: 0, signal: null });
    const second = runCommand(args, { cwd: folder, env });
    await second.said(/Listening on/);
    const store = new DatabaseSync(join(folder, 'store.db'));
    const page = `L/${'2'.padStart(10, '0')}`;
    store.prepare('INSERT INTO document VALUES (?, ?, 1, ?)').run('league', page, '{"lines":[],"aside":[]}');
    store.close();
    const [, url = ''] = /Listening on (\S+)\/mcp/.exec(second.stdout() + second.stderr()) ?? [];
    await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect((await second.ended).status).toBe(8);
    expect(second.stderr()).toContain('another manager has this league');
  });

  it('end where the league does not take an agent', async () => {
    league = await openSmallLeague(1);
    const again = runCommand(['league', 'player', '--id', 'P1', '--manager', league.url], { cwd: folder });
    expect((await again.ended).status).toBe(2);
    expect(again.stderr()).toContain('the league refused player P1');
  });
});

describe('an agent of the league', () => {
  const elsewhere = { host: '10.1.2.3', port: 0 };

  it('listens beyond this machine only behind TLS', async () => {
    const options = { ...agentOptions('P1', 'http://127.0.0.1:9'), where: elsewhere };
    await expect(startPlayer({ ...options, strategy: randomStrategy })).rejects.toThrow('needs TLS');
    await expect(startReferee(options)).rejects.toThrow('listening on 10.1.2.3 needs TLS');
    const half = { ...options, where: { ...elsewhere, tls_cert: 'cert.pem' } };
    await expect(startReferee(half)).rejects.toThrow('--tls-cert and --tls-key go together');
  });

  it('that is not registered yet takes another port where its own was taken meanwhile', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const state_file = join(folder, 'P1.json');
    const kept = { registration: 'a', auth_token: null, league_id: null, port, matches: {} };
    const options = { ...agentOptions('P1', 'http://127.0.0.1:9'), state_file, strategy: randomStrategy };
    writeFileSync(state_file, JSON.stringify(kept));
    const player = await startPlayer(options);
    expect(player.endpoint_url).not.toContain(String(port));
    await player.stop(1000);
    writeFileSync(state_file, JSON.stringify({ ...kept, auth_token: 'given', league_id: 'L1' }));
    await expect(startPlayer(options)).rejects.toMatchObject({ code: 'GLZ1012' });
    other.close();
  });

  it('is not started with a state that it cannot read', async () => {
    const state_file = join(folder, 'P1.json');
    writeFileSync(state_file, '{"registration": 1}');
    await expect(startReferee({ ...agentOptions('P1', 'http://127.0.0.1:9'), state_file })).rejects.toThrow(
      'registration is missing',
    );
  });
});
