import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';

/** What a flood is made of: one of everything that is wrong, in turn. */
const spoilt: readonly ((good: Record<string, unknown>) => string)[] = [
  () => '{"jsonrpc":"2.0","method":"league.handle",',
  () => '[]',
  (good) => request({ ...good, protocol: 'league.v1' }),
  (good) => request({ ...good, message_type: 'GIVE_ME_POINTS' }),
  (good) => request({ ...good, timestamp: '2026-01-31T10:00:00+02:00' }),
  (good) => request({ ...good, conversation_id: 'conv-001' }),
  (good) => request({ ...good, auth_token: 'a-guess' }),
  (good) => request({ ...good, sender: 'player:P1', message_type: 'QUERY_STANDINGS', league_id: 'league' }),
  (good) => request({ ...good, sender: 'admin', message_type: 'ADMIN_START_LEAGUE_REQUEST' }),
  (good) => request({ ...good, sender: 'nobody' }),
  (good) => JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'league.win', params: good }),
  ({ auth_token: _, ...good }) =>
    request(
      { ...good, sender: 'player:P1', message_type: 'REGISTER_PLAYER_REQUEST' },
      { player_id: 'P1', endpoint_url: 'http://127.0.0.1:9/mcp' },
    ),
];

const result = {
  ...{ game_type: 'even_odd', players: ['P1', 'P2'], outcome: { P1: 'win', P2: 'loss' } },
  ...{ points: { P1: 300, P2: 0 }, game_metadata: {} },
};

function request(envelope: object, payload: object = result): string {
  const params = { envelope, payload };
  return JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method: 'league.handle', params });
}

function envelope(): Record<string, unknown> {
  return {
    ...{ protocol: 'league.v2', message_type: 'MATCH_RESULT_REPORT', sender: 'referee:R1' },
    ...{ timestamp: new Date().toISOString(), conversation_id: randomUUID(), auth_token: 'not-the-token' },
    ...{ league_id: 'league', round_id: 'R1', match_id: 'R1M1', game_type: 'even_odd' },
  };
}

export type Flood = {
  readonly sent: number;
  readonly seconds: number;
  /** Answered by anything but an error: none should be. */
  readonly taken: number;
};

/** Sends bad messages to a manager, `rate` in a second where it can take them. One that is away misses some. */
export async function flood(
  url: string,
  { messages, rate }: { messages: number; rate: number },
): Promise<Flood> {
  const pool = new Pool(url, { connections: 32, pipelining: 1 });
  const began = performance.now();
  let sent = 0;
  let taken = 0;
  const one = async () => {
    while (sent < messages) {
      const number = sent++;
      const due = began + (number * 1000) / rate;
      const early = due - performance.now();
      if (early > 1) await new Promise((resolve) => setTimeout(resolve, early));
      const body = (spoilt[number % spoilt.length] ?? String)(envelope());
      const headers = { 'content-type': 'application/json' };
      try {
        const answer = await pool.request({ method: 'POST', path: '/mcp', headers, body });
        if ((await answer.body.text()).includes('"result"')) taken++;
      } catch {
        // Gone for a moment.
      }
    }
  };
  await Promise.all(Array.from({ length: 32 }, one));
  await pool.close();
  return { sent, taken, seconds: (performance.now() - began) / 1000 };
}
