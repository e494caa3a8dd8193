import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answered, type Exchange, normalised, perform } from './exchange.ts';
import { exchanges } from './exchanges/index.ts';
import { sent03, sent10 } from './exchanges/words.ts';
import { type Language, languages, type SampleAgent, startAgent } from './start.ts';

const agents = new Map<Language, SampleAgent>();
const patient = new Map<Language, SampleAgent>();
const kept = new Map(languages.map((language) => [language, new Map<string, string>()]));

beforeAll(async () => {
  for (const language of languages) {
    agents.set(language, await startAgent(language));
    // Counts so slowly that whatever is done to it is done in time.
    patient.set(language, await startAgent(language, { STEP_MS: '3600000', TOKEN: 'open sesame' }));
  }
});

afterAll(async () => {
  for (const agent of [...agents.values(), ...patient.values()]) await agent.stop('SIGKILL');
});

const urlOf = (language: Language) => agents.get(language)?.url ?? '';
const memoryOf = (language: Language) => kept.get(language) ?? new Map();

describe('the sample agents answer alike', () => {
  it.each(exchanges)('$name', async (exchange) => {
    const answers: Answered[] = [];
    for (const language of languages)
      answers.push(await perform(urlOf(language), exchange, memoryOf(language)));
    const [first, ...others] = answers;
    if (first === undefined) throw new Error('no answer');
    expect(first.status).toBe(exchange.status ?? 200);
    expect(first.type).toBe(exchange.type ?? 'application/json');
    expect(first.value).toMatchObject(exchange.answer ?? {});
    for (const other of others) {
      expect(other.status).toBe(first.status);
      expect(other.type).toBe(first.type);
      // Byte for byte, apart from ids and times.
      expect(normalised(other.text)).toBe(normalised(first.text));
    }
  });
});

describe.each(languages)('the agent in %s', (language) => {
  const rpc = (method: string, params: unknown, more: Partial<Exchange> = {}): Exchange => ({
    name: method,
    body: { jsonrpc: '2.0', id: 1, method, params },
    headers: { Authorization: 'Bearer open sesame' },
    ...more,
  });
  const slow = patient;
  const ask = (exchange: Exchange) => perform(slow.get(language)?.url ?? '', exchange, memoryOf(language));

  it('has a card that caches can keep', async () => {
    const path = '.well-known/agent-card.json';
    const card = await perform(urlOf(language), { name: 'card', method: 'GET', path }, new Map());
    expect(card.headers.get('vary')).toBe('A2A-Version');
    expect(card.headers.get('cache-control')).toContain('max-age');
    const headers = { 'If-None-Match': card.headers.get('etag') ?? '' };
    const again = await perform(urlOf(language), { name: 'card', method: 'GET', path, headers }, new Map());
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('shows its token only to those who have it', async () => {
    const path = '.well-known/agent-card.json';
    const card = await ask({ name: 'card', method: 'GET', path });
    expect(card.value).toMatchObject({ securitySchemes: { bearer: { scheme: 'bearer' } } });
    expect(card.text).not.toContain('sesame');
    for (const authorization of [undefined, 'Bearer wrong', 'open sesame']) {
      const headers: Record<string, string> =
        authorization === undefined ? {} : { Authorization: authorization };
      const refused = await ask(rpc('tasks/get', { id: 'x' }, { headers }));
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    }
  });

  it('says the correlation id of a call again', async () => {
    const headers = { 'X-Correlation-ID': 'call-7' };
    const { headers: told } = await perform(
      urlOf(language),
      { name: 'health', method: 'GET', path: 'health', headers },
      new Map(),
    );
    expect(told.get('x-correlation-id')).toBe('call-7');
  });

  it('answers at once where asked to, is followed by two, and is canceled', async () => {
    const message = sent10('count: 2');
    const params = { ...message, configuration: { returnImmediately: true } };
    const started = await ask(rpc('SendMessage', params, { keep: 'slow' }));
    expect(started.value).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_WORKING' } } } });
    const followers = [rpc('SubscribeToTask', { id: '$slow' }), rpc('tasks/resubscribe', { id: '$slow' })];
    const url = slow.get(language)?.url ?? '';
    const streams = await Promise.all(followers.map((each) => opened(url, each, memoryOf(language))));
    const again = await ask(rpc('SendMessage', params));
    expect(again.value).toMatchObject({ result: { task: { id: memoryOf(language).get('slow') } } });
    const canceled = await ask(rpc('CancelTask', { id: '$slow' }));
    expect(canceled.value).toMatchObject({ result: { status: { state: 'TASK_STATE_CANCELED' } } });
    const twice = await ask(rpc('tasks/cancel', { id: '$slow' }));
    expect(twice.value).toMatchObject({ result: { status: { state: 'canceled' } } });
    const [ten, three] = await Promise.all(streams.map((stream) => stream.rest()));
    expect(ten).toContain('TASK_STATE_CANCELED');
    expect(three).toContain('"final":true');
    // What was canceled may be asked for again, and is done anew.
    const anew = await ask(rpc('SendMessage', params, { keep: 'anew' }));
    expect(anew.value).toMatchObject({ result: { task: { status: { state: 'TASK_STATE_WORKING' } } } });
    expect(memoryOf(language).get('anew')).not.toBe(memoryOf(language).get('slow'));
  });

  it('does other work while it is busy', async () => {
    const params = { ...sent03('count: 2'), configuration: { blocking: false } };
    await ask(rpc('message/send', params));
    const many = Array.from({ length: 20 }, () => ask(rpc('message/send', sent03('upper: x'))));
    for (const { value } of await Promise.all(many))
      expect(value).toMatchObject({ result: { status: { state: 'completed' } } });
  });

  it('takes no body that is too large', async () => {
    const large = await ask(rpc('message/send', sent03('x'.repeat(1024 * 1024)))).catch(() => null);
    // Whoever still sends when the answer is there may see the connection closed instead.
    expect(large?.status ?? 413).toBe(413);
    expect((await ask(rpc('tasks/get', { id: 'x' }))).status).toBe(200);
  });

  it('answers those who wait when it is told to stop', async () => {
    const agent = await startAgent(language, { STEP_MS: '3600000' });
    const waiting = perform(agent.url, rpc('message/send', sent03('count: 2')), new Map());
    const simple = perform(
      agent.url,
      { name: 'simple', body: { task_id: 't', input: 'count: 2' } },
      new Map(),
    );
    const streamed = await opened(agent.url, rpc('message/stream', sent03('count: 2')));
    // All have come: the tasks of both can be seen.
    for (let seen = 0; seen < 2; ) {
      const { value } = await perform(agent.url, rpc('ListTasks', {}), new Map());
      seen = (value as { result: { totalSize: number } }).result.totalSize;
    }
    const stopped = agent.stop('SIGTERM');
    expect(await streamed.rest()).toContain('"state":"failed"');
    expect((await waiting).value).toMatchObject({ result: { status: { state: 'failed' } } });
    expect((await simple).value).toMatchObject({ status: 'error', error: 'The agent was stopped.' });
    expect(await stopped).toBe(0);
  });

  it('says which skills there are where it is started with another', async () => {
    await expect(startAgent(language, { SKILL: 'fly' })).rejects.toThrow('SKILL');
    const agent = await startAgent(language, { SKILL: 'upper' });
    const { value } = await perform(
      agent.url,
      { name: 'x', body: { task_id: 't', input: 'a: b' } },
      new Map(),
    );
    expect(value).toMatchObject({ output: { text: 'A: B' } });
    await agent.stop();
  });
});

/** A stream whose first event is there. */
async function opened(url: string, { body, headers }: Exchange, memory = new Map<string, string>()) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body).replaceAll('$slow', memory.get('slow') ?? ''),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let all = (await reader?.read())?.value ?? '';
  return {
    async rest(): Promise<string> {
      for (;;) {
        const next = await reader?.read();
        if (next === undefined || next.done) return all;
        all += next.value;
      }
    },
  };
}
