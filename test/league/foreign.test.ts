import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foreignPlayers } from './whole.ts';

type Said = Record<string, unknown>;
type Heard = { readonly id: string; readonly params: { readonly envelope: Said; readonly payload: Said } };

const conversation_id = '6f0c5a4e-3f5b-4c39-9c5f-0d1d5c1c2b3a';
const head = { protocol: 'league.v2', timestamp: '2026-01-31T10:00:00Z', conversation_id, league_id: 'L1' };
const referee = {
  ...head,
  sender: 'referee:R1',
  auth_token: 'of-the-match',
  match_id: 'M1',
  game_type: 'even_odd',
};

let folder = '';
let manager: Server;
let heard: Heard[] = [];
/** Registrations whose answer is lost. */
let lost = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gleitzeit-foreign-'));
  heard = [];
  manager = createServer(async (request, response) => {
    const asked: Heard = JSON.parse((await request.toArray()).join(''));
    heard.push(asked);
    if (lost-- > 0) {
      request.socket.destroy();
      return;
    }
    const payload = { status: 'ok', auth_token: 'of-the-player', league_id: 'L1' };
    const said = { jsonrpc: '2.0', id: asked.id, result: { envelope: asked.params.envelope, payload } };
    response.end(JSON.stringify(said));
  });
  await new Promise<void>((resolve) => manager.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  manager.closeAllConnections();
  manager.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startPlayer(program: string) {
  const { port } = manager.address() as AddressInfo;
  const told = { MANAGER_URL: `http://127.0.0.1:${port}/mcp`, PLAYER_ID: 'P1', PORT: '0' };
  const env = { ...process.env, ...told, STATE_FILE: join(folder, 'P1.json') };
  const child = spawn('sh', ['-c', `exec ${program}`], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await expect.poll(() => said).toContain('Registered as player:P1 in L1');
  const ready = () => heard.some(({ params }) => params.envelope['message_type'] === 'AGENT_READY_REQUEST');
  await expect.poll(ready).toBe(true);
  const url = /Listening on (\S+)/.exec(said)?.[1] ?? '';
  const raw = async (body: string) => {
    const answer = await fetch(url, { method: 'POST', body });
    const { result, error } = (await answer.json()) as { result?: { payload: Said }; error?: { data: Said } };
    return { status: answer.status, said: result?.payload ?? error?.data['error_code'] };
  };
  const say = async (envelope: Said, payload: Said = {}) => {
    const body = { jsonrpc: '2.0', id: 'q', method: 'league.handle', params: { envelope, payload } };
    return (await raw(JSON.stringify(body))).said;
  };
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return (await once(child, 'exit'))[0];
  };
  return { url, raw, say, stop };
}

const programs = await foreignPlayers();

describe.each([
  { language: 'Python', program: programs[0] ?? '' },
  { language: 'Go', program: programs[1] ?? '' },
])('the player in $language', ({ program }) => {
  it('joins, moves and hears the end', async () => {
    const { say, stop } = await startPlayer(program);
    expect(heard.map(({ params }) => params.envelope['message_type'])).toEqual([
      'REGISTER_PLAYER_REQUEST',
      'AGENT_READY_REQUEST',
    ]);
    expect(heard[0]?.params.envelope).not.toHaveProperty('auth_token');
    expect(await say({ ...referee, message_type: 'GAME_INVITATION' })).toEqual({
      status: 'accepted',
      match_id: 'M1',
    });
    const move = { step_number: 1, step_context: {} };
    const choice = { choice: expect.stringMatching(/^(even|odd)$/) };
    expect(await say({ ...referee, message_type: 'REQUEST_MOVE' }, move)).toEqual({ move_payload: choice });
    const over = { outcome: 'win', final_state: {} };
    expect(await say({ ...referee, message_type: 'GAME_OVER' }, over)).toMatchObject({
      status: 'acknowledged',
    });
    expect(await stop()).toBe(0);
  });

  it('believes only the referee of its match', async () => {
    const { say, raw, stop } = await startPlayer(program);
    const announce = (auth_token: string) => {
      const match = { match_id: 'M1', players: ['P1', 'P2'], referee: 'R1', match_token: 'of-the-match' };
      const envelope = { ...head, message_type: 'ROUND_ANNOUNCEMENT', sender: 'league_manager', auth_token };
      return say(envelope, { round_id: 'R1', matches: [match] });
    };
    expect(await announce('a-guess')).toBe('AUTHENTICATION_FAILED');
    expect(await announce('of-the-player')).toEqual({ status: 'acknowledged' });
    const invite = (changes: Said) => say({ ...referee, message_type: 'GAME_INVITATION', ...changes });
    expect(await invite({ auth_token: 'a-guess' })).toBe('AUTHENTICATION_FAILED');
    expect(await invite({ sender: 'player:P2' })).toBe('AUTHORIZATION_FAILED');
    expect(await invite({ timestamp: '2026-01-31T10:00:00+02:00' })).toBe('INVALID_TIMESTAMP');
    expect(await invite({ conversation_id: 'conv-001' })).toBe('INVALID_ENVELOPE_FIELD');
    expect(await invite({ message_type: 'QUERY_STANDINGS' })).toBe('INVALID_MESSAGE_TYPE');
    expect(await raw('{"jsonrpc":')).toEqual({ status: 400, said: 'INVALID_JSON_RPC' });
    await stop();
  });

  it('asks the same again where an answer was lost, and keeps what it was given', async () => {
    lost = 1;
    const first = await startPlayer(program);
    const [one, two] = heard;
    expect(one?.id).toBe(two?.id);
    expect(one?.params.envelope['conversation_id']).toBe(two?.params.envelope['conversation_id']);
    await first.stop('SIGKILL');
    heard = [];
    const second = await startPlayer(program);
    expect(second.url).toBe(first.url);
    expect(heard.map(({ params }) => params.envelope['message_type'])).toEqual(['AGENT_READY_REQUEST']);
    expect(statSync(join(folder, 'P1.json')).mode & 0o077).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, 'P1.json'), 'utf8')).auth_token).toBe('of-the-player');
    await second.stop();
  });
});
