// Stands in for DuckDuckGo, Bing, Ollama and OpenAI, each in the shape of the real one, and is an MCP server over HTTP.
import { createServer } from 'node:http';
import { answerTo } from './mcp.js';

const pages = ['Flexitime', 'Core hours', 'Working time account'];
const shorten = (text) => `In short: ${text.split(/\s+/).length} words.`;

const services = {
  'GET /duckduckgo': ({ query }) => ({
    Results: [],
    RelatedTopics: pages.map((page) => ({
      Text: page,
      FirstURL: `https://example.org/${query.length}/${page}`,
    })),
  }),
  'GET /bing/search': (_, { 'ocp-apim-subscription-key': key }) => {
    if (key !== 'bing key') return [401, { error: { code: '401', message: 'no such key' } }];
    const value = pages.map((name) => ({
      name,
      url: `https://example.org/${name}`,
      snippet: `About ${name}`,
    }));
    return { webPages: { value } };
  },
  'POST /ollama/api/generate': ({ body }) => ({
    model: body.model,
    response: shorten(body.prompt),
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 12,
    eval_count: 4,
  }),
  'POST /openai/chat/completions': ({ body }, { authorization }) => {
    if (authorization !== 'Bearer openai key') return [401, { error: { message: 'no such key' } }];
    const content = shorten(body.messages.at(-1).content);
    return {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: body.model,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
    };
  },
  'POST /mcp': ({ body }) => answerTo(body, 'http') ?? [202, null],
};

const server = createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url, 'http://localhost');
  const text = (await request.toArray()).join('');
  const service = `${request.method} ${pathname}`;
  const serve = services[service];
  console.log(service);
  const asked = { query: search, body: text === '' ? {} : JSON.parse(text) };
  const said = serve === undefined ? [404, { error: 'not here' }] : serve(asked, request.headers);
  const [status, json] = Array.isArray(said) ? said : [200, said];
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(json === null ? '' : JSON.stringify(json));
});
server.listen(Number(process.env.SERVICES_PORT ?? 9020), 'localhost', () => console.log('services listen'));
