import { describe, expect, it } from 'vitest';
import type { Json } from '../../core/json.ts';
import type { ProviderCall } from '../../core/ports/provider.ts';
import { realParts } from '../jsonrpc/channels.suite.ts';
import { createProvider } from '../registry.ts';
import { listen, readRequest } from '../rest/peer.suite.ts';

const CALL = '01980000-0000-7000-8000-000000000001';

function open(config: object) {
  return createProvider({ id: 'z', protocol: 'chat/v1', type: 'execution-zone', config }, realParts);
}

/** A call whose keeping is seen. */
function callWith(params: ProviderCall['params']) {
  const written: Json[] = [];
  const call: ProviderCall = {
    ...{ method: 'ask', params, call_id: CALL, task_id: CALL, workflow_id: null, attempt: 1 },
    signal: new AbortController().signal,
    keep: async (one) => {
      written.push(one);
      return true;
    },
  };
  return { call, written };
}

describe('what a provider is given in confidence', () => {
  const [token, key] = [realParts.secrets('bot'), realParts.secrets('key')];
  const repeating = { channel: 'C1', bot_token: '${secrets.bot}' };

  async function saying(error: object) {
    const { url, stop } = await listen(async (request, response) => {
      const { id } = JSON.parse((await readRequest(request)).body);
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    });
    const config = { url, key: '${secrets.key}', params: repeating };
    const provider = open(config);
    const stopAll = () => Promise.all([provider.close?.(), stop()]);
    return { provider, stop: stopAll };
  }

  it('stands in no error of a call, whatever the zone repeats', async () => {
    const error = { code: -32004, message: `no use for ${token} and ${key}`, data: { detail: [token, key] } };
    const { provider, stop } = await saying(error);
    const { call, written } = callWith({ text: 'hello' });
    const answer = await provider.call(call);
    expect(answer).toMatchObject({ word: 'failed', error: { message: 'no use for [secret] and [secret]' } });
    expect(JSON.stringify([answer, written])).not.toMatch(/value-of/);
    await stop();
  });

  it('stands in no error that asks for another try, and in none of a probe after it', async () => {
    const { provider, stop } = await saying({ code: -32603, message: `trouble with ${token}` });
    const { call } = callWith({ text: 'hello' });
    const answer = await provider.call(call);
    expect(answer).toMatchObject({ word: 'again', reason: 'trouble with [secret]' });
    const probed = await provider.probe?.ask(new AbortController().signal);
    expect(probed).toMatchObject({ well: false, error: { message: 'trouble with [secret]' } });
    await stop();
  });
});

describe('keys of AWS that are lent', () => {
  const agentcore = {
    ...{ runtime_arn: 'arn:aws:bedrock-agentcore:eu-central-1:123456789012:runtime/zone-Ab12Cd34Ef' },
    ...{ region: 'eu-central-1', access_key_id: '${secrets.id}', secret_access_key: '${secrets.key}' },
  };

  it.each([
    [{ session_token: '${secrets.session}' }, realParts.secrets('session')],
    [{}, undefined],
  ])('are shown with the token that came with them: %j', async (lent, shown) => {
    const tokens: unknown[] = [];
    const { url, stop } = await listen(async (request, response) => {
      const { headers, body } = await readRequest(request);
      tokens.push(headers['x-amz-security-token']);
      const result = { status: 'success', response_text: 'hello' };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result }));
    });
    const config = { ...agentcore, ...lent, endpoint: url };
    const provider = open(config);
    const { call } = callWith({ channel: 'C1', text: 'hello', bot_token: 'xoxb-kept-nowhere' });
    expect(await provider.call(call)).toMatchObject({ word: 'done' });
    expect(tokens).toEqual([shown]);
    await provider.close?.();
    await stop();
  });

  it('are named by secrets, and a token stands with the keys that it belongs to', () => {
    const check = (config: object) => () => open(config);
    expect(check({ ...agentcore, session_token: 'plain' })).toThrow(/session_token/);
    const { access_key_id: _, secret_access_key: __, ...found } = agentcore;
    expect(check({ ...found, session_token: '${secrets.session}' })).toThrow(/session_token/);
  });
});
