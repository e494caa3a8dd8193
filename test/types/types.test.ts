import { Client } from '@elastic/elasticsearch';
import { QdrantClient } from '@qdrant/js-client-rest';
import { AssemblyAI } from 'assemblyai';
import OpenAI, { toFile } from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { serviceOf } from '../../src/config.ts';
import { classOf } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import type { Provider } from '../../src/core/ports/provider.ts';
import { realParts } from '../../src/dialects/jsonrpc/channels.suite.ts';
import { createProvider } from '../../src/dialects/registry.ts';
import { loadServerConfig } from '../../src/main/load.ts';
import { createProtocols } from '../../src/registry/protocols.ts';
import { standIn } from './stand-in.ts';
import { BUSY, KEY, type VendorName, vendors, WRONG } from './vendors.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function service(name: VendorName) {
  const started = await standIn(vendors[name]());
  ends.push(started.stop);
  return started;
}

/** A provider as a configuration makes it, and the judgement of its results by its protocol. */
async function open(type: VendorName, protocol: string, config: object) {
  const text = JSON.stringify({ protocols: [{ name: protocol, providers: [{ type, config }] }] });
  const loaded = await loadServerConfig({ file: null, text, env: {}, cwd: '/', database_url: false });
  const [{ definition, providers: [entry] = [] } = {}] = loaded.protocols;
  if (entry === undefined || definition === undefined) throw new Error('nothing was configured');
  const methods = Object.keys(definition.methods);
  const provider = createProvider({ ...entry, ...serviceOf(entry), protocol }, { ...realParts, methods });
  ends.push(async () => provider.close?.());
  const protocols = createProtocols();
  protocols.register(definition);
  return { provider, protocols };
}

type Opened = Awaited<ReturnType<typeof open>>;

function ask(provider: Provider, method: string, params: JsonObject) {
  const signal = AbortSignal.timeout(10_000);
  const call = { call_id: 'c', task_id: 't', workflow_id: null, attempt: 1, signal };
  return provider.call({ ...call, method, params });
}

async function resultOf({ provider, protocols }: Opened, method: string, params: JsonObject) {
  const { protocol } = provider;
  const filled = protocols.checkParams({ protocol, method, params, stage: 'final' });
  const answer = await ask(provider, method, filled);
  if (answer.word !== 'done') throw new Error(JSON.stringify(answer));
  const result = JSON.parse(answer.result) as JsonObject;
  protocols.checkResult({ protocol, method, result });
  return result;
}

async function errorOf({ provider }: Opened, method: string, params: JsonObject) {
  const answer = await ask(provider, method, params);
  if (answer.word !== 'failed') throw new Error(JSON.stringify(answer));
  return {
    class: classOf(answer.error),
    message: answer.error.message,
    wait: answer.error.data.retry_after_ms,
  };
}

const topics = [1, 2].map((n) => expect.objectContaining({ title: `Topic ${n}` }) as unknown);
const audio = (text: string) => ({ data: Buffer.from(text).toString('base64'), media_type: 'audio/mpeg' });
const image = (text: string) => ({ data: text, media_type: 'image/png' });

type Case = {
  readonly type: VendorName;
  readonly protocol: string;
  readonly config?: object;
  readonly method: string;
  readonly good: JsonObject;
  readonly expected: object;
  readonly wrong: JsonObject;
  readonly says: string;
  readonly busy: JsonObject;
  /** Without one that asks for a key. */
  readonly open?: boolean;
};

const cases: readonly Case[] = [
  ...(['web-search/v1', 'search/v1'] as const).map((protocol) => ({
    type: 'bing' as const,
    protocol,
    method: 'search',
    good: { query: 'x', max_results: 2 },
    expected: { results: topics },
    wrong: { query: WRONG, max_results: 2 },
    says: 'bad query',
    busy: { query: BUSY, max_results: 2 },
  })),
  {
    type: 'duckduckgo',
    protocol: 'web-search/v1',
    method: 'search',
    good: { query: 'x', max_results: 2 },
    expected: { results: topics },
    wrong: { query: WRONG },
    says: 'bad query',
    busy: { query: BUSY },
    open: true,
  },
  {
    type: 'searxng',
    protocol: 'web-search/v1',
    method: 'search',
    good: { query: 'x', max_results: 2 },
    expected: { results: topics },
    wrong: { query: WRONG },
    says: 'bad query',
    busy: { query: BUSY },
  },
  {
    type: 'elasticsearch',
    protocol: 'search/v1',
    config: { index: 'docs' },
    method: 'search',
    good: { query: 'x', filter: { term: { a: 1 } } },
    expected: { results: topics },
    wrong: { query: WRONG },
    says: 'bad query',
    busy: { query: BUSY },
  },
  {
    type: 'vector-db',
    protocol: 'search/v1',
    method: 'search',
    good: { vector: [0.1, 0.2] },
    expected: { results: topics },
    wrong: { vector: [1] },
    says: 'Vector dimension error',
    busy: { vector: [429, 0] },
  },
  {
    type: 'google-vision',
    protocol: 'vision/v1',
    method: 'analyze',
    good: { image: image('aGk=') },
    expected: { text: 'a cat', labels: [{ name: 'Cat', score: 0.98 }] },
    wrong: { image: image(WRONG) },
    says: 'Bad image data',
    busy: { image: image(BUSY) },
  },
  {
    type: 'google-vision',
    protocol: 'vision/v1',
    method: 'read_text',
    good: { image: { url: 'https://example.org/stop.png' } },
    expected: { text: 'STOP' },
    wrong: { image: image(WRONG) },
    says: 'Bad image data',
    busy: { image: image(BUSY) },
  },
  {
    type: 'whisper',
    protocol: 'audio/v1',
    method: 'transcribe',
    good: { audio: audio('sound'), language: 'en' },
    expected: { text: 'hello', language: 'english', duration: 1.5 },
    wrong: { audio: audio(WRONG) },
    says: 'Invalid file format',
    busy: { audio: audio(BUSY) },
  },
  {
    type: 'assembly-ai',
    protocol: 'audio/v1',
    config: { interval: 0.01 },
    method: 'transcribe',
    good: { audio: { url: 'https://example.org/talk.mp3' } },
    expected: { text: 'hello', language: 'en_us', duration: 2 },
    wrong: { audio: { url: `https://${WRONG}.example/` } },
    says: 'File does not appear to contain audio',
    busy: { audio: { url: `https://${BUSY}.example/` } },
  },
];

describe.each(cases)('$type for $protocol $method', (each) => {
  const started = async (key: string) => {
    const { url } = await service(each.type);
    return open(each.type, each.protocol, { url, api_key: key, ...each.config });
  };

  it('gives what the protocol promises', async () => {
    expect(await resultOf(await started(KEY), each.method, each.good)).toEqual(each.expected);
  });

  it('tells what the service complains of, and that it is final', async () => {
    const error = await errorOf(await started(KEY), each.method, each.wrong);
    expect(error.class).toBe('rejected');
    expect(error.message).toContain(each.says);
  });

  it('waits where the service asks to be left alone', async () => {
    const error = await errorOf(await started(KEY), each.method, each.busy);
    expect(error.class).toBe('rate_limit');
    if (each.type !== 'elasticsearch') expect(error.wait).toBe(7000);
  });

  if (each.open === true) return;
  it('is refused without the right key, which no error repeats', async () => {
    const error = await errorOf(await started('another-key'), each.method, each.good);
    expect(error.class).toBe('rejected');
    expect(error.message).not.toContain('another-key');
  });
});

it('assembly-ai is given the bytes of a recording first, where there is no address', async () => {
  const { url, asked } = await service('assembly-ai');
  const opened = await open('assembly-ai', 'audio/v1', { url, api_key: KEY, interval: 0.01 });
  expect(await resultOf(opened, 'transcribe', { audio: audio('sound') })).toMatchObject({ text: 'hello' });
  expect(asked.map(({ method, path }) => `${method} ${path}`).slice(0, 2)).toEqual([
    'POST /v2/upload',
    'POST /v2/transcript',
  ]);
  expect(asked[0]?.body.toString()).toBe('sound');
  expect(asked[1]?.body.toString()).toContain('https://cdn.assemblyai.com/upload/5');
});

describe("the vendors' own libraries take the stand-ins for their services", () => {
  it('Elasticsearch', async () => {
    const { url } = await service('elasticsearch');
    const client = new Client({ node: url, auth: { apiKey: KEY }, maxRetries: 0 });
    ends.push(() => client.close());
    const { hits } = await client.search({ index: 'docs', query: { match_all: {} } });
    expect(hits.hits.map(({ _id }) => _id)).toEqual(['1', '2']);
    await expect(client.search({ query: { match: { a: WRONG } } })).rejects.toThrow(/bad query/);
  });

  it('Qdrant', async () => {
    const { url } = await service('vector-db');
    const client = new QdrantClient({ url, apiKey: KEY, checkCompatibility: false });
    const { points } = await client.query('docs', { query: [0.1, 0.2], limit: 2 });
    expect(points.map(({ id }) => id)).toEqual([1, 2]);
    await expect(client.query('docs', { query: [1] })).rejects.toThrow();
  });

  it('OpenAI, for Whisper', async () => {
    const { url } = await service('whisper');
    const { audio: api } = new OpenAI({ baseURL: url, apiKey: KEY, maxRetries: 0 });
    const file = await toFile(Buffer.from('sound'), 'sound.mp3');
    const said = await api.transcriptions.create({
      file,
      model: 'whisper-1',
      response_format: 'verbose_json',
    });
    expect(said.text).toBe('hello');
  });

  it('AssemblyAI', async () => {
    const { url } = await service('assembly-ai');
    const client = new AssemblyAI({ apiKey: KEY, baseUrl: url });
    const params = { audio_url: 'https://example.org/talk.mp3' };
    const said = await client.transcripts.transcribe(params, { pollingInterval: 10 });
    expect(said).toMatchObject({ status: 'completed', text: 'hello' });
  });
});
