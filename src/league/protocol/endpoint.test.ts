import { beforeEach, describe, expect, it } from 'vitest';
import { isUtcTime } from './check-envelope.ts';
import { fault } from './faults.ts';
import { envelope, payload, question, type Said, TestAgent, TOKEN, teller } from './testing.suite.ts';

let agent: TestAgent;
let tell: (body: unknown) => Promise<Said>;
beforeEach(() => {
  agent = new TestAgent();
  tell = teller(agent);
});

describe('an answer', () => {
  it('carries the conversation, what it is about, and who speaks', async () => {
    const said = await tell(question({ id: 7 }));
    expect(said).toMatchObject({ status: 200, id: 7, result: { payload: { status: 'accepted' } } });
    expect(said.result?.envelope).toEqual({
      protocol: 'league.v2',
      message_type: 'GAME_JOIN_ACK',
      sender: 'player:P1',
      timestamp: '1970-01-01T00:00:00.000Z',
      conversation_id: envelope.conversation_id,
      match_id: 'M1',
      game_type: 'even_odd',
    });
  });

  it.each(['2026-01-31T10:00:00.123456Z', '2026-01-31T10:00:00+00:00', '2026-01-31T10:00:00.1+00:00'])(
    'is given at %s',
    async (timestamp) => {
      expect((await tell(question({ envelope: { timestamp } }))).status).toBe(200);
      expect(agent.handled).toHaveLength(1);
    },
  );

  it('is given to what says nothing by null', async () => {
    const said = await tell(question({ envelope: { round_id: null } }));
    expect(said.result?.envelope).not.toHaveProperty('round_id');
  });
});

describe('a body that is no request is refused with HTTP 400 and a JSON-RPC error', () => {
  const { id: _, ...withoutId } = question();
  it.each([
    ['no JSON', '{"jsonrpc": "2.0", ', -32700, null],
    ['nothing', '', -32700, null],
    ['a batch', [question()], -32600, null],
    ['a word', '"word"', -32600, null],
    ['too deep', '['.repeat(1000), -32600, null],
    ['another version', { ...question({ id: 'a' }), jsonrpc: '1.0' }, -32600, 'a'],
    ['no version', { ...question({ id: 'a' }), jsonrpc: undefined }, -32600, 'a'],
    ['a method that is no text', { ...question({ id: 'a' }), method: 7 }, -32600, 'a'],
    ['params that are a text', { ...question({ id: 'a' }), params: 'x' }, -32600, 'a'],
    ['no id', withoutId, -32600, null],
    ['an id that is null', { ...question(), id: null }, -32600, null],
    ['an id that is too long', { ...question(), id: 'a'.repeat(257) }, -32600, null],
    ['an id that is an object', { ...question(), id: {} }, -32600, null],
  ])('%s', async (_name, body, code, id) => {
    const said = await tell(body);
    expect(said).toMatchObject({
      status: 400,
      id,
      error: { code, data: { error_code: 'INVALID_JSON_RPC' } },
    });
    expect(agent.handled).toEqual([]);
    expect(agent.refusals).toHaveLength(1);
  });
});

describe('a request that breaks a rule is answered by its name', () => {
  const cases: readonly (readonly [string, object, string, number])[] = [
    ['another method', { ...question(), method: 'league.other' }, 'INVALID_METHOD', -32601],
    ['no params', { ...question(), params: undefined }, 'MISSING_ENVELOPE', -32600],
    ['params in a list', { ...question(), params: [1] }, 'MISSING_ENVELOPE', -32600],
    ['no envelope', { ...question(), params: { payload } }, 'MISSING_ENVELOPE', -32600],
    ['an envelope that is a text', { ...question(), params: { envelope: 'x' } }, 'MISSING_ENVELOPE', -32600],
    ['no sender', question({ envelope: { sender: undefined } }), 'MISSING_REQUIRED_FIELD', -32600],
    [
      'no message type',
      question({ envelope: { message_type: undefined } }),
      'MISSING_REQUIRED_FIELD',
      -32600,
    ],
    [
      'no conversation',
      question({ envelope: { conversation_id: undefined } }),
      'MISSING_REQUIRED_FIELD',
      -32600,
    ],
    ['no protocol', question({ envelope: { protocol: undefined } }), 'MISSING_REQUIRED_FIELD', -32600],
    ['no timestamp', question({ envelope: { timestamp: undefined } }), 'MISSING_REQUIRED_FIELD', -32600],
    ['no token', question({ envelope: { auth_token: undefined } }), 'MISSING_REQUIRED_FIELD', -32600],
    ['no match', question({ envelope: { match_id: undefined } }), 'MISSING_REQUIRED_FIELD', -32600],
    ['wrong protocol', question({ envelope: { protocol: 'league.v1' } }), 'INVALID_PROTOCOL_VERSION', -32600],
    ['unknown message', question({ envelope: { message_type: 'HELLO' } }), 'INVALID_MESSAGE_TYPE', -32600],
    ['an answer', question({ envelope: { message_type: 'GAME_JOIN_ACK' } }), 'INVALID_MESSAGE_TYPE', -32600],
    [
      'a name of objects',
      question({ envelope: { message_type: 'toString' } }),
      'INVALID_MESSAGE_TYPE',
      -32600,
    ],
    ['wrong sender', question({ envelope: { sender: 'referee R1' } }), 'INVALID_SENDER_FORMAT', -32600],
    ['a kind nobody is', question({ envelope: { sender: 'judge:R1' } }), 'INVALID_SENDER_FORMAT', -32600],
    ['no id behind it', question({ envelope: { sender: 'referee:' } }), 'INVALID_SENDER_FORMAT', -32600],
    [
      'not in UTC',
      question({ envelope: { timestamp: '2026-01-31T10:00:00+01:00' } }),
      'INVALID_TIMESTAMP',
      -32600,
    ],
    ['no zone', question({ envelope: { timestamp: '2026-01-31T10:00:00' } }), 'INVALID_TIMESTAMP', -32600],
    [
      'no such day',
      question({ envelope: { timestamp: '2026-02-30T10:00:00Z' } }),
      'INVALID_TIMESTAMP',
      -32600,
    ],
    ['no time at all', question({ envelope: { timestamp: 7 } }), 'INVALID_TIMESTAMP', -32600],
    ['no UUID', question({ envelope: { conversation_id: 'conv-001' } }), 'INVALID_ENVELOPE_FIELD', -32600],
    [
      'a UUID v1',
      question({ envelope: { conversation_id: '6f0c5a4e-3f5b-1c39-9c5f-0d1d5c1c2b3a' } }),
      'INVALID_ENVELOPE_FIELD',
      -32600,
    ],
    ['a token that is no text', question({ envelope: { auth_token: 7 } }), 'INVALID_ENVELOPE_FIELD', -32600],
    ['a match that is no id', question({ envelope: { match_id: '../x' } }), 'INVALID_ENVELOPE_FIELD', -32600],
    [
      'a token at registration',
      question({ envelope: { message_type: 'REGISTER_PLAYER_REQUEST' } }),
      'INVALID_ENVELOPE_FIELD',
      -32600,
    ],
    [
      'foreign token',
      question({ envelope: { auth_token: 'of somebody else' } }),
      'AUTHENTICATION_FAILED',
      -32600,
    ],
    ['a player to a player', question({ envelope: { sender: 'player:P2' } }), 'AUTHORIZATION_FAILED', -32600],
    [
      'what is said to referees',
      question({
        envelope: {
          message_type: 'MATCH_ASSIGNMENT',
          sender: 'league_manager',
          league_id: 'L',
          round_id: 'R',
        },
      }),
      'AUTHORIZATION_FAILED',
      -32600,
    ],
    [
      'a payload without a field',
      question({ payload: { match_id: 'M1', opponents: [] } }),
      'MISSING_REQUIRED_FIELD',
      -32602,
    ],
    ['a payload that is a list', question({ payload: [] }), 'MISSING_REQUIRED_FIELD', -32602],
    [
      'a payload with a wrong match',
      question({ payload: { ...payload, match_id: 'a b' } }),
      'INVALID_MATCH_ID',
      -32602,
    ],
    [
      'a payload with wrong players',
      question({ payload: { ...payload, opponents: ['a b'] } }),
      'INVALID_PLAYER_ID',
      -32602,
    ],
    [
      'a payload with a wrong field',
      question({ payload: { ...payload, game_type: 7 } }),
      'INVALID_ENVELOPE_FIELD',
      -32602,
    ],
  ];
  it.each(cases)('%s', async (_name, body, error_code, code) => {
    const said = await tell(body);
    expect(said).toMatchObject({ status: 200, error: { code, data: { error_code } } });
    expect(agent.handled).toEqual([]);
    expect(JSON.stringify(said)).not.toContain(TOKEN);
  });

  it('tells what is missing in the words of the record', async () => {
    const said = await tell(question({ id: 1, envelope: { auth_token: undefined } }));
    expect(said.error).toMatchObject({
      message: 'Invalid Request',
      data: { details: 'Missing required field: auth_token', envelope: { sender: 'referee:R1' } },
    });
  });
});

describe('the order of checks', () => {
  const wrongState = fault('INVALID_AGENT_STATE', 'not now');

  it('is envelope, sender and token, state, payload', async () => {
    agent.judge = () => wrongState;
    const wrongPayload = { payload: { opponents: 7 } };
    const all = { ...wrongPayload, envelope: { timestamp: 'x', auth_token: 'wrong' } };
    const names: unknown[] = [];
    for (const changes of [all, { ...wrongPayload, envelope: { auth_token: 'wrong' } }, wrongPayload])
      names.push((await tell(question(changes))).error?.data.error_code);
    agent.judge = () => null;
    names.push((await tell(question(wrongPayload))).error?.data.error_code);
    expect(names).toEqual([
      'INVALID_TIMESTAMP',
      'AUTHENTICATION_FAILED',
      'INVALID_AGENT_STATE',
      'MISSING_REQUIRED_FIELD',
    ]);
  });

  it('asks for the token before it says that an id was used', async () => {
    const first = question();
    await tell(first);
    const again = { ...first, params: { ...first.params, envelope: { ...envelope, auth_token: 'x' } } };
    expect((await tell(again)).error?.data.error_code).toBe('AUTHENTICATION_FAILED');
  });
});

describe('an id that comes twice', () => {
  it('is done once, and answered by the same', async () => {
    const body = question({ id: 'same' });
    const [one, other] = await Promise.all([tell(body), tell(body)]);
    expect(other).toEqual(one);
    expect(await tell(question({ id: 'same', envelope: { timestamp: '2026-02-01T00:00:00Z' } }))).toEqual(
      one,
    );
    expect(agent.handled).toHaveLength(1);
  });

  it('with another message is refused', async () => {
    await tell(question({ id: 'same' }));
    const said = await tell(question({ id: 'same', payload: { ...payload, opponents: ['P3'] } }));
    expect(said.error?.data.error_code).toBe('INVALID_JSON_RPC');
    expect(agent.handled).toHaveLength(1);
  });

  it('of another sender has nothing to do with it', async () => {
    await tell(question({ id: 'same' }));
    await tell(question({ id: 'same', envelope: { sender: 'referee:R2' } }));
    expect(agent.handled).toHaveLength(2);
  });

  it('is judged again where it was refused', async () => {
    agent.judge = () => fault('PRECONDITION_FAILED', 'not yet');
    const body = question();
    expect((await tell(body)).error?.code).toBe(-32000);
    agent.judge = () => null;
    expect((await tell(body)).result).toBeDefined();
  });
});

describe('trouble of the agent itself', () => {
  it('is told by its name alone', async () => {
    agent.reply = async () => {
      throw new Error(`the token is ${TOKEN}`);
    };
    const said = await tell(question());
    expect(said).toMatchObject({
      status: 200,
      error: { code: -32603, data: { error_code: 'INTERNAL_ERROR' } },
    });
    expect(JSON.stringify(said)).not.toContain(TOKEN);
  });

  it('may be a fault that it names', async () => {
    agent.reply = async () => fault('MATCH_EXECUTION_FAILED', 'the game cannot go on');
    expect((await tell(question())).error).toMatchObject({ code: -32000, message: 'Not possible now' });
  });
});

describe('a time', () => {
  it.each(['2024-02-29T23:59:59Z', '2026-01-31T10:00:00.123456789+00:00'])('%s is one', (text) => {
    expect(isUtcTime(text)).toBe(true);
  });
  it.each([
    '2025-02-29T00:00:00Z',
    '2026-01-31T24:00:01Z',
    '2026-01-31 10:00:00Z',
    '2026-01-31T10:00:00-00:00',
  ])('%s is none', (text) => {
    expect(isUtcTime(text)).toBe(false);
  });
});
