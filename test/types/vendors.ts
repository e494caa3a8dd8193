import { type Asked, jsonIn, type Said } from './stand-in.ts';

/** The key that every one of them asks for, and the two words that make them complain. */
export const KEY = 'key-of-the-test';
export const WRONG = 'something-wrong';
export const BUSY = 'too-busy';

type Vendor = (asked: Asked) => Said;

const page: Said = { text: '<html>a page</html>' };

const duckduckgo: Vendor = ({ path, query }) => {
  if (path !== '/' || query.get('format') !== 'json') return page;
  if (query.get('q') === BUSY) return { status: 429, headers: { 'retry-after': '7' }, text: 'slow down' };
  if (query.get('q') === WRONG) return { status: 400, text: 'bad query' };
  const topic = (n: number) => ({
    FirstURL: `https://duckduckgo.com/${n}`,
    Icon: { Height: '', URL: '', Width: '' },
    Result: `<a href="https://duckduckgo.com/${n}">Topic ${n}</a>`,
    Text: `Topic ${n}`,
  });
  const json = {
    Abstract: '',
    AbstractText: '',
    Heading: query.get('q'),
    RelatedTopics: [topic(1), topic(2), { Name: 'Others', Topics: [topic(3)] }],
    Results: [],
    Type: 'D',
  };
  return { json, headers: { 'content-type': 'application/x-javascript' } };
};

const bing: Vendor = ({ path, query, headers }) => {
  const error = (code: string, message: string) => ({ error: { code, message } });
  if (path !== '/search') return page;
  if (headers['ocp-apim-subscription-key'] !== KEY)
    return { status: 401, json: error('401', 'Access denied due to invalid subscription key') };
  if (query.get('q') === BUSY)
    return { status: 429, headers: { 'retry-after': '7' }, json: error('429', 'Rate limit is exceeded') };
  if (query.get('q') === WRONG) return { status: 400, json: error('InvalidRequest', 'bad query') };
  const value = [1, 2, 3].map((n) => ({
    id: `https://api.bing.microsoft.com/api/v7/#WebPages.${n}`,
    name: `Topic ${n}`,
    url: `https://example.org/${n}`,
    snippet: `About topic ${n}`,
  }));
  return { json: { _type: 'SearchResponse', webPages: { totalEstimatedMatches: 3, value } } };
};

const searxng: Vendor = ({ path, query, headers }) => {
  if (path !== '/search') return page;
  if (headers.authorization !== `Bearer ${KEY}`) return { status: 401, text: 'no' };
  if (query.get('format') !== 'json') return { status: 403, text: 'Forbidden' };
  if (query.get('q') === BUSY)
    return { status: 429, headers: { 'retry-after': '7' }, text: 'Too Many Requests' };
  if (query.get('q') === WRONG) return { status: 400, text: 'bad query' };
  const results = [1, 2, 3].map((n) => ({
    url: `https://example.org/${n}`,
    title: `Topic ${n}`,
    content: `About topic ${n}`,
    engine: 'duckduckgo',
    score: 1 / n,
  }));
  return { json: { query: query.get('q'), number_of_results: 3, results, answers: [], suggestions: [] } };
};

const elasticsearch: Vendor = (asked) => {
  const headers = {
    'x-elastic-product': 'Elasticsearch',
    'content-type': 'application/vnd.elasticsearch+json;compatible-with=9',
  };
  const error = (status: number, type: string, reason: string) => ({
    status,
    headers,
    json: { error: { root_cause: [{ type, reason }], type, reason }, status },
  });
  if (asked.headers.authorization !== `ApiKey ${KEY}`)
    return error(401, 'security_exception', 'unable to authenticate with provided credentials');
  const body = JSON.stringify(jsonIn(asked));
  if (body.includes(BUSY)) return error(429, 'circuit_breaking_exception', 'Data too large');
  if (body.includes(WRONG)) return error(400, 'parsing_exception', 'bad query');
  const hits = [1, 2].map((n) => ({
    _index: asked.path.split('/')[1],
    _id: String(n),
    _score: 2 / n,
    _source: { title: `Topic ${n}`, body: 'words' },
  }));
  const json = {
    took: 3,
    timed_out: false,
    _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
    hits: { total: { value: 2, relation: 'eq' }, max_score: 2, hits },
  };
  return { headers, json };
};

const qdrant: Vendor = (asked) => {
  if (asked.headers['api-key'] !== KEY) return { status: 401, text: 'Must provide an API key' };
  if (asked.path === '/') return { json: { title: 'qdrant', version: '1.19.0' } };
  const query = jsonIn(asked)['query'];
  const vector = (Array.isArray(query) ? query : (query as { nearest?: unknown })?.nearest) as
    | number[]
    | undefined;
  if (vector?.[0] === 429) return { status: 429, headers: { 'retry-after': '7' }, text: 'slow down' };
  if (vector === undefined || vector.length !== 2) {
    const error = 'Wrong input: Vector dimension error: expected dim: 2';
    return { status: 400, json: { status: { error }, time: 0.001 } };
  }
  const points = [1, 2].map((n) => ({ id: n, version: 1, score: 1 / n, payload: { title: `Topic ${n}` } }));
  return { json: { result: { points }, status: 'ok', time: 0.001 } };
};

const googleVision: Vendor = (asked) => {
  const error = (code: number, message: string) => ({ error: { code, message, status: 'X' } });
  if (asked.headers['x-goog-api-key'] !== KEY)
    return { status: 403, json: error(403, 'The request is missing a valid API key.') };
  if (asked.path !== '/v1/images:annotate') return { status: 404, json: error(404, 'not found') };
  const text = JSON.stringify(jsonIn(asked));
  if (text.includes(BUSY))
    return { status: 429, headers: { 'retry-after': '7' }, json: error(429, 'Quota exceeded') };
  if (text.includes(WRONG))
    return { json: { responses: [{ error: { code: 3, message: 'Bad image data.' } }] } };
  const response = text.includes('DOCUMENT_TEXT_DETECTION')
    ? { fullTextAnnotation: { text: 'STOP' } }
    : {
        labelAnnotations: [{ mid: '/m/01', description: 'Cat', score: 0.98, topicality: 0.98 }],
        webDetection: { bestGuessLabels: [{ label: 'a cat' }] },
      };
  return { json: { responses: [response] } };
};

const whisper: Vendor = (asked) => {
  const error = (message: string) => ({
    error: { message, type: 'invalid_request_error', param: null, code: null },
  });
  if (asked.headers.authorization !== `Bearer ${KEY}`)
    return { status: 401, json: error('Incorrect API key provided') };
  const form = asked.body.toString('latin1');
  const has = (name: string) => form.includes(`name="${name}"`);
  if (!asked.path.endsWith('/audio/transcriptions') || !has('file') || !has('model'))
    return { status: 400, json: error('something is missing') };
  if (form.includes(BUSY))
    return { status: 429, headers: { 'retry-after': '7' }, json: error('Rate limit reached') };
  if (form.includes(WRONG)) return { status: 400, json: error('Invalid file format.') };
  const segments = [{ id: 0, start: 0, end: 1.5, text: ' hello' }];
  return { json: { task: 'transcribe', language: 'english', duration: 1.5, text: 'hello', segments } };
};

/** Says that it is at work the first time it is asked. */
function assemblyAi(): Vendor {
  let times = 0;
  return (asked) => {
    if (asked.headers.authorization !== KEY) return { status: 401, json: { error: 'Invalid API key' } };
    if (asked.path === '/v2/upload')
      return { json: { upload_url: `https://cdn.assemblyai.com/upload/${asked.body.length}` } };
    if (asked.method === 'POST') {
      const { audio_url } = jsonIn(asked);
      if (audio_url === `https://${BUSY}.example/`)
        return { status: 429, headers: { 'retry-after': '7' }, json: { error: 'Too many requests' } };
      if (typeof audio_url !== 'string') return { status: 400, json: { error: 'audio_url is required' } };
      times = 0;
      return { json: { id: audio_url.includes(WRONG) ? 'bad' : 'good', status: 'queued', audio_url } };
    }
    const id = asked.path.split('/').at(-1);
    times += 1;
    if (times === 1) return { json: { id, status: 'processing' } };
    if (id === 'bad')
      return { json: { id, status: 'error', error: 'File does not appear to contain audio' } };
    return {
      json: { id, status: 'completed', text: 'hello', language_code: 'en_us', audio_duration: 2, words: [] },
    };
  };
}

export const vendors = {
  duckduckgo: () => duckduckgo,
  bing: () => bing,
  searxng: () => searxng,
  elasticsearch: () => elasticsearch,
  'vector-db': () => qdrant,
  'google-vision': () => googleVision,
  whisper: () => whisper,
  'assembly-ai': assemblyAi,
};
export type VendorName = keyof typeof vendors;
