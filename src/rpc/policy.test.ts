import { describe, expect, it } from 'vitest';
import { createDispatch, defaultDispatchLimits } from './dispatch.ts';
import { plainPolicy, type RpcPolicy } from './policy.ts';
import { quiet } from './testing/quiet.suite.ts';

const ask = (method: string, id: unknown = 1) => JSON.stringify({ jsonrpc: '2.0', method, id });
const tell = (method: string) => JSON.stringify({ jsonrpc: '2.0', method });

async function served(body: string, policy: RpcPolicy) {
  const methods = new Map([['m', () => 1]]);
  const dispatch = createDispatch({ methods, policy, limits: defaultDispatchLimits, ...quiet });
  const { text, status } = await dispatch.handle(body, null, new AbortController().signal);
  return { text, status, reply: text === null ? null : JSON.parse(text) };
}

// Endpoints to come differ in just these ways; that a policy can say so is shown before they are there.
describe('policies', () => {
  const a2a: RpcPolicy = {
    ...plainPolicy,
    batch: 'refused',
    missing_id: 'answered',
    null_params: 'accepted',
    status: { ...plainPolicy.status, content_type: { status: 400, code: -32005 } },
  };
  const mcp: RpcPolicy = {
    ...plainPolicy,
    batch: 'refused',
    null_id: 'refused',
    invalid_request_id: 'null',
    status: {
      answer: 200,
      nothing: 202,
      codes: new Map([
        [-32700, 400],
        [-32600, 400],
        [-32601, 404],
      ]),
      batch_refused: 400,
      content_type: { status: 415, code: null },
    },
  };
  const cases: readonly [string, string, RpcPolicy, number, unknown][] = [
    ['plain: a result', ask('m'), plainPolicy, 200, { result: 1 }],
    ['plain: a notification', tell('m'), plainPolicy, 204, null],
    ['plain: a parse error', '{', plainPolicy, 200, { error: { code: -32700 } }],
    ['plain: an unknown method', ask('x'), plainPolicy, 200, { error: { code: -32601 } }],
    ['A2A: no id is answered', tell('m'), a2a, 200, { result: 1, id: null }],
    ['A2A: no id and no such method', tell('x'), a2a, 200, { error: { code: -32601 }, id: null }],
    ['A2A: a batch', `[${ask('m')}]`, a2a, 200, { error: { code: -32600 }, id: null }],
    ['A2A: params null', '{"jsonrpc":"2.0","method":"m","params":null,"id":1}', a2a, 200, { result: 1 }],
    ['MCP: a notification', tell('m'), mcp, 202, null],
    ['MCP: id null', ask('m', null), mcp, 400, { error: { code: -32600 }, id: null }],
    ['MCP: a batch', `[${ask('m')}]`, mcp, 400, { error: { code: -32600 } }],
    ['MCP: an unknown method', ask('x'), mcp, 404, { error: { code: -32601 }, id: 1 }],
    ['MCP: an invalid request', '{"id":7}', mcp, 400, { error: { code: -32600 }, id: null }],
    ['MCP: a parse error', '{', mcp, 400, { error: { code: -32700 } }],
  ];
  it.each(cases)('%s', async (_, body, policy, status, reply) => {
    const said = await served(body, policy);
    expect(said.status).toBe(status);
    if (reply === null) expect(said.text).toBeNull();
    else expect(said.reply).toMatchObject(reply as object);
  });
});
